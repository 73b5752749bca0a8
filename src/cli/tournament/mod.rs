//! `standoff tournament`: many matches, and who is better.

mod cast;
mod plan;
mod progress;

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use self::cast::Cast;
use self::plan::Estimate;
use self::progress::Progress;
use super::error::Failure;
use super::leaderboard::{self, List, Which};
use super::players::ConfigArgs;
use super::seat::Seated;
use super::storage::{self, StoreArgs};
use crate::players::model::{self, Journal, RunBudget};
use crate::rules::fields::{BadFile, Problem};
use crate::rules::ruleset::Ruleset;
use crate::store::{Change, KeptCall, Store, TournamentInfo};
use crate::tournaments::board::Forfeits;
use crate::tournaments::file::{Limits, Placed, TournamentFile};
use crate::tournaments::run::{self, Course, End, Report, Run, SeatSummary, Standings, StoreJournal, Summary};

/// An example with every field, for `--init`.
const EXAMPLE: &str = include_str!("example.toml");

/// Play a tournament that a file describes: bots, models and programs, many matches, everything kept.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  standoff tournament --init > cup.toml       an example of bots alone to begin with
  standoff tournament cup.toml --plan         what it takes, before a cent is spent
  standoff tournament cup.toml                play it; Ctrl-C stops after the calls under way
  standoff tournament cup.toml --resume       go on where it stopped
  standoff tournament cup.toml --json         a line a game, for scripts")]
pub(crate) struct Tournament {
    /// The file that describes it
    #[arg(required_unless_present_any = ["init", "resume"])]
    file: Option<PathBuf>,
    /// Print a commented example that runs with bots alone
    #[arg(long, exclusive = true)]
    init: bool,
    /// Print what it takes and play nothing
    #[arg(long, conflicts_with = "resume")]
    plan: bool,
    /// Go on where it stopped; without a file, the last one that is not over
    #[arg(long)]
    resume: bool,
    #[command(flatten)]
    store: StoreArgs,
    #[command(flatten)]
    config: ConfigArgs,
    /// Matches with models or programs at once, whatever the file says
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=10_000))]
    concurrency: Option<u16>,
    /// Threads for games among bots; all cores where nothing is said
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// The most money that the models may cost, in US dollars, whatever the file says
    #[arg(long, value_name = "USD")]
    max_usd: Option<f64>,
    /// The most requests to models, whatever the file says
    #[arg(long, value_name = "N")]
    max_calls: Option<u64>,
    /// The most minutes that this start may take, whatever the file says
    #[arg(long, value_name = "MIN")]
    max_minutes: Option<f64>,
    /// JSON lines on standard output: one a game, and the leaderboard at the end
    #[arg(long)]
    json: bool,
}

/// A tournament that is read and understood; nothing is opened or asked yet.
struct Draft {
    file: TournamentFile,
    /// Word for word.
    text: String,
    cast: Vec<Cast>,
    courses: Vec<Course>,
    id: String,
    fingerprint: String,
    planned: u64,
}

impl Tournament {
    /// Plays it, or does what else was asked.
    ///
    /// # Errors
    /// If the file is no good, the store fails, or it stops before its end.
    pub(crate) fn run(self, out: &mut impl Write) -> Result<(), Failure> {
        if self.init {
            return Ok(out.write_all(EXAMPLE.as_bytes())?);
        }
        let runtime = storage::runtime()?;
        let done = runtime.block_on(self.go(out));
        // A bot may be deep in thought; nobody waits for it any more.
        runtime.shutdown_background();
        done
    }

    async fn go(&self, out: &mut impl Write) -> Result<(), Failure> {
        if self.plan {
            let draft = self.draft(self.file.as_deref().unwrap_or(Path::new("")))?;
            return self.print_plan(&draft, out).await;
        }
        let (draft, store) = match &self.file {
            // What is wrong with the file is said before anything is made.
            Some(path) => (self.draft(path)?, self.store.open().await?),
            None => {
                let store = self.store.open().await?;
                (self.last(&store).await?, store)
            }
        };
        let played = self.play(draft, &store, out).await;
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
        let known = store.tournaments().await.map_err(storage::failure)?;
        let open = known.into_iter().find(|info| !info.finished);
        let info = open.ok_or_else(|| Failure::call("no tournament is waiting to go on").hint("name a file"))?;
        self.understand(&info.id, info.file)
    }

    fn understand(&self, source: &str, text: String) -> Result<Draft, Failure> {
        let hinted =
            |bad: BadFile| Failure::call(bad).hint("`standoff tournament --init` prints an example with every field");
        let file = TournamentFile::read(source, &text).map_err(hinted)?;
        let cast = cast::of(&file, &self.config.load()?.profiles)?;
        let courses = courses(&file).map_err(hinted)?;
        let setup = file.setup(courses.len());
        let refused = |why: String| hinted(BadFile::new(file.place().clone(), why));
        let planned = run::planned_games(&setup).map_err(|error| refused(error.to_string()))?;
        for course in &courses {
            course
                .ruleset
                .check_players(file.seats())
                .map_err(|refusal| refused(format!("{}: {}", course.name, refusal.message)))?;
        }
        let rulesets: Vec<Arc<Ruleset>> = courses.iter().map(|course| course.ruleset.clone()).collect();
        let models: Vec<_> = cast.iter().map(|one| one.model.clone()).collect();
        let fingerprint = file.fingerprint(&rulesets, &models);
        let id = file.id(&fingerprint);
        Ok(Draft { file, text, cast, courses, id, fingerprint, planned })
    }

    async fn play(&self, draft: Draft, store: &Store, out: &mut impl Write) -> Result<(), Failure> {
        let _hold = store.hold(&draft.id).map_err(|error| match error {
            crate::store::StoreError::Held(id) => Failure::work(format!("{id} is being played by another process")),
            other => storage::failure(other),
        })?;
        let known = store.tournaments().await.map_err(storage::failure)?;
        let known = known.into_iter().find(|info| info.id == draft.id);
        if let Some(known) = &known
            && let Some(said) = self.already(&draft, known, store, out).await?
        {
            return said;
        }
        let info = TournamentInfo {
            id: draft.id.clone(),
            name: draft.file.name.clone(),
            file: draft.text.clone(),
            hash: draft.fingerprint.clone(),
            plan: json!({ "games": draft.planned, "anchor": draft.file.anchor.as_ref().map(|(name, _)| name) })
                .to_string(),
            finished: false,
            created: 0,
        };
        store.write(vec![Change::Tournament(info.clone())]).await.map_err(storage::failure)?;
        let (budget, calls) = self.spent_so_far(&draft, store).await?;
        let journal = Arc::new(StoreJournal::new(store.clone(), calls));
        let answers: Arc<dyn Journal> = journal.clone();
        let names: Vec<String> = draft.cast.iter().map(|one| one.name.clone()).collect();
        let setup = draft.file.setup(draft.courses.len());
        let stop = CancellationToken::new();
        let limits = self.limits(&draft.file);
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let run = Run {
            id: draft.id.clone(),
            entries: cast::entries(draft.cast, draft.file.language, &budget, &answers)?,
            courses: draft.courses,
            setup,
            store: store.clone(),
            budget: budget.clone(),
            concurrency: self.concurrency.map_or(draft.file.concurrency, usize::from),
            threads: self.threads.map_or(cores, usize::from),
            time: limits.max_minutes.and_then(|minutes| Duration::try_from_secs_f64(60.0 * minutes).ok()),
            stop: stop.clone(),
            journal: Some(journal),
        };
        let mut progress = Progress::new(self.json, names.clone(), draft.planned, budget, out);
        let played = tokio::select! {
            played = run.play(&mut progress) => played,
            () = interrupted(stop) => {
                drop(progress);
                return Err(Failure::work("left at once; every finished game and every answer is kept").hint(self.how_to_go_on()));
            }
        };
        progress.finish()?;
        let Report { end, standings, bracket } =
            played.map_err(|error| Failure::work(error).hint(self.how_to_go_on()))?;
        let info = TournamentInfo { finished: end == End::Finished, ..info };
        if info.finished {
            store.write(vec![Change::Tournament(info.clone())]).await.map_err(storage::failure)?;
        }
        if let Some(bracket) = bracket.filter(|_| !self.json) {
            write!(out, "{}", bracket.draw(|one| names[one.index()].clone()))?;
        }
        self.report(info, store, out).await?;
        self.ended(end, &standings, draft.planned)
    }

    /// What is said of a tournament that was begun before; nothing where it is to go on.
    async fn already(
        &self,
        draft: &Draft,
        known: &TournamentInfo,
        store: &Store,
        out: &mut impl Write,
    ) -> Result<Option<Result<(), Failure>>, Failure> {
        if !known.finished && self.resume {
            return Ok(None);
        }
        let games = store.games(Some(&draft.id)).await.map_err(storage::failure)?.len();
        if known.finished {
            if self.json {
                writeln!(out, "{}", json!({ "type": "finished", "tournament": draft.id, "games": games }))?;
            } else {
                let (id, flag) = (&draft.id, self.store.flag());
                writeln!(out, "{id} is over: all {games} games were played before, and none is played now.")?;
                writeln!(out, "`standoff leaderboard --tournament {id}{flag}` shows how it ended.")?;
            }
            return Ok(Some(Ok(())));
        }
        let failure =
            Failure::work(format!("{} was begun before: {games} of {} games are played", draft.id, draft.planned));
        Ok(Some(Err(failure.hint(self.how_to_go_on()))))
    }

    /// The budget with what earlier starts have used, and the answers of games that were not finished.
    async fn spent_so_far(&self, draft: &Draft, store: &Store) -> Result<(Arc<RunBudget>, Vec<KeptCall>), Failure> {
        let limits = self.limits(&draft.file);
        let games = store.games(Some(&draft.id)).await.map_err(storage::failure)?;
        let (mut usd, mut calls) = (0.0, 0);
        for summary in games.iter().flat_map(|game| Summary::read(game.note.as_deref()).seats.into_values()) {
            usd += summary.usd;
            calls += summary.calls;
        }
        let open = store.open_calls(&format!("{}.", draft.id)).await.map_err(storage::failure)?;
        calls += open.len() as u64;
        let profiles: Vec<_> = draft
            .cast
            .iter()
            .filter_map(|one| if let Seated::Model(profile) = &one.seated { Some(profile) } else { None })
            .collect();
        for call in &open {
            // Whose call it was is in the match, which is not kept yet: the dearest of those who could have made it.
            let Some(recorded) = run::recorded(call) else { continue };
            let prices = profiles.iter().filter_map(|profile| model::price_of(profile, &recorded));
            usd += prices.fold(0.0, f64::max);
        }
        Ok((Arc::new(RunBudget::new(limits.max_usd, limits.max_calls).after(usd, calls)), open))
    }

    fn limits(&self, file: &TournamentFile) -> Limits {
        Limits {
            max_usd: self.max_usd.or(file.limits.max_usd),
            max_calls: self.max_calls.or(file.limits.max_calls),
            max_minutes: self.max_minutes.or(file.limits.max_minutes),
        }
    }

    async fn print_plan(&self, draft: &Draft, out: &mut impl Write) -> Result<(), Failure> {
        let estimate = Estimate::of(draft, &self.earlier().await)?;
        if self.json {
            writeln!(out, "{}", serde_json::to_string(&estimate).map_err(Failure::work)?)?;
        } else {
            estimate.print(out)?;
        }
        Ok(())
    }

    /// What is known of players from earlier games; nothing where there is no store.
    async fn earlier(&self) -> BTreeMap<String, SeatSummary> {
        let mut known: BTreeMap<String, SeatSummary> = BTreeMap::new();
        let Ok(store) = self.store.open_to_read().await else { return known };
        let which = Which { tournament: None, ruleset: None };
        for game in which.read(&store).await.unwrap_or_default().iter().flat_map(|list| &list.games) {
            let summary = Summary::read(game.note.as_deref());
            for (seat, own) in summary.seats {
                if let Some(name) = game.players.get(seat.index()) {
                    known.entry(name.clone()).or_default().join(&own);
                }
            }
        }
        store.close().await;
        known
    }

    /// The leaderboard of record.
    async fn report(&self, info: TournamentInfo, store: &Store, out: &mut impl Write) -> Result<(), Failure> {
        let games = store.games(Some(&info.id)).await.map_err(storage::failure)?;
        let (id, finished) = (info.id.clone(), info.finished);
        let board = leaderboard::board(&[List { tournament: Some(info), games }], None, Forfeits::Counted);
        if self.json {
            let line =
                json!({ "type": "leaderboard", "tournament": id, "finished": finished, "players": board.players });
            writeln!(out, "{line}")?;
        } else {
            leaderboard::print(&board, out)?;
        }
        Ok(out.flush()?)
    }

    fn ended(&self, end: End, standings: &Standings, planned: u64) -> Result<(), Failure> {
        let done = format!("{} of {planned} games are played and kept", standings.games());
        let failure = match end {
            End::Finished => return Ok(()),
            End::Stopped => Failure::work(format!("stopped; {done}")),
            End::OutOfBudget => Failure::work(format!("the budget is used up; {done}")),
            End::OutOfTime => Failure::work(format!("the time is up; {done}")),
            End::Failing { why } => Failure::work(format!("{why}; nobody has lost by it, and {done}")),
        };
        Err(failure.hint(self.how_to_go_on()))
    }

    fn how_to_go_on(&self) -> String {
        let file = self.file.as_ref().map(|path| format!("{} ", path.display())).unwrap_or_default();
        format!("`standoff tournament {file}--resume{}` goes on where it stopped", self.store.flag())
    }
}

/// Every ruleset on every map.
fn courses(file: &TournamentFile) -> Result<Vec<Course>, BadFile> {
    let own: [Option<&Placed>; 1] = [None];
    let maps: Vec<Option<&Placed>> =
        if file.maps.is_empty() { own.to_vec() } else { file.maps.iter().map(Some).collect() };
    let mut problems = Vec::new();
    let mut courses = Vec::new();
    for (ruleset, place) in &file.rulesets {
        for map in &maps {
            let map_name = map.map(|(name, _)| name.as_str());
            match super::args::ruleset_on(ruleset, map_name) {
                Ok(found) => {
                    let name = map_name.map_or_else(|| ruleset.clone(), |map| format!("{ruleset} on {map}"));
                    courses.push(Course { name, ruleset: Arc::new(found) });
                }
                Err(bad) => {
                    let place = map.map_or(place, |(_, place)| place);
                    let said = bad
                        .problems
                        .into_iter()
                        .map(|problem| Problem { place: place.clone(), message: problem.message });
                    problems.extend(said);
                }
            }
        }
    }
    if problems.is_empty() { Ok(courses) } else { Err(BadFile { problems }) }
}

/// Asks the run to stop at the first Ctrl-C, and ends at the second.
async fn interrupted(stop: CancellationToken) {
    for _ in 0..2 {
        if tokio::signal::ctrl_c().await.is_err() {
            // Nobody can interrupt us here.
            return std::future::pending().await;
        }
        stop.cancel();
    }
}
