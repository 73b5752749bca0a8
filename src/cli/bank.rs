//! `standoff bank`: critical positions, harvested, frozen, and put to players.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand, ValueEnum};
use serde::Serialize;
use serde_json::json;

use super::args::RulesetArgs;
use super::ask::{AskArgs, Session};
use super::bill::total_usd;
use super::error::Failure;
use super::invite::{self, Invitation};
use super::messages::{self, TranslatedOutput};
use super::person::Keyboard;
use super::players::ConfigArgs;
use super::seat::PlayerSpec;
use super::storage;
use crate::briefs::{Language, Variant, failure_sentences};
use crate::games::{Accepted, Ruleset, Seat, Seed, Viewer};
use crate::matches::{Fault, Lapse, RefusedAttempt, Replay};
use crate::players::model::Spent;
use crate::players::{Ask, PlayerError, TurnLog};
use crate::settings::files::Disk;
use crate::tournaments::bank::{
    BadBank, Bank, BankSpec, CalibrationSpec, Exercise, Harvest, HarvestReport, Mark, Marks, PACKED, Rung, against,
    harvest, harvest_bots,
};
use crate::tournaments::chance::shuffle;
use crate::tournaments::oracle::Oracle;
use crate::tournaments::quiz::{Export, inspect_bank, promptfoo_bank};
use crate::tournaments::verdict::{Effect, Test, TestSettings, USUAL_DELTA};

/// Put critical positions to players instead of whole games: far fewer calls to a verdict.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  standoff bank build --ruleset cowboy --out cowboy.bank.json          from games of bots, calibrated in Elo
  standoff bank build --from a.jsonl --from b.jsonl --out own.bank.json  from records of all sides alike
  standoff bank run cowboy --players local,openai:gpt-5-mini           the bank that comes with the program
  standoff bank run cowboy --players local --variant mine.toml --positions 50 --json  a line per position, for optimisers
  standoff bank export cowboy.bank.json --to promptfoo > promptfooconfig.yaml")]
pub(crate) struct BankCommand {
    #[command(subcommand)]
    command: BankSubcommand,
}

#[derive(Subcommand, Debug)]
enum BankSubcommand {
    Build(BuildBank),
    Run(RunBank),
    Export(ExportBank),
}

/// Find positions in which much hangs on the choice, and freeze them in a file.
#[derive(Args, Debug)]
struct BuildBank {
    #[command(flatten)]
    rules: RulesetArgs,
    /// How many positions
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    positions: u32,
    /// The share of positions that count as critical, in percent
    #[arg(long, value_name = "PERCENT", default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=100))]
    share: u32,
    /// The number of players: two, as in experiments, unless another number is given
    #[arg(long, value_name = "N", default_value_t = 2)]
    seats: usize,
    /// Take the positions from this record instead of games of bots; may be repeated
    #[arg(long, value_name = "RECORD")]
    from: Vec<PathBuf>,
    /// Playouts per position of the search that finds best actions; one ten times as deep must confirm them
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(50..=1_000_000))]
    nodes: u32,
    /// Blocks that each pair of graded players plays to measure what a point is worth in Elo; 0 leaves that out
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u32).range(0..=10_000))]
    calibrate: u32,
    /// The seed of the bots' games
    #[arg(long, value_name = "SEED", default_value = "0")]
    seed: Seed,
    /// The file to write (default: standard output); packed where it ends in `.bank.zst`
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// Put every position of a bank to players and mark the answers.
#[derive(Args, Debug)]
struct RunBank {
    /// The bank: a file, or the name of a ruleset for the bank that comes with the program
    bank: PathBuf,
    /// Who answers, as in `standoff play`; two are also compared with each other
    #[arg(long, value_name = "LIST", required = true)]
    players: Vec<String>,
    #[command(flatten)]
    config: ConfigArgs,
    #[command(flatten)]
    asking: AskArgs,
    /// The prompt variant of all models and agents, whatever their profiles say
    #[arg(long, value_name = "NAME|FILE")]
    variant: Option<String>,
    /// How many positions to draw, by the seed (default: all)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    positions: Option<u32>,
    /// Another seed draws other positions, in another order
    #[arg(long, value_name = "SEED", default_value = "0")]
    seed: Seed,
    /// The difference in Elo that the comparison of two should detect
    #[arg(long, value_name = "ELO", default_value_t = USUAL_DELTA)]
    delta: f64,
    /// A JSON line for each position, then one with the totals
    #[arg(long)]
    json: bool,
    /// English or Chinese
    #[arg(long, default_value = "en", value_name = "en|zh")]
    lang: Language,
}

/// Write a bank in the form of another tool.
#[derive(Args, Debug)]
struct ExportBank {
    /// The bank: a file, or the name of a ruleset for the bank that comes with the program
    bank: PathBuf,
    /// The tool to write it for
    #[arg(long, value_name = "TOOL")]
    to: ExportTool,
    /// The prompt variant that presents the positions
    #[arg(long, value_name = "NAME|FILE", default_value = "standard")]
    variant: String,
    /// English or Chinese
    #[arg(long, default_value = "en", value_name = "en|zh")]
    lang: Language,
}

/// Tools that others work with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum ExportTool {
    /// A promptfoo configuration (YAML)
    Promptfoo,
    /// An Inspect dataset (JSON lines)
    Inspect,
}

impl From<ExportTool> for Export {
    fn from(tool: ExportTool) -> Export {
        match tool {
            ExportTool::Promptfoo => Export::Promptfoo,
            ExportTool::Inspect => Export::Inspect,
        }
    }
}

impl BankCommand {
    /// Does what was asked.
    ///
    /// # Errors
    /// If a file cannot be read or written, or a player cannot be asked.
    pub(crate) fn run(self, out: &mut TranslatedOutput<impl Write>) -> Result<(), Failure> {
        match self.command {
            BankSubcommand::Build(build) => build.run(out),
            BankSubcommand::Run(run) => run.run(out),
            BankSubcommand::Export(export) => export.run(out),
        }
    }
}

/// A bank from a file, packed or not, or the one that comes with the program for a ruleset.
pub(super) fn read(path: &Path) -> Result<Bank, Failure> {
    let bad = |error: BadBank| Failure::call(format!("{}: {error}", path.display()));
    let name = path.to_str().filter(|_| !path.exists());
    if let Some(ruleset) = name.and_then(|name| Ruleset::named(name).ok())
        && let Some(bank) = Bank::built_in(&ruleset).map_err(bad)?
    {
        return Ok(bank);
    }
    let bytes = std::fs::read(path).map_err(|error| {
        let known = Bank::built_in_names().join(", ");
        Failure::call(format!("cannot read {}: {error}", path.display()))
            .hint(format!("`standoff bank build` makes a bank; there are built-in ones for {known}"))
    })?;
    if path.to_str().is_some_and(|name| name.ends_with(PACKED)) {
        return Bank::unpack(&bytes).map_err(bad);
    }
    let text = String::from_utf8(bytes).map_err(|error| Failure::call(format!("{}: {error}", path.display())))?;
    Bank::read(&text).map_err(bad)
}

impl BuildBank {
    fn run(self, out: &mut TranslatedOutput<impl Write>) -> Result<(), Failure> {
        let oracle = Oracle { nodes: self.nodes, seed: Seed(0) };
        let share = f64::from(self.share) / 100.0;
        let wanted = BankSpec { positions: self.positions as usize, share, oracle, seed: self.seed };
        let mut ruleset = self.rules.resolve()?;
        let mut found = Harvest::default();
        for (number, path) in self.from.iter().enumerate() {
            let record = Replay::read(super::replay::open(path)?)
                .map_err(|error| Failure::work(format!("{}: {error}", path.display())))?;
            if number > 0 && record.ruleset != ruleset {
                return Err(Failure::call(format!("{} is of another ruleset than those before it", path.display())));
            }
            ruleset = record.ruleset.clone();
            found.record(&record);
        }
        let judged = |done: usize, all: usize| {
            if done > 0 && done.is_multiple_of(500) {
                messages::tell(&format!("{done} of {all} positions judged"));
            }
        };
        let (mut bank, report) = if self.from.is_empty() {
            harvest_bots(&ruleset, self.seats, &wanted, judged).map_err(Failure::call)?
        } else {
            harvest(&ruleset, &found, &wanted, judged)
        };
        let HarvestReport { judged, indifferent, unconfirmed, kept } = report;
        messages::tell(&format!(
            "{judged} positions judged: {kept} kept, {indifferent} dropped because little hangs on the choice, \
             {unconfirmed} because a deeper search finds another action best"
        ));
        if kept > 0 && kept < wanted.positions {
            messages::tell(&format!("only {kept} of {} positions were found", wanted.positions));
        }
        if bank.positions.is_empty() {
            return Err(Failure::work("nothing much hangs on any of these positions")
                .hint("more records, or a larger --share, give more to choose from"));
        }
        if self.calibrate > 0 {
            let spec = CalibrationSpec { blocks: self.calibrate, seed: self.seed };
            let measured = bank.calibrate(spec, |done, all| {
                if done % 500 == 0 {
                    messages::tell(&format!("{done} of {all} games of graded players"));
                }
            });
            bank.calibration = Some(measured.map_err(Failure::work)?);
        }
        let Some(path) = &self.out else { return Ok(out.raw()?.write_all(bank.write().as_bytes())?) };
        let is_packed = path.to_str().is_some_and(|name| name.ends_with(PACKED));
        let bytes = if is_packed { bank.pack()? } else { bank.write().into_bytes() };
        std::fs::write(path, bytes)
            .map_err(|error| Failure::work(format!("cannot write {}: {error}", path.display())))?;
        writeln!(out, "{} positions in {}, oracle {}", bank.positions.len(), path.display(), bank.oracle)?;
        if let Some(it) = &bank.calibration {
            let points = |per_elo: f64| 100.0 * USUAL_DELTA * per_elo;
            let (usual, least) = (points(it.score_per_elo), points(it.least_score_per_elo));
            writeln!(out, "{USUAL_DELTA} Elo are {usual:.1} points of 100 on it, {least:.1} where they are least")?;
            for Rung { player, elo, score, games, turns, .. } in &it.rungs {
                let score = 100.0 * score;
                writeln!(out, "  {player:<16} {elo:>6.0} Elo  {score:>5.1} points  {games} games of {turns:.0} turns")?;
            }
        }
        Ok(())
    }
}

impl RunBank {
    fn run(self, out: &mut TranslatedOutput<impl Write>) -> Result<(), Failure> {
        let mut bank = read(&self.bank)?;
        shuffle(&mut bank.positions, &mut self.seed.child("order", 0).dice());
        bank.positions.truncate(self.positions.map_or(usize::MAX, |positions| positions as usize));
        let exercises = bank.exercises().map_err(Failure::call)?;
        if exercises.is_empty() {
            return Err(Failure::call("the bank is empty"));
        }
        let profiles = self.config.load()?.known;
        let mut players = PlayerSpec::list(&self.players, &profiles).map_err(Failure::call)?;
        if let Some(variant) = &self.variant {
            // A name that stands for no prompt is one, whoever would read it.
            Variant::load(variant, &Disk).map_err(Failure::call)?;
            for player in &mut players {
                match player {
                    PlayerSpec::Model(profile) => profile.prompt.clone_from(variant),
                    PlayerSpec::Agent(agent) => agent.prompt.clone_from(variant),
                    // These read no prompt.
                    PlayerSpec::Human | PlayerSpec::Bot(_) | PlayerSpec::Process(_) | PlayerSpec::Scripted(_) => {}
                }
            }
        }
        let settings = TestSettings::of_elo(self.delta, 0.05, 0.05).map_err(Failure::call)?;
        let language = self.lang.to_string();
        let fingerprints = invite::fingerprints(&players, self.lang)?;
        let what = json!({ "bank": bank, "language": language, "players": fingerprints }).to_string();
        storage::block_on(async {
            let mut session = self.asking.open("bank", &what, &players).await?;
            let answers = self.ask(&mut session, &players, &exercises).await;
            let costs =
                (0..players.len()).map(|number| session.budget.spent_under(&session.name(number, ""))).collect();
            let answers = session.close(answers, &self.asking.models).await?;
            self.print(&players, Answers { of_player: &answers, costs }, settings, &bank, out)
        })
    }

    /// One answer a position, from players that know of no other, in the order of players.
    async fn ask(
        &self,
        session: &mut Session,
        players: &[PlayerSpec],
        exercises: &[Exercise<'_>],
    ) -> Result<Vec<Vec<PositionAnswer>>, Failure> {
        let table = &exercises[0].table;
        let invitation = Invitation {
            ruleset: table.ruleset().clone(),
            seats: table.seats(),
            seed: Seed(0),
            language: self.lang,
            budget: session.budget.clone(),
            journal: session.journal.clone(),
            keyboard: Keyboard::default(),
            shared: false,
        };
        // What is wrong with a profile is said before anybody is asked.
        for player in players {
            invitation.seat(exercises[0].critical.seat, player, None).await?;
        }
        // Everybody answers a position before anybody answers the next.
        let mut jobs = Vec::new();
        for exercise in exercises {
            for (number, player) in players.iter().enumerate() {
                jobs.push((player, exercise, session.name(number, &exercise.critical.id)));
            }
        }
        let invitation = &invitation;
        let put = |(player, exercise, name)| put(invitation, player, exercise, name, self.lang);
        let mut by_player: Vec<Vec<PositionAnswer>> = players.iter().map(|_| Vec::new()).collect();
        for (at, answer) in session.all(jobs, put).await?.into_iter().enumerate() {
            by_player[at % players.len()].push(answer);
        }
        Ok(by_player)
    }

    fn print(
        &self,
        players: &[PlayerSpec],
        Answers { of_player: answers, costs }: Answers<'_>,
        settings: TestSettings,
        bank: &Bank,
        out: &mut impl Write,
    ) -> Result<(), Failure> {
        let all: Vec<Vec<Mark>> = answers.iter().map(|own| own.iter().map(|it| it.mark).collect()).collect();
        let compared = if let [one, other] = all.as_slice() { Some(compare(one, other, settings, bank)) } else { None };
        if self.json {
            for answer in answers.iter().flatten() {
                writeln!(out, "{}", serde_json::to_string(answer).map_err(Failure::work)?)?;
            }
            let rows = players.iter().zip(answers).zip(costs).zip(&all);
            let marks = rows.map(|(((player, answers), spent), marks)| {
                let mut line = json!(Marks::of(marks));
                line["player"] = json!(player.to_string());
                line["tokens"] = json!(answers.iter().map(|answer| answer.tokens).sum::<u64>());
                // Where nothing was sent, as from a cassette, it is what the answers cost when they were given.
                let answered = || total_usd(answers.iter().map(|answer| answer.usd));
                line["usd"] = json!(if spent.requests == 0 { answered() } else { spent.usd() });
                line
            });
            let mut line = json!({ "players": marks.collect::<Vec<_>>(), "oracle": bank.oracle });
            if let Some(test) = &compared {
                let (low, high) = test.bounds();
                line["comparison"] = json!({
                    "verdict": test.verdict(), "mean": test.mean(), "low": low, "high": high, "positions": test.blocks(),
                    "effect": test.effect(), "delta_elo": settings.elo(),
                });
            }
            return Ok(writeln!(out, "{line}")?);
        }
        let width = players.iter().map(|player| player.to_string().chars().count()).max().unwrap_or(0).max(6);
        writeln!(out, "{:<width$}  positions  score  mean loss  accuracy  best found  failures", "player")?;
        for (player, marks) in players.iter().zip(&all) {
            let it = Marks::of(marks);
            writeln!(
                out,
                "{:<width$}  {:>9}  {:>5.3}  {:>9.1}  {:>7.1}%  {:>9.0}%  {:>8}",
                player.to_string(),
                it.positions,
                it.score,
                it.mean_loss,
                it.accuracy,
                it.best,
                it.failures
            )?;
        }
        if let Some(test) = compared {
            let [one, other] = [&players[0], &players[1]];
            write!(out, "{one} against {other}: {} by {} positions", test.verdict(), test.blocks())?;
            let said = match test.effect() {
                Some(effect) if effect.is_open() => {
                    "; nothing can be said yet of how large the difference is".to_owned()
                }
                Some(effect) => {
                    let Effect { shrunk, level, .. } = effect;
                    format!(", {shrunk:+.0} Elo ({:.0} % interval {})", 100.0 * level, effect.interval_text())
                }
                None => "; the bank is not calibrated, so there is no figure in Elo".to_owned(),
            };
            writeln!(out, "{said}")?;
        }
        Ok(())
    }
}

fn compare(one: &[Mark], other: &[Mark], settings: TestSettings, bank: &Bank) -> Test {
    let mut test = Test::of_answers(settings, &[bank.scale()]);
    for (one, other) in one.iter().zip(other) {
        test.push(against(one, other));
    }
    test
}

/// An answer to a position, as scripts read it.
#[derive(Debug, Serialize)]
struct PositionAnswer {
    position: String,
    player: String,
    /// None where it was no action.
    action: Option<String>,
    /// Where it lies between the worst action (0) and the best (1).
    score: f64,
    /// What it loses against the best, in [0, 1].
    loss: f64,
    /// What would have been better.
    better: Option<String>,
    /// What it loses and why; or what was answered instead of an action, and why that is none.
    words: String,
    tokens: u64,
    /// None where nobody knows.
    usd: Option<f64>,
    #[serde(skip)]
    mark: Mark,
}

/// What players answered, in their order, and what the ledger says that it cost.
struct Answers<'a> {
    of_player: &'a [Vec<PositionAnswer>],
    costs: Vec<Spent>,
}

/// Puts one position to a player that knows of no other.
async fn put(
    invitation: &Invitation,
    player: &PlayerSpec,
    exercise: &Exercise<'_>,
    match_id: String,
    language: Language,
) -> Result<PositionAnswer, String> {
    let critical = exercise.critical;
    let seat: Seat = critical.seat;
    let mut seated = invitation.seat(seat, player, None).await.map_err(|failure| failure.cause().to_owned())?;
    let view = exercise.table.view(Viewer::Seat(seat));
    let ask = Ask { match_id, view, seat, since: Vec::new(), said: Vec::new() };
    let log = TurnLog::default();
    let (action, instead) = match seated.act(&ask, &log).await {
        Ok(answer) => (Some(answer.action), String::new()),
        Err(PlayerError::NoAction(attempt)) => {
            let refused = [RefusedAttempt::new(seat, &attempt)];
            (None, failure_sentences(&refused, &BTreeMap::new(), language).concat())
        }
        Err(PlayerError::TooSlow) => (None, lapsed(seat, Fault::TooSlow, language)),
        Err(PlayerError::Resigned) => (None, lapsed(seat, Fault::Resigned, language)),
        Err(
            error @ (PlayerError::Crashed(_) | PlayerError::Left | PlayerError::Backend(_) | PlayerError::Withheld(_)),
        ) => {
            return Err(format!("{player}: {error}"));
        }
    };
    let mark = exercise.mark(action.as_ref());
    let calls = log.calls();
    Ok(PositionAnswer {
        position: critical.id.clone(),
        player: player.to_string(),
        score: mark.score,
        loss: mark.loss,
        better: (!mark.best).then(|| critical.best.clone()),
        words: action.as_ref().map_or(instead, |action| exercise.words(action.notation(), language)),
        action: action.map(Accepted::into_notation),
        tokens: calls.iter().map(|call| call.input_tokens + call.output_tokens).sum(),
        usd: total_usd(calls.iter().map(|call| call.usd)),
        mark,
    })
}

/// Why there is no answer.
fn lapsed(seat: Seat, fault: Fault, language: Language) -> String {
    failure_sentences(&[], &BTreeMap::from([(seat, Lapse::of(fault))]), language).concat()
}

impl ExportBank {
    fn run(self, out: &mut TranslatedOutput<impl Write>) -> Result<(), Failure> {
        let bank = read(&self.bank)?;
        let variant = Variant::load(&self.variant, &Disk).map_err(Failure::call)?;
        let text = match Export::from(self.to) {
            Export::Promptfoo => promptfoo_bank(&bank, &variant, self.lang),
            Export::Inspect => inspect_bank(&bank, &variant, self.lang),
        };
        Ok(out.raw()?.write_all(text.map_err(Failure::call)?.as_bytes())?)
    }
}
