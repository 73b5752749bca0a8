//! Rules of thumb for Cowboy: shoot what can be hit, stay out of beams, come closer.

use smallvec::SmallVec;

use super::{Action, Cell, Direction, Laser, MAX_SEATS, Position};
use crate::games::{Game, Joint, Order, Seat, Seed};

use crate::games::judge::{Judge, Tuning, even_chance, score_pairs, settled};

/// What a step towards the nearest rival is worth, of a whole win.
const CLOSENESS: f32 = 0.01;

impl Judge for Position {
    // Perfect opponents never let anybody near, so a search that expects them waits for ever: it counts on mistakes, and
    // explores little enough to tell a step nearer from a step aside.
    const TUNING: Tuning = Tuning { exploration: 0.3, sharpness: 0.0, habit: 0.3, contempt: 0.0 };

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

    fn judge(&self, values: &mut [f32]) {
        let mut strength = [0.0; MAX_SEATS];
        for seat in Seat::first(self.seats()).filter(|&seat| self.alive(seat)) {
            strength[seat.index()] = f32::from(self.hp(seat)) + initiative(self, seat);
        }
        // Near the last round a lead is worth more: there is no time left to catch up.
        let rounds_left = (self.max_rounds() + 1).saturating_sub(self.round());
        let rounds_left = f32::from(u16::try_from(rounds_left).unwrap_or(u16::MAX));
        let weight = 0.35 + 3.0 / (1.0 + rounds_left);
        score_pairs(values, |one, other| match (self.alive(one), self.alive(other)) {
            (true, true) => even_chance(weight * (strength[one.index()] - strength[other.index()])),
            (true, false) => 1.0,
            (false, true) => 0.0,
            (false, false) => settled(self.placed(one), self.placed(other)),
        });
        for (index, value) in values.iter_mut().enumerate() {
            *value = (*value - CLOSENESS * distance(self, Seat::new(index))).max(0.0);
        }
    }
}

/// How many of one seat's shots would hurt another if they were fired now.
pub(super) fn threats(game: &Position, shooter: Seat, victim: Seat) -> usize {
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
pub(super) fn rivals(game: &Position, seat: Seat) -> impl Iterator<Item = Seat> + '_ {
    Seat::first(game.seats()).filter(move |&other| other != seat && game.alive(other))
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

/// What a shot that would hurt somebody is worth in hit points: most of one for the seat whose turn it is.
fn initiative(game: &Position, seat: Seat) -> f32 {
    if rivals(game, seat).all(|rival| threats(game, seat, rival) == 0) {
        0.0
    } else if game.to_act().contains(seat) {
        0.8
    } else {
        0.3
    }
}

/// How far the nearest rival is. Whoever stays away wins nothing, so near is a little better.
fn distance(game: &Position, seat: Seat) -> f32 {
    let at = game.at(seat);
    let steps = rivals(game, seat).map(|rival| {
        let to = game.at(rival);
        at.row.abs_diff(to.row) + at.col.abs_diff(to.col)
    });
    steps.min().map_or(0.0, f32::from)
}
