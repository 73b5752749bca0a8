//! Rules of thumb for Grid Royale: stay in the zone and out of lines of fire, shoot where somebody will be.

use smallvec::SmallVec;

use super::Greedy;
use crate::rules::royale::{Action, Direction, MAX_SEATS, Position, Step, Tile};
use crate::rules::{Game, Seat};

impl Greedy for Position {
    fn merits(&self, seat: Seat, actions: &[Action], merits: &mut [f32]) {
        let rivals = rivals(self, seat);
        let stands = Step::ALL.map(|step| {
            let tile = landing(self, self.at(seat), step);
            (footing(self, tile, &rivals), aims(self, tile, &rivals))
        });
        for (action, merit) in actions.iter().zip(merits) {
            let (footing, aims) = stands[action.step as usize];
            *merit = footing
                + match action.shoot.map(|direction| aims[direction as usize]) {
                    None => 0.0,
                    Some(aim) if aim > 0.0 => aim,
                    // Nobody can be there.
                    Some(_) => -1.0,
                };
        }
    }
}

/// The living seats that are not on a seat's side.
pub(crate) fn rivals(game: &Position, seat: Seat) -> SmallVec<[Seat; MAX_SEATS]> {
    Seat::first(game.seats()).filter(|&other| game.alive(other) && !game.allies(seat, other)).collect()
}

/// Where a step leads if nobody is in the way.
pub(crate) fn landing(game: &Position, from: Tile, step: Step) -> Tile {
    step.direction().and_then(|direction| game.neighbour(from, direction)).unwrap_or(from)
}

/// The direction of a bullet from one tile to another, if it reaches so far.
pub(crate) fn line(game: &Position, from: Tile, to: Tile) -> Option<Direction> {
    let (east, north) = (i16::from(to.x) - i16::from(from.x), i16::from(to.y) - i16::from(from.y));
    let direction = match (east.signum(), north.signum()) {
        (0, 1) => Direction::North,
        (0, -1) => Direction::South,
        (1, 0) => Direction::East,
        (-1, 0) => Direction::West,
        _ => return None,
    };
    let far = east.unsigned_abs() + north.unsigned_abs();
    if far > u16::from(game.terms().range) {
        return None;
    }
    let mut at = from;
    for _ in 0..far {
        at = game.neighbour(at, direction)?;
    }
    Some(direction)
}

/// What a shot from a tile is worth in each direction: a rival is taken to stay where it is.
fn aims(game: &Position, from: Tile, rivals: &[Seat]) -> [f32; 4] {
    let mut aims = [0.0; 4];
    for &rival in rivals {
        if let Some(direction) = line(game, from, game.at(rival)) {
            aims[direction as usize] += 0.5;
        }
    }
    aims
}

/// How good it is to stand on a tile after this tick.
fn footing(game: &Position, tile: Tile, rivals: &[Seat]) -> f32 {
    let (width, height) = game.size();
    let centre = f32::from(tile.x.abs_diff(width / 2).max(tile.y.abs_diff(height / 2)));
    let mut merit = -0.02 * centre;
    if !game.zone().contains(tile) {
        merit -= 1.0;
    }
    if !game.zone_at(game.tick() + 1).contains(tile) {
        merit -= 0.5;
    }
    for &rival in rivals {
        // A rival can shoot from where it stands or from a step away; one that has to guess is half as bad.
        let shooting = Step::ALL.into_iter().map(|step| landing(game, game.at(rival), step));
        let covered: f32 = shooting.filter(|&from| line(game, from, tile).is_some()).map(|_| 1.0).sum();
        merit -= 0.05 * covered;
    }
    merit
}
