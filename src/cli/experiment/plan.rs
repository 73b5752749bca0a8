//! What an experiment takes, gate by gate, before a cent is spent.

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde::Serialize;

use crate::cli::error::Failure;
use crate::cli::seat::PlayerSpec;
use crate::cli::tournament::plan::{dollars, number, price_of_a_call, turns_a_game, whole};
use crate::cli::tournament::start::{Contest, Draft};
use crate::tournaments::experiment::{Basis, Gate};
use crate::tournaments::file::RunLimits;
use crate::tournaments::plan::{
    Amount, USUAL_VARIANCE, blocks_to_no_difference, blocks_to_verdict, smallest_difference,
};
use crate::tournaments::quiz::Quiz;
use crate::tournaments::run::SeatSummary;
use crate::tournaments::verdict::{self, TestSettings};

/// How far two answers to the same critical position lie apart, as far as models of one kind showed it.
const VARIANCE_OF_POSITIONS: f64 = 0.01;

/// What an experiment takes.
#[derive(Debug, Serialize)]
pub(super) struct ExperimentEstimate {
    experiment: String,
    /// The cheapest first.
    gates: Vec<GateCost>,
    /// Requests to models, of all gates.
    calls: Amount,
    /// Money in US dollars, as far as prices are known.
    usd: Amount,
    /// Models without a price in their profile.
    without_price: Vec<String>,
    /// What the difference of the file needs; nothing without games.
    needed: Option<Needed>,
    /// What the budget can see; nothing without games.
    budget: Option<Sees>,
}

#[derive(Debug, Serialize)]
struct GateCost {
    gate: Gate,
    /// Questions, positions or games, of all players together.
    items: Amount,
    calls: Amount,
    usd: Amount,
}

#[derive(Debug, Serialize)]
struct Needed {
    delta: f64,
    elo: f64,
    /// Blocks of one comparison.
    blocks: Amount,
    /// The most that the file lets it have.
    most: f64,
    /// Games of all of them, as far as the file lets them be played.
    games: Amount,
}

#[derive(Debug, Serialize)]
struct Sees {
    max_usd: Option<f64>,
    max_calls: Option<u64>,
    /// Blocks of each comparison that it pays for, and the file allows.
    blocks: u64,
    /// The smallest difference that so many blocks can see; nothing where they are too few.
    delta: Option<f64>,
    elo: Option<f64>,
}

/// Somebody who costs something.
struct PricedPlayer {
    /// Its place in the matrix.
    index: usize,
    /// Of a call; nothing where its profile has no price.
    usd: Option<Amount>,
}

impl ExperimentEstimate {
    /// What a draft takes, by what is known of its players from earlier games.
    pub(super) fn of(
        draft: &Draft,
        contest: &Contest,
        limits: &RunLimits,
        earlier: &BTreeMap<String, SeatSummary>,
    ) -> Result<ExperimentEstimate, Failure> {
        let mut asked = Vec::new();
        let mut without_price = Vec::new();
        for (index, one) in draft.cast.iter().enumerate() {
            let PlayerSpec::Model(profile) = &one.seated else { continue };
            let usd = match profile.price {
                Some(_) => Some(price_of_a_call(profile, draft, earlier.get(&one.name))?),
                None => None,
            };
            if usd.is_none() && !without_price.contains(&profile.name) {
                without_price.push(profile.name.clone());
            }
            asked.push(PricedPlayer { index, usd });
        }
        let (mut needed, mut budget) = (None, None);
        let mut gates = Vec::new();
        for &gate in &contest.gates.list {
            let cost = match gate {
                Gate::Quiz => quiz(draft, contest, &asked)?,
                Gate::Bank => bank(draft, contest, &asked),
                Gate::Games => {
                    let games = GameCounts::of(draft, contest)?;
                    let before: (f64, f64) = gates
                        .iter()
                        .fold((0.0, 0.0), |sum, it: &GateCost| (sum.0 + it.usd.expected, sum.1 + it.calls.expected));
                    needed = Some(games.needed(contest));
                    budget = Some(games.sees(&asked, contest, limits, before));
                    games.cost(&asked)
                }
            };
            gates.push(cost);
        }
        Ok(ExperimentEstimate {
            experiment: draft.id.clone(),
            calls: gates.iter().map(|it| it.calls).sum(),
            usd: gates.iter().map(|it| it.usd).sum(),
            gates,
            without_price,
            needed,
            budget,
        })
    }

    pub(super) fn print(&self, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "{}", self.experiment)?;
        for GateCost { gate, items, calls, usd } in &self.gates {
            let what = match gate {
                Gate::Quiz => "questions",
                Gate::Bank => "positions put to somebody",
                Gate::Games => "games",
            };
            write!(out, "{:<7} {} {what}", gate.name(), whole(*items))?;
            if calls.high > 0.0 {
                write!(out, ", {} calls, {}", whole(*calls), dollars(*usd))?;
            }
            writeln!(out)?;
        }
        if self.calls.high > 0.0 {
            writeln!(out, "all     {} calls, {}", whole(self.calls), dollars(self.usd))?;
        } else {
            writeln!(out, "all     nobody here costs anything")?;
        }
        if !self.without_price.is_empty() {
            writeln!(out, "        without a price in their profile: {}", self.without_price.join(", "))?;
        }
        if let Some(Needed { delta, elo, blocks, most, games }) = &self.needed {
            let allowed = if blocks.high > *most { format!(" (the file allows {most})") } else { String::new() };
            writeln!(
                out,
                "delta   {delta:.3} in score ({elo:.0} Elo) needs {} blocks a comparison{allowed}; {} games in all",
                whole(*blocks),
                whole(*games)
            )?;
        }
        if let Some(sees) = &self.budget {
            let limits: Vec<String> =
                [sees.max_usd.map(|usd| format!("${usd:.2}")), sees.max_calls.map(|calls| format!("{calls} calls"))]
                    .into_iter()
                    .flatten()
                    .collect();
            let limits = if limits.is_empty() { "no limit".to_owned() } else { limits.join(" and ") };
            match sees.delta.zip(sees.elo) {
                Some((delta, elo)) => writeln!(
                    out,
                    "budget  {limits}: {} blocks a comparison, which see {delta:.3} in score ({elo:.0} Elo)",
                    sees.blocks
                )?,
                None => {
                    writeln!(out, "budget  {limits}: {} blocks a comparison, too few to see anything", sees.blocks)?;
                }
            }
        }
        Ok(())
    }
}

/// What so many calls of each cost.
fn money(asked: &[PricedPlayer], calls: impl Fn(&PricedPlayer) -> Amount) -> (Amount, Amount) {
    let usd = asked.iter().filter_map(|one| Some(calls(one).times(one.usd?))).sum();
    (asked.iter().map(calls).sum(), usd)
}

fn quiz(draft: &Draft, contest: &Contest, asked: &[PricedPlayer]) -> Result<GateCost, Failure> {
    let made = contest.gates.quiz;
    let mut items = 0;
    for course in &draft.courses {
        let quiz = Quiz::build(course.ruleset.clone(), 2, made.per_rule as usize, made.seed).map_err(Failure::call)?;
        items += quiz.items.len() as u64;
    }
    let (calls, usd) = money(asked, |_| Amount::exactly(number(items)));
    Ok(GateCost { gate: Gate::Quiz, items: calls, calls, usd })
}

fn bank(draft: &Draft, contest: &Contest, asked: &[PricedPlayer]) -> GateCost {
    let gate = &contest.gates.bank;
    let settings = contest.trial.settings();
    let most = number(u64::from(gate.positions) * draft.courses.len() as u64);
    let of = TestSettings::new(gate.delta / 2.0, settings.alpha(), settings.beta()).unwrap_or(settings);
    let needed = blocks_to_no_difference(of, VARIANCE_OF_POSITIONS);
    // How far answers lie apart is not known before: at the most all positions are put.
    let positions = Amount { low: needed.low.min(most), expected: needed.expected.min(most), high: most };
    let (calls, usd) = money(asked, |_| positions);
    let bots = draft.cast.iter().filter(|one| matches!(one.seated, PlayerSpec::Bot(_))).count();
    let items = [calls, positions.times(Amount::exactly(number(bots as u64)))].into_iter().sum();
    GateCost { gate: Gate::Bank, items, calls, usd }
}

/// The games of an experiment.
struct GameCounts {
    /// Blocks of each group.
    groups: Vec<Amount>,
    /// Blocks that a comparison of variants needs, and the most that any may have.
    needed: Amount,
    most: f64,
    /// In which groups each player is.
    parts: Vec<Vec<usize>>,
    /// Turns of one player in a game.
    turns: Amount,
    /// Settings of a comparison among all.
    shared: TestSettings,
}

impl GameCounts {
    fn of(draft: &Draft, contest: &Contest) -> Result<GameCounts, Failure> {
        let (matrix, settings) = (contest.trial.matrix(), contest.trial.settings());
        let questions = matrix.comparisons().iter().filter(|it| !it.is_noise).count().max(1) as u64;
        let shared = TestSettings::new(settings.delta(), settings.alpha() / number(questions), settings.beta());
        let shared = shared.map_err(Failure::call)?;
        let most = number(u64::from(draft.setup.blocks) * draft.courses.len() as u64);
        let capped = |amount: Amount| Amount {
            low: amount.low.min(most),
            expected: amount.expected.min(most),
            high: amount.high.min(most),
        };
        let needed = blocks_to_verdict(shared, USUAL_VARIANCE);
        let blocks = capped(needed);
        let noise = capped(blocks_to_no_difference(settings, USUAL_VARIANCE));
        let mut groups = vec![Amount::exactly(0.0); matrix.groups().len()];
        for comparison in matrix.comparisons() {
            let own = if comparison.is_noise { noise } else { blocks };
            let used = match comparison.basis {
                Basis::Direct(group) => vec![group],
                Basis::Anchored(one, other) => vec![one, other],
            };
            for group in used {
                let known = &mut groups[group];
                known.low = known.low.max(own.low);
                known.expected = known.expected.max(own.expected);
                known.high = known.high.max(own.high);
            }
        }
        let parts = (0..draft.cast.len()).map(|index| {
            let of = |group: &usize| matrix.groups()[*group].iter().any(|one| one.index() == index);
            (0..groups.len()).filter(of).collect()
        });
        let turns = turns_a_game(&draft.courses, 2)?;
        Ok(GameCounts { parts: parts.collect(), groups, needed, most, turns, shared })
    }

    fn games(&self) -> Amount {
        self.groups.iter().copied().sum::<Amount>().times(Amount::exactly(2.0))
    }

    fn cost(&self, asked: &[PricedPlayer]) -> GateCost {
        let (calls, usd) = money(asked, |one| {
            let blocks: Amount = self.parts[one.index].iter().map(|&group| self.groups[group]).sum();
            blocks.times(Amount::exactly(2.0)).times(self.turns)
        });
        GateCost { gate: Gate::Games, items: self.games(), calls, usd }
    }

    fn needed(&self, contest: &Contest) -> Needed {
        let delta = contest.trial.settings().delta();
        Needed { delta, elo: verdict::elo(0.5 + delta), blocks: self.needed, most: self.most, games: self.games() }
    }

    /// What is left of the budget after the cheaper gates, as blocks of every group.
    fn sees(&self, asked: &[PricedPlayer], contest: &Contest, limits: &RunLimits, (usd, calls): (f64, f64)) -> Sees {
        let round =
            money(asked, |one| self.turns.times(Amount::exactly(2.0 * number(self.parts[one.index].len() as u64))));
        let mut blocks = self.most;
        if let Some(max) = limits.max_usd.filter(|_| round.1.expected > 0.0) {
            blocks = blocks.min((max - usd) / round.1.expected);
        }
        if let Some(max) = limits.max_calls.filter(|_| round.0.expected > 0.0) {
            blocks = blocks.min((number(max) - calls) / round.0.expected);
        }
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a count")]
        let blocks = blocks.max(0.0) as u64;
        let beta = contest.trial.settings().beta();
        // More blocks see finer differences than anybody cares about.
        let found = smallest_difference(blocks.min(5000), self.shared.alpha(), beta, USUAL_VARIANCE);
        Sees {
            max_usd: limits.max_usd,
            max_calls: limits.max_calls,
            blocks,
            delta: found.map(|found| found.delta()),
            elo: found.map(|found| verdict::elo(0.5 + found.delta())),
        }
    }
}
