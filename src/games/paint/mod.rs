//! Paint: colour more of the board than the others, all at once.
//!
//! Every avatar stands on a square of its own and paints it. Each turn every seat, unseen by the others, moves one
//! square or shoots paint, in any of eight directions. A shot paints as many squares as its seat's colour has in an
//! unbroken line directly behind the shooter, and at least one. After a fixed number of turns squares are counted.
//!
//! A turn goes in this order, and `turn` with it:
//! 1. Movers go to their squares. While avatars share a square, its movers go back to where they began. Swaps and
//!    cycles are fine; whoever shoots or passes stays and is never moved by others.
//! 2. Every avatar's square gets its colour, also of those who stayed.
//! 3. Ranges are counted on the board as it is then.
//! 4. Shots fly one square at a time, together. A shot is gone, and paints nothing more, when it is off the board, on
//!    an obstacle, on an avatar, on a square that a shot painted earlier this turn, or on one square with another shot.
//!
//! This file says what a game asks for, `turn` has the rules of a turn, `intent` what somebody does in it. `action` has
//! the notation, `state` the forms that leave the house, `rules` the fields of a ruleset, `board` the squares.

mod action;
mod board;
mod intent;
mod judge;
mod quiz;
mod rules;
mod scene;
mod state;
#[cfg(test)]
mod tests;
mod turn;
mod words;

use smallvec::{SmallVec, smallvec};

pub use self::action::{Action, Direction};
use self::board::{Board, Ground};
use self::intent::{Intent, Intents, filled};
pub use self::rules::Rules;
pub use self::state::{CellContent, Event, Illegal, Player, ShotEnd, Square, State};
use self::turn::Turn;
use super::dice::Dice;
use super::game::{Game, GameRules as _, Tell};
use super::grid::Spot;
use super::joint::{Joint, Order};
use super::outcome::{Outcome, Reason, places_by};
use super::refusal::BadState;
use super::seat::{Seat, Seats};
use crate::games::view::NothingHidden;

/// A position of Paint: small, without pointers for boards of up to 10 × 10 and four seats, cheap to clone.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Position {
    board: Board,
    avatars: SmallVec<[Avatar; 4]>,
    /// How many squares have each seat's colour, and last how many have none.
    scores: SmallVec<[u16; 8]>,
    turn: u32,
    turns_left: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Avatar {
    at: Spot,
    forfeited: bool,
}

/// What ranks a seat: first whether it stayed to the end, then its score.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Merit {
    stayed: bool,
    score: u16,
}

impl Game for Position {
    const NAME: &'static str = "paint";
    type Partial = NothingHidden;
    type Rules = Rules;
    type Action = Action;
    type Illegal = Illegal;
    type Event = Event;
    type State = State;

    fn open(rules: &Rules, seats: usize, _: &mut Dice) -> Result<Position, BadState> {
        let most = rules.capacity();
        if !(2..=most).contains(&seats) {
            return Err(BadState { problems: vec![format!("this ruleset seats 2 to {most} players, not {seats}")] });
        }
        // A start square that the map names for a seat beyond these is like any other.
        let bare = rules.map.cells.iter().map(|&content| match content {
            CellContent::Wall => CellContent::Wall,
            CellContent::Empty | CellContent::Owned(_) => CellContent::Empty,
        });
        let board = Board::new(rules.map.rows, rules.map.cols, bare);
        let starts = rules.starts(seats).into_iter();
        let avatars = starts.map(|at| Avatar { at: board.spot(at), forfeited: false }).collect();
        let mut position = Position::set_up(board, avatars, 0, rules.turns);
        position.paint_under_avatars();
        Ok(position)
    }

    fn from_state(_: &Rules, state: &State) -> Result<Position, BadState> {
        state::check(state)?;
        let board = Board::new(state.grid.len(), state.grid[0].len(), state.grid.iter().flatten().copied());
        let nowhere = Avatar { at: board.spot(Square { row: 0, col: 0 }), forfeited: false };
        let mut avatars: SmallVec<[Avatar; 4]> = smallvec![nowhere; state.players.len()];
        for player in &state.players {
            let at = board.spot(Square { row: player.row, col: player.col });
            avatars[player.seat.index()] = Avatar { at, forfeited: player.forfeited };
        }
        Ok(Position::set_up(board, avatars, state.turn, state.turns_left))
    }

    fn state(&self, ruleset: &str) -> State {
        let outcome = self.outcome();
        let player = |(index, avatar): (usize, &Avatar)| {
            let (seat, at) = (Seat::new(index), self.board.cell(avatar.at));
            Player {
                seat,
                row: at.row,
                col: at.col,
                score: u32::from(self.score(seat)),
                forfeited: avatar.forfeited,
                place: outcome.as_ref().and_then(|outcome| outcome.places.get(&seat).copied()),
            }
        };
        State {
            ruleset: ruleset.to_owned(),
            turn: self.turn,
            to_act: self.to_act(),
            turns_left: self.turns_left,
            grid: self.board.rows().map(|row| row.iter().map(|ground| ground.content()).collect()).collect(),
            players: self.avatars.iter().enumerate().map(player).collect(),
            outcome,
        }
    }

    fn seats(&self) -> usize {
        self.avatars.len()
    }

    fn turn(&self) -> u32 {
        self.turn
    }

    fn to_act(&self) -> Seats {
        if self.end_reason().is_some() {
            return Seats::none();
        }
        let stayed = self.avatars.iter().enumerate().filter(|(_, avatar)| !avatar.forfeited);
        stayed.map(|(index, _)| Seat::new(index)).collect()
    }

    /// Without a look at every other seat, of which there may be thousands.
    fn must_act(&self, seat: Seat) -> bool {
        self.avatars.get(seat.index()).is_some_and(|avatar| !avatar.forfeited) && self.end_reason().is_none()
    }

    fn legal_into(&self, seat: Seat, actions: &mut Vec<Action>) {
        let ways = self.board.ways(self.avatars[seat.index()].at);
        actions.extend(Intent::legal(ways).iter().filter_map(|intent| intent.action()));
    }

    fn random_legal(&self, seat: Seat, dice: &mut Dice) -> Action {
        let ways = self.board.ways(self.avatars[seat.index()].at);
        Intent::random(ways, dice).action().expect("it moves or shoots")
    }

    fn random_turn(&mut self, _: &mut Joint<Action>, dice: &mut Dice) -> bool {
        if self.end_reason().is_some() {
            return false;
        }
        let mut intents: Intents = filled(Intent::STAY, self.avatars.len());
        for (intent, avatar) in intents.iter_mut().zip(&self.avatars).filter(|(_, avatar)| !avatar.forfeited) {
            *intent = Intent::random(self.board.ways(avatar.at), dice);
        }
        self.act(&intents);
        true
    }

    fn check(&self, seat: Seat, action: &Action) -> Result<(), Illegal> {
        let Action::Move { direction } = *action else { return Ok(()) };
        let to = self.board.step(self.avatars[seat.index()].at, direction);
        match self.board[to].bare() {
            Ground::OUTSIDE => Err(Illegal::MoveOutOfBounds { direction }),
            Ground::OBSTACLE => Err(Illegal::MoveIntoBlock { direction, at: self.board.cell(to) }),
            _ => Ok(()),
        }
    }

    fn resolve(&mut self, joint: &Joint<Action>, _: &mut Dice, events: &mut impl Tell<Event>) {
        if self.end_reason().is_some() {
            return;
        }
        let mut intents: Intents = filled(Intent::STAY, self.avatars.len());
        for (seat, order) in joint.iter() {
            intents[seat.index()] = order.action().into();
            self.avatars[seat.index()].forfeited |= *order == Order::Forfeit;
        }
        let Turn { bumped, shots } = self.act(&intents);
        self.tell_moves(joint, &bumped, events);
        for shot in &shots {
            events.tell(|| shot.event(self));
        }
        if self.end_reason().is_some() {
            events.tell(|| Event::Ended { outcome: self.outcome().expect("it is over") });
        }
    }

    fn outcome(&self) -> Option<Outcome> {
        verdict(self.turns_left, || self.merits())
    }

    fn encode(&self, bytes: &mut Vec<u8>) {
        let (rows, cols) = self.board.size();
        bytes.extend([rows, cols]);
        for ground in self.board.rows().flatten() {
            bytes.extend_from_slice(&ground.bytes());
        }
        bytes.extend(u32::try_from(self.avatars.len()).expect("at most 4096 seats").to_le_bytes());
        for avatar in &self.avatars {
            let Square { row, col } = self.board.cell(avatar.at);
            bytes.extend([row, col, avatar.forfeited.into()]);
        }
        bytes.extend(self.turn.to_le_bytes());
        bytes.extend(self.turns_left.to_le_bytes());
    }

    fn set_up_like(&mut self, drawn: &Position) {
        self.board.clone_from(&drawn.board);
        self.avatars.clone_from(&drawn.avatars);
        self.scores.clone_from(&drawn.scores);
    }

    fn lift_limits(&mut self) {
        self.turns_left = u32::MAX;
    }
}

/// What a turn begins and ends with; what happens in it is in `turn`.
impl Position {
    /// Tells who went where, in seat order. Shots are told when they have flown.
    fn tell_moves(&self, joint: &Joint<Action>, bumped: &[Seat], events: &mut impl Tell<Event>) {
        for (seat, order) in joint.iter() {
            match (order, order.action()) {
                (Order::Pass, _) => events.tell(|| Event::Passed { seat }),
                (Order::Forfeit, _) => events.tell(|| Event::Forfeited { seat }),
                (_, Some(&Action::Move { direction })) => events.tell(|| {
                    let spot = self.avatars[seat.index()].at;
                    let at = self.board.cell(spot);
                    if bumped.binary_search(&seat).is_ok() {
                        Event::Bumped { seat, at, to: self.board.cell(self.board.step(spot, direction)) }
                    } else {
                        let from = self.board.cell(self.board.step(spot, direction.opposite()));
                        Event::Moved { seat, from, to: at }
                    }
                }),
                (_, Some(Action::Shoot { .. }) | None) => {}
            }
        }
    }

    fn merits(&self) -> impl Iterator<Item = Merit> {
        let merit = |(avatar, &score): (&Avatar, &u16)| Merit { stayed: !avatar.forfeited, score };
        self.avatars.iter().zip(&self.scores).map(merit)
    }

    /// A position with the scores that follow from its board.
    fn set_up(mut board: Board, avatars: SmallVec<[Avatar; 4]>, turn: u32, turns_left: u32) -> Position {
        let mut scores: SmallVec<[u16; 8]> = smallvec![0; avatars.len() + 1];
        for ground in board.rows().flatten().filter(|ground| ground.is_free()) {
            scores[ground.tally(avatars.len())] += 1;
        }
        for avatar in &avatars {
            board.grounds_mut()[avatar.at.index()].mark(Ground::AVATAR);
        }
        Position { board, avatars, scores, turn, turns_left }
    }

    /// Why it is over, if it is.
    fn end_reason(&self) -> Option<Reason> {
        end_reason(self.turns_left, self.merits())
    }
}

/// Why a match is over, if it is: all but one have given up, or all turns are played.
fn end_reason(turns_left: u32, merits: impl Iterator<Item = Merit>) -> Option<Reason> {
    if merits.filter(|merit| merit.stayed).take(2).count() < 2 {
        Some(Reason::Forfeit)
    } else {
        (turns_left == 0).then_some(Reason::TurnLimit)
    }
}

/// How a match ended, if it has; equal merits share a place.
fn verdict<I: Iterator<Item = Merit>>(turns_left: u32, merits: impl Fn() -> I) -> Option<Outcome> {
    let reason = end_reason(turns_left, merits())?;
    let places = places_by(&merits().collect()).iter().map(|(seat, &place)| (seat, place)).collect();
    Some(Outcome { places, reason })
}
