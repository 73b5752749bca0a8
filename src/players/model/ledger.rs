//! The ledger: every request that was sent, whatever became of it, and what it cost.
//!
//! A request is entered as it is sent, at the most that it may cost, and once more when it is over. So what was cut off by
//! any stop is there too, and a budget that goes on counts it. Budgets and costs are read from the ledger and from nothing
//! else: a record has only what was answered.

use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};

use super::budget::{Pico, pico, usd};
use super::journal::CallKey;
use crate::games::seat::Seat;

/// What became of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RequestOutcome {
    /// It is under way, or the program ended before it was over.
    Sent,
    /// A model answered.
    Answered,
    /// It failed between us and the model.
    Failed,
    /// Nobody waited for its answer any more.
    CutOff,
    /// It was made before there was a ledger.
    Earlier,
}

impl RequestOutcome {
    /// All of them.
    pub const ALL: [RequestOutcome; 5] = [
        RequestOutcome::Sent,
        RequestOutcome::Answered,
        RequestOutcome::Failed,
        RequestOutcome::CutOff,
        RequestOutcome::Earlier,
    ];

    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            RequestOutcome::Sent => "sent",
            RequestOutcome::Answered => "answered",
            RequestOutcome::Failed => "failed",
            RequestOutcome::CutOff => "cut_off",
            RequestOutcome::Earlier => "earlier",
        }
    }
}

/// A request in the ledger.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LedgerEntry {
    /// Its own name: what is entered again under it replaces what was there.
    pub id: String,
    /// The match that it was for; a player's check has none.
    pub match_id: Option<String>,
    /// The seat that the money was spent for.
    pub seat: Seat,
    /// Turns played before.
    pub turn: u32,
    /// Requests before it in the same turn.
    pub ordinal: u32,
    /// The profile of the player.
    pub player: String,
    /// What became of it.
    pub outcome: RequestOutcome,
    /// What failed, in a word.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// What it cost, in 10^-12 of a dollar; the most that it may have cost where nobody knows.
    pub cost: Pico,
    /// Whether the cost is what was billed, and no upper bound.
    pub is_known: bool,
}

impl LedgerEntry {
    /// A request that is sent now and may cost so much.
    pub(super) fn sent(key: &CallKey, player: &str, most: Pico) -> LedgerEntry {
        LedgerEntry {
            id: uuid::Uuid::now_v7().to_string(),
            match_id: key.match_id.clone(),
            seat: key.seat,
            turn: key.turn,
            ordinal: key.ordinal,
            player: player.to_owned(),
            outcome: RequestOutcome::Sent,
            why: None,
            cost: most,
            is_known: false,
        }
    }

    fn sum(&self) -> Spent {
        let answered = self.outcome == RequestOutcome::Answered;
        let count = |it: bool| u64::from(it);
        Spent {
            requests: 1,
            cost: self.cost,
            unknown: count(answered && !self.is_known),
            bounded: count(!answered && !self.is_known),
        }
    }
}

/// What some requests cost together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spent {
    /// How many were sent.
    pub requests: u64,
    /// What they cost, in 10^-12 of a dollar, at the most.
    pub cost: Pico,
    /// How many were answered and nobody knows what they cost.
    pub unknown: u64,
    /// How many were not answered, and count as the most that they may have cost.
    pub bounded: u64,
}

impl Spent {
    /// So many requests for so many dollars.
    pub fn new(requests: u64, usd: f64) -> Spent {
        Spent { requests, cost: pico(usd), ..Spent::default() }
    }

    /// The money; none where nobody knows.
    pub fn usd(&self) -> Option<f64> {
        (self.unknown == 0).then(|| usd(self.cost))
    }
}

impl std::ops::AddAssign for Spent {
    fn add_assign(&mut self, other: Spent) {
        self.requests += other.requests;
        self.cost = self.cost.saturating_add(other.cost);
        self.unknown += other.unknown;
        self.bounded += other.bounded;
    }
}

/// The sums of a ledger: of a run, and of every seat of its matches.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ledger {
    /// What all players spent together.
    pub all: Spent,
    seats: BTreeMap<String, BTreeMap<Seat, Spent>>,
}

impl Ledger {
    /// The sums of these entries, in the order in which they were made.
    pub fn of(entries: impl IntoIterator<Item = LedgerEntry>) -> Ledger {
        let mut last: HashMap<String, LedgerEntry> = HashMap::new();
        for entry in entries {
            // Word that it was sent may come after word of how it ended.
            if entry.outcome != RequestOutcome::Sent || !last.contains_key(&entry.id) {
                last.insert(entry.id.clone(), entry);
            }
        }
        let mut ledger = Ledger::default();
        for entry in last.into_values() {
            ledger.add(entry.match_id.as_deref(), entry.seat, entry.sum());
        }
        ledger
    }

    /// Adds what a seat of a match has spent.
    pub fn add(&mut self, match_id: Option<&str>, seat: Seat, spent: Spent) {
        self.all += spent;
        if let Some(match_id) = match_id {
            let seats = match self.seats.get_mut(match_id) {
                Some(seats) => seats,
                None => self.seats.entry(match_id.to_owned()).or_default(),
            };
            *seats.entry(seat).or_default() += spent;
        }
    }

    /// What the seats of a match have spent, those that sent anything.
    pub fn of_match(&self, match_id: &str) -> impl Iterator<Item = (Seat, Spent)> + '_ {
        self.seats.get(match_id).into_iter().flatten().map(|(seat, spent)| (*seat, *spent))
    }

    /// What was spent in all matches whose names begin so.
    pub fn under(&self, prefix: &str) -> Spent {
        let mut sum = Spent::default();
        let from = self.seats.range(prefix.to_owned()..);
        for (_, seats) in from.take_while(|(match_id, _)| match_id.starts_with(prefix)) {
            for spent in seats.values() {
                sum += *spent;
            }
        }
        sum
    }

    /// Whether nothing was ever sent.
    pub fn is_empty(&self) -> bool {
        self.all.requests == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_request_counts_once_at_what_is_last_known_of_it() {
        let key = CallKey::new(Some("m"), Seat::new(0), 3, 0, "{}");
        let sent = |most| LedgerEntry::sent(&key, "tiny", most);
        let over =
            |sent: &LedgerEntry, outcome, cost, is_known| LedgerEntry { outcome, cost, is_known, ..sent.clone() };
        let (one, two, three, four) = (sent(50), sent(50), sent(50), sent(50));
        let answered = over(&one, RequestOutcome::Answered, 20, true);
        let failed = over(&two, RequestOutcome::Failed, 0, true);
        let unpriced = over(&four, RequestOutcome::Answered, 50, false);
        // Of one of them word comes late that it was sent, and one was never over.
        let ledger = Ledger::of([one, answered, failed, two, three, four, unpriced]);
        assert_eq!(ledger.all, Spent { requests: 4, cost: 120, unknown: 1, bounded: 1 });
        assert_eq!(ledger.of_match("m").collect::<Vec<_>>(), [(Seat::new(0), ledger.all)]);
        assert_eq!((ledger.under("m"), ledger.under("n")), (ledger.all, Spent::default()));
        assert_eq!(ledger.all.usd(), None);
    }

    #[test]
    fn outcomes_are_written_as_they_are_called() {
        for outcome in RequestOutcome::ALL {
            assert_eq!(serde_json::to_value(outcome).expect("a word"), outcome.name());
        }
    }
}
