//! `standoff tournament`: many matches, and who is better.

pub(super) mod cast;
mod gates;
pub(super) mod plan;
mod progress;
pub(super) mod start;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use serde_json::json;

use self::plan::TournamentEstimate;
use self::start::{BeforeOpenings, Draft, IfOver, RunArgs, StartOutcome, StartedRun};
use super::error::Failure;
use super::leaderboard;
use super::messages::TranslatedOutput;
use super::reporting::ReportArgs;
use super::storage;
use crate::games::ruleset::Ruleset;
use crate::settings::fields::BadFile;
use crate::store::{Store, TournamentInfo};
use crate::tournaments::file::TournamentFile;
use crate::tournaments::leaderboard::Forfeits;
use crate::tournaments::report;
use crate::tournaments::run;
use crate::tournaments::tally::Tally;

/// An example with every field, for `--init`.
const EXAMPLE: &str = include_str!("example.toml");

/// Play a tournament that a file describes: bots, models and programs, many matches, everything kept.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  standoff tournament --init > cup.toml       an example of bots alone to begin with
  standoff tournament cup.toml --plan         what it takes, before a cent is spent
  standoff tournament cup.toml                play it; Ctrl-C, SIGTERM and SIGHUP stop it after the calls under way
  standoff tournament cup.toml --resume       go on where it stopped
  standoff tournament cup.toml --report cup   pages with charts to pass on, in English and Chinese
  standoff tournament cup.toml --json         a line per game, for scripts
  standoff tournament cup.toml --workers --store postgres://db/standoff
                                              schedule it for every `standoff work` on that store")]
pub(crate) struct TournamentCommand {
    /// The file that describes it
    #[arg(required_unless_present_any = ["init", "resume"])]
    file: Option<PathBuf>,
    /// Print a commented example that runs with bots alone
    #[arg(long, exclusive = true)]
    init: bool,
    /// Print what it would take, without playing
    #[arg(long, conflicts_with = "resume")]
    plan: bool,
    /// Play no game here: every `standoff work` on the same PostgreSQL store takes its share
    #[arg(long, conflicts_with = "plan")]
    workers: bool,
    #[command(flatten)]
    args: RunArgs,
    #[command(flatten)]
    report: ReportArgs,
}

impl TournamentCommand {
    /// Plays it, or does what else was asked.
    ///
    /// # Errors
    /// If the file is no good, the store fails, or it stops before its end.
    pub(crate) fn run(mut self, out: &mut TranslatedOutput<impl Write>) -> Result<(), Failure> {
        self.args.workers = self.workers;
        if self.init {
            return Ok(out.raw()?.write_all(EXAMPLE.as_bytes())?);
        }
        storage::block_on(self.go(out))
    }

    async fn go(&self, out: &mut impl Write) -> Result<(), Failure> {
        if self.plan {
            let draft = self.draft(self.file.as_deref().unwrap_or(Path::new("")))?;
            return self.print_plan(&draft, out).await;
        }
        self.report.try_folder()?;
        let (draft, store) = if let Some(path) = &self.file {
            // What is wrong with the file is said before anything is made.
            (self.draft(path)?, self.args.store.open().await?)
        } else {
            let store = self.args.store.open().await?;
            (self.last(&store).await?, store)
        };
        let played = match draft.resumed_as_begun(&store).await {
            Ok(draft) => self.play(draft, &store, out).await,
            Err(failure) => Err(failure),
        };
        store.close().await;
        played
    }

    fn draft(&self, path: &Path) -> Result<Draft, Failure> {
        let text = std::fs::read_to_string(path).map_err(|error| {
            Failure::call(format!("cannot read {}: {error}", path.display()))
                .hint("`standoff tournament --init > cup.toml` writes an example")
        })?;
        self.understand(&path.display().to_string(), text)
    }

    /// The last tournament that is not over.
    async fn last(&self, store: &Store) -> Result<Draft, Failure> {
        let info = start::last_unfinished(store, start::Kind::Tournament).await?;
        self.understand(&info.id, info.file)
    }

    fn understand(&self, source: &str, text: String) -> Result<Draft, Failure> {
        let hinted =
            |bad: BadFile| Failure::call(bad).hint("`standoff tournament --init` prints an example with every field");
        let file = TournamentFile::read(source, &text).map_err(hinted)?;
        let cast = cast::of(&file.players, file.language, &self.args.config.load()?.known)?;
        let refused = |why: String| hinted(BadFile::new(file.place().clone(), why));
        // Whoever names too few players for the table is told that before anything about rulesets.
        let setup = file.setup(file.rulesets.len() * file.maps.len().max(1));
        let planned = run::planned_games(&setup).map_err(|error| refused(error.to_string()))?;
        let courses = start::courses(&file.rulesets, &file.maps, file.opening, file.seats()).map_err(hinted)?;
        let models: Vec<_> = cast.iter().map(|one| one.model.clone()).collect();
        let named = |rulesets: &[Arc<Ruleset>]| {
            let fingerprint = file.fingerprint(rulesets, &models);
            (file.id(&fingerprint), fingerprint)
        };
        let (id, fingerprint) = named(&start::rulesets(&courses));
        let before_openings = file.opening.is_none().then(|| BeforeOpenings::of(&courses, named));
        Ok(Draft {
            id,
            fingerprint,
            before_openings,
            text,
            cast,
            courses,
            setup,
            planned,
            language: file.language,
            concurrency: file.concurrency,
            limits: file.limits,
            anchor: file.anchor.map(|(name, _)| name),
            about: serde_json::Value::Null,
            again: start::again("tournament", self.file.as_ref(), &self.args.config),
            name: file.name,
        })
    }

    async fn play(&self, draft: Draft, store: &Store, out: &mut impl Write) -> Result<(), Failure> {
        let (id, planned, again) = (draft.id.clone(), draft.planned, draft.again.clone());
        match self.args.play(draft, store, None, IfOver::SaySo, out).await? {
            StartOutcome::Over { games } if self.args.json => {
                self.report.write_of(store, &id).await?;
                if let Some(info) = store.tournament(&id).await.map_err(storage::failure)? {
                    bracket_line(store, &info, out).await?;
                }
                writeln!(out, "{}", json!({ "type": "finished", "tournament": id, "games": games }))?;
                Ok(())
            }
            StartOutcome::Over { games } => {
                self.report.write_of(store, &id).await?;
                let flag = self.args.store.flag();
                writeln!(out, "{id} is over: all {games} games were played before, and none is played now.")?;
                writeln!(out, "`standoff leaderboard --tournament {id}{flag}` shows how it ended.")?;
                Ok(())
            }
            StartOutcome::Played(played) => {
                let StartedRun { report, info, names, .. } = &*played;
                if let Some(bracket) = report.bracket.as_ref().filter(|_| !self.args.json) {
                    write!(out, "{}", bracket.draw(|one| names[one.index()].clone()))?;
                }
                self.report(info, store, out).await?;
                self.args.ended(&played, planned, &again)
            }
        }
    }

    async fn print_plan(&self, draft: &Draft, out: &mut impl Write) -> Result<(), Failure> {
        let estimate = TournamentEstimate::of(draft, &plan::earlier(&self.args.store).await)?;
        if self.args.json {
            writeln!(out, "{}", serde_json::to_string(&estimate).map_err(Failure::work)?)?;
        } else {
            estimate.print(out)?;
        }
        Ok(())
    }

    /// The leaderboard of record.
    async fn report(&self, info: &TournamentInfo, store: &Store, out: &mut impl Write) -> Result<(), Failure> {
        let tally = Tally::read(store, Some(&info.id)).await.map_err(storage::failure)?;
        let (id, finished) = (&info.id, info.finished);
        let board = leaderboard::counted_board(&tally, Some(info), None, Forfeits::Counted);
        self.report.write_of(store, id).await?;
        if self.args.json {
            bracket_line(store, info, out).await?;
            let line =
                json!({ "type": "leaderboard", "tournament": id, "finished": finished, "players": board.players });
            writeln!(out, "{line}")?;
        } else {
            leaderboard::print(&board, out)?;
        }
        Ok(out.flush()?)
    }
}

/// The bracket of a knockout, for scripts: round by round, each tie with what decided it.
async fn bracket_line(store: &Store, info: &TournamentInfo, out: &mut impl Write) -> Result<(), Failure> {
    if let Some((bracket, names)) = report::bracket(store, info).await.map_err(storage::failure)? {
        let line = json!({ "type": "bracket", "tournament": info.id, "rounds": bracket.lines(&names) });
        writeln!(out, "{line}")?;
    }
    Ok(())
}
