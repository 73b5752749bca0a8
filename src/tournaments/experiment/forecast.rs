//! What an experiment takes, by playing it through with simulated answers many times.

use super::matrix::{Basis, Comparison, Matrix};
use super::trial::shared;
use super::{Hypothesis, is_decided};
use crate::games::{Dice, Seed};
use crate::tournaments::chance::{block_score, unit};
use crate::tournaments::plan::Amount;
use crate::tournaments::score::{Entrant, count};
use crate::tournaments::verdict::{Scale, Test, TestSettings, Verdict, expected_score};

/// So often an experiment is played through.
pub const RUNS: u64 = 2000;

/// What a range is to hold, and by how many standard errors of the simulation it is widened so that it does.
const HELD: f64 = 0.9;
const SURELY: f64 = 3.0;

/// What a forecast is made from.
#[derive(Clone, Debug)]
pub struct Outlook<'a> {
    /// Who plays, and what is compared.
    pub matrix: &'a Matrix,
    /// What is to be found out.
    pub settings: TestSettings,
    /// What is asked of every variant.
    pub question: Hypothesis,
    /// How many blocks, positions and questions show the noise.
    pub noise: u32,
    /// Questions of the quiz, and what they are worth; nothing without one.
    pub quiz: Option<GateOutlook>,
    /// Positions of the bank.
    pub bank: Option<GateOutlook>,
    /// What the games are like; nothing without games.
    pub games: Option<GamesOutlook>,
    /// Every player of the matrix.
    pub players: Vec<PlayerOutlook>,
}

/// A gate of answers.
#[derive(Clone, Copy, Debug)]
pub struct GateOutlook {
    /// How many there are.
    pub items: u64,
    /// What they are worth.
    pub scale: Scale,
    /// Whether a variant that it finds worse goes no further.
    pub eliminates: bool,
}

/// What games are like.
#[derive(Clone, Debug)]
pub struct GamesOutlook {
    /// Blocks of each group, at the most.
    pub most_blocks: u64,
    /// How far block scores scatter.
    pub variance: f64,
    /// Requests of one player in the longest game that the rules allow, every answer refused as often as they allow.
    pub most_calls: f64,
}

/// What is known of a player.
#[derive(Clone, Debug, Default)]
pub struct PlayerOutlook {
    /// Whether its answers are requests to a model.
    pub is_model: bool,
    /// How many requests it makes in a game: samples, at every strength that it may have.
    pub calls: Vec<Vec<f64>>,
}

/// What an experiment took when it was played through once.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SimulatedRun {
    /// Requests at each gate, by player: quiz, bank, games.
    pub calls: [Vec<f64>; 3],
    /// Questions, positions and games.
    pub items: [f64; 3],
    /// Blocks of the longest comparison.
    pub blocks: f64,
}

impl SimulatedRun {
    /// Requests of everybody at all gates.
    pub fn all_calls(&self) -> f64 {
        self.calls.iter().flatten().sum()
    }
}

/// The range in which the next one of such amounts lies nine times out of ten, and their mean: of all ranges that hold so
/// many of them the one whose ends differ by the least factor. It holds a few more than nine tenths, because so few
/// amounts show only roughly where those lie.
pub fn range_of(mut amounts: Vec<f64>) -> Amount {
    amounts.sort_by(f64::total_cmp);
    let all = count(amounts.len());
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a count")]
    let held = (HELD * all + SURELY * (HELD * (1.0 - HELD) * all).sqrt()).ceil().min(all) as usize;
    let factor = |range: &&[f64]| range[range.len() - 1] / range[0].max(f64::MIN_POSITIVE);
    let narrowest = amounts.windows(held.max(1)).min_by(|one, other| factor(one).total_cmp(&factor(other)));
    let Some((&low, &high)) = narrowest.and_then(|range| range.first().zip(range.last())) else {
        return Amount::exactly(0.0);
    };
    Amount { low, expected: amounts.iter().sum::<f64>() / all, high }
}

/// What is taken to be true where an experiment is played through: how much it takes hangs most on what nobody knows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Assumption {
    /// By so much every variant is better.
    pub elo: f64,
    /// Which of the strengths that they may have the players have, from 0 for the first to 1 for the last.
    pub strength: f64,
}

impl Outlook<'_> {
    /// Plays the experiment through, again and again: every variant better by δ in half of the runs and no better in the
    /// others, players of every strength they may have, and answers alike or independent. The same seed gives the same
    /// runs.
    pub fn simulate(&self, seed: Seed) -> Vec<SimulatedRun> {
        (0..RUNS).map(|run| self.run(None, run, &mut seed.child("forecast", run).dice())).collect()
    }

    /// The same where this is known.
    pub fn simulate_with(&self, known: Assumption, seed: Seed) -> Vec<SimulatedRun> {
        (0..RUNS).map(|run| self.run(Some(known), run, &mut seed.child("forecast", run).dice())).collect()
    }

    /// The most that it can take: every question, every position, every block, every game to its last round, and every
    /// answer in it refused as often as the rules allow. A player whose games are known may have needed more, where its
    /// server failed.
    pub fn worst(&self) -> SimulatedRun {
        let players = self.players.len();
        let asked = |index: usize| self.players[index].is_model;
        let all = |items: u64| (0..players).map(|index| if asked(index) { number(items) } else { 0.0 }).collect();
        let mut worst = SimulatedRun::default();
        for (at, gate) in [self.quiz, self.bank].into_iter().enumerate() {
            worst.items[at] = gate.map_or(0.0, |gate| number(gate.items));
            worst.calls[at] = gate.map_or_else(Vec::new, |gate| all(gate.items));
        }
        if let Some(games) = &self.games {
            worst.blocks = number(games.most_blocks);
            worst.calls[2] = vec![0.0; players];
            for group in self.matrix.groups() {
                let blocks = if self.is_noise(group) { u64::from(self.noise) } else { games.most_blocks };
                worst.items[2] += 2.0 * number(blocks);
                for one in group.iter().filter(|one| asked(one.index())) {
                    let seen = self.players[one.index()].calls.iter().flatten().copied();
                    worst.calls[2][one.index()] += 2.0 * number(blocks) * seen.fold(games.most_calls, f64::max);
                }
            }
        }
        worst
    }

    fn is_noise(&self, group: &[Entrant]) -> bool {
        let comparisons = self.matrix.comparisons();
        comparisons.iter().any(|it| it.is_noise && it.one != it.other && group == [it.one, it.other])
    }

    fn run(&self, known: Option<Assumption>, number_of: u64, dice: &mut Dice) -> SimulatedRun {
        let players = self.players.len();
        // Bots that stand in for models read no prompt: between them there is no difference.
        let varies = |index: usize| {
            let is_one = |it: &&Comparison| !it.is_noise && it.one.index() == index;
            self.players[index].is_model && self.matrix.comparisons().iter().any(|it| is_one(&it))
        };
        let effects: Vec<f64> = (0..players)
            .map(|index| match (varies(index), known) {
                (false, _) => 0.0,
                (true, Some(known)) => known.elo,
                (true, None) => f64::from(dice.below(2)) * self.settings.elo(),
            })
            .collect();
        let lead = |one: Entrant, other: Entrant| effects[one.index()] - effects[other.index()];
        // In half of the runs, not by lot: what need not be left to chance makes ranges surer.
        let alike = number_of % 4 < 2;
        let level = unit(dice);
        let level = known.map_or(level, |known| known.strength);
        let mut out = vec![false; players];
        let mut run =
            SimulatedRun { calls: [vec![0.0; players], vec![0.0; players], vec![0.0; players]], ..Default::default() };
        for (at, gate) in [self.quiz, self.bank].into_iter().enumerate() {
            let Some(gate) = gate else { continue };
            let mut asked = vec![0_u64; players];
            let comparisons: Vec<_> = self
                .matrix
                .comparisons()
                .iter()
                .filter(|it| matches!(it.basis, Basis::Direct(_)) && !out[it.one.index()] && !out[it.other.index()])
                .filter(|it| [it.one, it.other].iter().all(|one| at == 1 || self.players[one.index()].is_model))
                .cloned()
                .collect();
            let settings = shared(&comparisons, self.settings);
            for it in comparisons.iter().filter(|it| !it.is_noise) {
                let (items, verdict) = answers(gate, settings, lead(it.one, it.other), alike, dice);
                for one in [it.one, it.other] {
                    asked[one.index()] = asked[one.index()].max(items);
                }
                out[it.one.index()] |= gate.eliminates && verdict == Verdict::Worse && self.matrix.is_variant(it);
            }
            for it in comparisons.iter().filter(|it| it.is_noise) {
                asked[it.one.index()] = asked[it.other.index()].min(self.noise.into());
            }
            for (index, &items) in asked.iter().enumerate() {
                run.items[at] += number(items);
                run.calls[at][index] = if self.players[index].is_model { number(items) } else { 0.0 };
            }
        }
        if let Some(games) = &self.games {
            self.play(games, &out, &lead, level, dice, &mut run);
        }
        run
    }

    fn play(
        &self,
        games: &GamesOutlook,
        out: &[bool],
        lead: &dyn Fn(Entrant, Entrant) -> f64,
        level: f64,
        dice: &mut Dice,
        run: &mut SimulatedRun,
    ) {
        let comparisons = self.matrix.comparisons();
        let settings = shared(comparisons, self.settings);
        let mut groups = vec![0_u64; self.matrix.groups().len()];
        let mut longest = 0;
        for it in comparisons.iter().filter(|it| !it.is_noise && !out[it.one.index()]) {
            let score = expected_score(lead(it.one, it.other)) - 0.5;
            let (score, variance, used) = match it.basis {
                Basis::Direct(own) | Basis::Halves(own) => (score, games.variance, [own, own]),
                // A bot stands between: half of the difference shows, and half of the scatter.
                Basis::Anchored(one, other) => (score / 2.0, games.variance / 2.0, [one, other]),
            };
            let mut test = Test::new(settings);
            while !is_decided(self.question, &test) && test.blocks() < games.most_blocks {
                test.push(block_score(score, variance, dice));
            }
            longest = longest.max(test.blocks());
            for group in used {
                groups[group] = groups[group].max(test.blocks());
            }
        }
        for it in comparisons.iter().filter(|it| it.is_noise) {
            if let Basis::Direct(own) = it.basis {
                groups[own] = longest.min(self.noise.into());
            }
        }
        run.blocks = number(longest);
        for (group, blocks) in self.matrix.groups().iter().zip(groups) {
            run.items[2] += 2.0 * number(blocks);
            for one in group {
                let PlayerOutlook { is_model, calls } = &self.players[one.index()];
                let Some(calls) = pick(calls, level).filter(|calls| *is_model && !calls.is_empty()) else { continue };
                let drawn = (0..2 * blocks).map(|_| pick(calls, unit(dice)).copied().unwrap_or(0.0));
                run.calls[2][one.index()] += drawn.sum::<f64>();
            }
        }
    }
}

/// The item at such a part of a list.
fn pick<T>(items: &[T], part: f64) -> Option<&T> {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "an index")]
    let at = (part * count(items.len())) as usize;
    items.get(at.min(items.len().saturating_sub(1)))
}

/// How many answers of each it takes to tell two apart that lie so far apart, and what is said then.
fn answers(gate: GateOutlook, settings: TestSettings, elo: f64, alike: bool, dice: &mut Dice) -> (u64, Verdict) {
    let mut test = Test::of_answers(settings, &[gate.scale]);
    let shift = gate.scale.mean(elo) - 0.5;
    while !test.verdict().is_final() && test.blocks() < gate.items {
        let score = if alike {
            // The same answer but where one knows better: then most of the way from worst to best.
            if unit(dice) < (shift / 0.3).abs() { 0.5 + 0.3 * shift.signum() } else { 0.5 }
        } else {
            let away = gate.scale.spread();
            0.5 + shift + if unit(dice) < 0.5 { away } else { -away }
        };
        test.push(score);
    }
    (test.blocks(), test.verdict())
}

#[expect(clippy::cast_precision_loss, reason = "counts of blocks are far below 2^52")]
fn number(count: u64) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::super::ExperimentFile;
    use super::*;

    fn outlook(matrix: &Matrix, noise: u32) -> Outlook<'_> {
        let player = PlayerOutlook { is_model: true, calls: vec![vec![40.0, 60.0], vec![70.0, 90.0]] };
        Outlook {
            matrix,
            settings: TestSettings::of_elo(70.0, 0.05, 0.05).expect("sound"),
            question: Hypothesis::IsBetter,
            noise,
            quiz: None,
            bank: None,
            games: Some(GamesOutlook { most_blocks: 200, variance: 0.084, most_calls: 100.0 }),
            players: vec![player; matrix.players().len()],
        }
    }

    fn matrix(noise: u32) -> Matrix {
        let text = format!("name = \"x\"\nmodels = [\"m\"]\nvariants = [\"standard\", \"bare\"]\nnoise = {noise}\n");
        ExperimentFile::read("e.toml", &text, None).expect("good").matrix()
    }

    #[test]
    fn a_forecast_has_a_range_and_a_worst_case_and_the_noise_costs_little() {
        let calls = |noise: u32| {
            let matrix = matrix(noise);
            let outlook = outlook(&matrix, noise);
            let runs = outlook.simulate(Seed(1));
            assert_eq!(runs, outlook.simulate(Seed(1)));
            let range = range_of(runs.iter().map(SimulatedRun::all_calls).collect());
            assert!(range.low < range.expected && range.expected < range.high, "{range:?}");
            assert!(range.high <= outlook.worst().all_calls(), "{range:?}");
            range.expected
        };
        let (with, without) = (calls(8), calls(0));
        // Eight blocks of two games in which both sides are asked, some 65 turns each.
        assert!((with - without - 16.0 * 2.0 * 65.0).abs() < 500.0, "{with} {without}");
        assert!(with < 1.5 * without);
    }

    #[test]
    fn the_worst_case_has_all_that_a_player_was_ever_seen_to_need() {
        let matrix = matrix(0);
        let mut outlook = outlook(&matrix, 0);
        let before = outlook.worst().all_calls();
        // 200 blocks of two games, two players in each.
        assert!((before - 200.0 * 2.0 * 2.0 * 100.0).abs() < 1e-6, "{before}");
        outlook.players[0].calls.push(vec![150.0]);
        let after = outlook.worst().all_calls();
        assert!((after - before - 200.0 * 2.0 * 50.0).abs() < 1e-6, "{after}");
    }

    #[test]
    fn what_it_takes_lies_in_the_planned_range_nine_times_out_of_ten() {
        let matrix = matrix(8);
        let outlook = outlook(&matrix, 8);
        for (elo, strength) in [(0.0, 0.0), (70.0, 0.0), (140.0, 0.0), (0.0, 1.0), (70.0, 1.0), (140.0, 1.0)] {
            let calls = |seed| -> Vec<f64> {
                let runs = outlook.simulate_with(Assumption { elo, strength }, Seed(seed));
                runs.iter().map(SimulatedRun::all_calls).collect()
            };
            let (planned, measured) = (range_of(calls(1)), calls(2));
            let inside = measured.iter().filter(|&&calls| calls >= planned.low && calls <= planned.high).count();
            assert!(count(inside) >= 0.9 * count(measured.len()), "{elo} Elo: {inside} of {}", measured.len());
            // Up to δ a test that stops when it is sure has a long tail, whatever else is known.
            let factor = if elo > 70.0 { 5.0 } else { 7.0 };
            assert!(planned.high / planned.low <= factor, "{elo} Elo: {planned:?}");
        }
    }

    #[test]
    fn a_range_is_the_narrowest_that_holds_enough_of_the_amounts() {
        let range = |amounts: Vec<f64>| {
            let Amount { low, high, .. } = range_of(amounts);
            (low, high)
        };
        // Of 1,000 it holds 929: nine tenths and three standard errors. Most lie low here, a few far up.
        let skewed: Vec<f64> = (0..1000).map(|at| if at < 950 { 100.0 + f64::from(at) / 1e3 } else { 1e6 }).collect();
        let (first, last) = (skewed[21], skewed[949]);
        assert_eq!(range(skewed.clone()), (first, last));
        assert_eq!(range(skewed.iter().map(|amount| 1.0 / amount).collect()), (1.0 / last, 1.0 / first));
        assert_eq!(range(vec![0.0; 5]), (0.0, 0.0));
        assert_eq!(range(vec![7.0]), (7.0, 7.0));
        assert_eq!(range(Vec::new()), (0.0, 0.0));
    }
}
