//! Whether one thing beats another, with errors that are bounded at any moment one cares to look.
//!
//! A [`Test`] bets on block scores. It begins with a capital of 1 and bets that A is better, against odds that are fair
//! if it is not: if it is not, the capital reaches 1/α with a chance of at most α, ever (Ville's inequality). Three more
//! bets go along: that A is not better by δ, and both with A and B exchanged. Bets use earlier blocks only.
//!
//! δ is in Elo of games, and a [`Scale`] says what that is in the scores at hand, of games or of answers. The interval
//! beside a verdict comes from the same bets: it is the set of differences whose own capital has not reached 1/α.

mod capital;
mod errors;
mod pentanomial;
mod scale;
mod seats;
mod test;
#[cfg(test)]
mod tests;

use std::fmt;

use serde::{Deserialize, Serialize};

pub use self::errors::holm;
pub use self::pentanomial::{Pentanomial, elo};
pub use self::scale::Scale;
pub use self::seats::{SeatBias, SeatRow, seat_bias};
pub(super) use self::test::FARTHEST;
pub use self::test::{Effect, Test};
pub use crate::matches::elo::expected_score;

/// The difference that is looked for unless somebody says otherwise, in Elo.
pub const USUAL_DELTA: f64 = 70.0;

/// What is to be found out, and how surely.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct TestSettings {
    delta: f64,
    elo: f64,
    alpha: f64,
    beta: f64,
}

/// Settings that make no test.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum BadSettings {
    /// The difference to find is out of range.
    #[error("the difference to find must be more than 0 and less than 0.5 in score, not {0}")]
    Delta(f64),
    /// One of the two errors.
    #[error("the chance of an error must be more than 0 and at most 0.5, not {0}")]
    Chance(f64),
}

impl TestSettings {
    /// To find a difference of `delta` in score, with at most so much chance to call something better that is not
    /// (`alpha`), or to miss what is better by `delta` (`beta`).
    ///
    /// # Errors
    /// If no test can do that.
    pub fn new(delta: f64, alpha: f64, beta: f64) -> Result<TestSettings, BadSettings> {
        if !(delta > 0.0 && delta < 0.5) {
            return Err(BadSettings::Delta(delta));
        }
        for chance in [alpha, beta] {
            if !(chance > 0.0 && chance <= 0.5) {
                return Err(BadSettings::Chance(chance));
            }
        }
        Ok(TestSettings { delta, elo: elo(0.5 + delta), alpha, beta })
    }

    /// The same with the difference in Elo.
    ///
    /// # Errors
    /// If no test can do that.
    pub fn of_elo(elo: f64, alpha: f64, beta: f64) -> Result<TestSettings, BadSettings> {
        Ok(TestSettings { elo, ..TestSettings::new(expected_score(elo) - 0.5, alpha, beta)? })
    }

    /// The same with another chance of a false alarm, as a share of several questions has it.
    ///
    /// # Errors
    /// If that is no chance.
    pub fn with_alpha(self, alpha: f64) -> Result<TestSettings, BadSettings> {
        TestSettings::new(self.delta, alpha, self.beta).map(|new| TestSettings { elo: self.elo, ..new })
    }

    /// The difference in score of games that is to be found.
    pub fn delta(&self) -> f64 {
        self.delta
    }

    /// The same in Elo.
    pub fn elo(&self) -> f64 {
        self.elo
    }

    /// How likely something that is not better may be called better.
    pub fn alpha(&self) -> f64 {
        self.alpha
    }

    /// How likely something that is better by δ may be missed.
    pub fn beta(&self) -> f64 {
        self.beta
    }
}

/// What a test says of A.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// A is better than B.
    Better,
    /// A is worse than B.
    Worse,
    /// Neither is better than the other by δ.
    NoDifference,
    /// A is not better than B by δ; it may be worse.
    NotBetter,
    /// A is not worse than B by δ; it may be better.
    NotWorse,
    /// Nothing can be said yet.
    Undecided,
}

impl Verdict {
    /// The exit code for a build that goes on only if A is better: 0 better, 10 not better, 11 worse, 12 undecided.
    pub fn exit_code(self) -> u8 {
        match self {
            Verdict::Better => 0,
            Verdict::NotBetter | Verdict::NoDifference => 10,
            Verdict::Worse => 11,
            Verdict::NotWorse | Verdict::Undecided => 12,
        }
    }

    /// Whether it is answered if A is better, so that no more blocks are needed for that.
    pub fn settles_better(self) -> bool {
        matches!(self, Verdict::Better | Verdict::Worse | Verdict::NoDifference | Verdict::NotBetter)
    }

    /// Whether more blocks could not change the verdict.
    pub fn is_final(self) -> bool {
        matches!(self, Verdict::Better | Verdict::Worse | Verdict::NoDifference)
    }

    /// Whether it claims a difference, which between two that are the same is a false alarm.
    pub fn claims_difference(self) -> bool {
        matches!(self, Verdict::Better | Verdict::Worse)
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Verdict::Better => "better",
            Verdict::Worse => "worse",
            Verdict::NoDifference => "no difference",
            Verdict::NotBetter => "not better",
            Verdict::NotWorse => "not worse",
            Verdict::Undecided => "undecided",
        })
    }
}
