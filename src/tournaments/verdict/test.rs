//! A test under way: bets on every difference at once.

use serde::{Deserialize, Serialize};

use super::capital::Capital;
use super::scale::Scale;
use super::{TestSettings, Verdict};

/// How bets are made.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Style {
    /// The parts of a capital, as multiples of the bet that suits δ best.
    multiples: &'static [f64],
    /// How much what is taken for granted counts towards how far scores scatter: as much as so many that were seen.
    prior: f64,
    /// A bet risks at most this part of the capital.
    risk: f64,
}

/// Bets on games are the one that suits δ best.
const GAMES: Style = Style { multiples: &[1.0], prior: 8.0, risk: 0.9 };

/// How large a difference between answers is shows only on the way. So does whether two players answer alike, and then
/// nearly every answer that differs favours the better one: little is taken for granted, and nearly all is risked.
const ANSWERS: Style = Style { multiples: &[0.5, 1.0, 2.0, 4.0], prior: 2.0, risk: 0.99 };

/// Differences that are tried for the interval, in Elo on either side of 0, and how far apart.
pub(in crate::tournaments) const FARTHEST: i32 = 1200;
const STEP: i32 = 10;

/// How large true differences are taken to be where an effect is shrunk: of δ, as a standard deviation.
const USUAL_EFFECT: f64 = 1.2;

/// How large a difference is, as far as is known.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Effect {
    /// The difference in Elo that the mean score stands for. A test that stops when it is sure stops at a lucky moment:
    /// on average this is too large.
    pub raw: f64,
    /// The same shrunk towards 0 for that: what to expect of the next games.
    pub shrunk: f64,
    /// The ends of the interval in Elo: the differences whose own capital has not reached 1/α. At the ends of what is
    /// tried, ±1200, it is open.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// How sure the interval is to hold the true difference, however often one looks: 1 − 2α, as 0.9.
    pub level: f64,
}

impl Effect {
    /// Whether no difference is too far down to be the true one.
    pub fn is_open_below(&self) -> bool {
        self.low <= -f64::from(FARTHEST)
    }

    /// Whether none is too far up.
    pub fn is_open_above(&self) -> bool {
        self.high >= f64::from(FARTHEST)
    }

    /// Whether nothing is ruled out.
    pub fn is_open(&self) -> bool {
        self.is_open_below() && self.is_open_above()
    }

    /// The interval in words: an end at which it is open has no number.
    pub fn interval_text(&self) -> String {
        let Effect { low, high, .. } = self;
        match (self.is_open_below(), self.is_open_above()) {
            (false, false) => format!("{low:+.0} to {high:+.0}"),
            (true, false) => format!("{high:+.0} at the most"),
            (false, true) => format!("{low:+.0} at the least"),
            (true, true) => "nothing can be said yet".to_owned(),
        }
    }
}

/// A test under way.
#[derive(Clone, Debug, PartialEq)]
pub struct Test {
    settings: TestSettings,
    style: Style,
    courses: Vec<Tally>,
    blocks: u64,
    better: Capital,
    not_better: Capital,
    worse: Capital,
    not_worse: Capital,
    /// All that was bet on, in order: the interval is reckoned from it when somebody asks.
    history: Vec<Bet>,
}

/// A score, and how far scores were known to scatter before it.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Bet {
    scale: Scale,
    score: f64,
    moment: f64,
}

impl Bet {
    /// What each part of a capital stakes against a mean score. Never on what is not known yet.
    fn stakes(&self, settings: &TestSettings, style: Style, mean: f64) -> impl Iterator<Item = f64> + use<> {
        let suits = (self.scale.mean(settings.elo()) - 0.5) / self.moment;
        let most = style.risk / mean.max(1.0 - mean);
        style.multiples.iter().map(move |multiple| (multiple * suits).min(most))
    }
}

/// The scores on one scale.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Tally {
    scale: Scale,
    blocks: f64,
    sum: f64,
    /// Of (score − ½)².
    squares: f64,
}

impl Test {
    /// A test of games, without blocks.
    pub fn new(settings: TestSettings) -> Test {
        Test::with(settings, &[Scale::games()], GAMES)
    }

    /// A test of answers, on the scale of each course.
    pub fn of_answers(settings: TestSettings, scales: &[Scale]) -> Test {
        Test::with(settings, scales, ANSWERS)
    }

    fn with(settings: TestSettings, scales: &[Scale], style: Style) -> Test {
        let capital = Capital::new(style.multiples.len());
        let courses = scales.iter().map(|&scale| Tally { scale, blocks: 0.0, sum: 0.0, squares: 0.0 }).collect();
        Test {
            settings,
            style,
            courses,
            blocks: 0,
            better: capital,
            not_better: capital,
            worse: capital,
            not_worse: capital,
            history: Vec::new(),
        }
    }

    /// Takes in a block: the score of A against B in [0, 1]. What is no number is left out.
    pub fn push(&mut self, score: f64) {
        self.push_on(0, score);
    }

    /// Takes in an answer on the scale of a course.
    pub fn push_on(&mut self, course: usize, score: f64) {
        let Some(tally) = self.courses.get_mut(course).filter(|_| !score.is_nan()) else { return };
        let score = score.clamp(0.0, 1.0);
        let (settings, style, scale) = (self.settings, self.style, tally.scale);
        let moment = (style.prior * scale.moment() + tally.squares) / (style.prior + tally.blocks);
        tally.blocks += 1.0;
        tally.sum += score;
        tally.squares += (score - 0.5) * (score - 0.5);
        self.blocks += 1;
        let (bet, block) = (Bet { scale, score, moment }, self.blocks);
        let above = |capital: &mut Capital, mean: f64, bound: f64| {
            capital.place(bet.stakes(&settings, style, mean), score - mean, bound, block);
        };
        let below = |capital: &mut Capital, mean: f64, bound: f64| {
            capital.place(bet.stakes(&settings, style, mean), mean - score, bound, block);
        };
        let (sure, safe) = (-settings.alpha().ln(), -settings.beta().ln());
        above(&mut self.better, 0.5, sure);
        below(&mut self.worse, 0.5, sure);
        if scale.is_known() {
            below(&mut self.not_better, scale.least_mean(settings.elo()), safe);
            above(&mut self.not_worse, scale.least_mean(-settings.elo()), safe);
        }
        self.history.push(bet);
    }

    /// For every difference that is tried, in Elo: the most that the capital has been that the true one is larger, and
    /// smaller. At 0 these are the capitals of "better" and "worse".
    fn tried(&self) -> Vec<(f64, f64, f64)> {
        let most = |elo: f64, sign: f64| {
            let mut capital = Capital::new(self.style.multiples.len());
            for bet in &self.history {
                let mean = bet.scale.mean(elo);
                let stakes = bet.stakes(&self.settings, self.style, mean);
                capital.place(stakes, sign * (bet.score - mean), f64::INFINITY, 0);
            }
            capital.most()
        };
        let steps = (-FARTHEST / STEP..=FARTHEST / STEP).map(|step| f64::from(step * STEP));
        steps.map(|elo| (elo, most(elo, 1.0), most(elo, -1.0))).collect()
    }

    /// What can be said now. What a bet has reached once stays true, however the capital falls later.
    pub fn verdict(&self) -> Verdict {
        let before = |one: Option<u64>, other: Option<u64>| match (one, other) {
            (Some(one), Some(other)) => one <= other,
            (one, None) => one.is_some(),
            (None, Some(_)) => false,
        };
        let [better, not_better, worse, not_worse] =
            [self.better, self.not_better, self.worse, self.not_worse].map(|capital| capital.reached());
        // Two that contradict each other happen as seldom as errors do: the one that came first stands.
        match (before(better, not_better), before(worse, not_worse)) {
            (true, true) if before(better, worse) => Verdict::Better,
            (true, false) => Verdict::Better,
            (_, true) => Verdict::Worse,
            (false, false) => match (not_better, not_worse) {
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
    pub fn mean(&self) -> f64 {
        let (blocks, sum) = self.courses.iter().fold((0.0, 0.0), |all, it| (all.0 + it.blocks, all.1 + it.sum));
        if blocks > 0.0 { sum / blocks } else { 0.5 }
    }

    /// The interval, in Elo: between the outermost differences whose own capital has not reached 1/α.
    fn interval(&self) -> (f64, f64) {
        let bound = -self.settings.alpha().ln();
        // Where the capital of the last that is out and of the first that is in cross the bound.
        let cross = |(out, at_out): (f64, f64), (within, at_within): (f64, f64)| {
            let part = ((at_out - bound) / (at_out - at_within).max(1e-12)).clamp(0.0, 1.0);
            out + part * (within - out)
        };
        let end = |capitals: &[(f64, f64)]| {
            let Some(first) = capitals.iter().position(|(_, most)| *most < bound) else {
                // All are out, as happens with a chance of 2α at the most.
                return capitals.last().map_or(0.0, |(elo, _)| *elo);
            };
            first.checked_sub(1).map_or(capitals[first].0, |out| cross(capitals[out], capitals[first]))
        };
        let tried = self.tried();
        let larger: Vec<(f64, f64)> = tried.iter().map(|&(elo, larger, _)| (elo, larger)).collect();
        let smaller: Vec<(f64, f64)> = tried.iter().rev().map(|&(elo, _, smaller)| (elo, smaller)).collect();
        let (low, high) = (end(&larger), end(&smaller));
        if low <= high { (low, high) } else { (f64::midpoint(low, high), f64::midpoint(low, high)) }
    }

    /// How large the difference is; nothing where the scales do not say what a score is worth in Elo.
    pub fn effect(&self) -> Option<Effect> {
        if !self.courses.iter().all(|tally| tally.scale.is_known()) {
            return None;
        }
        let (low, high) = self.interval();
        let (raw, shrunk) = (self.estimate(0.0), self.estimate(1.0));
        Some(Effect { raw, shrunk, low, high, level: 1.0 - 2.0 * self.settings.alpha() })
    }

    /// The interval in scores.
    pub fn bounds(&self) -> (f64, f64) {
        let (low, high) = self.interval();
        let blocks: f64 = self.courses.iter().map(|tally| tally.blocks).sum();
        let score = |elo: f64| {
            if blocks < 1.0 || elo.abs() >= f64::from(FARTHEST) {
                return f64::from(u8::from(elo > 0.0));
            }
            self.courses.iter().map(|tally| tally.blocks * tally.scale.mean(elo)).sum::<f64>() / blocks
        };
        (score(low), score(high))
    }

    /// The difference in Elo by the mean scores, the mean over the courses; `shrinkage` says how much it is shrunk.
    pub(super) fn estimate(&self, shrinkage: f64) -> f64 {
        let (mut sum, mut blocks) = (0.0, 0.0);
        for tally in self.courses.iter().filter(|tally| tally.blocks > 0.0) {
            let lead = tally.sum / tally.blocks - 0.5;
            let usual = USUAL_EFFECT * (tally.scale.mean(self.settings.elo()) - 0.5);
            let before = self.style.prior * tally.scale.moment();
            let seen = (before + tally.squares) / (self.style.prior + tally.blocks) - lead * lead;
            // That somebody always loses is no reason to think that scores do not scatter.
            let moment = seen.max(before / 2.0 / (self.style.prior + tally.blocks));
            // As if a normal prior had been looked at before: the mean of what to expect after.
            let weight = shrinkage * moment.max(1e-6) / (usual * usual).max(1e-12);
            let kept = lead * self.all_blocks() / (self.all_blocks() + weight);
            sum += tally.blocks * tally.scale.elo(0.5 + kept);
            blocks += tally.blocks;
        }
        let most = f64::from(FARTHEST);
        if blocks > 0.0 { (sum / blocks).clamp(-most, most) } else { 0.0 }
    }

    #[expect(clippy::cast_precision_loss, reason = "counts of blocks are far below 2^52")]
    fn all_blocks(&self) -> f64 {
        self.blocks as f64
    }

    /// The capital of the bet that A is better (first) and of the bet that it is not better by δ (second), as natural
    /// logarithms: the curves of the report.
    pub fn log_capital(&self) -> (f64, f64) {
        (self.better.log(), self.not_better.log())
    }

    /// The same with A and B exchanged.
    pub fn mirrored_log_capital(&self) -> (f64, f64) {
        (self.worse.log(), self.not_worse.log())
    }

    /// The largest e-value so far against "A is not better", for corrections over several tests.
    pub fn e_value(&self) -> f64 {
        self.better.most().exp().min(f64::MAX)
    }

    /// The same against "A is not worse".
    pub fn mirrored_e_value(&self) -> f64 {
        self.worse.most().exp().min(f64::MAX)
    }
}
