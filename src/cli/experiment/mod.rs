//! `standoff experiment`: which prompt plays better, and how sure that is.

pub(super) mod plan;
mod print;

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use serde_json::json;

use self::plan::{Expectation, ExperimentEstimate, History};
use super::bank;
use super::error::Failure;
use super::messages::TranslatedOutput;
use super::reporting::ReportArgs;
use super::storage;
use super::tournament::cast::{self, Cast};
use super::tournament::start::{
    self, BeforeOpenings, Contest, Draft, IfOver, Pilot, RunArgs, StartOutcome, StartedRun,
};
use crate::briefs::{Language, Variant};
use crate::cli::seat::PlayerSpec;
use crate::games::ruleset::Ruleset;
use crate::players::Contestants;
use crate::settings::fields::{BadFile, FileProblem};
use crate::settings::files::Disk;
use crate::store::{Change, FoundInfo, GameInfo, Store, StoreError};
use crate::tournaments::bank::Bank;
use crate::tournaments::experiment::{
    AnswerCost, Contender, Examined, Experiment as Trial, ExperimentFile, Failures, Finding, Gate, GateFindings,
    Hypothesis, Matrix, Purpose, Spending, of_record,
};
use crate::tournaments::file::PlacedName;
use crate::tournaments::run::{self, Course, GameSummary, RunEnd, SeatSummary};
use crate::tournaments::score::Entrant;
use crate::tournaments::verdict::Verdict;

/// An example with every field, for `--init`.
const EXAMPLE: &str = include_str!("example.toml");

/// So many blocks of games are read at once.
const BLOCKS_AT_ONCE: usize = 500;

/// Compare prompt variants by a quiz, by critical positions and by paired games, with a verdict whose errors are bounded
/// at any moment.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  standoff experiment --init > brief.toml           an example to begin with
  standoff experiment brief.toml --plan             calls and money by gate, before a cent is spent
  standoff experiment brief.toml                    go on until every comparison is decided
  standoff experiment brief.toml --resume           go on where it stopped
  standoff experiment brief.toml --report brief     pages with charts to pass on, in English and Chinese
  standoff experiment brief.toml --baseline standard && echo ship it

Exit codes:
  0   some variant is better
  10  none is better
  11  one is worse, and none is better
  12  undecided
  13  stopped by a budget, or after the pilot
  129, 130, 143  stopped by a signal: SIGHUP, Ctrl-C, SIGTERM
  1   the work failed; 2: the call is wrong
With --baseline, 0 says that no variant is worse than it by delta. The games decide, or the last gate where there are \
none; of a variant that a cheaper gate found worse and left out, that gate.")]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(crate) struct ExperimentCommand {
    /// The file that describes it
    #[arg(required_unless_present_any = ["init", "resume"])]
    file: Option<PathBuf>,
    /// Print a commented example
    #[arg(long, exclusive = true)]
    init: bool,
    /// The baseline variant, overriding the file's
    #[arg(long, value_name = "VARIANT")]
    baseline: Option<String>,
    /// Print what it would take, without asking or playing
    #[arg(long, conflicts_with = "resume")]
    plan: bool,
    /// Go on after the pilot whatever it forecasts
    #[arg(long)]
    yes: bool,
    /// Play no game here: every `standoff work` on the same PostgreSQL store takes its share; quiz and bank are asked from here
    #[arg(long, conflicts_with = "plan")]
    workers: bool,
    #[command(flatten)]
    args: RunArgs,
    #[command(flatten)]
    report: ReportArgs,
}

impl ExperimentCommand {
    /// Plays it as far as needed, and gives the verdict as an exit code.
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
            let (draft, contest) = self.draft(self.file.as_deref().unwrap_or(Path::new("")))?;
            return self.print_plan(&draft, &contest, out).await;
        }
        self.report.try_folder()?;
        let (draft, mut contest, store) = if let Some(path) = &self.file {
            // What is wrong with the file is said before anything is made.
            let (draft, contest) = self.draft(path)?;
            (draft, contest, self.args.store.open().await?)
        } else {
            let store = self.args.store.open().await?;
            let (draft, contest) = self.last(&store).await?;
            (draft, contest, store)
        };
        let draft = draft.resumed_as_begun(&store).await?;
        if contest.pilot_blocks > 0 && contest.gates.has(Gate::Games) {
            // The plan is that of the beginning: what was played of it since is what it is compared with.
            let before = History::without_run(&store, &draft.id).await;
            let expectation = Expectation::of(&draft, &contest, &before)?;
            let planned = expectation.calls_of_games(&contest);
            let go_on = self.yes || Pilot::is_agreed(&store, &draft.id).await?;
            contest.pilot = Some(Pilot { planned, expectation, go_on });
        }
        let (id, planned, again) = (draft.id.clone(), draft.planned, draft.again.clone());
        let must_not_get_worse = draft.about["must_not_get_worse"] == true;
        let played = self.args.play(draft, &store, Some(&mut contest), IfOver::ReadAgain, out).await;
        let kept = match &played {
            Ok(StartOutcome::Played(played)) => match keep(&store, &id, &contest, played).await {
                Ok(told) => self.report.write_of(&store, &id).await.map(|()| told),
                failed => failed,
            },
            _ => Ok(None),
        };
        store.close().await;
        let StartOutcome::Played(played) = played? else { return Ok(()) };
        let told = kept?;
        let mut findings = contest.examined.findings();
        findings.extend(told.map(|told| told.findings).unwrap_or_default());
        if self.args.json {
            writeln!(out, "{}", json!({ "type": "findings", "experiment": id, "findings": findings }))?;
        } else {
            print::results(&contest, &findings, out)?;
        }
        out.flush()?;
        let by_budget = matches!(played.report.end, RunEnd::OutOfBudget { .. } | RunEnd::OutOfTime);
        self.args
            .ended(&played, planned, &again)
            .map_err(|failure| if by_budget { failure.with_code(13) } else { failure })?;
        let of_record: Vec<Finding> = of_record(&findings).into_iter().cloned().collect();
        match exit_code(&of_record, must_not_get_worse) {
            0 => Ok(()),
            code => Err(Failure::verdict(code)),
        }
    }

    async fn print_plan(&self, draft: &Draft, contest: &Contest, out: &mut impl Write) -> Result<(), Failure> {
        let history = match self.args.store.open_to_read().await {
            Ok(store) => {
                let history = History::read(&store).await;
                store.close().await;
                history
            }
            Err(_) => History::default(),
        };
        let estimate = ExperimentEstimate::of(draft, contest, &self.args.limits(draft.limits), &history)?;
        if self.args.json {
            writeln!(out, "{}", serde_json::to_string(&estimate).map_err(Failure::work)?)?;
        } else {
            estimate.print(out)?;
        }
        Ok(())
    }

    fn draft(&self, path: &Path) -> Result<(Draft, Contest), Failure> {
        let text = std::fs::read_to_string(path).map_err(|error| {
            Failure::call(format!("cannot read {}: {error}", path.display()))
                .hint("`standoff experiment --init > brief.toml` writes an example")
        })?;
        self.understand(&path.display().to_string(), text, self.baseline.as_deref())
    }

    /// The last experiment that is not over, with the question that it was begun with.
    async fn last(&self, store: &Store) -> Result<(Draft, Contest), Failure> {
        let info = start::last_unfinished(store, start::Kind::Experiment).await?;
        let plan: serde_json::Value = serde_json::from_str(&info.plan).unwrap_or_default();
        let about = &plan["about"];
        let begun = about["baseline"].as_str().filter(|_| about["must_not_get_worse"] == true);
        self.understand(&info.id, info.file.clone(), self.baseline.as_deref().or(begun))
    }

    fn understand(&self, source: &str, text: String, baseline: Option<&str>) -> Result<(Draft, Contest), Failure> {
        let hinted =
            |bad: BadFile| Failure::call(bad).hint("`standoff experiment --init` prints an example with every field");
        let file = ExperimentFile::read(source, &text, baseline).map_err(hinted)?;
        let matrix = file.matrix();
        let cast = contestants(&file, &matrix, &self.args.config.load()?.known)?;
        let courses = start::courses(&file.rulesets, &file.maps, file.opening, 2).map_err(hinted)?;
        let setup = file.setup(&matrix, courses.len());
        let planned = run::planned_games(&setup)
            .map_err(|error| hinted(BadFile::new(file.place().clone(), error.to_string())))?;
        let models: Vec<_> = cast.iter().map(|one| one.model.clone()).collect();
        let named = |rulesets: &[Arc<Ruleset>]| file.id(rulesets, &models);
        let (id, fingerprint) = named(&start::rulesets(&courses));
        let before_openings = file.opening.is_none().then(|| BeforeOpenings::of(&courses, named));
        let question = if baseline.is_some() { Hypothesis::IsNotWorse } else { Hypothesis::IsBetter };
        let trial = Trial::new(matrix, file.settings, question, file.noise);
        let contest = Contest {
            trial,
            gates: file.gates.clone(),
            banks: banks(&file, &courses)?,
            examined: Examined::default(),
            pilot_blocks: file.pilot,
            pilot: None,
        };
        let about = json!({
            "baseline": file.baseline,
            "must_not_get_worse": baseline.is_some(),
            "settings": file.settings,
            "gates": file.gates.list,
            "if_worse": file.gates.if_worse,
        });
        let draft = Draft {
            id,
            about,
            before_openings,
            fingerprint,
            name: file.name,
            text,
            cast,
            courses,
            setup,
            planned,
            language: Language::En,
            concurrency: file.concurrency,
            limits: file.limits,
            anchor: None,
            again: {
                let baseline = baseline.map(|name| format!(" --baseline {name}")).unwrap_or_default();
                start::again("experiment", self.file.as_ref(), &self.args.config) + &baseline
            },
        };
        Ok((draft, contest))
    }
}

/// Keeps what the games say where reports find it: verdicts with their causes, and what was spent on what.
async fn keep(
    store: &Store,
    id: &str,
    contest: &Contest,
    played: &StartedRun,
) -> Result<Option<GateFindings>, Failure> {
    if !contest.gates.has(Gate::Games) {
        return Ok(None);
    }
    let mut told = contest.trial.told();
    let standings = played.report.standings.ranked();
    told.explain(|name| {
        let (_, standing) = standings.iter().find(|(one, _)| played.names[one.index()] == name)?;
        let (fault, _) = standing.summary.lapses.iter().max_by_key(|(_, times)| **times)?;
        let times = standing.summary.lapses.values().map(|&times| u64::from(times)).sum();
        Some(Failures { kind: fault.name().to_owned(), times, of: standing.games() })
    });
    told.spent = spent(contest.trial.matrix(), store, id).await.map_err(storage::failure)?;
    let body = serde_json::to_string(&told).map_err(Failure::work)?;
    let found = FoundInfo { tournament: id.to_owned(), topic: Gate::Games.name().to_owned(), body };
    store.write(vec![Change::Found(found)]).await.map_err(storage::failure)?;
    Ok(Some(told))
}

/// What the games of each purpose cost. They are read a few blocks at a time.
async fn spent(matrix: &Matrix, store: &Store, id: &str) -> Result<Vec<Spending>, StoreError> {
    let last = store.latest_blocks(id, 1).await?.first().map(|block| block.number);
    let mut by: BTreeMap<Purpose, (u64, AnswerCost)> = BTreeMap::new();
    for first in (0..=last.unwrap_or(0)).step_by(BLOCKS_AT_ONCE) {
        let games = store.games_in_blocks(id, first, first + BLOCKS_AT_ONCE as u64 - 1).await?;
        add_spent(matrix, &games, &mut by);
    }
    let spending = |(purpose, (items, cost))| Spending { gate: Gate::Games, purpose, items, cost };
    Ok(by.into_iter().map(spending).collect())
}

/// Adds what some games cost.
fn add_spent(matrix: &Matrix, games: &[GameInfo], by: &mut BTreeMap<Purpose, (u64, AnswerCost)>) {
    for game in games {
        let plays = |one: &Entrant| game.players.contains(&matrix.players()[one.index()].name());
        let Some(group) = matrix.groups().iter().find(|group| group.iter().all(plays)) else { continue };
        let (items, cost) = by.entry(matrix.purpose(group)).or_default();
        *items += 1;
        for own in GameSummary::read(game.note.as_deref()).seats.values() {
            let SeatSummary { calls, input_tokens, output_tokens, usd, .. } = *own;
            cost.join(&AnswerCost { calls, input_tokens, output_tokens, usd });
        }
    }
}

/// The banks that the file names, each of a ruleset that is played.
fn banks(file: &ExperimentFile, courses: &[Course]) -> Result<Vec<Bank>, Failure> {
    let mut banks = Vec::new();
    for (name, place) in &file.gates.bank.files {
        let said = |message: String| Failure::call(BadFile::new(place.clone(), message));
        let bank = bank::read(Path::new(name)).map_err(|failure| said(failure.cause().to_owned()))?;
        if !courses.iter().any(|course| bank.is_of(&course.ruleset)) {
            return Err(said(format!("{name} is of a ruleset that is not played here")));
        }
        banks.push(bank);
    }
    Ok(banks)
}

/// Whom the matrix stands for.
fn contestants(file: &ExperimentFile, matrix: &Matrix, profiles: &Contestants) -> Result<Vec<Cast>, Failure> {
    let placed = |names: &[PlacedName], name: &str| {
        names.iter().find(|(other, _)| other == name).map_or_else(|| file.place().clone(), |(_, place)| place.clone())
    };
    // A name that stands for no prompt is one, whoever would read it.
    let unknown = file.variants.iter().filter_map(|(name, place)| {
        let message = Variant::load(name, &Disk).err()?.to_string();
        Some(FileProblem { place: place.clone(), message })
    });
    let problems: Vec<FileProblem> = unknown.collect();
    if !problems.is_empty() {
        return Err(Failure::call(BadFile { problems }));
    }
    let mut cast = Vec::new();
    for player in matrix.players() {
        let (named, place, languages) = match player {
            Contender::Anchor(name) => (name, placed(&file.anchors, name), Language::En),
            Contender::Prompted { model, language, .. } => (model, placed(&file.models, model), *language),
        };
        let mut found = cast::of(&[(named.clone(), place.clone())], languages, profiles)?;
        let Some(mut one) = found.pop() else { continue };
        if let Contender::Prompted { variant, language, .. } = player {
            match &mut one.seated {
                PlayerSpec::Model(profile) => {
                    profile.prompt.clone_from(variant);
                    profile.language = Some(*language);
                    one.model = cast::model_info(&one.seated, *language)?;
                }
                PlayerSpec::Agent(agent) => {
                    agent.prompt.clone_from(variant);
                    agent.language = Some(*language);
                }
                // A bot reads no prompt. As a stand-in it shows what an experiment does, and costs nothing.
                PlayerSpec::Bot(_) => {}
                _ => {
                    let message = format!("`{named}` reads no prompt; name models");
                    return Err(Failure::call(BadFile { problems: vec![FileProblem { place, message }] }));
                }
            }
        }
        one.name = player.name();
        cast.push(one);
    }
    Ok(cast)
}

/// What the findings mean for a build.
fn exit_code(findings: &[Finding], must_not_get_worse: bool) -> u8 {
    let verdicts: Vec<Verdict> =
        findings.iter().filter(|finding| !finding.is_noise).map(|finding| finding.verdict).collect();
    let is_worse = verdicts.contains(&Verdict::Worse);
    if must_not_get_worse {
        let open = verdicts.iter().any(|verdict| matches!(verdict, Verdict::Undecided | Verdict::NotBetter));
        return match (is_worse, open) {
            (true, _) => Verdict::Worse.exit_code(),
            (false, true) => Verdict::Undecided.exit_code(),
            (false, false) => 0,
        };
    }
    if findings.iter().any(|finding| finding.better_among_all) {
        return 0;
    }
    let open = verdicts.iter().any(|verdict| !verdict.settles_better());
    match (is_worse, open) {
        (_, true) => Verdict::Undecided,
        (true, false) => Verdict::Worse,
        (false, false) => Verdict::NotBetter,
    }
    .exit_code()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a build gets to see for such verdicts: whether one is better, and whether none is worse.
    fn codes(verdicts: &[Verdict]) -> [u8; 2] {
        let finding = |verdict: &Verdict| {
            let text = json!({
                "gate": "games", "one": "b", "other": "a", "against": null, "is_noise": false, "verdict": verdict,
                "better_among_all": *verdict == Verdict::Better, "blocks": 9, "score": 0.5, "low": 0.4, "high": 0.6,
                "elo": 0.0, "e_value": 1.0, "e_value_worse": 1.0,
            });
            serde_json::from_value(text).expect("a finding")
        };
        let findings: Vec<Finding> = verdicts.iter().map(finding).collect();
        [false, true].map(|must_not_get_worse| exit_code(&findings, must_not_get_worse))
    }

    #[test]
    fn exit_codes_are_those_of_the_contract() {
        for (verdicts, expected) in [
            (&[Verdict::Better][..], [0, 0]),
            (&[Verdict::NotBetter], [10, 12]),
            (&[Verdict::NoDifference], [10, 0]),
            (&[Verdict::NotWorse], [12, 0]),
            (&[Verdict::Worse], [11, 11]),
            (&[Verdict::Undecided], [12, 12]),
            (&[Verdict::Better, Verdict::Worse], [0, 11]),
            (&[Verdict::NoDifference, Verdict::Worse], [11, 11]),
            (&[Verdict::NoDifference, Verdict::Undecided], [12, 12]),
        ] {
            assert_eq!(codes(verdicts), expected, "{verdicts:?}");
        }
    }
}
