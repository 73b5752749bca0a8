//! `standoff experiment`: which prompt plays better, and how sure that is.

mod plan;
mod print;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use serde_json::json;

use self::plan::ExperimentEstimate;
use super::bank;
use super::error::Failure;
use super::reporting::ReportArgs;
use super::storage;
use super::tournament::cast::{self, Cast};
use super::tournament::start::{self, BeforeOpenings, Contest, Draft, IfOver, RunArgs, StartOutcome};
use crate::briefs::Language;
use crate::cli::seat::PlayerSpec;
use crate::games::ruleset::Ruleset;
use crate::players::Profile;
use crate::settings::fields::{BadFile, Problem};
use crate::store::{Change, FoundInfo, Store};
use crate::tournaments::bank::Bank;
use crate::tournaments::experiment::{
    Contender, Examined, Experiment as Trial, ExperimentFile, Finding, Gate, Hypothesis, Matrix, of_record,
};
use crate::tournaments::file::PlacedName;
use crate::tournaments::run::{self, Course};
use crate::tournaments::verdict::Verdict;

/// An example with every field, for `--init`.
const EXAMPLE: &str = include_str!("example.toml");

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
  0  some variant is better
  1  none is better; or the work failed, with an error
  2  one is worse; or the call is wrong, with an error
  3  undecided
With --baseline, 0 says that no variant is worse than it by delta. The games decide, or the last gate where there are \
none; of a variant that a cheaper gate found worse and left out, that gate.")]
pub(crate) struct ExperimentCommand {
    /// The file that describes it
    #[arg(required_unless_present = "init")]
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
    pub(crate) fn run(self, out: &mut impl Write) -> Result<(), Failure> {
        if self.init {
            return Ok(out.write_all(EXAMPLE.as_bytes())?);
        }
        storage::block_on(self.go(out))
    }

    async fn go(&self, out: &mut impl Write) -> Result<(), Failure> {
        let (draft, mut contest) = self.draft()?;
        if self.plan {
            return self.print_plan(&draft, &contest, out).await;
        }
        let store = self.args.store.open().await?;
        let draft = draft.resumed_as_begun(&store).await?;
        let (id, planned, again) = (draft.id.clone(), draft.planned, draft.again.clone());
        let played = self.args.play(draft, &store, Some(&mut contest), IfOver::ReadAgain, out).await;
        let kept = match &played {
            Ok(StartOutcome::Played(_)) => match keep(&store, &id, &contest).await {
                Ok(()) => self.report.write_of(&store, &id).await,
                failed => failed,
            },
            _ => Ok(()),
        };
        store.close().await;
        let StartOutcome::Played(played) = played? else { return Ok(()) };
        kept?;
        let mut findings = contest.examined.findings();
        if contest.gates.has(Gate::Games) {
            findings.extend(contest.trial.findings());
        }
        if self.args.json {
            writeln!(out, "{}", json!({ "type": "findings", "experiment": id, "findings": findings }))?;
        } else {
            print::results(&contest, &findings, out)?;
        }
        out.flush()?;
        self.args.ended(&played.report, played.signal, planned, &again)?;
        let of_record: Vec<Finding> = of_record(&findings).into_iter().cloned().collect();
        match exit_code(&of_record, self.baseline.is_some()) {
            0 => Ok(()),
            code => Err(Failure::verdict(code)),
        }
    }

    async fn print_plan(&self, draft: &Draft, contest: &Contest, out: &mut impl Write) -> Result<(), Failure> {
        let earlier = super::tournament::plan::earlier(&self.args.store).await;
        let estimate = ExperimentEstimate::of(draft, contest, &self.args.limits(draft.limits), &earlier)?;
        if self.args.json {
            writeln!(out, "{}", serde_json::to_string(&estimate).map_err(Failure::work)?)?;
        } else {
            estimate.print(out)?;
        }
        Ok(())
    }

    fn draft(&self) -> Result<(Draft, Contest), Failure> {
        let path = self.file.as_deref().unwrap_or(Path::new(""));
        let hinted =
            |bad: BadFile| Failure::call(bad).hint("`standoff experiment --init` prints an example with every field");
        let text = std::fs::read_to_string(path).map_err(|error| {
            Failure::call(format!("cannot read {}: {error}", path.display()))
                .hint("`standoff experiment --init > brief.toml` writes an example")
        })?;
        let file =
            ExperimentFile::read(&path.display().to_string(), &text, self.baseline.as_deref()).map_err(hinted)?;
        let matrix = file.matrix();
        let cast = contestants(&file, &matrix, &self.args.config.load()?.profiles)?;
        let courses = start::courses(&file.rulesets, &file.maps, file.opening, 2).map_err(hinted)?;
        let setup = file.setup(&matrix, courses.len());
        let planned = run::planned_games(&setup)
            .map_err(|error| hinted(BadFile::new(file.place().clone(), error.to_string())))?;
        let models: Vec<_> = cast.iter().map(|one| one.model.clone()).collect();
        let named = |rulesets: &[Arc<Ruleset>]| file.id(rulesets, &models);
        let (id, fingerprint) = named(&start::rulesets(&courses));
        let before_openings = file.opening.is_none().then(|| BeforeOpenings::of(&courses, named));
        let question = if self.baseline.is_some() { Hypothesis::IsNotWorse } else { Hypothesis::IsBetter };
        let trial = Trial::new(matrix, file.settings, question);
        let banks = banks(&file, &courses)?;
        let contest = Contest { trial, gates: file.gates.clone(), banks, examined: Examined::default() };
        let about = json!({
            "baseline": file.baseline,
            "must_not_get_worse": self.baseline.is_some(),
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
                let baseline = self.baseline.as_ref().map(|name| format!(" --baseline {name}")).unwrap_or_default();
                start::again("experiment", self.file.as_ref()) + &baseline
            },
        };
        Ok((draft, contest))
    }
}

/// Keeps what the games say where reports find it.
async fn keep(store: &Store, id: &str, contest: &Contest) -> Result<(), Failure> {
    if !contest.gates.has(Gate::Games) {
        return Ok(());
    }
    let body = serde_json::to_string(&contest.trial.told()).map_err(Failure::work)?;
    let found = FoundInfo { tournament: id.to_owned(), topic: Gate::Games.name().to_owned(), body };
    store.write(vec![Change::Found(found)]).await.map_err(storage::failure)
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
fn contestants(file: &ExperimentFile, matrix: &Matrix, profiles: &[Profile]) -> Result<Vec<Cast>, Failure> {
    let placed = |names: &[PlacedName], name: &str| {
        names.iter().find(|(other, _)| other == name).map_or_else(|| file.place().clone(), |(_, place)| place.clone())
    };
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
                // A bot reads no prompt. As a stand-in it shows what an experiment does, and costs nothing.
                PlayerSpec::Bot(_) => {}
                _ => {
                    let message = format!("`{named}` reads no prompt; name models");
                    return Err(Failure::call(BadFile { problems: vec![Problem { place, message }] }));
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
        return if is_worse {
            2
        } else if open {
            3
        } else {
            0
        };
    }
    if findings.iter().any(|finding| finding.better_among_all) {
        return 0;
    }
    let open = verdicts.iter().any(|verdict| !verdict.settles_better());
    match (is_worse, open) {
        (_, true) => 3,
        (true, false) => 2,
        (false, false) => 1,
    }
}
