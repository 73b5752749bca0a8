//! A match in play.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::attempt::Attempt;
use super::format::{Minor, VERSION};
use super::record::{Call, Fault, Header, Lapse, Record, RefusedAttempt, Result as MatchResult, SeatInfo, Turn};
use crate::games::dice::Seed;
use crate::games::joint::{Joint, Order};
use crate::games::refusal::{Code, Refusal};
use crate::games::ruleset::{OnLapse, Ruleset};
use crate::games::seat::{BySeat, Seat, Seats};
use crate::games::table::{Accepted, Table};

/// The longest account of a failure that a record keeps, in characters.
const MAX_WHY: usize = 500;

/// A match in play: the table, and what is sealed for the turn at hand.
///
/// Whoever drives it asks the players of [`Match::awaiting`] and brings their answers to [`Match::submit`]. A turn is
/// played as soon as every awaited seat has an order; until then nothing of any order can be seen.
#[derive(Clone, Debug)]
pub struct Match {
    seed: Seed,
    /// What its record is written in.
    minor: Minor,
    table: Table,
    /// Orders of the turn at hand.
    sealed: Joint<Accepted>,
    /// How many seats that must act have no order yet.
    missing: usize,
    notes: Notes,
    lapses: BySeat<u32>,
    /// Seats that gave up while they were not to act.
    leaving: Seats,
}

/// What goes into the turn's record beside the orders.
#[derive(Clone, Debug, Default)]
struct Notes {
    lapses: BTreeMap<Seat, Lapse>,
    /// What is known of a failure whose turn has not lapsed yet.
    why: BTreeMap<Seat, String>,
    said: BTreeMap<Seat, String>,
    reasoning: BTreeMap<Seat, String>,
    refused: Vec<RefusedAttempt>,
    micros: BTreeMap<Seat, u64>,
    waited_micros: BTreeMap<Seat, u64>,
    backend_micros: BTreeMap<Seat, u64>,
    calls: BTreeMap<Seat, Vec<Call>>,
}

impl Match {
    /// Opens a match of players who are known by their names, and gives the first line of its record.
    ///
    /// # Errors
    /// If the ruleset does not take so many players.
    pub fn open(
        id: impl Into<String>,
        ruleset: Arc<Ruleset>,
        seed: Seed,
        players: Vec<String>,
    ) -> Result<(Match, Record), Refusal> {
        ruleset.check_players(players.len())?;
        let seats = Seat::first(players.len()).zip(players);
        let seats = seats.map(|(seat, player)| SeatInfo { seat, player, model: None, identity: None }).collect();
        Match::open_seated(id, ruleset, seed, seats)
    }

    /// Opens a match of players of whom more is known. The seats must be in order.
    ///
    /// # Errors
    /// If the ruleset does not take so many players.
    pub fn open_seated(
        id: impl Into<String>,
        ruleset: Arc<Ruleset>,
        seed: Seed,
        seats: Vec<SeatInfo>,
    ) -> Result<(Match, Record), Refusal> {
        let (table, opening) = Table::open_told(ruleset.clone(), seats.len(), seed)?;
        let (minor, state) = (Minor::CURRENT, table.state());
        let header = Header { version: VERSION, minor, id: id.into(), ruleset, seed, seats, opening, state };
        let lapses = BySeat::from_fn(table.seats(), |_| 0);
        Ok((Match::at(table, seed, minor, lapses), Record::Match(Box::new(header))))
    }

    /// A match that goes on from a table, with the lapses that there were so far.
    pub(super) fn at(table: Table, seed: Seed, minor: Minor, lapses: BySeat<u32>) -> Match {
        let missing = table.to_act().len();
        Match {
            seed,
            minor,
            table,
            sealed: Joint::new(),
            missing,
            notes: Notes::default(),
            lapses,
            leaving: Seats::none(),
        }
    }

    /// The position and its rules.
    pub fn table(&self) -> &Table {
        &self.table
    }

    /// The seats whose players are to be asked: those to act, less those already sealed.
    pub fn awaiting(&self) -> Seats {
        let mut awaiting = self.table.to_act();
        for (seat, _) in self.sealed.iter() {
            awaiting.remove(seat);
        }
        awaiting
    }

    /// Whether a seat's player is to be asked.
    fn awaits(&self, seat: Seat) -> bool {
        self.table.must_act(seat) && self.sealed.get(seat).is_none()
    }

    /// Takes a player's action, in notation or as JSON, and plays the turn if it was the last one missing.
    ///
    /// # Errors
    /// With the rule that it breaks. The attempt is noted for the record; nothing else has changed.
    pub fn submit(&mut self, seat: Seat, raw: &str) -> Result<Vec<Record>, Refusal> {
        let accepted = self.accept(seat, raw).inspect_err(|refusal| {
            // Only what a player could have meant for this turn is an attempt at it.
            if !matches!(refusal.code, Code::MatchOver | Code::NotToAct | Code::BadRequest) {
                self.notes.refused.push(RefusedAttempt::new(seat, &Attempt::refused(raw, refusal.clone())));
            }
        })?;
        Ok(self.seal(accepted))
    }

    /// Takes an action that the table has accepted for the turn at hand, and plays the turn if it was the last one missing.
    /// One for another turn, or of a seat that is not awaited, is late and changes nothing.
    pub fn seal(&mut self, accepted: Accepted) -> Vec<Record> {
        let seat = accepted.seat();
        if accepted.turn() != self.table.turn() || !self.awaits(seat) {
            return Vec::new();
        }
        if let Some(reasoning) = accepted.reasoning() {
            self.notes.reasoning.insert(seat, reasoning.to_owned());
        }
        self.order(seat, Order::Play(accepted))
    }

    fn accept(&self, seat: Seat, raw: &str) -> Result<Accepted, Refusal> {
        if self.sealed.get(seat).is_some() {
            return Err(Refusal::new(Code::NotToAct, format!("{seat} has already acted in this turn")));
        }
        self.table.accept(seat, raw)
    }

    /// Takes a message beside the action, where talk is free: one a turn and seat. It is heard when the turn is played.
    ///
    /// # Errors
    /// If talk is not free, the seat has spoken, or the message is none.
    pub fn say(&mut self, seat: Seat, text: &str) -> Result<(), Refusal> {
        if self.table.outcome().is_some() {
            return Err(Refusal::new(Code::MatchOver, "the match is over"));
        }
        self.table.ruleset().speech.check_beside(text)?;
        if self.notes.said.contains_key(&seat) {
            return Err(Refusal::new(Code::BadRequest, "one message a turn; you have spoken in this one"));
        }
        self.notes.said.insert(seat, text.trim().to_owned());
        Ok(())
    }

    /// Notes an answer of a player that was not taken before it came here.
    pub fn refuse(&mut self, seat: Seat, attempt: &Attempt) {
        self.notes.refused.push(RefusedAttempt::new(seat, attempt));
    }

    /// Notes what a player asked of a model.
    pub fn charge(&mut self, seat: Seat, calls: Vec<Call>) {
        if !calls.is_empty() {
            self.notes.calls.entry(seat).or_default().extend(calls);
        }
    }

    /// Notes how long a player thought, in microseconds.
    pub fn clock(&mut self, seat: Seat, micros: u64) {
        *self.notes.micros.entry(seat).or_default() += micros;
    }

    /// Notes how many microseconds a player waited in our own queues, and how many for a backend in trouble.
    pub fn delay(&mut self, seat: Seat, waited: u64, backend: u64) {
        let Notes { waited_micros, backend_micros, .. } = &mut self.notes;
        for (notes, micros) in [(waited_micros, waited), (backend_micros, backend)] {
            if micros > 0 {
                *notes.entry(seat).or_default() += micros;
            }
        }
    }

    /// A player's turn lapsed: does what the ruleset's policy says, and says in the record whose doing it was.
    pub fn lapse(&mut self, seat: Seat, fault: Fault) -> Vec<Record> {
        if !self.awaits(seat) {
            return Vec::new();
        }
        self.lapses[seat] += 1;
        let policy = self.table.ruleset().policy;
        if policy.forfeit_after != 0 && self.lapses[seat] >= policy.forfeit_after {
            return self.forfeit(seat, fault);
        }
        let order = match policy.on_lapse {
            OnLapse::Pass => Order::Pass,
            OnLapse::Forfeit => return self.forfeit(seat, fault),
            OnLapse::Random => {
                // A stream of its own for each seat and turn: what is drawn for one never shifts another's.
                let label = format!("stand-in {seat}");
                let mut dice = self.seed.child(&label, self.table.turn().into()).dice();
                Order::StandIn(self.table.stand_in(seat, &mut dice))
            }
        };
        let stand_in = matches!(order, Order::StandIn(_));
        self.note_lapse(seat, fault, stand_in);
        self.order(seat, order)
    }

    /// Takes a player out: now, or as soon as its seat is to act.
    pub fn forfeit(&mut self, seat: Seat, fault: Fault) -> Vec<Record> {
        if !self.awaits(seat) {
            if self.table.outcome().is_none() && seat.index() < self.table.seats() {
                self.leaving.insert(seat);
            }
            return Vec::new();
        }
        self.note_lapse(seat, fault, false);
        self.order(seat, Order::Forfeit)
    }

    /// Notes what is known of a failure before the turn lapses by it.
    pub fn explain(&mut self, seat: Seat, why: &str) {
        self.notes.why.insert(seat, why.chars().take(MAX_WHY).collect());
    }

    fn note_lapse(&mut self, seat: Seat, fault: Fault, stand_in: bool) {
        let why = self.notes.why.remove(&seat);
        self.notes.lapses.insert(seat, Lapse { fault, stand_in, why });
    }

    fn order(&mut self, seat: Seat, order: Order<Accepted>) -> Vec<Record> {
        self.set(seat, order);
        let mut records = Vec::new();
        while self.missing == 0 && self.table.outcome().is_none() {
            records.push(Record::Turn(self.turn()));
            if self.leaving.is_empty() {
                break;
            }
            let leaving: Vec<Seat> = self.awaiting().iter().filter(|seat| self.leaving.contains(*seat)).collect();
            for seat in leaving {
                self.note_lapse(seat, Fault::Resigned, false);
                self.set(seat, Order::Forfeit);
            }
        }
        if self.missing == 0 {
            records.extend(self.result());
        }
        records
    }

    /// Seals the order of a seat that is awaited.
    fn set(&mut self, seat: Seat, order: Order<Accepted>) {
        self.sealed.set(seat, order);
        self.missing -= 1;
    }

    /// The last line of the record, once the match is over.
    pub fn result(&self) -> Option<Record> {
        let outcome = self.table.outcome()?;
        let turns = self.table.turn();
        Some(Record::Result(MatchResult { places: outcome.places, reason: outcome.reason, turns }))
    }

    /// Plays the sealed orders.
    fn turn(&mut self) -> Turn {
        let mut dice = self.seed.turn(self.table.turn().into());
        let events = self.table.resolve(&self.sealed, &mut dice);
        self.missing = self.table.to_act().len();
        let notes = std::mem::take(&mut self.notes);
        Turn {
            game: self.minor.says_game().then(|| self.table.ruleset().rules.game()),
            turn: self.table.turn(),
            actions: std::mem::take(&mut self.sealed).into_iter().map(|(seat, order)| (seat, written(order))).collect(),
            events,
            state_hash: Some(self.table.hash()),
            lapses: notes.lapses,
            said: notes.said,
            reasoning: notes.reasoning,
            refused: notes.refused,
            micros: notes.micros,
            waited_micros: notes.waited_micros,
            backend_micros: notes.backend_micros,
            calls: notes.calls,
            written: None,
        }
    }
}

/// An order as the record has it.
fn written(order: Order<Accepted>) -> String {
    match order {
        Order::Play(accepted) | Order::StandIn(accepted) => accepted.into_notation(),
        Order::Pass => "pass".to_owned(),
        Order::Forfeit => "forfeit".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::matches::{Log, Replay};

    const A: Seat = Seat::new(0);
    const B: Seat = Seat::new(1);

    /// A match, and the log of its record.
    fn open(ruleset: &serde_json::Value, players: usize) -> (Match, Log<Vec<u8>>) {
        let ruleset = Arc::new(Ruleset::from_json(ruleset).expect("a good ruleset"));
        let names = vec!["tester".to_owned(); players];
        let (game, header) = Match::open("m1", ruleset, Seed(7), names).expect("so many can play");
        let mut log = Log::new(Vec::new());
        log.write(&header).expect("memory does not fail");
        (game, log)
    }

    /// Grid Royale in which the late are never taken out.
    fn royale() -> (Match, Log<Vec<u8>>) {
        open(&json!({ "base": "grid-royale", "hp": 10, "policy": { "forfeit_after": 0, "on_lapse": "random" } }), 2)
    }

    fn only_turn(records: &[Record]) -> &Turn {
        let [Record::Turn(turn)] = records else { panic!("one turn, not {records:?}") };
        turn
    }

    #[test]
    fn what_is_drawn_for_one_seat_hangs_on_no_other() {
        let (mut both, mut log) = royale();
        let (mut alone, mut log_alone) = royale();
        let mut drawn = Vec::new();
        for _ in 0..8 {
            assert!(both.lapse(A, Fault::TooSlow).is_empty(), "B is still awaited");
            let records = both.lapse(B, Fault::Crashed);
            let turn = only_turn(&records);
            drawn.push((turn.actions[&A].clone(), turn.actions[&B].clone()));
            assert_eq!(turn.lapses[&A], Lapse { stand_in: true, ..Lapse::of(Fault::TooSlow) });
            assert_eq!(turn.lapses[&B], Lapse { stand_in: true, ..Lapse::of(Fault::Crashed) });
            log.write(&records[0]).expect("memory does not fail");

            alone.lapse(B, Fault::TooSlow);
            let records = alone.submit(A, "stay").expect("legal");
            let turn = only_turn(&records);
            assert_eq!(turn.actions[&B], drawn[drawn.len() - 1].1, "whatever A does");
            assert!(!turn.lapses.contains_key(&A));
            log_alone.write(&records[0]).expect("memory does not fail");
        }
        assert!(drawn.iter().any(|(of_a, of_b)| of_a != of_b), "a stream of its own for each: {drawn:?}");
        assert!(drawn.iter().any(|turn| *turn != drawn[0]), "and for each turn: {drawn:?}");
        for log in [log, log_alone] {
            let replay = Replay::read(log.into_inner().as_slice()).expect("a record of stand-ins verifies");
            assert_eq!(replay.turns.len(), 8);
        }
    }

    #[test]
    fn chance_in_a_turn_is_that_of_the_record() {
        let (mut game, mut log) = open(&json!({ "base": "grid-royale", "powerups": { "every": 1 } }), 2);
        for _ in 0..6 {
            game.submit(A, "stay").expect("legal");
            for record in game.submit(B, "stay").expect("legal") {
                log.write(&record).expect("memory does not fail");
            }
        }
        let record = String::from_utf8(log.into_inner()).expect("JSON is UTF-8");
        assert!(record.contains("\"type\":\"spawn\""), "{record}");
        Replay::read(record.as_bytes()).expect("the same dice are thrown again");
    }

    #[test]
    fn what_a_player_used_in_several_attempts_adds_up() {
        let (mut game, _) = open(&json!("cowboy"), 2);
        let call = |millis: u64| Call { millis, ..Call::default() };
        game.clock(A, 500);
        game.charge(A, vec![call(1)]);
        game.clock(B, 9);
        game.clock(A, 70);
        game.charge(A, vec![]);
        game.charge(A, vec![call(2), call(3)]);
        let raw = r#"{"action":"shield","direction":"left","reasoning":"the sun"}"#;
        let records = game.submit(A, raw).expect("legal");
        let turn = only_turn(&records);
        assert_eq!((turn.micros[&A], turn.micros[&B]), (570, 9));
        assert_eq!(turn.calls[&A], [call(1), call(2), call(3)]);
        assert_eq!(turn.calls.len(), 1);
        assert_eq!(turn.reasoning[&A], "the sun");
        let records = game.submit(B, "shield up").expect("legal");
        let turn = only_turn(&records);
        assert!(turn.micros.is_empty() && turn.calls.is_empty() && turn.reasoning.is_empty(), "that was A's turn");
    }

    #[test]
    fn only_who_gave_up_leaves() {
        let (mut game, _) = open(&json!("cowboy"), 3);
        assert!(game.forfeit(B, Fault::Resigned).is_empty(), "it is not B's turn");
        let records = game.submit(A, "shield up").expect("legal");
        let [Record::Turn(of_a), Record::Turn(of_b)] = records.as_slice() else { panic!("two turns: {records:?}") };
        assert!(of_a.lapses.is_empty());
        assert_eq!(of_b.actions, [(B, "forfeit".to_owned())].into());
        assert_eq!(of_b.lapses, [(B, Lapse::of(Fault::Resigned))].into());
        assert_eq!(game.awaiting(), Seats::one(Seat::new(2)), "C plays on");
    }

    #[test]
    fn a_resumed_match_knows_whose_the_lapses_were() {
        let (mut game, mut log) = open(&json!("cowboy"), 2);
        for _ in 0..4 {
            let mut records = game.lapse(A, Fault::Unreadable);
            records.extend(game.submit(B, "shield up").expect("legal"));
            for record in records {
                log.write(&record).expect("memory does not fail");
            }
        }
        let mut game = Replay::read(log.into_inner().as_slice()).expect("verifies").resume().expect("goes on");
        game.submit(A, "shield up").expect("legal");
        let records = game.lapse(B, Fault::TooSlow);
        assert_eq!(only_turn(&records).actions[&B], "pass", "its first");
    }
}
