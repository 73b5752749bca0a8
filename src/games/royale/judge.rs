//! Rules of thumb for Grid Royale: stay in the zone and out of lines of fire, shoot where somebody will be.

use smallvec::SmallVec;

use super::{Action, Direction, MAX_SEATS, Position, PowerUp, Step, Tile};
use crate::games::{Game, Seat};

use crate::games::judge::{Judge, Tuning, even_chance, score_pairs, settled};

impl Judge for Position {
    // Two who stand in one line hit each other: without contempt for a draw they would trade shots to the end, and
    // without counting on habits nobody ever hits and is not hit.
    const TUNING: Tuning = Tuning { exploration: 0.2, sharpness: 5.0, habit: 0.5, contempt: 0.3 };

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

    fn judge(&self, values: &mut [f32]) {
        // What a seat's whole side has left, which is the seat alone where there are no teams.
        let mut strength: [Option<f32>; MAX_SEATS] = [None; MAX_SEATS];
        for one in Seat::first(self.seats()) {
            let side = Seat::first(self.seats()).filter(|&other| self.alive(other) && self.allies(one, other));
            for other in side {
                let merit = f32::from(self.hp(other)) - 0.25 * f32::from(from_centre(self, self.at(other)));
                *strength[one.index()].get_or_insert(0.0) += merit;
            }
        }
        score_pairs(values, |one, other| match (strength[one.index()], strength[other.index()]) {
            _ if self.allies(one, other) => 0.5,
            (Some(ours), Some(theirs)) => even_chance(0.5 * (ours - theirs)),
            (Some(_), None) => 1.0,
            (None, Some(_)) => 0.0,
            (None, None) => settled(self.placed(one), self.placed(other)),
        });
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
pub(super) fn from_centre(game: &Position, tile: Tile) -> u8 {
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
