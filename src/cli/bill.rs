//! What the models of a match were asked, and what that cost.

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde::Serialize;

use crate::games::seat::Seat;
use crate::matches::Call;
use crate::players::model::Spent;

/// The sums of a match, by seat.
#[derive(Debug, Default, Serialize)]
#[serde(transparent)]
pub(super) struct SeatCosts(BTreeMap<Seat, Sum>);

#[derive(Debug, Default, Serialize)]
struct Sum {
    calls: u64,
    input_tokens: u64,
    output_tokens: u64,
    /// By the ledger, those without an answer included.
    requests: u64,
    /// By the ledger; none where nobody knows, which is not nothing.
    usd: Option<f64>,
}

/// A number of calls, for people.
pub(super) fn calls(number: u64) -> String {
    if number == 1 { "1 call".to_owned() } else { format!("{number} calls") }
}

/// What all of them cost; none where one of them is not known. Of none it is 0, where a sum of floats would be -0.
pub(super) fn total_usd(mut costs: impl Iterator<Item = Option<f64>>) -> Option<f64> {
    costs.try_fold(0.0, |sum, usd| Some(sum + usd?))
}

impl SeatCosts {
    /// Adds what seats asked in a turn.
    pub(super) fn add(&mut self, calls: &BTreeMap<Seat, Vec<Call>>) {
        for (&seat, calls) in calls {
            let sum = self.0.entry(seat).or_insert(Sum { usd: Some(0.0), ..Sum::default() });
            for call in calls {
                sum.calls += 1;
                sum.input_tokens += call.input_tokens;
                sum.output_tokens += call.output_tokens;
                sum.usd = sum.usd.zip(call.usd).map(|(sum, usd)| sum + usd);
            }
        }
    }

    /// Takes the money from the ledger, where it has any: a record knows nothing of what failed or was cut off.
    pub(super) fn settle(&mut self, spent: impl Iterator<Item = (Seat, Spent)>) {
        for (seat, spent) in spent {
            let sum = self.0.entry(seat).or_default();
            (sum.requests, sum.usd) = (spent.requests, spent.usd());
        }
    }

    /// What all of it cost, where that is known.
    pub(super) fn usd(&self) -> Option<f64> {
        total_usd(self.0.values().map(|sum| sum.usd))
    }

    /// Whether no model was asked.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Tells people, a line per seat.
    pub(super) fn tell(&self, names: &[String], out: &mut impl Write) -> io::Result<()> {
        for (seat, Sum { calls, input_tokens, output_tokens, usd, .. }) in &self.0 {
            let name = names.get(seat.index()).map_or("", String::as_str);
            let cost = usd.map_or_else(|| "cost unknown".to_owned(), |usd| format!("${usd:.4}"));
            writeln!(
                out,
                "{seat} {name}: {}, {input_tokens} tokens in, {output_tokens} out, {cost}",
                self::calls(*calls)
            )?;
        }
        Ok(())
    }
}
