//! `standoff store`: what whoever runs a store does to it.

use std::io::Write;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use clap::{Args, Subcommand, ValueEnum};
use serde_json::json;

use super::error::Failure;
use super::storage::{self, StoreArgs};
use crate::games::seat::Seat;
use crate::matches::{LineProblem, Replay, SeatInfo};
use crate::store::{Change, Filter, MatchInfo, MatchStatus, Prunable, Store, StoreError};

/// So many matches are looked at in one go.
const PAGE: u32 = 500;

/// Check, copy and clear a store.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  standoff store check                                 every record against its result, digests, orphans
  standoff store backup backup.db                      a copy of a SQLite store while others write to it
  standoff store prune --older-than 90d --dry-run      how much would go
  standoff store prune calls --older-than 30d          what models were asked")]
pub(crate) struct StoreCommand {
    #[command(subcommand)]
    command: StoreSubcommand,
}

#[derive(Subcommand, Debug)]
enum StoreSubcommand {
    Check(StoreCheckCommand),
    Backup(BackupCommand),
    Prune(PruneCommand),
}

/// Check every record against its result, play it again and compare its digests, and find what belongs to nothing; exit code 1 if something is wrong.
#[derive(Args, Debug)]
struct StoreCheckCommand {
    #[command(flatten)]
    store: StoreArgs,
    /// As one JSON object
    #[arg(long)]
    json: bool,
}

/// Copy a store while others write to it; of a PostgreSQL store, say how.
#[derive(Args, Debug)]
struct BackupCommand {
    /// The file to make; it must not be there
    file: PathBuf,
    #[command(flatten)]
    store: StoreArgs,
}

/// Clear away what is old.
#[derive(Args, Debug)]
struct PruneCommand {
    /// What to clear: matches of the arena that are not in play and never counted for a rating, or what models were asked
    #[arg(value_enum, default_value = "matches")]
    what: What,
    /// Only what was last touched so long ago, like 30d, 12h or 90m
    #[arg(long, value_name = "TIME", value_parser = span)]
    older_than: Duration,
    /// Say how much would go, and change nothing
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    store: StoreArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum What {
    Matches,
    Calls,
}

/// A time like `30d`.
fn span(text: &str) -> Result<Duration, String> {
    let wrong = || "a number and d, h or m, like 30d".to_owned();
    let unit = text.chars().last().ok_or_else(wrong)?;
    let seconds = match unit {
        'd' => 24 * 60 * 60,
        'h' => 60 * 60,
        'm' => 60,
        _ => return Err(wrong()),
    };
    let number: u64 = text[..text.len() - 1].parse().map_err(|_| wrong())?;
    number.checked_mul(seconds).map(Duration::from_secs).ok_or_else(wrong)
}

impl StoreCommand {
    /// Does what was asked for.
    ///
    /// # Errors
    /// If the store cannot be used, or something in it is wrong.
    pub(crate) fn run(self, out: &mut impl Write) -> Result<(), Failure> {
        match self.command {
            StoreSubcommand::Check(check) => check.run(out),
            StoreSubcommand::Backup(backup) => backup.run(out),
            StoreSubcommand::Prune(prune) => prune.run(out),
        }
    }
}

/// What was found.
#[derive(Default)]
struct Findings {
    matches: u64,
    verified: u64,
    /// Records by rules or of a version that this program does not know.
    unknown: u64,
    wrong: Vec<String>,
}

impl StoreCheckCommand {
    fn run(self, out: &mut impl Write) -> Result<(), Failure> {
        storage::block_on(async {
            let store = self.store.open_to_read().await?;
            let mut findings = Findings::default();
            // What is damaged is told, and everything else is looked at all the same.
            let damage = findings.read(store.damage().await)?;
            findings.wrong.extend(damage);
            for (what, count) in findings.read(store.orphans().await)? {
                findings.wrong.push(format!("{what}: {count}"));
            }
            let mut filter = Filter { limit: Some(PAGE), ..Filter::default() };
            loop {
                let page = findings.read(store.matches(&filter).await)?;
                let Some(last) = page.last() else { break };
                filter.before = Some(last.id.clone());
                for info in page {
                    findings.look_at(&store, info).await?;
                }
            }
            store.close().await;
            findings.tell(self.json, out)
        })
    }
}

impl Findings {
    /// What was read; nothing where the store is damaged, which is noted.
    fn read<T: Default>(&mut self, read: Result<T, StoreError>) -> Result<T, Failure> {
        match read {
            Err(error) if is_damage(&error) => {
                self.wrong.push(error.to_string());
                Ok(T::default())
            }
            read => read.map_err(storage::failure),
        }
    }

    async fn look_at(&mut self, store: &Store, mut info: MatchInfo) -> Result<(), Failure> {
        self.matches += 1;
        let mut wrong = |id: &str, why: String| self.wrong.push(format!("{id}: {why}"));
        let record = loop {
            let record = match store.record(&info.id, 0).await {
                Ok(record) => record,
                Err(error) if is_damage(&error) => {
                    wrong(&info.id, error.to_string());
                    return Ok(());
                }
                Err(error) => return Err(storage::failure(error)),
            };
            // One that is played while it is looked at is looked at again; one that was cleared away is no more.
            match store.find(&info.id).await.map_err(storage::failure)? {
                Some(now) if now.lines == info.lines && now.status == info.status => break record,
                Some(now) => info = now,
                None => return Ok(()),
            }
        };
        let lines = record.split(|byte| *byte == b'\n').count().saturating_sub(1) as u64;
        if lines != info.lines {
            wrong(&info.id, format!("its record has {lines} lines, and {} are noted", info.lines));
        }
        if record.is_empty() && info.status != MatchStatus::Finished {
            return Ok(());
        }
        match Replay::verify(record.as_slice()) {
            Ok(replay) => match difference(&info, &replay) {
                None => self.verified += 1,
                Some(why) => wrong(&info.id, why.to_owned()),
            },
            Err(error)
                if matches!(error.problem, LineProblem::Rules(_) | LineProblem::Version(_) | LineProblem::Minor(_)) =>
            {
                self.unknown += 1;
            }
            Err(error) => wrong(&info.id, error.to_string()),
        }
        Ok(())
    }

    fn tell(&self, as_json: bool, out: &mut impl Write) -> Result<(), Failure> {
        let Findings { matches, verified, unknown, wrong } = self;
        if as_json {
            let all = json!({ "matches": matches, "verified": verified, "unknown": unknown, "wrong": wrong });
            writeln!(out, "{all}")?;
        } else {
            for line in wrong {
                writeln!(out, "{line}")?;
            }
            writeln!(
                out,
                "{matches} matches, {verified} verified, {unknown} by rules that are not known here, {} wrong",
                wrong.len()
            )?;
        }
        if wrong.is_empty() { Ok(()) } else { Err(Failure::verdict(1)) }
    }
}

/// What is noted of a match and is not what its record says.
fn difference(info: &MatchInfo, replay: &Replay) -> Option<&'static str> {
    let seated = |seats: &[SeatInfo]| -> Vec<(Seat, String)> {
        seats.iter().map(|info| (info.seat, info.player.clone())).collect()
    };
    if replay.id != info.id {
        Some("its record is another match's")
    } else if replay.seed != info.seed {
        Some("the seed that is noted is not its record's")
    } else if seated(&replay.seats) != seated(&info.seats) {
        Some("the players who are noted are not its record's")
    } else if replay.result != info.result {
        Some("the result that is noted is not its record's")
    } else if replay.result.is_some() != (info.status == MatchStatus::Finished) {
        Some("it is noted as over and its record does not end, or the other way round")
    } else if !info.chain.is_empty() && replay.chain.to_string() != info.chain {
        Some("the digest that is noted is not its record's")
    } else {
        None
    }
}

/// Whether this much of a store cannot be read, and other things perhaps can.
fn is_damage(error: &StoreError) -> bool {
    matches!(error, StoreError::Database { .. } | StoreError::Damaged { .. })
}

impl BackupCommand {
    fn run(self, out: &mut impl Write) -> Result<(), Failure> {
        storage::block_on(async {
            let store = self.store.open_to_read().await?;
            store.backup(&self.file).await.map_err(storage::failure)?;
            store.close().await;
            writeln!(out, "copied to {}", self.file.display())?;
            Ok(())
        })
    }
}

impl PruneCommand {
    fn run(self, out: &mut impl Write) -> Result<(), Failure> {
        let then = SystemTime::now().checked_sub(self.older_than).unwrap_or(SystemTime::UNIX_EPOCH);
        let before = then.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_millis();
        let before = i64::try_from(before).unwrap_or(i64::MAX);
        let (what, word) = match self.what {
            What::Matches => (Prunable::Matches, "matches"),
            What::Calls => (Prunable::Calls, "calls to models"),
        };
        storage::block_on(async {
            let store = self.store.open().await?;
            let count = store.prunable(what, before).await.map_err(storage::failure)?;
            if self.dry_run {
                writeln!(out, "{count} {word} would go")?;
            } else {
                store.write(vec![Change::Prune { what, before }]).await.map_err(storage::failure)?;
                writeln!(out, "{count} {word} are gone")?;
            }
            store.close().await;
            Ok(())
        })
    }
}
