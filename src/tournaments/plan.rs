//! What a question costs, and what a budget can answer, before a cent is spent.

use serde::Serialize;

use super::chance::block_score;
use super::score::count;
use super::verdict::{Test, TestSettings, Verdict};
use crate::games::Seed;

/// How far block scores scatter where nothing is known yet: pairs of games with correlation −0.33, no draws.
pub const USUAL_VARIANCE: f64 = 0.084;

/// So many tests are played through to see how long they take.
const TRIALS: u64 = 400;
/// No test is played longer than this.
const MAX_BLOCKS: u64 = 200_000;

/// An amount: expected, and the range that holds it nine times out of ten.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Amount {
    /// Seldom less than this.
    pub low: f64,
    /// The mean amount.
    pub expected: f64,
    /// Seldom more than this.
    pub high: f64,
}

impl Amount {
    /// Exactly so much.
    pub fn exactly(amount: f64) -> Amount {
        Amount { low: amount, expected: amount, high: amount }
    }

    /// So many of these: low ends together, and high ends.
    #[must_use]
    pub fn times(self, other: Amount) -> Amount {
        Amount { low: self.low * other.low, expected: self.expected * other.expected, high: self.high * other.high }
    }
}

/// All together: low ends, and high ends.
impl std::iter::Sum for Amount {
    fn sum<I: Iterator<Item = Amount>>(amounts: I) -> Amount {
        amounts.fold(Amount::exactly(0.0), |sum, next| Amount {
            low: sum.low + next.low,
            expected: sum.expected + next.expected,
            high: sum.high + next.high,
        })
    }
}

/// What a block costs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Costs {
    /// Games of a block.
    pub games: u32,
    /// Paid calls of a game.
    pub calls: Amount,
    /// US dollars of a call.
    pub usd: Amount,
}

/// What it takes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Plan {
    /// The difference in score that is found.
    pub delta: f64,
    /// Blocks to a verdict.
    pub blocks: Amount,
    /// Games to a verdict.
    pub games: Amount,
    /// Requests to models that cost money.
    pub calls: Amount,
    /// Money, in US dollars.
    pub usd: Amount,
}

impl Plan {
    /// What a test takes to a verdict on whether A is better, if block scores scatter so much: the mean over A being
    /// better by δ, and no better at all. Played through with seeded dice, so that it is the same every time.
    pub fn of(settings: TestSettings, variance: f64, costs: &Costs) -> Plan {
        Plan::with(settings.delta(), blocks_to_verdict(settings, variance), costs)
    }

    /// What so many blocks cost.
    pub fn fixed(settings: TestSettings, blocks: u64, costs: &Costs) -> Plan {
        #[expect(clippy::cast_precision_loss, reason = "counts of blocks are far below 2^52")]
        Plan::with(settings.delta(), Amount::exactly(blocks as f64), costs)
    }

    fn with(delta: f64, blocks: Amount, costs: &Costs) -> Plan {
        let games = blocks.times(Amount::exactly(costs.games.into()));
        let calls = games.times(costs.calls);
        Plan { delta, blocks, games, calls, usd: calls.times(costs.usd) }
    }
}

/// How many blocks a test takes to answer whether A is better.
pub fn blocks_to_verdict(settings: TestSettings, variance: f64) -> Amount {
    let lead = |trial: u64| if trial.is_multiple_of(2) { settings.delta() } else { 0.0 };
    lengths(settings, variance, lead, Verdict::settles_better)
}

fn lengths(settings: TestSettings, variance: f64, lead: impl Fn(u64) -> f64, is_over: fn(Verdict) -> bool) -> Amount {
    let variance = if variance.is_finite() { variance.clamp(0.0, 0.25) } else { USUAL_VARIANCE };
    let mut lengths: Vec<u64> =
        (0..TRIALS).map(|trial| length(settings, lead(trial), variance, is_over, Seed(trial))).collect();
    lengths.sort_unstable();
    #[expect(clippy::cast_precision_loss, reason = "counts of blocks are far below 2^52")]
    let as_number = |blocks: u64| blocks as f64;
    let end = lengths.len() / 20;
    Amount {
        low: as_number(lengths[end]),
        expected: lengths.iter().copied().map(as_number).sum::<f64>() / count(lengths.len()),
        high: as_number(lengths[lengths.len() - 1 - end]),
    }
}

fn length(settings: TestSettings, lead: f64, variance: f64, is_over: fn(Verdict) -> bool, seed: Seed) -> u64 {
    let mut dice = seed.dice();
    let mut test = Test::new(settings);
    while !is_over(test.verdict()) && test.blocks() < MAX_BLOCKS {
        test.push(block_score(lead, variance, &mut dice));
    }
    test.blocks()
}

/// The smallest difference in score that so many blocks are expected to find; nothing where they are too few for any.
pub fn smallest_difference(blocks: u64, alpha: f64, beta: f64, variance: f64) -> Option<TestSettings> {
    #[expect(clippy::cast_precision_loss, reason = "counts of blocks are far below 2^52")]
    let wanted = blocks as f64;
    // The capital grows by about δ² / 2m a block.
    let mut delta = (2.0 * variance.clamp(0.01, 0.25) * (1.0 / alpha.min(beta)).ln() / wanted.max(1.0)).sqrt();
    for _ in 0..6 {
        delta = delta.min(0.49);
        let settings = TestSettings::new(delta, alpha, beta).ok()?;
        let needed = blocks_to_verdict(settings, variance).expected;
        if (needed / wanted - 1.0).abs() < 0.02 {
            break;
        }
        // Blocks go with 1/δ².
        delta *= (needed / wanted).sqrt();
    }
    let settings = TestSettings::new(delta.min(0.49), alpha, beta).ok()?;
    (blocks_to_verdict(settings, variance).expected <= 1.1 * wanted).then_some(settings)
}

#[cfg(test)]
mod tests {
    use super::super::verdict::expected_score;
    use super::*;

    const COSTS: Costs = Costs {
        games: 2,
        calls: Amount { low: 20.0, expected: 30.0, high: 50.0 },
        usd: Amount { low: 0.001, expected: 0.002, high: 0.004 },
    };

    fn settings(elo: f64) -> TestSettings {
        TestSettings::new(expected_score(elo) - 0.5, 0.05, 0.05).expect("sound")
    }

    #[test]
    fn a_plan_goes_from_blocks_to_games_to_calls_to_money() {
        let plan = Plan::of(settings(70.0), USUAL_VARIANCE, &COSTS);
        assert!((plan.games.expected / 109.0 - 1.0).abs() < 0.15, "{plan:?}");
        assert!((plan.calls.expected / plan.blocks.expected - 60.0).abs() < 1e-9);
        assert!((plan.usd.high / plan.games.high - 0.2).abs() < 1e-9);
        assert!(plan.usd.low < plan.usd.expected && plan.usd.expected < plan.usd.high);
    }

    #[test]
    fn a_budget_sees_the_difference_whose_plan_costs_as_much() {
        for blocks in [16, 55, 190, 1000] {
            let found = smallest_difference(blocks, 0.05, 0.05, USUAL_VARIANCE).expect("enough for some difference");
            let needed = blocks_to_verdict(found, USUAL_VARIANCE).expected;
            let off = needed / f64::from(u32::try_from(blocks).expect("small")) - 1.0;
            assert!(off.abs() < 0.1, "{blocks}: {found:?} needs {needed}");
        }
    }

    #[test]
    fn too_small_a_budget_sees_nothing() {
        for blocks in [0, 1, 2] {
            assert_eq!(smallest_difference(blocks, 0.05, 0.05, USUAL_VARIANCE), None, "{blocks}");
        }
    }

    #[test]
    fn whatever_the_scatter_a_plan_ends() {
        for variance in [0.0, 0.25, 9.0, -1.0, f64::NAN, f64::INFINITY] {
            let amount = blocks_to_verdict(settings(100.0), variance);
            assert!(amount.expected.is_finite() && amount.expected > 0.0, "{variance}: {amount:?}");
        }
    }
}
