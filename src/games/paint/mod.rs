//! Paint: colour more of the board than the others, all at once.
//!
//! Every avatar stands on a square of its own and paints it. Each turn every seat, unseen by the others, moves one
//! square or shoots paint, in any of eight directions. A shot paints as many squares as its seat's colour has in an
//! unbroken line directly behind the shooter, and at least one. After a fixed number of turns squares are counted.
//!
//! A turn goes in this order, and [`Position::resolve`](Game::resolve) with it:
//! 1. Movers go to their squares. While avatars share a square, its movers go back to where they began. Swaps and
//!    cycles are fine; whoever shoots or passes stays and is never moved by others.
//! 2. Every avatar's square gets its colour, also of those who stayed.
//! 3. Ranges are counted on the board as it is then.
//! 4. Shots fly one square at a time, together. A shot is gone, and paints nothing more, when it is off the board, on
//!    an obstacle, on an avatar, on a square that a shot painted earlier this turn, or on one square with another shot.
//!
//! This file is the rulebook. `action` has the notation, `state` the forms that leave the house, `rules` the fields
//! of a ruleset, `board` the squares.

mod action;
mod board;
mod judge;
mod quiz;
mod rules;
mod scene;
mod state;
#[cfg(test)]
mod tests;
mod words;

use smallvec::{SmallVec, smallvec};

pub use self::action::{Action, Direction};
use self::board::{Board, Ground, Spot, Tally};
pub use self::rules::Rules;
pub use self::state::{Event, Illegal, Player, ShotEnd, Square, State, Surface};
use super::dice::Dice;
use super::game::{Game, GameRules as _, Tell};
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
    turn: u32,
    turns_left: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Avatar {
    at: Spot,
    /// How many squares have its colour.
    score: u16,
    forfeited: bool,
}

/// What ranks a seat: first whether it stayed to the end, then its score.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Merit {
    stayed: bool,
    score: u16,
}

/// Paint in the air.
struct Shot {
    seat: Seat,
    direction: Direction,
    at: Spot,
    range: u8,
    painted: u8,
    end: Option<ShotEnd>,
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
        let bare = rules.map.cells.iter().map(|&surface| match surface {
            Surface::Obstacle => Surface::Obstacle,
            Surface::Neutral | Surface::Painted(_) => Surface::Neutral,
        });
        let board = Board::new(rules.map.rows, rules.map.cols, bare);
        let starts = rules.starts(seats).into_iter();
        let avatars = starts.map(|at| Avatar { at: board.spot(at), score: 0, forfeited: false }).collect();
        let mut position = Position { board, avatars, turn: 0, turns_left: rules.turns };
        position.paint_under_avatars();
        Ok(position)
    }

    fn from_state(_: &Rules, state: &State) -> Result<Position, BadState> {
        state::check(state)?;
        let board = Board::new(state.grid.len(), state.grid[0].len(), state.grid.iter().flatten().copied());
        let nowhere = Avatar { at: board.spot(Square { row: 0, col: 0 }), score: 0, forfeited: false };
        let mut avatars: SmallVec<[Avatar; 4]> = smallvec![nowhere; state.players.len()];
        for player in &state.players {
            let at = board.spot(Square { row: player.row, col: player.col });
            avatars[player.seat.index()] = Avatar { at, score: 0, forfeited: player.forfeited };
        }
        for seat in board.rows().flatten().filter_map(|ground| ground.painter()) {
            avatars[seat.index()].score += 1;
        }
        Ok(Position { board, avatars, turn: state.turn, turns_left: state.turns_left })
    }

    fn state(&self, ruleset: &str) -> State {
        let outcome = self.outcome();
        let player = |(index, avatar): (usize, &Avatar)| {
            let (seat, at) = (Seat::new(index), self.board.square(avatar.at));
            Player {
                seat,
                row: at.row,
                col: at.col,
                score: u32::from(avatar.score),
                forfeited: avatar.forfeited,
                place: outcome.as_ref().and_then(|outcome| outcome.places.get(&seat).copied()),
            }
        };
        State {
            ruleset: ruleset.to_owned(),
            turn: self.turn,
            to_act: self.to_act(),
            turns_left: self.turns_left,
            grid: self.board.rows().map(|row| row.iter().map(|ground| ground.surface()).collect()).collect(),
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
        let moves = self.open_ways(seat);
        let ways = Direction::ALL.into_iter().filter(|&direction| moves & 1 << direction as u8 != 0);
        actions.extend(ways.map(|direction| Action::Move { direction }));
        actions.extend(Direction::ALL.map(|direction| Action::Shoot { direction }));
    }

    fn random_legal(&self, seat: Seat, dice: &mut Dice) -> Action {
        let mut moves = self.open_ways(seat);
        let count = moves.count_ones();
        let drawn = dice.below(count + 8);
        if drawn >= count {
            return Action::Shoot { direction: Direction::ALL[(drawn - count) as usize] };
        }
        for _ in 0..drawn {
            moves &= moves - 1;
        }
        Action::Move { direction: Direction::ALL[moves.trailing_zeros() as usize] }
    }

    fn check(&self, seat: Seat, action: &Action) -> Result<(), Illegal> {
        let Action::Move { direction } = *action else { return Ok(()) };
        let to = self.board.step(self.avatars[seat.index()].at, direction);
        match self.board.ground(to) {
            Ground::OUTSIDE => Err(Illegal::MoveOutOfBounds { direction }),
            Ground::OBSTACLE => Err(Illegal::MoveIntoBlock { direction, at: self.board.square(to) }),
            _ => Ok(()),
        }
    }

    fn resolve(&mut self, joint: &Joint<Action>, _: &mut Dice, events: &mut impl Tell<Event>) {
        if self.end_reason().is_some() {
            return;
        }
        self.turn += 1;
        self.turns_left -= 1;
        let standing = self.walk(joint, events);
        self.paint_under_avatars();
        self.shoot(joint, &standing, events);
        if self.end_reason().is_some() {
            events.tell(|| Event::Ended { outcome: self.outcome().expect("it is over") });
        }
    }

    fn outcome(&self) -> Option<Outcome> {
        verdict(self.turns_left, || self.avatars.iter().map(|avatar| avatar.merit()))
    }

    fn encode(&self, bytes: &mut Vec<u8>) {
        let (rows, cols) = self.board.size();
        bytes.extend([rows, cols]);
        for ground in self.board.rows().flatten() {
            bytes.extend_from_slice(&ground.bytes());
        }
        bytes.extend(u32::try_from(self.avatars.len()).expect("at most 4096 seats").to_le_bytes());
        for avatar in &self.avatars {
            let Square { row, col } = self.board.square(avatar.at);
            bytes.extend([row, col, avatar.forfeited.into()]);
        }
        bytes.extend(self.turn.to_le_bytes());
        bytes.extend(self.turns_left.to_le_bytes());
    }

    fn set_up_like(&mut self, drawn: &Position) {
        self.board.clone_from(&drawn.board);
        self.avatars.clone_from(&drawn.avatars);
    }

    fn lift_limits(&mut self) {
        self.turns_left = u32::MAX;
    }
}

/// The rules of a turn.
impl Position {
    /// Everybody goes at once; whoever ends up on a square with others and came there by moving goes back.
    fn walk(&mut self, joint: &Joint<Action>, events: &mut impl Tell<Event>) -> Tally {
        let homes: SmallVec<[Spot; 16]> = self.avatars.iter().map(|avatar| avatar.at).collect();
        for (seat, order) in joint.iter() {
            let avatar = &mut self.avatars[seat.index()];
            if let Some(&Action::Move { direction }) = order.action() {
                avatar.at = self.board.step(avatar.at, direction);
            }
            avatar.forfeited |= *order == Order::Forfeit;
        }
        let standing = self.settle(&homes);
        for (seat, order) in joint.iter() {
            let (from, at) = (homes[seat.index()], self.avatars[seat.index()].at);
            let square = |spot| self.board.square(spot);
            match (order, order.action()) {
                (Order::Pass, _) => events.tell(|| Event::Passed { seat }),
                (Order::Forfeit, _) => events.tell(|| Event::Forfeited { seat }),
                (_, Some(&Action::Move { direction })) => {
                    let to = self.board.step(from, direction);
                    events.tell(|| {
                        let to = square(to);
                        if at == from {
                            Event::Bumped { seat, at: square(at), to }
                        } else {
                            Event::Moved { seat, from: square(from), to }
                        }
                    });
                }
                // A shot is told when it has flown.
                (_, Some(Action::Shoot { .. }) | None) => {}
            }
        }
        standing
    }

    /// While avatars share a square, its movers go back. Whoever stayed goes nowhere: its home is where it is. Tells who
    /// stands where in the end.
    fn settle(&mut self, homes: &[Spot]) -> Tally {
        let standing = self.standing();
        if standing.all_apart() {
            return standing;
        }
        // Whoever goes back sends back in turn the one who came to its home, if that was not to go back anyway.
        let mut came = self.board.visitors();
        let mut back: SmallVec<[Seat; 16]> = SmallVec::new();
        for (index, avatar) in self.avatars.iter().enumerate().filter(|&(index, avatar)| avatar.at != homes[index]) {
            if standing.several(avatar.at) {
                back.push(Seat::new(index));
            } else {
                came.put(avatar.at, Seat::new(index));
            }
        }
        while let Some(seat) = back.pop() {
            let home = homes[seat.index()];
            self.avatars[seat.index()].at = home;
            back.extend(came.take(home));
        }
        self.standing()
    }

    /// Who stands where.
    fn standing(&self) -> Tally {
        let mut standing = self.board.tally();
        for avatar in &self.avatars {
            standing.add(avatar.at);
        }
        standing
    }

    /// Every avatar's square gets its colour.
    fn paint_under_avatars(&mut self) {
        for index in 0..self.avatars.len() {
            self.paint(self.avatars[index].at, Seat::new(index));
        }
    }

    /// Counts all ranges, then lets all shots fly together.
    fn shoot(&mut self, joint: &Joint<Action>, standing: &Tally, events: &mut impl Tell<Event>) {
        let mut shots: SmallVec<[Shot; 16]> = joint
            .iter()
            .filter_map(|(seat, order)| match order.action() {
                Some(&Action::Shoot { direction }) => {
                    let (at, range) = (self.avatars[seat.index()].at, self.range(seat, direction));
                    Some(Shot { seat, direction, at, range, painted: 0, end: None })
                }
                _ => None,
            })
            .collect();
        if shots.is_empty() {
            return;
        }
        let mut painted = self.board.tally();
        while shots.iter().any(|shot| shot.end.is_none()) {
            self.advance(&mut shots, standing, &mut painted);
        }
        for shot in &shots {
            let muzzle = self.avatars[shot.seat.index()].at;
            events.tell(|| shot.event(&self.board, muzzle));
        }
    }

    /// All flying shots go on one square; those that meet nothing paint it.
    fn advance(&mut self, shots: &mut [Shot], standing: &Tally, painted: &mut Tally) {
        let mut flying = self.board.tally();
        for shot in shots.iter_mut().filter(|shot| shot.end.is_none()) {
            shot.at = self.board.step(shot.at, shot.direction);
            flying.add(shot.at);
        }
        for shot in shots.iter_mut().filter(|shot| shot.end.is_none()) {
            shot.end = match self.board.ground(shot.at) {
                Ground::OUTSIDE => Some(ShotEnd::Edge),
                Ground::OBSTACLE => Some(ShotEnd::Obstacle),
                _ if standing.any(shot.at) => Some(ShotEnd::Avatar),
                _ if painted.any(shot.at) => Some(ShotEnd::Paint),
                _ if flying.several(shot.at) => Some(ShotEnd::Shot),
                _ => {
                    self.paint(shot.at, shot.seat);
                    painted.add(shot.at);
                    shot.painted += 1;
                    (shot.painted == shot.range).then_some(ShotEnd::Range)
                }
            };
        }
    }

    /// Gives a square a seat's colour and keeps the scores.
    fn paint(&mut self, spot: Spot, seat: Seat) {
        self.avatars[seat.index()].score += 1;
        if let Some(before) = self.board.paint(spot, Ground::of(seat)).painter() {
            self.avatars[before.index()].score -= 1;
        }
    }

    /// Why it is over, if it is.
    fn end_reason(&self) -> Option<Reason> {
        end_reason(self.turns_left, self.avatars.iter().map(|avatar| avatar.merit()))
    }
}

impl Avatar {
    fn merit(self) -> Merit {
        Merit { stayed: !self.forfeited, score: self.score }
    }
}

impl Shot {
    fn event(&self, board: &Board, muzzle: Spot) -> Event {
        let flight = std::iter::successors(Some(muzzle), |&at| Some(board.step(at, self.direction)));
        Event::Shot {
            seat: self.seat,
            direction: self.direction,
            range: self.range,
            cells: flight.skip(1).take(usize::from(self.painted)).map(|at| board.square(at)).collect(),
            end: self.end.expect("the shot is gone"),
        }
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
