//! `standoff bank`: critical positions, harvested, frozen, and put to players.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand, ValueEnum};
use serde::Serialize;
use serde_json::json;

use super::args::RulesetArgs;
use super::ask::{AskArgs, Session};
use super::error::Failure;
use super::invite::{self, Invitation};
use super::person::Keyboard;
use super::players::ConfigArgs;
use super::seat::PlayerSpec;
use super::storage;
use crate::briefs::{Language, Variant};
use crate::games::{Accepted, Seat, Seed, Viewer};
use crate::matches::Replay;
use crate::players::{Ask, PlayerError, TurnLog};
use crate::settings::files::Disk;
use crate::tournaments::bank::{Bank, BankSpec, Exercise, Harvest, Mark, Marks, against, harvest, harvest_bots};
use crate::tournaments::oracle::Oracle;
use crate::tournaments::quiz::{Export, inspect_bank, promptfoo_bank};
use crate::tournaments::verdict::{Interval, Test, TestSettings};

/// Put critical positions to players instead of whole games: far fewer calls to a verdict.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  standoff bank build --ruleset cowboy --out cowboy.bank.json          from games of bots
  standoff bank build --from a.jsonl --from b.jsonl --out own.bank.json  from records of all sides alike
  standoff bank run cowboy.bank.json --players local,openai:gpt-5-mini
  standoff bank run cowboy.bank.json --players local --variant mine.toml --json  a line a position, for optimisers
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
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    positions: u32,
    /// The share of positions that count as critical, in percent
    #[arg(long, value_name = "PERCENT", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=100))]
    share: u32,
    /// The number of players (default: the ruleset's)
    #[arg(long, value_name = "N")]
    seats: Option<usize>,
    /// Take the positions from this record instead of games of bots; may be repeated
    #[arg(long, value_name = "RECORD")]
    from: Vec<PathBuf>,
    /// Playouts per position of the search that judges
    #[arg(long, value_name = "N", default_value_t = 4000, value_parser = clap::value_parser!(u32).range(50..=10_000_000))]
    nodes: u32,
    /// The seed of the bots' games
    #[arg(long, value_name = "SEED", default_value = "0")]
    seed: Seed,
    /// The file to write (default: standard output)
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// Put every position of a bank to players and mark the answers.
#[derive(Args, Debug)]
struct RunBank {
    /// The bank
    bank: PathBuf,
    /// Who answers, as in `standoff play`; two are also compared with each other
    #[arg(long, value_name = "LIST", required = true)]
    players: Vec<String>,
    #[command(flatten)]
    config: ConfigArgs,
    #[command(flatten)]
    asking: AskArgs,
    /// The prompt variant of all models, whatever their profiles say
    #[arg(long, value_name = "NAME|FILE")]
    variant: Option<String>,
    /// The difference in winning chances that the comparison of two should detect, in percentage points
    #[arg(long, value_name = "POINTS", default_value_t = 5.0)]
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
    /// The bank
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
    pub(crate) fn run(self, out: &mut impl Write) -> Result<(), Failure> {
        match self.command {
            BankSubcommand::Build(build) => build.run(out),
            BankSubcommand::Run(run) => run.run(out),
            BankSubcommand::Export(export) => export.run(out),
        }
    }
}

/// A bank from a file.
pub(super) fn read(path: &Path) -> Result<Bank, Failure> {
    let text = std::fs::read_to_string(path).map_err(|error| {
        Failure::call(format!("cannot read {}: {error}", path.display())).hint("`standoff bank build` makes a bank")
    })?;
    Bank::read(&text).map_err(|error| Failure::call(format!("{}: {error}", path.display())))
}

impl BuildBank {
    fn run(self, out: &mut impl Write) -> Result<(), Failure> {
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
        if self.from.is_empty() {
            let seats = self.seats.unwrap_or(ruleset.players.default);
            found = harvest_bots(&ruleset, seats, &wanted).map_err(Failure::call)?;
        }
        let mut err = io::stderr().lock();
        let bank = harvest(&ruleset, &found, &wanted, |done, all| {
            if done > 0 && done % 100 == 0 {
                let _ = writeln!(err, "{done} of {all} positions judged");
            }
        });
        if bank.positions.is_empty() {
            return Err(Failure::work("nothing much hangs on any of these positions")
                .hint("more records, or a larger --share, give more to choose from"));
        }
        let text = bank.write();
        match &self.out {
            Some(path) => {
                std::fs::write(path, text)
                    .map_err(|error| Failure::work(format!("cannot write {}: {error}", path.display())))?;
                writeln!(out, "{} positions in {}, oracle {}", bank.positions.len(), path.display(), bank.oracle)?;
            }
            None => out.write_all(text.as_bytes())?,
        }
        Ok(())
    }
}

impl RunBank {
    fn run(self, out: &mut impl Write) -> Result<(), Failure> {
        let bank = read(&self.bank)?;
        let exercises = bank.exercises().map_err(Failure::call)?;
        if exercises.is_empty() {
            return Err(Failure::call("the bank is empty"));
        }
        let profiles = self.config.load()?.profiles;
        let mut players = PlayerSpec::list(&self.players, &profiles).map_err(Failure::call)?;
        for player in &mut players {
            if let (PlayerSpec::Model(profile), Some(variant)) = (player, &self.variant) {
                profile.prompt.clone_from(variant);
            }
        }
        let settings = TestSettings::new(self.delta / 200.0, 0.05, 0.05).map_err(Failure::call)?;
        let language = self.lang.to_string();
        let fingerprints = invite::fingerprints(&players, self.lang)?;
        let what = json!({ "bank": bank, "language": language, "players": fingerprints }).to_string();
        storage::block_on(async {
            let mut session = self.asking.open("bank", &what, &players).await?;
            let answers = self.ask(&mut session, &players, &exercises).await;
            let answers = session.close(answers, &self.asking.models).await?;
            self.print(&players, &answers, settings, &bank, out)
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
        let mut jobs = Vec::new();
        for (number, player) in players.iter().enumerate() {
            for exercise in exercises {
                jobs.push((player, exercise, session.name(number, &exercise.critical.id)));
            }
        }
        let invitation = &invitation;
        let put = |(player, exercise, name)| put(invitation, player, exercise, name, self.lang);
        let mut answers = session.all(jobs, put).await?.into_iter();
        Ok(players.iter().map(|_| answers.by_ref().take(exercises.len()).collect()).collect())
    }

    fn print(
        &self,
        players: &[PlayerSpec],
        answers: &[Vec<PositionAnswer>],
        settings: TestSettings,
        bank: &Bank,
        out: &mut impl Write,
    ) -> Result<(), Failure> {
        let all: Vec<Vec<Mark>> = answers.iter().map(|own| own.iter().map(|it| it.mark).collect()).collect();
        let compared = if let [one, other] = all.as_slice() { Some(compare(one, other, settings)) } else { None };
        if self.json {
            for answer in answers.iter().flatten() {
                writeln!(out, "{}", serde_json::to_string(answer).map_err(Failure::work)?)?;
            }
            let marks = players.iter().zip(answers).zip(&all).map(|((player, answers), marks)| {
                let mut line = json!(Marks::of(marks));
                line["player"] = json!(player.to_string());
                line["tokens"] = json!(answers.iter().map(|answer| answer.tokens).sum::<u64>());
                line["usd"] = json!(answers.iter().map(|answer| answer.usd).sum::<Option<f64>>());
                line
            });
            let mut line = json!({ "players": marks.collect::<Vec<_>>(), "oracle": bank.oracle });
            if let Some((test, interval)) = &compared {
                let (low, high) = interval.bounds();
                line["comparison"] = json!({
                    "verdict": test.verdict(), "mean": test.mean(), "low": low, "high": high, "positions": test.blocks(),
                });
            }
            return Ok(writeln!(out, "{line}")?);
        }
        let width = players.iter().map(|player| player.to_string().chars().count()).max().unwrap_or(0).max(6);
        writeln!(out, "{:<width$}  positions  mean loss  accuracy  best found  failures", "player")?;
        for (player, marks) in players.iter().zip(&all) {
            let it = Marks::of(marks);
            writeln!(
                out,
                "{:<width$}  {:>9}  {:>9.1}  {:>7.1}%  {:>9.0}%  {:>8}",
                player.to_string(),
                it.positions,
                it.mean_loss,
                it.accuracy,
                it.best,
                it.failures
            )?;
        }
        if let Some((test, interval)) = compared {
            let points = |score: f64| 200.0 * (score - 0.5);
            let (low, high) = interval.bounds();
            writeln!(
                out,
                "{} against {}: {} ({:+.1} points per position, 95 % interval {:+.1} to {:+.1})",
                players[0],
                players[1],
                test.verdict(),
                points(test.mean()),
                points(low),
                points(high)
            )?;
        }
        Ok(())
    }
}

fn compare(one: &[Mark], other: &[Mark], settings: TestSettings) -> (Test, Interval) {
    let (mut test, mut interval) = (Test::new(settings), Interval::new(0.05));
    for (one, other) in one.iter().zip(other) {
        let score = against(one, other);
        test.push(score);
        interval.push(score);
    }
    (test, interval)
}

/// An answer to a position, as scripts read it.
#[derive(Debug, Serialize)]
struct PositionAnswer {
    position: String,
    player: String,
    /// None where it was no action.
    action: Option<String>,
    /// The score that can be expected after it, in [0, 1].
    score: f64,
    /// What it loses against the best, in [0, 1].
    loss: f64,
    /// What would have been better.
    better: Option<String>,
    /// What it loses and why; or what was answered instead of an action.
    words: String,
    tokens: u64,
    /// None where nobody knows.
    usd: Option<f64>,
    #[serde(skip)]
    mark: Mark,
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
        Err(PlayerError::NoAction(attempt)) => (None, attempt.text),
        Err(error @ (PlayerError::TooSlow | PlayerError::Resigned)) => (None, error.to_string()),
        Err(error @ (PlayerError::Crashed(_) | PlayerError::Left | PlayerError::Backend(_))) => {
            return Err(format!("{player}: {error}"));
        }
    };
    let mark = exercise.mark(action.as_ref());
    let calls = log.calls();
    Ok(PositionAnswer {
        position: critical.id.clone(),
        player: player.to_string(),
        score: critical.values[&critical.best] - mark.loss,
        loss: mark.loss,
        better: (!mark.best).then(|| critical.best.clone()),
        words: action.as_ref().map_or(instead, |action| exercise.words(action.notation(), language)),
        action: action.map(Accepted::into_notation),
        tokens: calls.iter().map(|call| call.input_tokens + call.output_tokens).sum(),
        usd: calls.iter().map(|call| call.usd).sum(),
        mark,
    })
}

impl ExportBank {
    fn run(self, out: &mut impl Write) -> Result<(), Failure> {
        let bank = read(&self.bank)?;
        let variant = Variant::load(&self.variant, &Disk).map_err(Failure::call)?;
        let text = match Export::from(self.to) {
            Export::Promptfoo => promptfoo_bank(&bank, &variant, self.lang),
            Export::Inspect => inspect_bank(&bank, &variant, self.lang),
        };
        Ok(out.write_all(text.map_err(Failure::call)?.as_bytes())?)
    }
}
