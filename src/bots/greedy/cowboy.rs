//! Rules of thumb for Cowboy: shoot what can be hit, stay out of beams, come closer.

use smallvec::SmallVec;

use super::Greedy;
use crate::games::cowboy::{Action, Cell, Direction, Laser, Position};
use crate::games::{Game, Joint, Order, Seat, Seed};

/// How many of one seat's shots would hurt another if they were fired now.
pub(crate) fn threats(game: &Position, shooter: Seat, victim: Seat) -> usize {
    let (from, to) = (game.at(shooter), game.at(victim));
    let (down, right) = (i16::from(to.row) - i16::from(from.row), i16::from(to.col) - i16::from(from.col));
    let vertical = if down < 0 { Direction::Up } else { Direction::Down };
    let horizontal = if right < 0 { Direction::Left } else { Direction::Right };
    // Which way to shoot, and which way the beam arrives.
    let ways = match game.laser() {
        // A T-shaped beam sweeps the lines beside the shooter, a straight one its own.
        Laser::Tee => [
            (down.abs() == 1 && right != 0).then_some((vertical, horizontal)),
            (right.abs() == 1 && down != 0).then_some((horizontal, vertical)),
        ],
        Laser::Straight => [
            (down == 0 && right != 0).then_some((horizontal, horizontal)),
            (right == 0 && down != 0).then_some((vertical, vertical)),
        ],
    };
    let hurts = |&(direction, travels): &(Direction, Direction)| {
        game.shield(victim) != travels.opposite() && game.in_sight(shooter, direction, travels) == Some(victim)
    };
    ways.into_iter().flatten().filter(hurts).count()
}

/// The living seats other than this one.
pub(crate) fn rivals(game: &Position, seat: Seat) -> impl Iterator<Item = Seat> + '_ {
    Seat::first(game.seats()).filter(move |&other| other != seat && game.alive(other))
}

impl Greedy for Position {
    fn merits(&self, seat: Seat, actions: &[Action], merits: &mut [f32]) {
        let paths = Paths::to_rivals(self, seat);
        let mut joint = Joint::new();
        // Nothing in this game is left to chance.
        let mut dice = Seed(0).dice();
        for (action, value) in actions.iter().zip(merits) {
            let mut after = self.clone();
            joint.set(seat, Order::Play(action.clone()));
            after.resolve(&joint, &mut dice, &mut ());
            *value = merit(self, &after, seat, &paths);
        }
    }
}

/// How good a turn was for the seat that took it.
fn merit(before: &Position, after: &Position, seat: Seat, paths: &Paths) -> f32 {
    let mut merit = -paths.steps(after.at(seat));
    for rival in rivals(before, seat) {
        merit += 100.0 * f32::from(before.hp(rival) - after.hp(rival));
        if !after.alive(rival) {
            merit += 1000.0;
            continue;
        }
        // Less than a chance to shoot is worth: it would rather be shot at than never come near.
        if threats(after, rival, seat) > 0 {
            merit -= 15.0;
        }
        merit += match threats(after, seat, rival) {
            0 => 0.0,
            1 => 20.0,
            _ => 30.0,
        };
    }
    merit
}

/// How far every cell is from the nearest rival, walking.
struct Paths {
    cols: usize,
    steps: SmallVec<[u8; 121]>,
}

impl Paths {
    const FAR: u8 = u8::MAX;

    fn to_rivals(game: &Position, seat: Seat) -> Paths {
        let (rows, cols) = game.size();
        let (cells, cols) = (usize::from(rows) * usize::from(cols), usize::from(cols));
        let mut steps: SmallVec<[u8; 121]> = SmallVec::from_elem(Paths::FAR, cells);
        let mut queue: SmallVec<[Cell; 121]> = SmallVec::new();
        for rival in rivals(game, seat) {
            let at = game.at(rival);
            steps[index(cols, at)] = 0;
            queue.push(at);
        }
        let mut next = 0;
        while let Some(&at) = queue.get(next) {
            next += 1;
            let far = steps[index(cols, at)].saturating_add(1);
            for direction in Direction::ALL {
                let Some(to) = game.neighbour(at, direction) else { continue };
                let step = &mut steps[index(cols, to)];
                if *step == Paths::FAR && game.cell(to) == 0 {
                    *step = far;
                    queue.push(to);
                }
            }
        }
        Paths { cols, steps }
    }

    fn steps(&self, at: Cell) -> f32 {
        f32::from(self.steps[index(self.cols, at)])
    }
}

fn index(cols: usize, at: Cell) -> usize {
    usize::from(at.row) * cols + usize::from(at.col)
}
