//! Cowboy: a duel on a grid with shields and lasers, one seat at a time.
//!
//! Each turn one seat moves one cell, turns its shield, fires its laser or, in some rulesets, speaks. A T-shaped laser
//! ([`Laser::Tee`]) enters the adjacent cell and sweeps from there both ways across; a straight one flies ahead. A
//! sweep takes one hit point of the first block or living player that it meets, unless that player's shield faces
//! where the sweep comes from. Who has no hit points left is out; the last one alive wins, and after `max_rounds`
//! rounds hit points and then kills decide.
//!
//! This file is the rulebook. `standing` has the places, `action` the notation, `state` the forms that leave the house,
//! `rules` the fields of a ruleset, `board` what can be asked of a position, `fast` how a search gets it quickly.

mod action;
mod board;
mod fast;
mod judge;
mod quiz;
mod rules;
mod scene;
mod standing;
mod state;
#[cfg(test)]
mod tests;
mod words;

use smallvec::SmallVec;

pub use self::action::{Action, Direction};
use self::fast::{Ray, Stop};
pub use self::rules::{Bodies, Laser, Rules};
pub use self::state::{Beam, Cell, Event, Hit, Illegal, Player, State};
use super::dice::Dice;
use super::game::{Game, Tell};
use super::joint::{Joint, Order};
use super::outcome::{Outcome, Reason};
use super::refusal::BadState;
use super::seat::{Seat, Seats};
use super::speech::{Speech, check_message};
use crate::games::view::NothingHidden;

/// No ruleset of this game seats more.
pub const MAX_SEATS: usize = 4;

/// A position of Cowboy with its rules: small, without pointers for boards of up to 11 × 11, cheap to clone.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Position {
    /// Row after row: 0 empty, -1 wall, N a block with N hit points.
    cells: SmallVec<[i16; 121]>,
    cowboys: [Cowboy; MAX_SEATS],
    turn: u32,
    round: u32,
    max_rounds: u32,
    seats: u8,
    /// The seats that still play, a bit each.
    living: u8,
    rows: u8,
    cols: u8,
    stage: Stage,
    laser: Laser,
    bodies: Bodies,
    speech: Speech,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stage {
    /// It is this seat's turn.
    Turn(u8),
    Over(Reason),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Cowboy {
    hp: u16,
    kills: u16,
    at: Cell,
    shield: Direction,
    /// 0 until it is settled; `Option` would not fit the 320 bytes.
    place: u8,
}

impl Game for Position {
    const NAME: &'static str = "cowboy";
    type Partial = NothingHidden;
    type Rules = Rules;
    type Action = Action;
    type Illegal = Illegal;
    type Event = Event;
    type State = State;

    fn open(rules: &Rules, seats: usize, _: &mut Dice) -> Result<Position, BadState> {
        let most = rules.sides.len();
        let starts = rules.starts(seats).ok().filter(|starts| starts.len() == seats && seats > 0);
        let starts = starts.ok_or_else(|| BadState {
            problems: vec![format!("this ruleset seats 1 to {most} players, not {seats}")],
        })?;
        let mut cowboys = [Cowboy::NOBODY; MAX_SEATS];
        for ((cowboy, at), &shield) in cowboys.iter_mut().zip(starts).zip(&rules.sides) {
            // The shield faces outward, the way to the side that the seat starts on.
            *cowboy = Cowboy { hp: rules.hp, kills: 0, at, shield, place: 0 };
        }
        Ok(Position {
            cells: SmallVec::from_slice(&rules.map.cells),
            cowboys,
            turn: 0,
            round: 1,
            max_rounds: rules.max_rounds,
            seats: narrow(seats),
            living: (1 << seats) - 1,
            rows: narrow(rules.map.rows),
            cols: narrow(rules.map.cols),
            stage: Stage::Turn(0),
            laser: rules.laser,
            bodies: rules.bodies,
            speech: rules.speech,
        })
    }

    fn from_state(rules: &Rules, state: &State) -> Result<Position, BadState> {
        state::check(rules, state)?;
        let mut cowboys = [Cowboy::NOBODY; MAX_SEATS];
        for player in &state.players {
            cowboys[player.seat.index()] = Cowboy {
                hp: player.hp,
                kills: player.kills,
                at: Cell { row: player.row, col: player.col },
                shield: player.shield,
                place: player.place.map_or(0, |place| u8::try_from(place).expect("checked: at most the seats")),
            };
        }
        let living = state.players.iter().filter(|player| player.alive).map(|player| 1 << player.seat.index()).sum();
        let stage = match (&state.outcome, state.to_act.iter().next()) {
            (Some(outcome), _) => Stage::Over(outcome.reason),
            (None, Some(seat)) => Stage::Turn(narrow(seat.index())),
            (None, None) => unreachable!("checked: without an outcome somebody is to act"),
        };
        Ok(Position {
            cells: state.grid.iter().flatten().copied().collect(),
            cowboys,
            turn: state.turn,
            round: state.round,
            max_rounds: rules.max_rounds,
            seats: narrow(state.players.len()),
            living,
            rows: narrow(state.grid.len()),
            cols: narrow(state.grid[0].len()),
            stage,
            laser: rules.laser,
            bodies: rules.bodies,
            speech: rules.speech,
        })
    }

    fn state(&self, ruleset: &str) -> State {
        State {
            ruleset: ruleset.to_owned(),
            turn: self.turn,
            to_act: self.to_act(),
            outcome: self.outcome(),
            round: self.round,
            grid: self.cells.chunks(usize::from(self.cols)).map(<[i16]>::to_vec).collect(),
            players: self
                .present()
                .map(|(seat, cowboy)| Player {
                    seat,
                    row: cowboy.at.row,
                    col: cowboy.at.col,
                    hp: cowboy.hp,
                    shield: cowboy.shield,
                    alive: self.alive(seat),
                    kills: cowboy.kills,
                    place: (cowboy.place > 0).then_some(u32::from(cowboy.place)),
                })
                .collect(),
        }
    }

    fn seats(&self) -> usize {
        usize::from(self.seats)
    }

    fn turn(&self) -> u32 {
        self.turn
    }

    fn to_act(&self) -> Seats {
        match self.stage {
            Stage::Turn(seat) => Seats::one(Seat::new(usize::from(seat))),
            Stage::Over(_) => Seats::none(),
        }
    }

    fn legal_into(&self, seat: Seat, actions: &mut Vec<Action>) {
        actions.extend(self.options(seat).actions());
    }

    fn random_legal(&self, seat: Seat, dice: &mut Dice) -> Action {
        let (kind, direction) = self.random_option(seat, dice);
        fast::action(kind, direction)
    }

    fn random_turn(&mut self, _: &mut Joint<Action>, dice: &mut Dice) -> bool {
        let Stage::Turn(current) = self.stage else { return false };
        let seat = Seat::new(usize::from(current));
        let (kind, direction) = self.random_option(seat, dice);
        self.turn += 1;
        if kind == 2 {
            self.shoot(seat, direction, &mut ());
        } else {
            // A move or the shield: which of them cannot be foreseen, so that no branch depends on it.
            let me = &mut self.cowboys[seat.index()];
            let to = me.at.step(direction);
            (me.at, me.shield) = if kind == 0 { (to, me.shield) } else { (me.at, direction) };
        }
        self.pass_on(seat, &mut ());
        true
    }

    fn check(&self, seat: Seat, action: &Action) -> Result<(), Illegal> {
        match *action {
            Action::Move { direction } => self.check_move(seat, direction),
            Action::Shield { .. } => Ok(()),
            Action::Shoot { direction } => self.check_shot(seat, direction),
            Action::Speak { ref text } => match self.speech {
                Speech::Turn => check_message(text).map_err(Illegal::Message),
                Speech::Free | Speech::Off => Err(Illegal::SpeechIsNoAction),
            },
        }
    }

    fn resolve(&mut self, joint: &Joint<Action>, _: &mut Dice, events: &mut impl Tell<Event>) {
        let Stage::Turn(current) = self.stage else { return };
        let seat = Seat::new(usize::from(current));
        self.turn += 1;
        match joint.get(seat).unwrap_or(&Order::Pass) {
            Order::Play(action) | Order::StandIn(action) => match action {
                &Action::Move { direction } => self.walk(seat, direction, events),
                &Action::Shield { direction } => self.turn_shield(seat, direction, events),
                &Action::Shoot { direction } => self.shoot(seat, direction, events),
                Action::Speak { text } => {
                    let text = text.trim();
                    events.tell(|| Event::Spoke { seat, text: text.to_owned() });
                }
            },
            Order::Pass => events.tell(|| Event::Passed { seat }),
            Order::Forfeit => {
                events.tell(|| Event::Forfeited { seat });
                self.bury(1 << current, None, events);
            }
        }
        self.pass_on(seat, events);
    }

    fn outcome(&self) -> Option<Outcome> {
        match self.stage {
            Stage::Turn(_) => None,
            Stage::Over(reason) => Some(Outcome {
                places: self.present().map(|(seat, cowboy)| (seat, u32::from(cowboy.place))).collect(),
                reason,
            }),
        }
    }

    fn encode(&self, bytes: &mut Vec<u8>) {
        bytes.extend([self.rows, self.cols, self.seats]);
        for cell in &self.cells {
            bytes.extend_from_slice(&cell.to_le_bytes());
        }
        for (_, cowboy) in self.present() {
            bytes.extend(cowboy.hp.to_le_bytes());
            bytes.extend(cowboy.kills.to_le_bytes());
            bytes.extend([cowboy.at.row, cowboy.at.col, cowboy.shield as u8, cowboy.place]);
        }
        bytes.push(self.living);
        bytes.extend(self.turn.to_le_bytes());
        bytes.extend(self.round.to_le_bytes());
        bytes.extend(match self.stage {
            Stage::Turn(seat) => [0, seat],
            Stage::Over(reason) => [1, reason as u8],
        });
    }

    fn set_up_like(&mut self, drawn: &Position) {
        self.cells.clone_from(&drawn.cells);
        for (cowboy, drawn) in self.cowboys.iter_mut().zip(drawn.cowboys) {
            (cowboy.at, cowboy.shield) = (drawn.at, drawn.shield);
        }
    }

    fn lift_limits(&mut self) {
        self.max_rounds = u32::MAX;
    }

    fn is_harmed_since(&self, before: &Position) -> bool {
        self.cowboys.iter().zip(before.cowboys).any(|(cowboy, before)| cowboy.hp < before.hp)
    }
}

/// The rules of a turn.
impl Position {
    /// One cell; not off the board, not into a wall or block, not into anybody.
    fn check_move(&self, seat: Seat, direction: Direction) -> Result<(), Illegal> {
        let Some(at) = self.neighbour(self.cowboys[seat.index()].at, direction) else {
            return Err(Illegal::MoveOutOfBounds { direction });
        };
        let value = self.cell(at);
        if value != 0 {
            return Err(Illegal::MoveIntoBlock { direction, at, value });
        }
        match self.blocker(at) {
            Some(by) => Err(Illegal::MoveIntoPlayer { direction, at, by, alive: self.alive(by) }),
            None => Ok(()),
        }
    }

    /// Never through the own shield. A T-shaped beam also needs an empty adjacent cell to enter.
    fn check_shot(&self, seat: Seat, direction: Direction) -> Result<(), Illegal> {
        let cowboy = self.cowboys[seat.index()];
        if cowboy.shield == direction {
            return Err(Illegal::ShootOwnShield { direction });
        }
        if self.laser == Laser::Straight {
            return Ok(());
        }
        let Some(at) = self.neighbour(cowboy.at, direction) else {
            return Err(Illegal::ShootOutOfBounds { direction });
        };
        let value = self.cell(at);
        if value != 0 {
            return Err(Illegal::ShootIntoBlock { direction, at, value });
        }
        match self.present().find(|&(other, cowboy)| cowboy.at == at && self.alive(other)) {
            Some((by, _)) => Err(Illegal::ShootIntoPlayer { direction, at, by }),
            None => Ok(()),
        }
    }

    #[inline]
    fn walk(&mut self, seat: Seat, direction: Direction, events: &mut impl Tell<Event>) {
        let from = self.cowboys[seat.index()].at;
        let to = from.step(direction);
        self.cowboys[seat.index()].at = to;
        events.tell(|| Event::Moved { seat, from, to });
    }

    #[inline]
    fn turn_shield(&mut self, seat: Seat, direction: Direction, events: &mut impl Tell<Event>) {
        self.cowboys[seat.index()].shield = direction;
        events.tell(|| Event::Shielded { seat, direction });
    }

    /// Fires. Both sweeps of a T see the same position: they never meet.
    #[inline]
    fn shoot(&mut self, seat: Seat, direction: Direction, events: &mut impl Tell<Event>) {
        let muzzle = self.cowboys[seat.index()].at;
        let mut fallen = 0;
        match self.laser {
            Laser::Tee => {
                let entry = muzzle.step(direction);
                let [one, other] = direction.across();
                let (ray, across) = (self.ray(entry, one), self.ray(entry, other));
                let hits = (self.strike(one, ray, &mut fallen), self.strike(other, across, &mut fallen));
                events.tell(|| {
                    let beams = vec![ray.beam(entry, one, hits.0), across.beam(entry, other, hits.1)];
                    Event::Shot { seat, direction, entry: Some(entry), beams }
                });
            }
            Laser::Straight => {
                let ray = self.ray(muzzle, direction);
                let hit = self.strike(direction, ray, &mut fallen);
                events.tell(|| {
                    let beams = vec![ray.beam(muzzle, direction, hit)];
                    Event::Shot { seat, direction, entry: None, beams }
                });
            }
        }
        if fallen != 0 {
            self.bury(fallen, Some(seat), events);
        }
    }

    /// A block loses a hit point; so does a player, unless its shield faces where the beam comes from.
    #[inline]
    fn strike(&mut self, travels: Direction, ray: Ray, fallen: &mut u8) -> Hit {
        match ray.stop {
            Stop::Edge => Hit::Edge,
            Stop::Wall => Hit::Wall,
            Stop::Block { index } => {
                let block = &mut self.cells[usize::from(index)];
                *block -= 1;
                Hit::Block { left: block.unsigned_abs() }
            }
            Stop::Cowboy { seat } => {
                let cowboy = &mut self.cowboys[usize::from(seat)];
                let blocked = cowboy.shield == travels.opposite();
                if !blocked {
                    cowboy.hp -= 1;
                    *fallen |= u8::from(cowboy.hp == 0) << seat;
                }
                Hit::Player { seat: Seat::new(usize::from(seat)), blocked, hp: cowboy.hp }
            }
        }
    }

    /// Hands the turn to the next one alive, unless the match is over; when the order wraps, a round ends.
    #[inline]
    fn pass_on(&mut self, seat: Seat, events: &mut impl Tell<Event>) {
        if let Stage::Over(_) = self.stage {
            return;
        }
        let later = self.living & (0xfe << seat.index());
        if later == 0 {
            self.round += 1;
            if self.round > self.max_rounds {
                return self.end(Reason::RoundLimit, events);
            }
        }
        let next = if later == 0 { self.living } else { later }.trailing_zeros();
        self.stage = Stage::Turn(narrow(next as usize));
    }
}

impl Cowboy {
    /// Fills the chairs that a table does not have.
    const NOBODY: Cowboy = Cowboy { hp: 0, kills: 0, at: Cell { row: 0, col: 0 }, shield: Direction::Up, place: 0 };
}

fn narrow(number: usize) -> u8 {
    u8::try_from(number).expect("boards have at most 64 rows and columns, tables of this game 4 seats")
}
