//! What a game cost, and who failed how: what leaderboards say beside places.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::record::{Fault, RefusedAttempt, Turn};
use crate::games::seat::Seat;
use crate::games::table::StateHash;

/// What a game cost, and who failed how, by seat. Seats of whom there is nothing to say are left out.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct GameSummary {
    /// The seats of which there is something to say.
    pub seats: BTreeMap<Seat, SeatSummary>,
    /// A fingerprint of all that was played so far.
    #[serde(skip)]
    so_far: u64,
    /// The position that it has come to.
    #[serde(skip)]
    last: Option<StateHash>,
}

/// What a game cost a player, and how it failed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SeatSummary {
    /// Turns that lapsed, by what was wrong.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub lapses: BTreeMap<Fault, u32>,
    /// Attempts that were refused.
    pub refused: u32,
    /// Answers of a model.
    pub calls: u64,
    /// Requests to a model, those that failed or were cut off included; none where there is no ledger.
    #[serde(skip_serializing_if = "is_zero")]
    pub requests: u64,
    /// Tokens that the model read.
    pub input_tokens: u64,
    /// Tokens that the model wrote.
    pub output_tokens: u64,
    /// Money, in US dollars.
    pub usd: f64,
    /// Answers of which nobody knows what they cost.
    #[serde(skip_serializing_if = "is_zero")]
    pub unpriced: u64,
    /// Requests without an answer, which count as the most that they may have cost.
    #[serde(skip_serializing_if = "is_zero")]
    pub bounded: u64,
    /// Time to think, in microseconds.
    pub micros: u64,
    /// How many turns it played.
    pub turns: u32,
    /// A fingerprint of all actions and positions of the game: two games with the same are the same game.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub played: Option<u64>,
    /// Some of the attempts that were refused, no two alike.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub examples: Vec<RefusedAttempt>,
}

/// What the requests of a seat cost together.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SeatBill {
    /// How many were sent.
    pub requests: u64,
    /// What they cost, in US dollars.
    pub usd: f64,
    /// Answers of which nobody knows what they cost.
    pub unpriced: u64,
    /// Requests without an answer, which count as the most that they may have cost.
    pub bounded: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde wants it so")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// A fingerprint with more stirred in (Fowler, Noll and Vo): quick, and nobody gains by making two the same.
fn stirred(hash: u64, bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(hash ^ 0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

/// So many refused attempts of a player are shown.
const MAX_EXAMPLES: usize = 5;

impl GameSummary {
    /// Takes in a turn.
    pub fn add(&mut self, turn: &Turn) {
        for (seat, action) in &turn.actions {
            self.so_far = stirred(self.so_far, &[b'A' + u8::try_from(seat.index()).unwrap_or(u8::MAX - b'A')]);
            self.so_far = stirred(self.so_far, action.as_bytes());
        }
        self.last = turn.state_hash.or(self.last);
        for (&seat, lapse) in &turn.lapses {
            *self.of(seat).lapses.entry(lapse.fault).or_default() += 1;
        }
        for refused in &turn.refused {
            let summary = self.of(refused.seat);
            summary.refused += 1;
            summary.show(refused);
        }
        for (&seat, micros) in &turn.micros {
            let summary = self.of(seat);
            summary.micros += micros;
            summary.turns += 1;
        }
        for (&seat, calls) in &turn.calls {
            let summary = self.of(seat);
            if !turn.micros.contains_key(&seat) && !calls.is_empty() {
                // Nobody timed a model beside its calls: they are what it thought.
                summary.micros += calls.iter().map(|call| call.millis.saturating_mul(1000)).sum::<u64>();
                summary.turns += 1;
            }
            for call in calls {
                summary.calls += 1;
                summary.input_tokens += call.input_tokens;
                summary.output_tokens += call.output_tokens;
                summary.usd += call.usd.unwrap_or(0.0);
                summary.unpriced += u64::from(call.usd.is_none());
            }
        }
    }

    /// What a seat has spent by the ledger.
    pub fn bill(&mut self, seat: Seat, bill: SeatBill) {
        let summary = self.of(seat);
        let SeatBill { requests, usd, unpriced, bounded } = bill;
        (summary.requests, summary.usd, summary.unpriced, summary.bounded) = (requests, usd, unpriced, bounded);
    }

    fn of(&mut self, seat: Seat) -> &mut SeatSummary {
        self.seats.entry(seat).or_default()
    }

    /// The game is over: from here on it can be told from others.
    pub fn close(&mut self) {
        if self.seats.is_empty() {
            return;
        }
        // The same actions from another start are another game.
        let end = self.last.map(|hash| hash.to_string()).unwrap_or_default();
        self.so_far = stirred(self.so_far, end.as_bytes());
        for summary in self.seats.values_mut() {
            summary.played = Some(self.so_far);
        }
    }

    /// A fingerprint of what was played, where it was noted: of games with somebody who is no bot.
    pub fn played(&self) -> Option<u64> {
        self.seats.values().find_map(|summary| summary.played)
    }

    /// As a game's note; nothing where there is nothing to say.
    pub fn written(&self) -> Option<String> {
        (!self.seats.is_empty()).then(|| serde_json::to_string(self).expect("plain data"))
    }

    /// From a game's note. Notes of others say nothing here.
    pub fn read(note: Option<&str>) -> GameSummary {
        note.and_then(|note| serde_json::from_str(note).ok()).unwrap_or_default()
    }
}

impl SeatSummary {
    /// The money in words: what it was, what it was at the most, or that nobody knows.
    pub fn money(&self) -> String {
        match (self.unpriced, self.bounded) {
            (0, 0) => format!("${:.4}", self.usd),
            (0, _) => format!("≤ ${:.4}", self.usd),
            _ => "cost unknown".to_owned(),
        }
    }

    fn show(&mut self, refused: &RefusedAttempt) {
        let alike = |other: &RefusedAttempt| (other.code, &other.text) == (refused.code, &refused.text);
        if self.examples.len() < MAX_EXAMPLES && !self.examples.iter().any(alike) {
            self.examples.push(refused.clone());
        }
    }

    /// What is wrong with its bill is put right: so much was known of it, and so much is now.
    pub fn correct(&mut self, was: SeatBill, is: SeatBill) {
        self.requests = (self.requests + is.requests).saturating_sub(was.requests);
        self.usd += is.usd - was.usd;
        self.unpriced = (self.unpriced + is.unpriced).saturating_sub(was.unpriced);
        self.bounded = (self.bounded + is.bounded).saturating_sub(was.bounded);
    }

    /// Whether there is nothing to say.
    pub fn is_empty(&self) -> bool {
        *self == SeatSummary::default()
    }

    /// Takes in another game of the same player.
    pub fn join(&mut self, other: &SeatSummary) {
        for (&fault, times) in &other.lapses {
            *self.lapses.entry(fault).or_default() += times;
        }
        self.refused += other.refused;
        other.examples.iter().for_each(|refused| self.show(refused));
        self.calls += other.calls;
        self.input_tokens += other.input_tokens;
        self.output_tokens += other.output_tokens;
        self.requests += other.requests;
        self.usd += other.usd;
        self.unpriced += other.unpriced;
        self.bounded += other.bounded;
        self.micros += other.micros;
        self.turns += other.turns;
    }
}
