//! Cowboy: a duel on a grid with shields and lasers, one seat at a time.
//!
//! Each turn one seat moves one cell, turns its shield, fires its laser or, in some rulesets, speaks. A T-shaped laser
//! ([`Laser::Tee`]) enters the adjacent cell and sweeps from there both ways across; a straight one flies ahead. A
//! sweep takes one hit point of the first block or living player that it meets, unless that player's shield faces
//! where the sweep comes from. Who has no hit points left is out; the last one alive wins, and after `max_rounds`
//! rounds hit points and then kills decide.
//!
//! This file is the rulebook. `action` has the notation, `state` the forms that leave the house, `rules` the fields
//! of a ruleset.

mod action;
mod judge;
mod rules;
mod scene;
mod state;
#[cfg(test)]
mod tests;

use smallvec::SmallVec;

pub use self::action::{Action, Direction};
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

/// Where a beam ends and on what.
#[derive(Clone, Copy)]
struct Ray {
    reach: usize,
    stop: Stop,
}

#[derive(Clone, Copy)]
enum Stop {
    Edge,
    Wall,
    Block { index: usize },
    Cowboy { seat: usize },
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
        let Options { moves, shots } = self.options(seat);
        for (kind, options) in [moves, 0b1111, shots].into_iter().enumerate() {
            actions.extend(NTH[options].iter().take(COUNT[options] as usize).map(|&direction| action(kind, direction)));
        }
    }

    fn random_legal(&self, seat: Seat, dice: &mut Dice) -> Action {
        let (kind, direction) = self.random_option(seat, dice);
        action(kind, direction)
    }

    fn random_turn(&mut self, _: &mut Joint<Action>, dice: &mut Dice) -> bool {
        let Stage::Turn(current) = self.stage else { return false };
        let seat = Seat::new(usize::from(current));
        let (kind, direction) = self.random_option(seat, dice);
        self.turn += 1;
        match kind {
            0 => self.walk(seat, direction, &mut ()),
            1 => self.turn_shield(seat, direction, &mut ()),
            _ => self.shoot(seat, direction, &mut ()),
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
                let rays = direction.across().map(|sweep| (sweep, self.ray(entry, sweep)));
                let hits = rays.map(|(sweep, ray)| self.strike(sweep, ray, &mut fallen));
                events.tell(|| {
                    let beams = rays.into_iter().zip(hits).map(|((sweep, ray), hit)| ray.beam(entry, sweep, hit));
                    Event::Shot { seat, direction, entry: Some(entry), beams: beams.collect() }
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

    /// From the cell after `from` to the first non-zero cell, the first living player, or the edge.
    #[inline]
    fn ray(&self, from: Cell, direction: Direction) -> Ray {
        // Arithmetic instead of branches: in a search no direction can be foreseen.
        let (down, right) = direction.offset();
        let (row, col) = (isize::from(from.row), isize::from(from.col));
        let (rows, cols) = (isize::from(self.rows), isize::from(self.cols));
        let room = [row, rows - 1 - row, col, cols - 1 - col][direction as usize];
        let mut ray = Ray { reach: room.cast_unsigned(), stop: Stop::Edge };
        for (seat, cowboy) in self.cowboys[..usize::from(self.seats)].iter().enumerate() {
            let (below, beside) = (isize::from(cowboy.at.row) - row, isize::from(cowboy.at.col) - col);
            let (ahead, aside) = (below * down + beside * right, below * right + beside * down);
            // Behind is farther than any reach.
            let ahead = (ahead - 1).cast_unsigned();
            if aside == 0 && ahead < ray.reach && self.living & (1 << seat) != 0 {
                ray = Ray { reach: ahead + 1, stop: Stop::Cowboy { seat } };
            }
        }
        let cells = self.cells.as_slice();
        let stride = down * cols + right;
        let mut index = (row * cols + col).cast_unsigned();
        for reach in 1..=ray.reach {
            index = index.wrapping_add_signed(stride);
            let value = cells[index];
            if value != 0 {
                return Ray { reach, stop: if value < 0 { Stop::Wall } else { Stop::Block { index } } };
            }
        }
        ray
    }

    /// A block loses a hit point; so does a player, unless its shield faces where the beam comes from.
    #[inline]
    fn strike(&mut self, travels: Direction, ray: Ray, fallen: &mut u8) -> Hit {
        match ray.stop {
            Stop::Edge => Hit::Edge,
            Stop::Wall => Hit::Wall,
            Stop::Block { index } => {
                self.cells[index] -= 1;
                Hit::Block { left: self.cells[index].unsigned_abs() }
            }
            Stop::Cowboy { seat } => {
                let cowboy = &mut self.cowboys[seat];
                let blocked = cowboy.shield == travels.opposite();
                if !blocked {
                    cowboy.hp -= 1;
                    *fallen |= u8::from(cowboy.hp == 0) << seat;
                }
                Hit::Player { seat: Seat::new(seat), blocked, hp: cowboy.hp }
            }
        }
    }

    /// Takes the fallen out. All who fall together share a place, behind everybody who still lives; with fewer than
    /// two left the match is over, unless it was practice.
    fn bury(&mut self, fallen: u8, by: Option<Seat>, events: &mut impl Tell<Event>) {
        self.place_the_dead();
        self.living &= !fallen;
        let left = self.living.count_ones();
        let place = narrow(left as usize + 1);
        for index in (0..MAX_SEATS).filter(|index| fallen & (1 << index) != 0) {
            self.cowboys[index].place = place;
            if let Some(shooter) = by {
                let kills = &mut self.cowboys[shooter.index()].kills;
                *kills = kills.saturating_add(1);
            }
            events.tell(|| Event::Eliminated { seat: Seat::new(index), by, place: u32::from(place) });
        }
        if left == 0 || (left == 1 && self.seats > 1) {
            self.end(if by.is_some() { Reason::LastAlive } else { Reason::Forfeit }, events);
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

    /// Settles the places of the dead. A position set up by hand need not say when they fell: they share what is left.
    fn place_the_dead(&mut self) {
        let place = narrow(self.living.count_ones() as usize + 1);
        for (seat, cowboy) in self.cowboys.iter_mut().enumerate().take(usize::from(self.seats)) {
            if self.living & (1 << seat) == 0 && cowboy.place == 0 {
                cowboy.place = place;
            }
        }
    }

    /// Ranks the living by hit points, then kills.
    fn end(&mut self, reason: Reason, events: &mut impl Tell<Event>) {
        self.place_the_dead();
        let merit = |cowboy: &Cowboy| (cowboy.hp, cowboy.kills);
        let living = self.living;
        let alive = |seat: usize| living & (1 << seat) != 0;
        let merits = self.cowboys.map(|cowboy| merit(&cowboy));
        for (seat, cowboy) in self.cowboys.iter_mut().enumerate().take(usize::from(self.seats)) {
            if alive(seat) {
                let better = (0..MAX_SEATS).filter(|&other| alive(other) && merits[other] > merit(cowboy));
                cowboy.place = 1 + narrow(better.count());
            }
        }
        self.stage = Stage::Over(reason);
        events.tell(|| Event::Ended { outcome: self.outcome().expect("it is over") });
    }
}

/// Looking at the board.
impl Position {
    /// How the beams of a shot would run and what they would do, for a shot that is legal.
    pub fn preview(&self, seat: Seat, direction: Direction) -> Vec<Beam> {
        let mut copy = self.clone();
        let mut events = Vec::new();
        copy.shoot(seat, direction, &mut events);
        let shot =
            events.into_iter().find_map(|event| if let Event::Shot { beams, .. } = event { Some(beams) } else { None });
        shot.unwrap_or_default()
    }

    /// Whom the beam that travels this way would meet first if the shot were fired now. Nobody if the shot is illegal.
    pub fn in_sight(&self, seat: Seat, direction: Direction, travels: Direction) -> Option<Seat> {
        self.check_shot(seat, direction).ok()?;
        let muzzle = self.cowboys[seat.index()].at;
        let from = match self.laser {
            Laser::Tee => self.neighbour(muzzle, direction)?,
            Laser::Straight => muzzle,
        };
        match self.ray(from, travels).stop {
            Stop::Cowboy { seat } => Some(Seat::new(seat)),
            Stop::Edge | Stop::Wall | Stop::Block { .. } => None,
        }
    }

    /// How many rows and columns there are.
    pub fn size(&self) -> (u8, u8) {
        (self.rows, self.cols)
    }

    /// The value of a cell: 0 empty, -1 wall, N a block with N hit points.
    pub fn cell(&self, at: Cell) -> i16 {
        self.cells[usize::from(at.row) * usize::from(self.cols) + usize::from(at.col)]
    }

    /// The cell next to this one, if it is on the board.
    pub fn neighbour(&self, at: Cell, direction: Direction) -> Option<Cell> {
        let next = at.step(direction);
        (next.row < self.rows && next.col < self.cols).then_some(next)
    }

    /// Where a seat's player stands, or fell.
    pub fn at(&self, seat: Seat) -> Cell {
        self.cowboys[seat.index()].at
    }

    /// A seat's hit points.
    pub fn hp(&self, seat: Seat) -> u16 {
        self.cowboys[seat.index()].hp
    }

    /// A seat's kills.
    pub fn kills(&self, seat: Seat) -> u16 {
        self.cowboys[seat.index()].kills
    }

    /// Where a seat's shield faces.
    pub fn shield(&self, seat: Seat) -> Direction {
        self.cowboys[seat.index()].shield
    }

    /// Whether a seat still plays.
    pub fn alive(&self, seat: Seat) -> bool {
        self.living & (1 << seat.index()) != 0
    }

    /// A seat's place, once it is settled.
    pub fn placed(&self, seat: Seat) -> Option<u32> {
        Some(u32::from(self.cowboys[seat.index()].place)).filter(|&place| place > 0)
    }

    /// The round in play, from 1.
    pub fn round(&self) -> u32 {
        self.round
    }

    /// The match ends after so many rounds.
    pub fn max_rounds(&self) -> u32 {
        self.max_rounds
    }

    /// What becomes of the dead.
    pub fn bodies(&self) -> Bodies {
        self.bodies
    }

    /// How the laser travels.
    pub fn laser(&self) -> Laser {
        self.laser
    }

    fn present(&self) -> impl Iterator<Item = (Seat, &Cowboy)> {
        self.cowboys[..usize::from(self.seats)].iter().enumerate().map(|(index, cowboy)| (Seat::new(index), cowboy))
    }

    /// Who keeps others from entering a cell: the living, and the dead where bodies stay.
    fn blocker(&self, at: Cell) -> Option<Seat> {
        let here = |seat: &Seat| self.at(*seat) == at;
        let all = || Seat::first(self.seats());
        let body = || all().filter(here).find(|_| self.bodies == Bodies::BlockMoves);
        all().filter(here).find(|&seat| self.alive(seat)).or_else(body)
    }

    /// The legal moves and shots: what [`Game::check`] says of each, for all at once and without its sentences.
    #[expect(clippy::inline_always, reason = "every step of a playout asks, and a call costs a tenth of it")]
    #[inline(always)]
    fn options(&self, seat: Seat) -> Options {
        let cells = self.cells.as_slice();
        let cols = usize::from(self.cols);
        let index = |cowboy: &Cowboy| usize::from(cowboy.at.row) * cols + usize::from(cowboy.at.col);
        let me = &self.cowboys[seat.index()];
        let here = index(me);
        let around = [here.wrapping_sub(cols), here + cols, here.wrapping_sub(1), here + 1];
        // Above and below the board there is no cell; left and right of it would be a cell of another row.
        let on_board = [true, true, me.at.col > 0, me.at.col + 1 < self.cols];
        let empty = |side: usize| usize::from(on_board[side] && cells.get(around[side]) == Some(&0)) << side;
        let mut moves = empty(0) | empty(1) | empty(2) | empty(3);
        let tee = self.laser == Laser::Tee;
        let mut shots = if tee { moves } else { 0b1111 };
        for (other, cowboy) in self.cowboys[..usize::from(self.seats)].iter().enumerate() {
            let there = index(cowboy);
            if there == here || there.abs_diff(here) > cols {
                continue;
            }
            let side = around.iter().position(|&cell| cell == there).map_or(0, |side| 1 << side);
            let alive = self.living >> other & 1 == 1;
            if alive || self.bodies == Bodies::BlockMoves {
                moves &= !side;
            }
            if alive && tee {
                shots &= !side;
            }
        }
        shots &= !(1 << me.shield as usize);
        Options { moves, shots }
    }
}

/// The random choice of playouts.
impl Position {
    /// One of the legal actions but speech, each as likely as the others: its kind (0 move, 1 shield, 2 shoot) and its
    /// direction.
    #[inline]
    fn random_option(&self, seat: Seat, dice: &mut Dice) -> (usize, Direction) {
        let Options { moves, shots } = self.options(seat);
        let moving = COUNT[moves];
        let n = dice.below(moving + 4 + COUNT[shots]);
        // Which kind it is cannot be foreseen: arithmetic instead of branches.
        let (turns, shoots) = (u32::from(n >= moving), u32::from(n >= moving + 4));
        let n = n - moving * turns - 4 * shoots;
        let kind = (turns + shoots) as usize;
        (kind, NTH[[moves, 0b1111, shots][kind]][n as usize])
    }
}

/// The directions of the legal moves and shots, a bit each in the order of [`Direction::ALL`]. A shield can always be
/// turned.
struct Options {
    moves: usize,
    shots: usize,
}

/// The action of a kind (0 move, 1 shield, 2 shoot) in a direction.
fn action(kind: usize, direction: Direction) -> Action {
    match kind {
        0 => Action::Move { direction },
        1 => Action::Shield { direction },
        _ => Action::Shoot { direction },
    }
}

/// How many bits are set in a number of four bits.
const COUNT: [u32; 16] = {
    let mut table = [0; 16];
    let mut bits = 0_usize;
    while bits < 16 {
        table[bits] = bits.count_ones();
        bits += 1;
    }
    table
};

/// The direction of the n-th set bit of a number of four bits.
const NTH: [[Direction; 4]; 16] = {
    let mut table = [[Direction::Up; 4]; 16];
    let mut bits = 0;
    while bits < 16 {
        let (mut bit, mut n) = (0, 0);
        while bit < 4 {
            if bits >> bit & 1 == 1 {
                table[bits][n] = Direction::ALL[bit];
                n += 1;
            }
            bit += 1;
        }
        bits += 1;
    }
    table
};

impl Cowboy {
    /// Fills the chairs that a table does not have.
    const NOBODY: Cowboy = Cowboy { hp: 0, kills: 0, at: Cell { row: 0, col: 0 }, shield: Direction::Up, place: 0 };
}

impl Ray {
    fn beam(self, from: Cell, direction: Direction, hit: Hit) -> Beam {
        let reach = narrow(self.reach);
        let Cell { row, col } = from;
        let to = match direction {
            Direction::Up => Cell { row: row - reach, col },
            Direction::Down => Cell { row: row + reach, col },
            Direction::Left => Cell { row, col: col - reach },
            Direction::Right => Cell { row, col: col + reach },
        };
        Beam { direction, from, to, hit }
    }
}

fn narrow(number: usize) -> u8 {
    u8::try_from(number).expect("boards have at most 64 rows and columns, tables of this game 4 seats")
}
