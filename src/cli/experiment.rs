//! `standoff experiment`: which prompt plays better, and how sure that is.

use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use serde_json::json;

use super::error::Failure;
use super::storage;
use super::tournament::cast::{self, Cast};
use super::tournament::start::{self, Draft, IfOver, RunArgs, Started};
use crate::briefs::Language;
use crate::cli::seat::Seated;
use crate::players::Profile;
use crate::rules::fields::{BadFile, Problem};
use crate::rules::ruleset::Ruleset;
use crate::tournaments::experiment::{Experiment as Trial, ExperimentFile, Finding, Matrix, Player, Question};
use crate::tournaments::file::Placed;
use crate::tournaments::run;
use crate::tournaments::verdict::Verdict;

/// An example with every field, for `--init`.
const EXAMPLE: &str = include_str!("experiment.toml");

/// Compare prompt variants by paired games, with a verdict whose errors are bounded at any moment.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  standoff experiment --init > brief.toml           an example to begin with
  standoff experiment brief.toml                    play until every comparison is decided
  standoff experiment brief.toml --resume           go on where it stopped
  standoff experiment brief.toml --baseline standard && echo ship it

Exit codes: 0 some variant is better, 1 none is better, 2 one is worse, 3 undecided. With --baseline: 0 no variant is
worse than it by delta, 2 one is worse, 3 undecided. Where the work fails or the call is wrong: 1 and 2 with an error.")]
pub(crate) struct Experiment {
    /// The file that describes it
    #[arg(required_unless_present = "init")]
    file: Option<PathBuf>,
    /// Print a commented example
    #[arg(long, exclusive = true)]
    init: bool,
    /// The variant that nothing may be worse than, whatever the file says
    #[arg(long, value_name = "VARIANT")]
    baseline: Option<String>,
    #[command(flatten)]
    args: RunArgs,
}

impl Experiment {
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
        let (draft, mut trial) = self.draft()?;
        let (id, planned, again) = (draft.id.clone(), draft.planned, draft.again.clone());
        let store = self.args.store.open().await?;
        let played = self.args.play(draft, &store, Some(&mut trial), IfOver::ReadAgain, out).await;
        store.close().await;
        let Started::Played(played) = played? else { return Ok(()) };
        let findings = trial.findings();
        if self.args.json {
            writeln!(out, "{}", json!({ "type": "findings", "experiment": id, "findings": findings }))?;
        } else {
            print(&findings, out)?;
        }
        out.flush()?;
        self.args.ended(&played.report, planned, &again)?;
        match exit_code(&findings, self.baseline.is_some()) {
            0 => Ok(()),
            code => Err(Failure::verdict(code)),
        }
    }

    fn draft(&self) -> Result<(Draft, Trial), Failure> {
        let path = self.file.as_deref().unwrap_or(std::path::Path::new(""));
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
        let courses = start::courses(&file.rulesets, &file.maps, 2).map_err(hinted)?;
        let setup = file.setup(&matrix, courses.len());
        let planned = run::planned_games(&setup)
            .map_err(|error| hinted(BadFile::new(file.place().clone(), error.to_string())))?;
        let rulesets: Vec<Arc<Ruleset>> = courses.iter().map(|course| course.ruleset.clone()).collect();
        let models: Vec<_> = cast.iter().map(|one| one.model.clone()).collect();
        let (id, fingerprint) = file.id(&rulesets, &models);
        let question = if self.baseline.is_some() { Question::IsNotWorse } else { Question::IsBetter };
        let trial = Trial::new(matrix, file.settings, question);
        let draft = Draft {
            id,
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
            again: start::again("experiment", self.file.as_ref()),
        };
        Ok((draft, trial))
    }
}

/// Whom the matrix stands for.
fn contestants(file: &ExperimentFile, matrix: &Matrix, profiles: &[Profile]) -> Result<Vec<Cast>, Failure> {
    let placed = |names: &[Placed], name: &str| {
        names.iter().find(|(other, _)| other == name).map_or_else(|| file.place().clone(), |(_, place)| place.clone())
    };
    let mut cast = Vec::new();
    for player in matrix.players() {
        let (named, place, languages) = match player {
            Player::Anchor(name) => (name, placed(&file.anchors, name), Language::En),
            Player::Prompted { model, language, .. } => (model, placed(&file.models, model), *language),
        };
        let mut found = cast::of(&[(named.clone(), place.clone())], languages, profiles)?;
        let Some(mut one) = found.pop() else { continue };
        if let Player::Prompted { variant, language, .. } = player {
            match &mut one.seated {
                Seated::Model(profile) => {
                    profile.prompt.clone_from(variant);
                    profile.language = Some(*language);
                    one.model = cast::model_info(&one.seated, *language)?;
                }
                // A bot reads no prompt. As a stand-in it shows what an experiment does, and costs nothing.
                Seated::Bot(_) => {}
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

fn print(findings: &[Finding], out: &mut impl Write) -> io::Result<()> {
    for finding in findings {
        let by = finding.against.as_ref().map(|bot| format!(" by games with {bot}")).unwrap_or_default();
        let noise = if finding.is_noise { " (the same prompt twice: the noise)" } else { "" };
        writeln!(out, "{} is {} than {}{by}{noise}", finding.one, said(finding.verdict), finding.other)?;
        writeln!(
            out,
            "    score {:.3} ({:.3} to {:.3}), {:+.0} Elo, {} blocks, evidence {:.1}{}",
            finding.score,
            finding.low,
            finding.high,
            finding.elo,
            finding.blocks,
            finding.e_value,
            if finding.better_among_all { ", also among all questions asked" } else { "" },
        )?;
    }
    Ok(())
}

/// A verdict that goes before "than".
fn said(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Better => "better",
        Verdict::Worse => "worse",
        Verdict::NoDifference => "no better and no worse",
        Verdict::NotBetter => "not better",
        Verdict::NotWorse => "not worse",
        Verdict::Undecided => "not yet known to be better",
    }
}
