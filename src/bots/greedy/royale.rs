//! Rules of thumb for Grid Royale: stay in the zone and out of lines of fire, shoot where somebody will be.

use smallvec::SmallVec;

use super::Greedy;
use crate::games::royale::{Action, Direction, MAX_SEATS, Position, PowerUp, Step, Tile};
use crate::games::{Game, Seat};

impl Greedy for Position {
    fn merits(&self, seat: Seat, actions: &[Action], merits: &mut [f32]) {
        // Where each rival may be after this tick.
        let rivals: Rivals = Seat::first(self.seats())
            .filter(|&other| self.alive(other) && !self.allies(seat, other))
            .map(|rival| Step::ALL.map(|step| landing(self, self.at(rival), step)))
            .collect();
        let stands = Step::ALL.map(|step| {
            let tile = landing(self, self.at(seat), step);
            (footing(self, tile, &rivals), aims(self, tile, &rivals))
        });
        for (action, merit) in actions.iter().zip(merits) {
            let (footing, aims) = stands[action.step as usize];
            *merit = footing
                + match action.shoot.map(|direction| aims[direction as usize]) {
                    Some(aim) if aim > 0.0 => aim,
                    // Nobody can be there.
                    Some(_) => -1.0,
                    None => 0.0,
                };
        }
    }
}

type Rivals = SmallVec<[[Tile; 5]; MAX_SEATS]>;

/// Where a step leads if nobody is in the way.
fn landing(game: &Position, from: Tile, step: Step) -> Tile {
    step.direction().and_then(|direction| game.neighbour(from, direction)).unwrap_or(from)
}

/// How good it is to stand on a tile after this tick.
fn footing(game: &Position, tile: Tile, rivals: &Rivals) -> f32 {
    let mut merit = -0.02 * f32::from(from_centre(game, tile));
    if !game.zone().contains(tile) {
        merit -= 1.0;
    }
    if !game.zone_at(game.tick() + 1).contains(tile) {
        merit -= 0.5;
    }
    // From every tile in line with this one a rival could shoot, but it has to guess well.
    let lines = rivals.iter().flatten().filter(|&&rival| line(game, rival, tile).is_some());
    merit -= lines.fold(0.0, |danger, _| danger + 0.05);
    let apart = |powerup: &PowerUp| powerup.at.x.abs_diff(tile.x) + powerup.at.y.abs_diff(tile.y);
    merit - 0.05 * f32::from(game.powerups().iter().map(apart).min().unwrap_or(0))
}

/// How far a tile is from the middle, where it is safe longest.
pub(crate) fn from_centre(game: &Position, tile: Tile) -> u8 {
    let (width, height) = game.size();
    tile.x.abs_diff(width / 2).max(tile.y.abs_diff(height / 2))
}

/// How many hits a shot from a tile makes in each direction, when every rival may go anywhere.
fn aims(game: &Position, from: Tile, rivals: &Rivals) -> [f32; 4] {
    let mut aims = [0.0; 4];
    for &rival in rivals.iter().flatten() {
        if let Some(direction) = line(game, from, rival) {
            aims[direction as usize] += 0.2;
        }
    }
    aims
}

/// The direction of a bullet from one tile to another, if it reaches so far.
fn line(game: &Position, from: Tile, to: Tile) -> Option<Direction> {
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
