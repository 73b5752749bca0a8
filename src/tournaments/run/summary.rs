//! What a game cost, and who failed how: what leaderboards say beside places.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::games::seat::Seat;
use crate::matches::{Fault, RefusedAttempt, Turn};

/// What a game cost, and who failed how, by seat. Seats of whom there is nothing to say are left out.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct GameSummary {
    /// The seats of which there is something to say.
    pub seats: BTreeMap<Seat, SeatSummary>,
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
    /// Requests to a model.
    pub calls: u64,
    /// Tokens that the model read.
    pub input_tokens: u64,
    /// Tokens that the model wrote.
    pub output_tokens: u64,
    /// Money, in US dollars.
    pub usd: f64,
    /// Time to think, in microseconds.
    pub micros: u64,
    /// How many turns it played.
    pub turns: u32,
    /// Some of the attempts that were refused, no two alike.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub examples: Vec<RefusedAttempt>,
}

/// So many refused attempts of a player are shown.
const MAX_EXAMPLES: usize = 5;

impl GameSummary {
    /// Takes in a turn.
    pub(super) fn add(&mut self, turn: &Turn) {
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
            for call in calls {
                summary.calls += 1;
                summary.input_tokens += call.input_tokens;
                summary.output_tokens += call.output_tokens;
                summary.usd += call.usd.unwrap_or(0.0);
            }
        }
    }

    fn of(&mut self, seat: Seat) -> &mut SeatSummary {
        self.seats.entry(seat).or_default()
    }

    /// As a game's note; nothing where there is nothing to say.
    pub(super) fn written(&self) -> Option<String> {
        (!self.seats.is_empty()).then(|| serde_json::to_string(self).expect("plain data"))
    }

    /// From a game's note. Notes of others say nothing here.
    pub fn read(note: Option<&str>) -> GameSummary {
        note.and_then(|note| serde_json::from_str(note).ok()).unwrap_or_default()
    }
}

impl SeatSummary {
    fn show(&mut self, refused: &RefusedAttempt) {
        let alike = |other: &RefusedAttempt| (other.code, &other.text) == (refused.code, &refused.text);
        if self.examples.len() < MAX_EXAMPLES && !self.examples.iter().any(alike) {
            self.examples.push(refused.clone());
        }
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
        self.usd += other.usd;
        self.micros += other.micros;
        self.turns += other.turns;
    }
}
