//! The rules of a turn: moves, paint under avatars, ranges, shots.

use smallvec::SmallVec;

use super::board::{Ground, range};
use super::intent::{Intent, filled};
use super::{Direction, Event, Position, ShotEnd};
use crate::games::grid::Spot;
use crate::games::seat::Seat;

/// Paint in the air.
#[derive(Clone, Copy)]
pub(super) struct Shot {
    seat: Seat,
    direction: Direction,
    at: Spot,
    range: u8,
    painted: u8,
    /// Why it paints no more, once it is gone.
    end: ShotEnd,
}

/// What a turn knows beyond the position.
pub(super) struct Turn {
    /// Whose moves were undone, in seat order.
    pub(super) bumped: SmallVec<[Seat; 8]>,
    /// All shots, spent, in seat order.
    pub(super) shots: SmallVec<[Shot; 8]>,
}

/// The rules of a turn.
impl Position {
    /// A turn, step by step.
    #[inline]
    pub(super) fn act(&mut self, intents: &[Intent]) -> Turn {
        self.turn += 1;
        self.turns_left -= 1;
        let bumped = self.walk(intents);
        self.paint_under_avatars();
        Turn { bumped, shots: self.shoot(intents) }
    }

    /// Everybody goes at once; whoever ends up on a square with others and came there by moving goes back.
    #[inline]
    fn walk(&mut self, intents: &[Intent]) -> SmallVec<[Seat; 8]> {
        let strides = Intent::strides(self.board.steps());
        let grounds = self.board.grounds_mut();
        for (avatar, intent) in self.avatars.iter().zip(intents) {
            grounds[avatar.at.index()].clear(if intent.moves() { Ground::AVATAR } else { 0 });
        }
        let mut clash = false;
        for (avatar, intent) in self.avatars.iter_mut().zip(intents) {
            avatar.at = avatar.at.plus(intent.step(&strides));
            let ground = &mut grounds[avatar.at.index()];
            clash |= intent.moves() & ground.has(Ground::AVATAR);
            ground.mark(Ground::AVATAR);
        }
        if clash { self.settle(intents) } else { SmallVec::new() }
    }

    /// While avatars share a square, its movers go back. Whoever stayed goes nowhere. Gives who went back, in seat order.
    #[cold]
    fn settle(&mut self, intents: &[Intent]) -> SmallVec<[Seat; 8]> {
        let strides = Intent::strides(self.board.steps());
        let (mut standing, mut shared, mut came) =
            (self.board.visitors(), self.board.visitors(), self.board.visitors());
        for (seat, avatar) in Seat::first(self.avatars.len()).zip(&self.avatars) {
            if standing.put(avatar.at, seat).is_some() {
                shared.put(avatar.at, seat);
            }
        }
        // Whoever goes back sends back in turn the one who came to its home, if that was not to go back anyway.
        let mut back: SmallVec<[Seat; 8]> = SmallVec::new();
        for (seat, avatar) in Seat::first(self.avatars.len()).zip(&self.avatars) {
            if intents[seat.index()].moves() {
                if shared.at(avatar.at).is_some() {
                    back.push(seat);
                } else {
                    came.put(avatar.at, seat);
                }
            }
        }
        let mut bumped = SmallVec::new();
        let grounds = self.board.grounds_mut();
        while let Some(seat) = back.pop() {
            let avatar = &mut self.avatars[seat.index()];
            grounds[avatar.at.index()].clear(Ground::AVATAR);
            avatar.at = avatar.at.minus(intents[seat.index()].step(&strides));
            bumped.push(seat);
            back.extend(came.take(avatar.at));
        }
        for avatar in &self.avatars {
            grounds[avatar.at.index()].mark(Ground::AVATAR);
        }
        bumped.sort_unstable();
        bumped
    }

    /// Every avatar's square gets its colour.
    #[inline]
    pub(super) fn paint_under_avatars(&mut self) {
        let (seats, grounds) = (self.avatars.len(), self.board.grounds_mut());
        for (seat, avatar) in Seat::first(seats).zip(&self.avatars) {
            paint(grounds, &mut self.scores, avatar.at, seat, Ground::AVATAR);
        }
    }

    /// Counts all ranges, then lets all shots fly together.
    #[inline]
    fn shoot(&mut self, intents: &[Intent]) -> SmallVec<[Shot; 8]> {
        let steps = self.board.steps();
        let grounds = self.board.grounds_mut();
        // Everybody is written down, and those who do not shoot are written over.
        let mut shots = filled(Shot::NONE, self.avatars.len());
        let mut flying = filled(0, self.avatars.len());
        let mut count = 0;
        for ((seat, avatar), intent) in Seat::first(self.avatars.len()).zip(&self.avatars).zip(intents) {
            shots[count] = Shot { seat, direction: intent.direction(), at: avatar.at, ..Shot::NONE };
            count += usize::from(intent.shoots());
        }
        shots.truncate(count);
        for ((number, flying), shot) in (0..).zip(&mut flying).zip(&mut shots) {
            *flying = number;
            shot.range = range(grounds, Ground::of(shot.seat), shot.at, steps[shot.direction as usize]);
        }
        while count > 0 {
            count = advance(grounds, &mut self.scores, &mut shots, &mut flying[..count], &steps);
        }
        for shot in &shots {
            let (mut at, step) = (self.avatars[shot.seat.index()].at, steps[shot.direction as usize]);
            for _ in 0..shot.painted {
                at = at.plus(step);
                grounds[at.index()].clear(Ground::FRESH);
            }
        }
        shots
    }
}

/// Gives a square a seat's colour and marks, and keeps the scores.
#[inline]
fn paint(grounds: &mut [Ground], scores: &mut [u16], at: Spot, seat: Seat, marks: u16) {
    let seats = scores.len() - 1;
    let ground = &mut grounds[at.index()];
    scores[ground.tally(seats)] -= 1;
    scores[seat.index()] += 1;
    *ground = Ground::of(seat);
    ground.mark(marks);
}

/// All flying shots, by their numbers, go on one square; those that meet nothing paint it. Leaves those that fly on in
/// front of the list and gives how many they are. What becomes of a shot cannot be foreseen: arithmetic instead of
/// branches.
#[inline]
fn advance(
    grounds: &mut [Ground],
    scores: &mut [u16],
    shots: &mut [Shot],
    flying: &mut [u16],
    steps: &[u16; 8],
) -> usize {
    let mut open = 0;
    for index in 0..flying.len() {
        let number = flying[index];
        let shot = &mut shots[usize::from(number)];
        shot.at = shot.at.plus(steps[shot.direction as usize]);
        let ground = &mut grounds[shot.at.index()];
        let stop = match ground.bare() {
            Ground::OUTSIDE => ShotEnd::Edge,
            Ground::OBSTACLE => ShotEnd::Obstacle,
            _ if ground.has(Ground::AVATAR) => ShotEnd::Avatar,
            _ => ShotEnd::Paint,
        };
        let is_fresh = ground.has(Ground::FRESH) & !ground.has(Ground::REACHED);
        let stopped = !ground.is_free() | ground.has(Ground::AVATAR) | is_fresh;
        shot.end = if stopped { stop } else { ShotEnd::Range };
        // A square that two have reached is marked as fresh, too, until all have been seen.
        let mark = if ground.has(Ground::REACHED) { Ground::FRESH } else { Ground::REACHED };
        ground.mark(if stopped { 0 } else { mark });
        flying[open] = number;
        open += usize::from(!stopped);
    }
    let (mut on, mut met) = (0, false);
    for index in 0..open {
        let number = flying[index];
        let shot = &mut shots[usize::from(number)];
        if grounds[shot.at.index()].has(Ground::FRESH) {
            shot.end = ShotEnd::Shot;
            met = true;
        } else {
            paint(grounds, scores, shot.at, shot.seat, Ground::FRESH);
            shot.painted += 1;
            flying[on] = number;
            on += usize::from(shot.painted < shot.range);
        }
    }
    // Where shots have met nothing is painted; a later one may still come.
    for shot in shots.iter().filter(|_| met) {
        let ground = &mut grounds[shot.at.index()];
        ground.clear(if ground.has(Ground::REACHED) { Ground::FRESH | Ground::REACHED } else { 0 });
    }
    on
}

impl Shot {
    const NONE: Shot = Shot {
        seat: Seat::new(0),
        direction: Direction::North,
        at: Spot::NOWHERE,
        range: 0,
        painted: 0,
        end: ShotEnd::Range,
    };

    pub(super) fn event(self, position: &Position) -> Event {
        let (board, muzzle) = (&position.board, position.avatars[self.seat.index()].at);
        let flight = std::iter::successors(Some(muzzle), |&at| Some(board.step(at, self.direction)));
        Event::Shot {
            seat: self.seat,
            direction: self.direction,
            range: self.range,
            cells: flight.skip(1).take(usize::from(self.painted)).map(|at| board.cell(at)).collect(),
            end: self.end,
        }
    }
}
