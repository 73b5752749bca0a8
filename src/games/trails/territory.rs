//! Who reaches which cells first: what bots judge a position by, and what a picture shows of it.

use smallvec::{SmallVec, smallvec};

use super::board::{Ground, INLINE};
use super::{Direction, MAX_SEATS, Position};
use crate::games::grid::Spot;

/// So many empty cells each seat reaches before anybody else, by seat.
pub(super) type Territory = [u16; MAX_SEATS];

/// A cell that several reach at the same time, or nobody yet.
const CONTESTED: u8 = u8::MAX;
const UNREACHED: u16 = u16::MAX;

#[derive(Clone, Copy)]
struct Reached {
    steps: u16,
    /// Whose it is.
    seat: u8,
}

impl Position {
    /// The cells that each rider reaches first from where it is.
    pub(super) fn territory(&self) -> Territory {
        self.territory_from(self.riding().map(|seat| (seat, self.riders[seat].at, 0)))
    }

    /// The cells that each rider reaches first if one of them goes this way and the others can still go anywhere. It is
    /// nothing for who would crash.
    pub(super) fn territory_after(&self, seat: usize, way: Direction) -> Territory {
        let target = self.board.step(self.riders[seat].at, way);
        let others = self.riding().filter(|&other| other != seat).map(|other| (other, self.riders[other].at, 0));
        let open = self.board[target] == Ground::EMPTY && !self.riding().any(|other| self.riders[other].at == target);
        self.territory_from(others.chain(open.then_some((seat, target, 1))))
    }

    /// From where everybody starts and after how many steps, fewest first. No start is an own cell of anybody, but one
    /// after a step is.
    fn territory_from(&self, starts: impl Iterator<Item = (usize, Spot, u16)>) -> Territory {
        let mut reached: SmallVec<[Reached; INLINE]> =
            smallvec![Reached { steps: UNREACHED, seat: CONTESTED }; self.board.places().len()];
        // Nobody goes where somebody is now: a trail will be there.
        for seat in self.riding() {
            reached[self.riders[seat].at.index()].steps = 0;
        }
        let mut queue: SmallVec<[Spot; INLINE]> = SmallVec::new();
        for (seat, at, steps) in starts {
            reached[at.index()] = Reached { steps, seat: super::narrow(seat) };
            queue.push(at);
        }
        let mut territory = [0; MAX_SEATS];
        let mut next = 0;
        while let Some(&at) = queue.get(next) {
            next += 1;
            let Reached { steps, seat } = reached[at.index()];
            // Whoever gets here at the same time has been found by now.
            if let Some(count) = territory.get_mut(usize::from(seat)).filter(|_| steps > 0) {
                *count += 1;
            }
            for way in Direction::ALL {
                let to = self.board.step(at, way);
                let there = &mut reached[to.index()];
                if there.steps == UNREACHED {
                    if self.board[to] == Ground::EMPTY {
                        *there = Reached { steps: steps + 1, seat };
                        queue.push(to);
                    }
                } else if there.steps == steps + 1 && there.seat != seat {
                    there.seat = CONTESTED;
                }
            }
        }
        territory
    }
}
