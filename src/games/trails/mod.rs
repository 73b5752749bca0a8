//! Trails: light cycles that never stop and leave a wall behind them.
//!
//! Every turn each rider, unseen by the others, goes one cell: straight on, to the left or to the right. Whoever runs
//! into the edge, a wall, a trail or another rider is out; the last one riding wins.
//!
//! A turn goes in this order, and `Position::ride` with it:
//! 1. Every rider's target is the next cell the way it goes. Who gives up has none; who passes goes straight on.
//! 2. The cell of every rider becomes its trail, also of who gives up.
//! 3. A rider crashes if its target is off the board, a wall, a trail, the ones just laid included, or another rider's
//!    target too. Two that would swap cells run into each other's trails.
//! 4. Who crashed or gave up is out and stays where it was. The others are on their targets and face the way they went.
//!
//! This file is the rulebook. `action` has the notation, `state` the forms that leave the house, `rules` the fields of
//! a ruleset, `board` the cells, `territory` who reaches which of them first.

mod action;
mod board;
mod judge;
mod quiz;
mod rules;
mod scene;
mod state;
mod territory;
#[cfg(test)]
mod tests;
mod words;

use std::array;

pub use self::action::{Action, Direction};
use self::board::{Board, Ground};
pub use self::rules::Rules;
pub use self::state::{Cell, CellContent, Event, Illegal, Obstacle, Rider as RiderState, State};
use super::dice::Dice;
use super::game::{Game, Tell};
use super::grid::Spot;
use super::joint::{Joint, Order};
use super::outcome::{Outcome, Reason};
use super::refusal::BadState;
use super::seat::{Seat, Seats};
use crate::games::view::NothingHidden;

/// No ruleset of this game seats more.
pub const MAX_SEATS: usize = 4;

/// A position of Trails: small, without pointers for boards of up to 13 × 13, cheap to clone.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Position {
    board: Board,
    riders: [Rider; MAX_SEATS],
    turn: u32,
    turns_left: u32,
    seats: u8,
    /// The seats that still ride, a bit each.
    riding: u8,
    over: Option<Reason>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Rider {
    at: Spot,
    facing: Direction,
    /// 0 until it is settled.
    place: u8,
}

impl Game for Position {
    const NAME: &'static str = "trails";
    type Partial = NothingHidden;
    type Rules = Rules;
    type Action = Action;
    type Illegal = Illegal;
    type Event = Event;
    type State = State;

    fn open(rules: &Rules, seats: usize, _: &mut Dice) -> Result<Position, BadState> {
        if !(2..=MAX_SEATS).contains(&seats) {
            let problem = format!("this ruleset seats 2 to {MAX_SEATS} players, not {seats}");
            return Err(BadState { problems: vec![problem] });
        }
        let walls = rules.map.cells.iter().map(|&wall| if wall { CellContent::Wall } else { CellContent::Empty });
        let board = Board::of(rules.map.rows, rules.map.cols, walls);
        let mut riders = [Rider::NOBODY; MAX_SEATS];
        for (rider, (at, facing)) in riders.iter_mut().zip(rules.starts()).take(seats) {
            *rider = Rider { at: board.spot(at), facing, place: 0 };
        }
        let (seats, riding) = (narrow(seats), (1 << seats) - 1);
        Ok(Position { board, riders, turn: 0, turns_left: rules.max_turns, seats, riding, over: None })
    }

    fn from_state(_: &Rules, state: &State) -> Result<Position, BadState> {
        state::check(state)?;
        let board = Board::of(state.grid.len(), state.grid[0].len(), state.grid.iter().flatten().copied());
        let mut riders = [Rider::NOBODY; MAX_SEATS];
        let mut riding = 0;
        for rider in &state.riders {
            riders[rider.seat.index()] = Rider {
                at: board.spot(Cell { row: rider.row, col: rider.col }),
                facing: rider.facing,
                place: rider.place.map_or(0, |place| u8::try_from(place).expect("checked: at most the seats")),
            };
            riding |= u8::from(rider.alive) << rider.seat.index();
        }
        Ok(Position {
            board,
            riders,
            turn: state.turn,
            turns_left: state.turns_left,
            seats: narrow(state.riders.len()),
            riding,
            over: state.outcome.as_ref().map(|outcome| outcome.reason),
        })
    }

    fn state(&self, ruleset: &str) -> State {
        let rider = |seat: Seat| {
            let Cell { row, col } = self.at(seat);
            let (facing, alive, place) = (self.facing(seat), self.rides(seat), self.placed(seat));
            RiderState { seat, row, col, facing, alive, place }
        };
        State {
            ruleset: ruleset.to_owned(),
            turn: self.turn,
            to_act: self.to_act(),
            outcome: self.outcome(),
            turns_left: self.turns_left,
            grid: self.board.contents(),
            riders: Seat::first(self.seats()).map(rider).collect(),
        }
    }

    fn seats(&self) -> usize {
        usize::from(self.seats)
    }

    fn turn(&self) -> u32 {
        self.turn
    }

    fn to_act(&self) -> Seats {
        Seats::from_bits(if self.over.is_some() { 0 } else { self.riding.into() })
    }

    fn legal_into(&self, seat: Seat, actions: &mut Vec<Action>) {
        actions.extend(WAYS_ON[self.facing(seat) as usize].map(|direction| Action::Move { direction }));
    }

    fn random_legal(&self, seat: Seat, dice: &mut Dice) -> Action {
        Action::Move { direction: self.random_way(seat.index(), dice) }
    }

    fn random_turn(&mut self, _: &mut Joint<Action>, dice: &mut Dice) -> bool {
        if self.over.is_some() {
            return false;
        }
        let mut ways = [Direction::Up; MAX_SEATS];
        for seat in self.riding() {
            ways[seat] = self.random_way(seat, dice);
        }
        self.ride(ways, 0, &mut ());
        true
    }

    /// Anything but straight back, however deadly.
    fn check(&self, seat: Seat, action: &Action) -> Result<(), Illegal> {
        let (facing, direction) = (self.facing(seat), action.direction());
        if direction == facing.opposite() { Err(Illegal::MoveStraightBack { direction, facing }) } else { Ok(()) }
    }

    fn resolve(&mut self, joint: &Joint<Action>, _: &mut Dice, events: &mut impl Tell<Event>) {
        if self.over.is_some() {
            return;
        }
        // Who passes goes straight on.
        let mut ways = self.riders.map(|rider| rider.facing);
        let mut quitting = 0;
        for (seat, order) in joint.iter() {
            match order {
                Order::Play(action) | Order::StandIn(action) => ways[seat.index()] = action.direction(),
                Order::Pass => events.tell(|| Event::Passed { seat }),
                Order::Forfeit => {
                    quitting |= 1 << seat.index();
                    events.tell(|| Event::Forfeited { seat });
                }
            }
        }
        self.ride(ways, quitting, events);
    }

    fn outcome(&self) -> Option<Outcome> {
        let places = || Seat::first(self.seats()).map(|seat| (seat, self.riders[seat.index()].place.into())).collect();
        self.over.map(|reason| Outcome { places: places(), reason })
    }

    fn encode(&self, bytes: &mut Vec<u8>) {
        let (rows, cols) = self.board.size();
        bytes.extend([rows, cols, self.seats, self.riding]);
        bytes.extend(self.board.rows().flatten().map(|ground| ground.byte()));
        for seat in Seat::first(self.seats()) {
            let Cell { row, col } = self.at(seat);
            let Rider { facing, place, .. } = self.riders[seat.index()];
            bytes.extend([row, col, facing as u8, place]);
        }
        bytes.extend(self.turn.to_le_bytes());
        bytes.extend(self.turns_left.to_le_bytes());
        bytes.extend(match self.over {
            None => [0, 0],
            Some(reason) => [1, reason as u8],
        });
    }

    fn set_up_like(&mut self, drawn: &Position) {
        self.board.clone_from(&drawn.board);
        self.riders = drawn.riders;
    }

    fn lift_limits(&mut self) {
        self.turns_left = u32::MAX;
    }
}

/// The rules of a turn.
impl Position {
    /// A turn: the way that each seat goes, and who gives up instead, a bit each.
    #[inline]
    fn ride(&mut self, ways: [Direction; MAX_SEATS], quitting: u8, events: &mut impl Tell<Event>) {
        let going = self.riding & !quitting;
        // 1. Targets.
        let targets = array::from_fn(|seat| self.board.step(self.riders[seat].at, ways[seat]));
        // 2. Trails.
        for seat in self.riding() {
            self.board.lay(self.riders[seat].at, Seat::new(seat));
        }
        // 3. Crashes.
        let mut crashed = 0;
        for seat in bits(going) {
            let taken = self.board[targets[seat]] != Ground::EMPTY;
            let shared = rivals(going, targets, seat) != 0;
            crashed |= u8::from(taken | shared) << seat;
        }
        // 4. Who is still riding moves on.
        for seat in bits(going) {
            let way = ways[seat];
            if crashed >> seat & 1 == 0 {
                let from = std::mem::replace(&mut self.riders[seat].at, targets[seat]);
                self.riders[seat].facing = way;
                let cell = |spot| self.board.cell(spot);
                events.tell(|| Event::Moved { seat: Seat::new(seat), from: cell(from), to: cell(targets[seat]) });
            } else {
                let at = self.riders[seat].at;
                let into = || self.obstacle(targets[seat], rivals(going, targets, seat));
                events.tell(|| Event::Crashed {
                    seat: Seat::new(seat),
                    at: self.board.cell(at),
                    direction: way,
                    into: into(),
                });
            }
        }
        self.turn += 1;
        self.turns_left -= 1;
        if crashed | quitting != 0 {
            self.bury(crashed, self.riding & quitting, events);
        }
        if self.turns_left == 0 && self.over.is_none() {
            self.end(Reason::TurnLimit, events);
        }
    }

    /// What somebody ran into: the board first, then those who wanted the same cell.
    fn obstacle(&self, target: Spot, rivals: u8) -> Obstacle {
        match self.board[target] {
            Ground::OUTSIDE => Obstacle::Edge,
            Ground::WALL => Obstacle::Wall,
            ground => match ground.rider() {
                Some(of) => Obstacle::Trail { of },
                None => Obstacle::Riders { seats: Seats::from_bits(rivals.into()) },
            },
        }
    }

    /// Takes the fallen out. Who crashed comes behind all who still ride, who gave up behind those.
    fn bury(&mut self, crashed: u8, quit: u8, events: &mut impl Tell<Event>) {
        self.riding &= !(crashed | quit);
        let left = self.riding.count_ones();
        let crash_place = left + 1;
        let quit_place = crash_place + crashed.count_ones();
        for seat in bits(crashed | quit) {
            let place = if quit >> seat & 1 == 1 { quit_place } else { crash_place };
            self.riders[seat].place = narrow(place as usize);
            events.tell(|| Event::Eliminated { seat: Seat::new(seat), place });
        }
        match left {
            0 | 1 if crashed == 0 => self.end(Reason::Forfeit, events),
            0 => self.end(Reason::AllDead, events),
            1 => self.end(Reason::LastAlive, events),
            _ => {}
        }
    }

    /// All who still ride are first.
    fn end(&mut self, reason: Reason, events: &mut impl Tell<Event>) {
        for seat in self.riding() {
            self.riders[seat].place = 1;
        }
        // A position set up by hand need not say when its fallen fell: they share the last place.
        let seats = usize::from(self.seats);
        let unplaced = self.riders[..seats].iter().filter(|rider| rider.place == 0).count();
        let last = narrow(seats - unplaced + 1);
        for rider in self.riders[..seats].iter_mut().filter(|rider| rider.place == 0) {
            rider.place = last;
        }
        self.over = Some(reason);
        events.tell(|| Event::Ended { outcome: self.outcome().expect("it is over") });
    }

    /// The seats that still ride, as indices.
    #[inline]
    fn riding(&self) -> impl Iterator<Item = usize> + use<> {
        bits(self.riding)
    }

    /// One of the three ways on, each as likely as the others.
    #[inline]
    fn random_way(&self, seat: usize, dice: &mut Dice) -> Direction {
        WAYS_ON[self.riders[seat].facing as usize][dice.below(3) as usize]
    }
}

impl Rider {
    /// Fills the chairs that a table does not have.
    const NOBODY: Rider = Rider { at: Spot::NOWHERE, facing: Direction::Up, place: 0 };
}

/// The ways that are legal for who faces a way, in the order in which actions are listed: all but straight back.
const WAYS_ON: [[Direction; 3]; 4] = {
    use Direction::{Down, Left, Right, Up};
    [[Up, Left, Right], [Down, Left, Right], [Up, Down, Left], [Up, Down, Right]]
};

/// Who else goes where a seat goes, a bit each.
#[inline]
fn rivals(going: u8, targets: [Spot; MAX_SEATS], seat: usize) -> u8 {
    let same = |other: &usize| *other != seat && targets[*other] == targets[seat];
    bits(going).filter(same).fold(0, |rivals, other| rivals | 1 << other)
}

/// The numbers of the bits that are set, of the first four.
#[inline]
fn bits(set: u8) -> impl Iterator<Item = usize> {
    (0..MAX_SEATS).filter(move |bit| set >> bit & 1 == 1)
}

fn narrow(number: usize) -> u8 {
    u8::try_from(number).expect("tables of this game have 4 seats")
}
