//! What an experiment takes, gate by gate, before a cent is spent: it is played through with simulated answers, in games
//! as long as players of several strengths play them.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::Arc;

use serde::Serialize;

use crate::bots::BotSpec;
use crate::cli::error::Failure;
use crate::cli::leaderboard::{GameFilter, GameList};
use crate::cli::seat::PlayerSpec;
use crate::cli::tournament::plan::{NODES, STRENGTHS, dollars, number, price_of_a_call, whole};
use crate::cli::tournament::start::{Contest, Draft};
use crate::games::ruleset::Policy;
use crate::games::{Joint, Order, Ruleset, Seed, Table};
use crate::store::{GameInfo, Store};
use crate::tournaments::bank::Bank;
use crate::tournaments::experiment::{
    Assumption, Contender, GamesOutlook, Gate, GateOutlook, IfWorse, Outlook, PlayerOutlook, RUNS, SimulatedRun,
    quiz_scale, range_of,
};
use crate::tournaments::file::RunLimits;
use crate::tournaments::graded::{Graded, play_out};
use crate::tournaments::plan::{Amount, USUAL_VARIANCE, smallest_difference};
use crate::tournaments::quiz::Quiz;
use crate::tournaments::run::{Course, GameSummary, SeatSummary};
use crate::tournaments::score::scores;
use crate::tournaments::verdict::{Scale, expected_score};

/// So many blocks at each strength show how long games are and how far scores scatter.
const SAMPLE: u64 = 5;

/// The usual scatter counts as much as so many blocks.
const PRIOR_BLOCKS: f64 = 8.0;

/// So many earlier games of a player say more than any bot's.
const ENOUGH_GAMES: usize = 4;

/// What an experiment takes.
#[derive(Debug, Serialize)]
pub(crate) struct ExperimentEstimate {
    experiment: String,
    /// The cheapest first.
    gates: Vec<GateCost>,
    /// Requests to models, of all gates.
    pub(crate) calls: Amount,
    /// Money in US dollars, as far as prices are known.
    usd: Amount,
    /// The same by how much better a variant is, of which nobody knows anything before.
    by_difference: Vec<DifferenceCost>,
    /// The most that it can take.
    worst: WorstCase,
    /// Models without a price in their profile.
    without_price: Vec<String>,
    /// Agents: what they ask models is between them and their providers, and is in no figure here.
    not_counted: Vec<String>,
    /// Turns of a player in a game, and what they were taken from.
    games: Option<GamesSeen>,
    /// The difference that is to be found.
    delta: DeltaInfo,
    /// What the budget can see; nothing without games.
    budget: Option<BudgetInfo>,
}

#[derive(Debug, Serialize)]
struct GateCost {
    gate: Gate,
    /// Questions, positions or games, of all players together.
    items: Amount,
    calls: Amount,
    usd: Amount,
    /// Requests at the most.
    worst_calls: f64,
}

/// What it takes if every variant is better by so much. A budget stops it where that is sooner.
#[derive(Debug, Serialize)]
struct DifferenceCost {
    elo: f64,
    /// In how many of a hundred turns the players move as a search does; nothing where their games are known.
    strength: Option<u32>,
    calls: Amount,
    usd: Amount,
}

#[derive(Debug, Serialize)]
struct WorstCase {
    calls: f64,
    usd: f64,
}

#[derive(Debug, Serialize)]
struct GamesSeen {
    turns: Amount,
    most_turns: f64,
    /// Requests of a player in a game at the most: in each of these turns every answer refused as often as the rules allow.
    most_calls: f64,
    variance: f64,
    /// Earlier games of these players that were taken into account.
    earlier_games: usize,
}

#[derive(Debug, Serialize)]
struct DeltaInfo {
    elo: f64,
    score: f64,
    /// Blocks of the comparison that takes longest.
    blocks: Amount,
    /// The most that the file lets it have.
    most_blocks: u64,
}

#[derive(Debug, Serialize)]
struct BudgetInfo {
    max_usd: Option<f64>,
    max_calls: Option<u64>,
    /// Blocks of each comparison that it pays for, and the file allows.
    blocks: u64,
    /// The smallest difference in Elo that so many blocks can see; nothing where they are too few.
    elo: Option<f64>,
}

/// What is expected of an experiment's players and gates: what a forecast is made from.
#[derive(Clone, Debug)]
pub(crate) struct Expectation {
    quiz: Option<GateOutlook>,
    bank: Option<GateOutlook>,
    games: Option<GamesOutlook>,
    players: Vec<PlayerOutlook>,
    names: Vec<String>,
    /// Turns of one player in the longest game that the rules allow.
    most_turns: f64,
    earlier_games: usize,
}

/// What the store knows of players and their games.
#[derive(Debug, Default)]
pub(crate) struct History {
    summaries: BTreeMap<String, SeatSummary>,
    /// Requests of whoever took part in every game in which somebody made some.
    calls: BTreeMap<String, Vec<f64>>,
    /// What the first of two had of every block.
    blocks: Vec<f64>,
}

impl History {
    /// Of all games of a store; nothing where there is none.
    pub(crate) async fn read(store: &Store) -> History {
        History::of_those(store, None, None).await
    }

    /// Of the games of one run.
    pub(crate) async fn of_run(store: &Store, id: &str) -> History {
        History::of_those(store, Some(id), None).await
    }

    /// Of all games but those of one run: what a plan of it is made from, however far it has come.
    pub(crate) async fn without_run(store: &Store, id: &str) -> History {
        History::of_those(store, None, Some(id)).await
    }

    async fn of_those(store: &Store, only: Option<&str>, but: Option<&str>) -> History {
        let which = GameFilter { tournament: only.map(str::to_owned), ruleset: None };
        let lists = which.read(store).await.unwrap_or_default();
        let is_left_out = |list: &GameList| list.tournament.as_ref().is_some_and(|info| but == Some(info.id.as_str()));
        History::of(lists.iter().filter(|list| !is_left_out(list)).flat_map(|list| &list.games))
    }

    fn of<'g>(games: impl IntoIterator<Item = &'g GameInfo>) -> History {
        let mut history = History::default();
        let mut blocks: BTreeMap<(String, u64), Vec<f64>> = BTreeMap::new();
        for game in games {
            let summary = GameSummary::read(game.note.as_deref());
            for (seat, name) in game.players.iter().enumerate().filter(|_| !summary.seats.is_empty()) {
                let own = summary.seats.iter().find(|(other, _)| other.index() == seat);
                let own = own.map(|(_, own)| own.clone()).unwrap_or_default();
                // What a game takes is requests, none where it was over before the first; how many turns that are is not
                // noted.
                history.calls.entry(name.clone()).or_default().push(number(own.calls.max(own.requests)));
                if own.calls > 0 {
                    history.summaries.entry(name.clone()).or_default().join(&own);
                }
            }
            if let (Some((block, _)), 2, true) = (game.place, game.players.len(), !summary.seats.is_empty()) {
                let mut names = game.players.clone();
                names.sort();
                let places: Vec<u32> = game.result.places.values().copied().collect();
                let first = usize::from(game.players[0] != names[0]);
                let run = game.match_id.split('.').next().unwrap_or_default().to_owned();
                if let Some(score) = scores(&places).get(first) {
                    blocks.entry((run, block)).or_default().push(*score);
                }
            }
        }
        let mean = |own: Vec<f64>| own.iter().sum::<f64>() / number(own.len() as u64);
        history.blocks = blocks.into_values().filter(|own| own.len() > 1).map(mean).collect();
        history
    }
}

impl Expectation {
    /// What is expected before anything of it was played.
    pub(crate) fn of(draft: &Draft, contest: &Contest, history: &History) -> Result<Expectation, Failure> {
        let gates = &contest.gates;
        let leaves_out = gates.if_worse == IfWorse::LeaveOut;
        let mut expectation = Expectation {
            quiz: None,
            bank: None,
            games: None,
            players: Vec::new(),
            names: draft.cast.iter().map(|one| one.name.clone()).collect(),
            most_turns: 0.0,
            earlier_games: 0,
        };
        let banks: Vec<Option<Bank>> = draft.courses.iter().map(|course| known_bank(course, &contest.banks)).collect();
        if gates.has(Gate::Quiz) {
            let made = gates.quiz;
            let mut items = 0;
            for course in &draft.courses {
                let quiz = Quiz::build(course.ruleset.clone(), 2, made.per_rule as usize, made.seed);
                items += quiz.map_err(Failure::call)?.items.len() as u64;
            }
            let calibration = banks.iter().flatten().find_map(|bank| bank.calibration.as_ref());
            let scale = quiz_scale(calibration);
            expectation.quiz = Some(GateOutlook { items, scale, eliminates: made.eliminates && leaves_out });
        }
        if gates.has(Gate::Bank) {
            let most = u64::from(gates.bank.positions);
            let of = |bank: &Option<Bank>| bank.as_ref().map_or(most, |bank| most.min(bank.positions.len() as u64));
            let items = banks.iter().map(of).sum();
            let scale = banks.iter().flatten().next().map_or_else(|| Scale::unknown(0.07), Bank::scale);
            expectation.bank = Some(GateOutlook { items, scale, eliminates: leaves_out });
        }
        let mut sample = GameSample::default();
        if gates.has(Gate::Games) {
            let anchors: Vec<BotSpec> = draft
                .cast
                .iter()
                .zip(contest.trial.matrix().players())
                .filter_map(|(one, player)| match (&one.seated, player) {
                    (PlayerSpec::Bot(bot), Contender::Anchor(_)) => Some(*bot),
                    _ => None,
                })
                .collect();
            let has_models = draft.cast.iter().any(|one| matches!(one.seated, PlayerSpec::Model(_)));
            sample = GameSample::play(&draft.courses, &anchors, has_models)?;
            expectation.games = Some(GamesOutlook {
                most_blocks: u64::from(draft.setup.blocks) * draft.courses.len() as u64,
                variance: sample.variance(),
                most_calls: sample.most_calls,
            });
            expectation.most_turns = sample.most_turns;
        }
        expectation.players = draft
            .cast
            .iter()
            .map(|one| PlayerOutlook {
                is_model: matches!(one.seated, PlayerSpec::Model(_)),
                calls: sample.turns.clone(),
            })
            .collect();
        expectation.learn(history);
        Ok(expectation)
    }

    /// Takes in what was seen of these players.
    pub(crate) fn learn(&mut self, history: &History) {
        for (player, name) in self.players.iter_mut().zip(&self.names) {
            let known = history.calls.get(name).filter(|calls| player.is_model && calls.len() >= ENOUGH_GAMES);
            if let Some(calls) = known {
                player.calls = vec![calls.clone()];
                self.earlier_games = self.earlier_games.max(calls.len());
            }
        }
        if let Some(games) = self.games.as_mut().filter(|_| !history.blocks.is_empty()) {
            games.variance = scatter(&history.blocks, games.variance);
        }
    }

    /// How many strengths the models may have: one where their games are known.
    fn strengths(&self) -> usize {
        self.players.iter().filter(|player| player.is_model).map(|player| player.calls.len()).max().unwrap_or(1).max(1)
    }

    fn outlook<'a>(&self, contest: &'a Contest) -> Outlook<'a> {
        Outlook {
            matrix: contest.trial.matrix(),
            settings: contest.trial.settings(),
            question: contest.trial.question(),
            noise: contest.trial.noise(),
            quiz: self.quiz,
            bank: self.bank,
            games: self.games.clone(),
            players: self.players.clone(),
        }
    }

    /// Requests that the games are expected to take.
    pub(crate) fn calls_of_games(&self, contest: &Contest) -> Amount {
        let runs = self.outlook(contest).simulate(Seed(0));
        range_of(runs.iter().map(|run| run.calls[2].iter().sum()).collect())
    }
}

/// A bank that is there: from a file, or the program's own.
fn known_bank(course: &Course, banks: &[Bank]) -> Option<Bank> {
    let from_file = banks.iter().find(|bank| bank.is_of(&course.ruleset)).cloned();
    from_file.or_else(|| Bank::built_in(&course.ruleset).ok().flatten())
}

/// The scatter of block scores, with as much as is known before.
fn scatter(blocks: &[f64], before: f64) -> f64 {
    let squares: f64 = blocks.iter().map(|score| (score - 0.5) * (score - 0.5)).sum();
    (PRIOR_BLOCKS * before + squares) / (PRIOR_BLOCKS + number(blocks.len() as u64))
}

/// Games that bots play to see what games are like.
#[derive(Debug, Default)]
struct GameSample {
    /// At every strength: turns of one player.
    turns: Vec<Vec<f64>>,
    most_turns: f64,
    /// Requests of one player in the longest game, every answer refused as often as the rules allow.
    most_calls: f64,
    blocks: Vec<f64>,
}

impl GameSample {
    fn play(courses: &[Course], anchors: &[BotSpec], has_models: bool) -> Result<GameSample, Failure> {
        let mut sample = GameSample { turns: vec![Vec::new(); STRENGTHS.len()], ..GameSample::default() };
        for course in courses {
            let mut most_turns = idle_turns(&course.ruleset)?;
            // Nobody pays for a bot's turns.
            let strengths = if has_models { &STRENGTHS[..] } else { &STRENGTHS[1..2] };
            for (level, &percent) in strengths.iter().enumerate() {
                let player = Graded::Mixture { nodes: NODES, percent };
                let others = anchors.iter().map(|&bot| Graded::Bot(bot)).filter(|_| has_models);
                for (other, number_of) in std::iter::once(player).chain(others).zip(0..) {
                    for block in 0..SAMPLE {
                        let seed = Seed(0).child("plan", number_of).child("block", block);
                        let mut score = 0.0;
                        for seats in [[player, other], [other, player]] {
                            let own = usize::from(seats[0] != player);
                            let played = play_out(&course.ruleset, &seats, seed).map_err(Failure::call)?;
                            sample.turns[level].push(number(played.turns[own]));
                            most_turns = most_turns.max(number(played.turns[own]));
                            score += played.scores[own] / 2.0;
                        }
                        if other == player {
                            sample.blocks.push(score);
                        }
                    }
                }
            }
            sample.most_turns = sample.most_turns.max(most_turns);
            sample.most_calls = sample.most_calls.max(most_calls(course.ruleset.policy, most_turns));
        }
        sample.turns.retain(|turns| !turns.is_empty());
        Ok(sample)
    }

    fn variance(&self) -> f64 {
        scatter(&self.blocks, USUAL_VARIANCE)
    }
}

/// Requests of a player in so many turns, every answer refused as often as the rules allow. When its patience is used up,
/// the referee asks once per turn.
fn most_calls(policy: Policy, turns: f64) -> f64 {
    let again = f64::from(policy.attempts.saturating_sub(1));
    let patience = if policy.patience > 0 { f64::from(policy.patience - 1) + again } else { f64::INFINITY };
    turns + (again * turns).min(patience)
}

/// Turns of one of two who do nothing until the rules end the game.
fn idle_turns(ruleset: &Arc<Ruleset>) -> Result<f64, Failure> {
    let mut table = Table::open(ruleset.clone(), 2, Seed(0)).map_err(Failure::call)?;
    let mut turns = 0.0;
    while table.outcome().is_none() {
        let mut joint = Joint::new();
        for seat in table.to_act().iter() {
            joint.set(seat, Order::Pass);
            turns += 0.5;
        }
        table.play(&joint, &mut Seed(0).turn(table.turn().into())).map_err(Failure::work)?;
    }
    Ok(f64::max(turns, 1.0))
}

impl ExperimentEstimate {
    /// What a draft takes, by what is known of its players from earlier games.
    pub(crate) fn of(
        draft: &Draft,
        contest: &Contest,
        limits: &RunLimits,
        history: &History,
    ) -> Result<ExperimentEstimate, Failure> {
        let expectation = Expectation::of(draft, contest, history)?;
        let mut prices = vec![None; draft.cast.len()];
        let (mut without_price, mut not_counted) = (Vec::new(), Vec::new());
        for (index, one) in draft.cast.iter().enumerate() {
            if let PlayerSpec::Agent(agent) = &one.seated
                && !not_counted.contains(&agent.to_string())
            {
                not_counted.push(agent.to_string());
            }
            let PlayerSpec::Model(profile) = &one.seated else { continue };
            if profile.price.is_some() {
                prices[index] = Some(price_of_a_call(profile, draft, history.summaries.get(&one.name))?);
            } else if !without_price.contains(&profile.name) {
                without_price.push(profile.name.clone());
            }
        }
        let outlook = expectation.outlook(contest);
        let (runs, worst) = (outlook.simulate(Seed(0)), outlook.worst());
        // What a call costs is known as a range, too: runs are spread over it.
        let usd = |run: &SimulatedRun, at: usize, part: f64| -> f64 {
            let of = |(calls, price): (&f64, &Option<Amount>)| {
                price.map_or(0.0, |price| calls * (price.low + part * (price.high - price.low)))
            };
            run.calls[at].iter().zip(&prices).map(of).sum()
        };
        let part = |run: usize| if run.is_multiple_of(2) { 0.3 } else { 0.1 + 0.4 * number(run as u64 % 5) / 4.0 };
        let gates = contest.gates.list.iter().map(|&gate| {
            let at = gate as usize;
            GateCost {
                gate,
                items: range_of(runs.iter().map(|run| run.items[at]).collect()),
                calls: range_of(runs.iter().map(|run| run.calls[at].iter().sum()).collect()),
                usd: range_of(runs.iter().enumerate().map(|(number, run)| usd(run, at, part(number))).collect()),
                worst_calls: worst.calls[at].iter().sum(),
            }
        });
        let gates: Vec<GateCost> = gates.collect();
        let all_usd = |run: &SimulatedRun, part: f64| (0..3).map(|at| usd(run, at, part)).sum::<f64>();
        let settings = contest.trial.settings();
        let games = expectation.games.as_ref().map(|games| GamesSeen {
            turns: range_of(
                expectation.players.iter().filter(|it| it.is_model).flat_map(|it| it.calls.concat()).collect(),
            ),
            most_turns: expectation.most_turns,
            most_calls: games.most_calls,
            variance: games.variance,
            earlier_games: expectation.earlier_games,
        });
        let calls = range_of(runs.iter().map(SimulatedRun::all_calls).collect());
        let usd_range = range_of(runs.iter().enumerate().map(|(number, run)| all_usd(run, part(number))).collect());
        let strengths: Vec<Option<u32>> = match expectation.strengths() {
            1 => vec![None],
            _ => STRENGTHS.map(Some).to_vec(),
        };
        let mut by_difference = Vec::new();
        for elo in [0.0, 1.0, 2.0].map(|times| times * settings.elo()) {
            for (at, &strength) in (0_u32..).zip(&strengths) {
                let known =
                    Assumption { elo, strength: f64::from(at) / (number(strengths.len() as u64) - 1.0).max(1.0) };
                let runs = outlook.simulate_with(known, Seed(0));
                let at_most = |amount: f64, most: Option<f64>| most.map_or(amount, |most| amount.min(most));
                let calls = runs.iter().map(|run| at_most(run.all_calls(), limits.max_calls.map(number)));
                let usd = runs.iter().enumerate();
                let usd = usd.map(|(number, run)| at_most(all_usd(run, part(number)), limits.max_usd));
                let (calls, usd) = (range_of(calls.collect()), range_of(usd.collect()));
                by_difference.push(DifferenceCost { elo, strength, calls, usd });
            }
        }
        Ok(ExperimentEstimate {
            experiment: draft.id.clone(),
            by_difference,
            budget: expectation.games.as_ref().map(|games| sees(games, &runs, contest, limits, &usd)),
            gates,
            calls,
            usd: usd_range,
            worst: WorstCase { calls: worst.all_calls(), usd: all_usd(&worst, 1.0) },
            without_price,
            not_counted,
            games,
            delta: DeltaInfo {
                elo: settings.elo(),
                score: expected_score(settings.elo()) - 0.5,
                blocks: range_of(runs.iter().map(|run| run.blocks).collect()),
                most_blocks: expectation.games.as_ref().map_or(0, |games| games.most_blocks),
            },
        })
    }

    /// What hangs on how much better a variant is, and on how well the players play.
    fn print_differences(&self, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "        It depends on how much better a variant is, and on how long the players' games are:")?;
        for DifferenceCost { elo, strength, calls, usd } in &self.by_difference {
            let much = if *elo > 0.0 { format!("{elo:.0} Elo better") } else { "no better".to_owned() };
            let plays = match strength {
                Some(percent) => format!(", {percent} % of the moves a search's"),
                None => String::new(),
            };
            writeln!(out, "          {much}{plays}: {} calls, {}", whole(*calls), dollars(*usd))?;
        }
        Ok(())
    }

    pub(super) fn print(&self, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "{}", self.experiment)?;
        for GateCost { gate, items, calls, usd, worst_calls } in &self.gates {
            let what = match gate {
                Gate::Quiz => "questions asked",
                Gate::Bank => "positions asked",
                Gate::Games => "games",
            };
            write!(out, "{:<7} {} {what}", gate.name(), whole(*items))?;
            if calls.high > 0.0 {
                write!(out, ", {} calls (at most {worst_calls:.0}), {}", whole(*calls), dollars(*usd))?;
            }
            writeln!(out)?;
        }
        if self.calls.high > 0.0 {
            let WorstCase { calls, usd } = self.worst;
            writeln!(out, "all     {} calls, {}", whole(self.calls), dollars(self.usd))?;
            writeln!(
                out,
                "worst   {calls:.0} calls, ${usd:.2}: every block played to its last round, every answer refused as often \
                 as the rules allow"
            )?;
            self.print_differences(out)?;
            writeln!(out, "        Ranges hold nine times out of ten, over {RUNS} simulated runs.")?;
        } else if self.not_counted.is_empty() {
            writeln!(out, "all     no player here costs anything")?;
        }
        if !self.not_counted.is_empty() {
            writeln!(out, "agents  what these ask of models is not counted here: {}", self.not_counted.join(", "))?;
        }
        if !self.without_price.is_empty() {
            writeln!(out, "        without a price in their profile: {}", self.without_price.join(", "))?;
        }
        if let Some(GamesSeen { turns, most_turns, earlier_games, .. }) =
            self.games.as_ref().filter(|games| games.turns.high > 0.0)
        {
            let by = match earlier_games {
                0 => "as bots of three strengths play".to_owned(),
                games => format!("by up to {games} earlier games of the same players"),
            };
            writeln!(out, "turns   {} of a player in a game, {by}; at most {most_turns:.0}", whole(*turns))?;
        }
        let DeltaInfo { elo, score, blocks, most_blocks } = &self.delta;
        if *most_blocks > 0 {
            writeln!(
                out,
                "delta   {elo:.0} Elo ({score:.3} in score) takes {} blocks of a comparison (the file allows {most_blocks})",
                whole(*blocks)
            )?;
        }
        if let Some(sees) = &self.budget {
            let limits: Vec<String> =
                [sees.max_usd.map(|usd| format!("${usd:.2}")), sees.max_calls.map(|calls| format!("{calls} calls"))]
                    .into_iter()
                    .flatten()
                    .collect();
            let limits = if limits.is_empty() { "no limit".to_owned() } else { limits.join(" and ") };
            match sees.elo {
                Some(elo) => {
                    writeln!(out, "budget  {limits}: {} blocks per comparison, which see {elo:.0} Elo", sees.blocks)?;
                }
                None => {
                    writeln!(out, "budget  {limits}: {} blocks per comparison, too few to see anything", sees.blocks)?;
                }
            }
        }
        Ok(())
    }
}

/// What is left of the budget after the cheaper gates, as blocks of every comparison.
fn sees(
    games: &GamesOutlook,
    runs: &[SimulatedRun],
    contest: &Contest,
    limits: &RunLimits,
    usd: &dyn Fn(&SimulatedRun, usize, f64) -> f64,
) -> BudgetInfo {
    let mean = |of: &dyn Fn(&SimulatedRun) -> f64| runs.iter().map(of).sum::<f64>() / number(runs.len().max(1) as u64);
    let rounds = mean(&|run| run.blocks).max(1e-9);
    let (calls, money) = (mean(&|run| run.calls[2].iter().sum()), mean(&|run| usd(run, 2, 0.3)));
    let before_calls = mean(&|run| run.calls[..2].iter().flatten().sum());
    let before_money = mean(&|run| usd(run, 0, 0.3) + usd(run, 1, 0.3));
    let mut blocks = number(games.most_blocks);
    if let Some(max) = limits.max_usd.filter(|_| money > 0.0) {
        blocks = blocks.min((max - before_money) / (money / rounds));
    }
    if let Some(max) = limits.max_calls.filter(|_| calls > 0.0) {
        blocks = blocks.min((number(max) - before_calls) / (calls / rounds));
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a count")]
    let blocks = blocks.max(0.0) as u64;
    let settings = contest.trial.settings();
    let questions = contest.trial.matrix().comparisons().iter().filter(|it| !it.is_noise).count().max(1);
    let alpha = settings.alpha() / number(questions as u64);
    // More blocks see finer differences than anybody cares about.
    let found = smallest_difference(blocks.min(5000), alpha, settings.beta(), games.variance);
    let (max_usd, max_calls) = (limits.max_usd, limits.max_calls);
    BudgetInfo { max_usd, max_calls, blocks, elo: found.map(|found| found.elo()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn course(name: &str) -> Course {
        let ruleset = Ruleset::named(name).expect("built in").for_tournament(None);
        Course { name: name.to_owned(), ruleset: Arc::new(ruleset) }
    }

    #[test]
    fn games_are_as_long_as_players_of_the_kind_play_them() {
        let greedy = [Graded::Bot(BotSpec::Greedy); 2];
        let ruleset = course("cowboy").ruleset;
        let games = (0..8).map(|game| play_out(&ruleset, &greedy, Seed(game)).expect("it seats two").turns[0]);
        let greedy = number(games.sum()) / 8.0;
        let sample = GameSample::play(&[course("cowboy")], &[], true).expect("it seats two");
        let turns = range_of(sample.turns.concat());
        // By greedy against greedy a plan was several times too low.
        assert!(turns.expected > 2.0 * greedy, "{turns:?}, greedy {greedy}");
        assert!(turns.high <= sample.most_turns, "{turns:?}, at the most {}", sample.most_turns);
        assert_eq!(sample.turns.len(), STRENGTHS.len());
    }

    #[test]
    fn the_most_that_a_game_takes_has_every_refused_answer() {
        let policy = course("cowboy").ruleset.policy;
        let most = |attempts, patience, turns| most_calls(Policy { attempts, patience, ..policy }, turns);
        for (attempts, patience, turns, calls) in
            [(1, 0, 50.0, 50.0), (3, 0, 50.0, 150.0), (3, 30, 50.0, 81.0), (3, 30, 2.0, 6.0), (1, 30, 50.0, 50.0)]
        {
            let most = most(attempts, patience, turns);
            assert!((most - calls).abs() < 1e-9, "{attempts} attempts, patience {patience}: {most}");
        }
        let sample = GameSample::play(&[course("cowboy")], &[], true).expect("it seats two");
        assert!(sample.most_calls > sample.most_turns, "{sample:?}");
    }

    #[test]
    fn what_the_players_did_before_counts_more_than_what_bots_do() {
        let mut expectation = Expectation {
            quiz: None,
            bank: None,
            games: Some(GamesOutlook { most_blocks: 10, variance: 0.09, most_calls: 100.0 }),
            players: vec![PlayerOutlook { is_model: true, calls: vec![vec![50.0]] }],
            names: vec!["m".to_owned()],
            most_turns: 100.0,
            earlier_games: 0,
        };
        let few = History { calls: BTreeMap::from([("m".to_owned(), vec![7.0; 3])]), ..History::default() };
        expectation.learn(&few);
        assert_eq!(expectation.players[0].calls, [[50.0]]);
        let more = History { calls: BTreeMap::from([("m".to_owned(), vec![7.0; 4])]), blocks: vec![0.5; 8], ..few };
        expectation.learn(&more);
        assert_eq!((expectation.players[0].calls[0].len(), expectation.earlier_games), (4, 4));
        let variance = expectation.games.expect("games").variance;
        assert!((variance - 0.045).abs() < 1e-9, "all blocks were drawn: {variance}");
    }
}
