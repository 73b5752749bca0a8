//! What a report is made of, as the store has it.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::super::experiment::{BankFound, ErrorBudget, Finding, Gate, GateFindings, QuizFound};
use super::super::file::TournamentFile;
use super::super::leaderboard::{Forfeits, Leaderboard};
use super::super::moves::{self, Moves};
use super::super::run::{self, GameSummary};
use super::super::schedule::{Bracket, Edition, Format, Next, Schedule, Setup};
use super::super::score::{GameResult, block_scores, scores};
use super::super::tally::Tally;
use super::super::verdict::{SeatBias, SeatRow, seat_bias};
use super::transcripts::{self, Transcript};
use crate::matches::{Identity, ModelInfo, Replay};
use crate::players::model::{Spent, usd};
use crate::store::{Filter, FoundInfo, GameInfo, Store, StoreError, TournamentInfo};

/// What there is to know for whoever wants the same again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fact {
    /// The version of the program.
    Program,
    /// What is typed.
    Command,
    /// The name in the store.
    Id,
    /// The fingerprint of the file and all that it stands for.
    Fingerprint,
    /// Where chance begins.
    Seed,
    /// How many games.
    Games,
    /// How many of them differ from all others.
    Distinct,
    /// How many ended by a forfeit.
    Forfeits,
    /// How many were void by nobody's fault and played again.
    Void,
    /// Who is rated 1000.
    Anchor,
    /// The fingerprint of the oracle that scored the bank.
    BankOracle,
    /// The fingerprint of the oracle that judged the moves, and how far it looked.
    MovesOracle,
    /// How surely an experiment asks.
    Errors,
    /// The rulesets that were played.
    Rulesets,
    /// A prompt and its fingerprint.
    Prompt,
    /// The calls and what they cost.
    Money,
    /// The file, word for word.
    File,
}

/// What is noted of an experiment when it begins.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct About {
    /// The variant that the others are compared with.
    pub baseline: String,
    /// Whether the question is if something is worse.
    pub must_not_get_worse: bool,
    /// δ, α and β.
    pub settings: Errors,
    /// The gates, the cheapest first.
    pub gates: Vec<Gate>,
}

/// What is to be found out, and how surely.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Errors {
    /// The difference in score.
    pub delta: f64,
    /// The chance to call something better that is not.
    pub alpha: f64,
    /// The chance to miss what is better by δ.
    pub beta: f64,
}

/// How many games there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct GameNumbers {
    /// All that are over and count, those that show the noise included.
    pub games: u64,
    /// How many ended by a forfeit.
    pub forfeits: u64,
    /// How many were void by nobody's fault, and played again.
    pub void: u64,
    /// How many have a fingerprint of what was played: those with somebody who is no bot.
    pub told_apart: u64,
    /// How many fingerprints there are.
    pub distinct: u64,
}

/// What a report is made of.
#[derive(Debug)]
pub struct Sources {
    /// What it is about.
    pub title: String,
    /// The leaderboard of the games.
    pub board: Leaderboard,
    /// How many games there are.
    pub counts: GameNumbers,
    /// What an experiment was asked, where it is one.
    pub about: Option<About>,
    /// What its quiz found.
    pub quiz: Option<QuizFound>,
    /// What its bank found.
    pub bank: Option<BankFound>,
    /// What its games say.
    pub games: Option<GateFindings>,
    /// How good the moves were, where games were analysed.
    pub moves: Option<Moves>,
    /// The matches of the worst moves.
    pub records: Vec<Replay>,
    /// The bracket of a knockout, with the names of its players.
    pub bracket: Option<(Bracket, Vec<String>)>,
    /// How much the seats matter, by ruleset and map.
    pub seats: BTreeMap<String, SeatBias>,
    /// One of every kind of failure, with all that was said.
    pub transcripts: Vec<Transcript>,
    /// How to get all this again.
    pub facts: Vec<(Fact, String)>,
    /// What the addresses of the matches' pages begin with, where the report is served beside them.
    pub match_pages: Option<String>,
}

/// What is noted of a tournament when it begins.
#[derive(Default, Deserialize)]
#[serde(default)]
struct StartNote {
    anchor: Option<String>,
    kind: Option<String>,
    command: Option<String>,
    about: Option<About>,
    models: Vec<ModelInfo>,
}

impl Sources {
    /// A leaderboard alone.
    pub fn of(title: &str, board: Leaderboard, command: &str) -> Sources {
        let mut facts = vec![(Fact::Program, program()), (Fact::Command, command.to_owned())];
        let counts = GameNumbers { games: board.games, forfeits: board.forfeits, ..GameNumbers::default() };
        facts.extend(game_facts(&board, counts));
        Sources {
            title: title.to_owned(),
            board,
            counts,
            about: None,
            quiz: None,
            bank: None,
            games: None,
            moves: None,
            records: Vec::new(),
            bracket: None,
            seats: BTreeMap::new(),
            transcripts: Vec::new(),
            facts,
            match_pages: None,
        }
    }

    /// All that the store has of a tournament or an experiment, by its id; nothing where there is none of that name.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn read(store: &Store, id: &str) -> Result<Option<Sources>, StoreError> {
        let Some(info) = store.tournament(id).await?.filter(|info| info.id == id) else { return Ok(None) };
        let plan: StartNote = serde_json::from_str(&info.plan).unwrap_or_default();
        let tally = Tally::read(store, Some(id)).await?;
        let found = store.found(id).await?;
        let faults = store.fault_count(id).await?;
        let board = Leaderboard::of_tally(&tally, plan.anchor.as_deref(), Forfeits::Counted);
        let mut counts = GameNumbers {
            games: tally.games(|_| true),
            forfeits: tally.games(|game| game.is_forfeit),
            void: faults,
            ..GameNumbers::default()
        };
        // Games of bots alone have no fingerprints, and may be millions.
        if tally.players.values().any(|player| player.summary.turns > 0 || player.summary.calls > 0) {
            let games = store.games(Some(id)).await?;
            let played = games.iter().filter_map(|game| GameSummary::read(game.note.as_deref()).played());
            let played: Vec<u64> = played.collect();
            counts.told_apart = played.len() as u64;
            counts.distinct = played.into_iter().collect::<BTreeSet<u64>>().len() as u64;
        }
        let moves = found.iter().find(|found| found.topic == moves::TOPIC).and_then(|found| Moves::read(&found.body));
        let quiz: Option<QuizFound> = topic(&found, Gate::Quiz.name());
        let bank: Option<BankFound> = topic(&found, Gate::Bank.name());
        // Whoever asks about rules or positions alone plays no games.
        let mut courses = tally.courses();
        courses.extend(quiz.iter().flat_map(|found| &found.rows).map(|row| row.course.as_str()));
        courses.extend(bank.iter().flat_map(|found| &found.rows).map(|row| row.course.as_str()));
        let mut records = Vec::new();
        for worst in moves.iter().flat_map(|moves| &moves.worst) {
            if records.iter().all(|record: &Replay| record.id != worst.match_id)
                && let Ok(record) = Replay::read(store.record(&worst.match_id, 0).await?.as_slice())
            {
                records.push(record);
            }
        }
        let is_experiment = plan.kind.as_deref() == Some("experiment");
        let command = plan.command.clone().unwrap_or_else(|| format!("standoff leaderboard --tournament {id}"));
        let mut facts = vec![
            (Fact::Program, program()),
            (Fact::Command, command),
            (Fact::Id, id.to_owned()),
            (Fact::Fingerprint, info.hash.clone()),
            (Fact::Rulesets, courses.into_iter().collect::<Vec<_>>().join(", ")),
            (Fact::Seed, seed(&info.file)),
        ];
        facts.extend(game_facts(&board, counts));
        facts.extend(prompts(store, id, &board, &plan.models).await?);
        facts.extend(bank.iter().flat_map(|bank| &bank.oracles).map(|(_, oracle)| (Fact::BankOracle, oracle.clone())));
        facts.extend(moves.iter().map(|moves| (Fact::MovesOracle, format!("{} · {}", moves.oracle, moves.nodes))));
        let Spent { requests, cost, unknown, bounded } = run::ledger(store, &format!("{id}.")).await?.all;
        facts.push((
            Fact::Money,
            if requests == 0 {
                money(&board, quiz.as_ref(), bank.as_ref())
            } else {
                let at_most = if unknown + bounded == 0 { "" } else { "≤ " };
                format!("{requests} · {at_most}${:.4}", usd(cost))
            },
        ));
        facts.push((Fact::File, info.file.clone()));
        Ok(Some(Sources {
            title: info.name.clone(),
            bracket: bracket(store, &info).await?,
            seats: seat_biases(&tally),
            transcripts: transcripts::read(store, id, &board, bank.as_ref(), quiz.as_ref()).await?,
            board,
            counts,
            about: is_experiment.then(|| plan.about.unwrap_or_default()),
            quiz,
            bank,
            games: topic(&found, Gate::Games.name()),
            moves,
            records,
            facts,
            match_pages: None,
        }))
    }

    /// The same without all that its seed could be found by, for others than whoever runs it while it is played.
    #[must_use]
    pub fn without_seeds(mut self) -> Sources {
        self.facts.retain(|(fact, _)| !matches!(fact, Fact::Seed | Fact::File | Fact::Fingerprint));
        self
    }

    /// What each gate says, the cheapest first.
    pub(super) fn told(&self) -> impl Iterator<Item = &GateFindings> {
        let told = [
            self.quiz.as_ref().map(|found| &found.told),
            self.bank.as_ref().map(|found| &found.told),
            self.games.as_ref(),
        ];
        told.into_iter().flatten()
    }

    /// All comparisons, the cheapest gate first.
    pub fn findings(&self) -> Vec<&Finding> {
        self.told().flat_map(|told| &told.findings).collect()
    }

    /// How the chances of being wrong are shared out, by gate.
    pub(super) fn budgets(&self) -> Vec<(Gate, ErrorBudget)> {
        let gate = |told: &GateFindings| Some((told.findings.first()?.gate, told.errors?));
        self.told().filter_map(gate).collect()
    }
}

/// How much the seats of each course matter.
fn seat_biases(tally: &Tally) -> BTreeMap<String, SeatBias> {
    let mut rows: BTreeMap<&str, Vec<SeatRow>> = BTreeMap::new();
    for (block, &times) in tally.blocks.iter().filter(|(block, _)| !block.outcome.is_empty()) {
        let mut own: BTreeMap<u32, Vec<(usize, f64)>> = BTreeMap::new();
        for game in block.outcome.games() {
            for (seat, (&who, score)) in game.players.iter().zip(scores(&game.places)).enumerate() {
                own.entry(who).or_default().push((seat, score));
            }
        }
        let own = own.into_values().map(|games| SeatRow { games, times: times.into() });
        rows.entry(&block.course).or_default().extend(own);
    }
    rows.into_iter().map(|(course, rows)| (course.to_owned(), seat_bias(&rows))).collect()
}

fn program() -> String {
    format!("standoff {}", env!("CARGO_PKG_VERSION"))
}

/// What was found on a topic; nothing where another version of the program wrote it otherwise.
fn topic<T: DeserializeOwned>(found: &[FoundInfo], topic: &str) -> Option<T> {
    let found = found.iter().find(|found| found.topic == topic)?;
    serde_json::from_str(&found.body).ok()
}

/// How many games there are, where there are any.
fn game_facts(board: &Leaderboard, counts: GameNumbers) -> Vec<(Fact, String)> {
    let GameNumbers { games, forfeits, void, told_apart, distinct } = counts;
    let mut facts = vec![(Fact::Games, games.to_string())];
    if told_apart > 0 {
        facts.push((Fact::Distinct, format!("{distinct} / {told_apart}")));
    }
    if games > 0 {
        facts.push((Fact::Forfeits, forfeits.to_string()));
        facts.push((Fact::Anchor, board.anchor.clone().unwrap_or_default()));
    }
    facts.push((Fact::Void, void.to_string()));
    facts
}

/// The seed that the file names.
fn seed(file: &str) -> String {
    let seed = file.lines().find_map(|line| {
        let (key, value) = line.split_once('=')?;
        (key.trim() == "seed").then(|| value.split('#').next().unwrap_or("").trim().to_owned())
    });
    seed.unwrap_or_else(|| "1".to_owned())
}

/// Every prompt with its fingerprint, as was noted at the beginning or as a game of each player has it.
async fn prompts(
    store: &Store,
    id: &str,
    board: &Leaderboard,
    noted: &[ModelInfo],
) -> Result<Vec<(Fact, String)>, StoreError> {
    let text = |model: &ModelInfo| {
        format!("{}: {} ({}, {}) {}", model.model, model.prompt, model.language, model.mode, model.prompt_hash)
    };
    let mut known: BTreeSet<String> = noted.iter().map(text).collect();
    let mut seen: BTreeSet<String> = BTreeSet::new();
    for row in &board.players {
        // Bots are told nothing.
        if seen.contains(&row.name) || matches!(row.identity, Identity::House(_)) {
            continue;
        }
        let filter = Filter {
            player: Some(row.name.clone()),
            tournament: Some(id.to_owned()),
            limit: Some(1),
            ..Filter::default()
        };
        let Some(info) = store.matches(&filter).await?.pop() else { continue };
        seen.extend(info.seats.iter().map(|seat| seat.player.clone()));
        known.extend(info.seats.iter().filter_map(|seat| seat.model.as_ref()).map(text));
    }
    Ok(known.into_iter().map(|text| (Fact::Prompt, text)).collect())
}

/// Of what an earlier version of the program played, which kept no ledger.
fn money(board: &Leaderboard, quiz: Option<&QuizFound>, bank: Option<&BankFound>) -> String {
    let played = board.players.iter().map(|row| (row.summary.calls, row.summary.usd));
    let quiz = quiz.into_iter().flat_map(|found| &found.rows).map(|row| (row.bill.calls, row.bill.usd));
    let bank = bank.into_iter().flat_map(|found| &found.rows).map(|row| (row.bill.calls, row.bill.usd));
    let (calls, usd) = played.chain(quiz).chain(bank).fold((0, 0.0), |sum, next| (sum.0 + next.0, sum.1 + next.1));
    format!("{calls} · ${usd:.4}")
}

/// The edition of the schedule that a tournament was begun by, as its plan says.
pub(crate) fn edition(plan: &str) -> Edition {
    #[derive(Deserialize)]
    struct BegunBy {
        edition: Option<Edition>,
    }
    let plan: Option<BegunBy> = serde_json::from_str(plan).ok();
    plan.and_then(|plan| plan.edition).unwrap_or(Edition::First)
}

/// The bracket of a knockout, from the games that are kept.
///
/// # Errors
/// If the store cannot be read.
pub(crate) async fn bracket(
    store: &Store,
    info: &TournamentInfo,
) -> Result<Option<(Bracket, Vec<String>)>, StoreError> {
    let Ok(file) = TournamentFile::read(&info.id, &info.file) else { return Ok(None) };
    let setup = file.setup(file.rulesets.len() * file.maps.len().max(1));
    let setup = Setup { edition: edition(&info.plan), ..setup };
    if setup.format != Format::Knockout {
        return Ok(None);
    }
    let Ok(mut schedule) = Schedule::new(setup) else { return Ok(None) };
    let mut by_block: HashMap<u64, Vec<GameInfo>> = HashMap::new();
    for game in store.games(Some(&info.id)).await? {
        if let Some((block, _)) = game.place {
            by_block.entry(block).or_default().push(game);
        }
    }
    // A block that was handed out and not played is missing: then it is as far as it goes.
    while let Next::Play(block) = schedule.next() {
        let own = by_block.get(&block.number).into_iter().flatten();
        let played: Vec<GameResult> = own
            .filter_map(|game| {
                let (_, number) = game.place?;
                let seats = block.games.get(usize::try_from(number).ok()?)?.clone();
                Some(GameResult { seats, places: game.result.places.values().copied().collect() })
            })
            .collect();
        if played.len() == block.games.len() {
            let scores = block_scores(&played);
            let of = |one| scores.get(one).copied().unwrap_or(0.5);
            schedule.finish(block.number, block.group.iter().map(of).collect());
        }
    }
    let names = file.players.iter().map(|(name, _)| name.clone()).collect();
    Ok(schedule.bracket().map(|bracket| (bracket, names)))
}
