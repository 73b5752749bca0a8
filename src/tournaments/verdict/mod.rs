//! Whether one thing beats another, with errors that are bounded at any moment one cares to look.
//!
//! A [`Test`] bets on block scores. It begins with a capital of 1 and bets that A is better, against odds that are fair
//! if it is not: if it is not, the capital reaches 1/α with a chance of at most α, ever (Ville's inequality). Three more
//! bets go along: that A is not better by δ, and both with A and B exchanged. Bets use earlier blocks only.

mod errors;
mod interval;
mod pentanomial;
mod seats;
#[cfg(test)]
mod tests;

use std::fmt;

use serde::{Deserialize, Serialize};

pub use self::errors::holm;
pub use self::interval::Interval;
pub use self::pentanomial::{Pentanomial, elo};
pub use self::seats::{SeatBias, seat_bias};
pub use crate::matches::elo::expected_score;

/// How much the first blocks count towards how far scores scatter: as much as so many blocks that were seen.
const PRIOR_WEIGHT: f64 = 8.0;
/// The scatter that is taken for granted before the first block: the mean of (score − ½)².
const PRIOR_MOMENT: f64 = 0.09;
/// A bet never risks more than nine tenths of the capital.
const MAX_BET: f64 = 1.8;

/// What is to be found out, and how surely.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct TestSettings {
    delta: f64,
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
        Ok(TestSettings { delta, alpha, beta })
    }

    /// The difference in score that is to be found.
    pub fn delta(&self) -> f64 {
        self.delta
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
    /// The exit code for a build that goes on only if A is better: 0 better, 1 not better, 2 worse, 3 undecided.
    pub fn exit_code(self) -> u8 {
        match self {
            Verdict::Better => 0,
            Verdict::NotBetter | Verdict::NoDifference => 1,
            Verdict::Worse => 2,
            Verdict::NotWorse | Verdict::Undecided => 3,
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

/// A test under way.
#[derive(Clone, Debug, PartialEq)]
pub struct Test {
    settings: TestSettings,
    blocks: u64,
    sum: f64,
    /// Of (score − ½)².
    squares: f64,
    better: Bet,
    not_better: Bet,
    worse: Bet,
    not_worse: Bet,
}

/// A capital that is bet on, in logarithms: it may grow beyond what a number can hold.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Bet {
    log: f64,
    most: f64,
    /// The block at which it first reached its bound.
    reached: Option<u64>,
}

impl Bet {
    /// Bets so much on an outcome whose mean is at most 0 unless the bet is right.
    fn place(&mut self, stake: f64, outcome: f64, bound: f64, block: u64) {
        self.log += (stake * outcome).ln_1p();
        self.most = self.most.max(self.log);
        if self.reached.is_none() && self.log >= bound {
            self.reached = Some(block);
        }
    }
}

impl Test {
    /// A test without blocks.
    pub fn new(settings: TestSettings) -> Test {
        let bet = Bet::default();
        let (blocks, sum, squares) = (0, 0.0, 0.0);
        Test { settings, blocks, sum, squares, better: bet, not_better: bet, worse: bet, not_worse: bet }
    }

    /// Takes in a block: the score of A against B in [0, 1]. What is no number is left out.
    pub fn push(&mut self, score: f64) {
        if score.is_nan() {
            return;
        }
        let score = score.clamp(0.0, 1.0);
        let TestSettings { delta, alpha, beta } = self.settings;
        #[expect(clippy::cast_precision_loss, reason = "counts of blocks are far below 2^52")]
        let moment = (PRIOR_WEIGHT * PRIOR_MOMENT + self.squares) / (PRIOR_WEIGHT + self.blocks as f64);
        let target = 0.5 + delta;
        let on_difference = (delta / moment).min(MAX_BET);
        let on_none = (delta / moment).min(MAX_BET / 2.0 / target);
        self.blocks += 1;
        let (sure, safe) = (-alpha.ln(), -beta.ln());
        self.better.place(on_difference, score - 0.5, sure, self.blocks);
        self.worse.place(on_difference, 0.5 - score, sure, self.blocks);
        self.not_better.place(on_none, target - score, safe, self.blocks);
        self.not_worse.place(on_none, score - (0.5 - delta), safe, self.blocks);
        self.sum += score;
        self.squares += (score - 0.5) * (score - 0.5);
    }

    /// What can be said now. What a bet has reached once stays true, however the capital falls later.
    pub fn verdict(&self) -> Verdict {
        let before = |one: Option<u64>, other: Option<u64>| match (one, other) {
            (Some(one), Some(other)) => one <= other,
            (one, None) => one.is_some(),
            (None, Some(_)) => false,
        };
        // Two that contradict each other happen as seldom as errors do: the one that came first stands.
        let better = before(self.better.reached, self.not_better.reached);
        let worse = before(self.worse.reached, self.not_worse.reached);
        match (better, worse) {
            (true, true) if before(self.better.reached, self.worse.reached) => Verdict::Better,
            (true, false) => Verdict::Better,
            (_, true) => Verdict::Worse,
            (false, false) => match (self.not_better.reached, self.not_worse.reached) {
                (Some(_), Some(_)) => Verdict::NoDifference,
                (Some(_), None) => Verdict::NotBetter,
                (None, Some(_)) => Verdict::NotWorse,
                (None, None) => Verdict::Undecided,
            },
        }
    }

    /// What is to be found out, and how surely.
    pub fn settings(&self) -> &TestSettings {
        &self.settings
    }

    /// How many blocks there were.
    pub fn blocks(&self) -> u64 {
        self.blocks
    }

    /// The mean score of A; ½ before the first block.
    #[expect(clippy::cast_precision_loss, reason = "counts of blocks are far below 2^52")]
    pub fn mean(&self) -> f64 {
        if self.blocks == 0 { 0.5 } else { self.sum / self.blocks as f64 }
    }

    /// The capital of the bet that A is better (first) and of the bet that it is not better by δ (second), as natural
    /// logarithms: the curves of the report.
    pub fn log_capital(&self) -> (f64, f64) {
        (self.better.log, self.not_better.log)
    }

    /// The same with A and B exchanged.
    pub fn mirrored_log_capital(&self) -> (f64, f64) {
        (self.worse.log, self.not_worse.log)
    }

    /// The largest e-value so far against "A is not better", for corrections over several tests.
    pub fn e_value(&self) -> f64 {
        self.better.most.exp().min(f64::MAX)
    }

    /// The same against "A is not worse".
    pub fn mirrored_e_value(&self) -> f64 {
        self.worse.most.exp().min(f64::MAX)
    }
}
