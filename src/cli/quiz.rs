//! `standoff quiz`: does a model know the rules?

use std::collections::BTreeMap;
use std::io::{BufRead as _, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use futures_util::stream::{self, StreamExt as _};
use serde::Deserialize;
use serde_json::json;

use super::args::RulesetArgs;
use super::bank::ExportTool;
use super::error::Failure;
use super::invite::{self, Invitation, ModelArgs};
use super::person::Keyboard;
use super::players::ConfigArgs;
use super::seat::PlayerSpec;
use crate::briefs::{Language, rule_name};
use crate::games::Seed;
use crate::players::model::Model;
use crate::tournaments::quiz::{Grade, Grades, Quiz, QuizItem, inspect_quiz, promptfoo_quiz, read_answer, yes_or_no};

/// So many questions are under way at once; the limits of the player's endpoint hold besides.
const AT_ONCE: usize = 16;

/// Ask language models yes-or-no questions about the rules. The engine makes the questions and knows the answers.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  standoff quiz --players local                            in English and Chinese, by rule
  standoff quiz --players local --lang zh --per-rule 20
  standoff quiz --ruleset paint                            print the questions and answers, one a line
  standoff quiz --export promptfoo > promptfooconfig.yaml  take them where you already work
  standoff quiz --answers answers.jsonl                    grade lines like {\"id\":…,\"language\":\"en\",\"answer\":\"yes\"}")]
pub(crate) struct QuizCommand {
    #[command(flatten)]
    rules: RulesetArgs,
    /// Which models are asked: players of the configuration or `openai:MODEL`, as in `standoff play`
    #[arg(long, value_name = "LIST", conflicts_with_all = ["export", "answers"])]
    players: Vec<String>,
    #[command(flatten)]
    config: ConfigArgs,
    #[command(flatten)]
    models: ModelArgs,
    /// The number of players (default: the ruleset's)
    #[arg(long, value_name = "N")]
    seats: Option<usize>,
    /// The number of questions per rule, a multiple of four
    #[arg(long, value_name = "N", default_value_t = 12, value_parser = clap::value_parser!(u32).range(1..=1000))]
    per_rule: u32,
    /// Another seed gives other questions
    #[arg(long, value_name = "SEED", default_value = "0")]
    seed: Seed,
    /// One language (default: both)
    #[arg(long, value_name = "en|zh")]
    lang: Option<Language>,
    /// Write the quiz in the form of another tool
    #[arg(long, value_name = "TOOL")]
    export: Option<ExportTool>,
    /// Grade answers from a file: JSON lines with `id`, `language` and `answer`, which is yes or no or all that a model
    /// wrote; `-` is standard input
    #[arg(long, value_name = "FILE", conflicts_with = "export")]
    answers: Option<PathBuf>,
    /// One JSON object per player
    #[arg(long)]
    json: bool,
}

#[derive(Deserialize)]
struct AnswerLine {
    id: String,
    language: Language,
    answer: String,
}

impl QuizCommand {
    /// Asks, grades or exports.
    ///
    /// # Errors
    /// If the call makes no sense, or a model cannot be asked.
    pub(crate) fn run(self, out: &mut impl Write) -> Result<(), Failure> {
        let ruleset = self.rules.resolve()?;
        let seats = self.seats.unwrap_or(ruleset.players.default);
        let quiz = Quiz::build(ruleset, seats, self.per_rule as usize, self.seed).map_err(Failure::call)?;
        let languages = self.lang.map_or_else(|| Language::ALL.to_vec(), |language| vec![language]);
        if let Some(tool) = self.export {
            let text = match tool {
                ExportTool::Promptfoo => promptfoo_quiz(&quiz, &languages),
                ExportTool::Inspect => inspect_quiz(&quiz, &languages),
            };
            return Ok(out.write_all(text.map_err(Failure::work)?.as_bytes())?);
        }
        if let Some(path) = &self.answers {
            let grades = graded(&quiz, path)?;
            return self.print(&path.display().to_string(), &quiz, &grades, &languages, out);
        }
        if self.players.is_empty() {
            return list(&quiz, &languages, out);
        }
        self.ask(&quiz, &languages, out)
    }

    fn ask(&self, quiz: &Quiz, languages: &[Language], out: &mut impl Write) -> Result<(), Failure> {
        let profiles = self.config.load()?.profiles;
        let seated = PlayerSpec::list(&self.players, &profiles).map_err(Failure::call)?;
        let invitation = Invitation {
            ruleset: quiz.ruleset.clone(),
            seats: quiz.ruleset.players.default,
            seed: self.seed,
            language: Language::En,
            budget: Arc::new(self.models.budget()),
            journal: self.models.journal(None)?,
            keyboard: Keyboard::default(),
            shared: false,
        };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(Failure::work)?;
        for seated in &seated {
            let PlayerSpec::Model(profile) = seated else {
                return Err(Failure::call(format!("`{seated}` does not read: only language models take a quiz")));
            };
            let model = invite::model(profile, invitation.budget.clone(), invitation.journal.clone())?;
            let grades = runtime.block_on(examine(&model, quiz, languages)).map_err(|why| {
                Failure::work(format!("{seated}: {why}"))
                    .hint("with --cassette DIR the answers so far are kept and not paid for twice")
            })?;
            self.print(&seated.to_string(), quiz, &grades, languages, out)?;
        }
        Ok(())
    }

    fn print(
        &self,
        player: &str,
        quiz: &Quiz,
        grades: &Grades,
        languages: &[Language],
        out: &mut impl Write,
    ) -> Result<(), Failure> {
        let told = |grade: Grade| json!({ "percent": grade.percent(), "counts": grade });
        if self.json {
            let rules: BTreeMap<&str, BTreeMap<String, _>> = quiz
                .rules()
                .into_iter()
                .map(|rule| {
                    let by = languages.iter().map(|&it| (it.to_string(), told(grades.grade(rule, it))));
                    (rule, by.collect())
                })
                .collect();
            let total: BTreeMap<String, _> =
                languages.iter().map(|&it| (it.to_string(), told(grades.total(it)))).collect();
            let line = json!({ "player": player, "ruleset": quiz.ruleset.name, "rules": rules, "total": total });
            return Ok(writeln!(out, "{line}")?);
        }
        writeln!(out, "{player}: {} questions in each language; guessing has 50 %", quiz.items.len())?;
        for (number, rule) in (1..).zip(quiz.rules()) {
            let by: Vec<String> =
                languages.iter().map(|&it| format!("{it} {:>3.0} %", grades.grade(rule, it).percent())).collect();
            writeln!(out, "  rule {number}, {}: {}", rule_name(rule, Language::En), by.join(", "))?;
        }
        for &language in languages {
            let total = grades.total(language);
            writeln!(
                out,
                "  {language}: {} of {} right ({:.0} %), both of {} of {} pairs, {} unclear",
                total.right,
                total.asked,
                total.percent(),
                total.pairs_right,
                total.pairs,
                total.unclear
            )?;
        }
        Ok(())
    }
}

/// The questions and answers, one per line.
fn list(quiz: &Quiz, languages: &[Language], out: &mut impl Write) -> Result<(), Failure> {
    for item in &quiz.items {
        let mut line = json!(item);
        for &language in languages {
            line[format!("message_{language}")] = json!(quiz.message(item, language).map_err(Failure::work)?);
        }
        writeln!(out, "{line}")?;
    }
    Ok(())
}

/// Puts all questions to a model.
async fn examine(model: &Model, quiz: &Quiz, languages: &[Language]) -> Result<Grades, String> {
    let all: Vec<(&QuizItem, Language)> =
        languages.iter().flat_map(|&language| quiz.items.iter().map(move |item| (item, language))).collect();
    let ask = |(item, language): (&'_ QuizItem, Language)| {
        let name = format!("quiz-{}-{language}", item.id);
        let system = quiz.system(language);
        let message = quiz.message(item, language).map_err(|refusal| refusal.message);
        async move { Ok::<String, String>(model.question(&name, &system, &message?).await?.0) }
    };
    let mut grades = Grades::default();
    let mut answers = stream::iter(all.iter().copied().map(ask)).buffered(AT_ONCE);
    for &(item, language) in &all {
        let Some(answer) = answers.next().await else { break };
        grades.take(item, language, read_answer(&answer?));
    }
    Ok(grades)
}

fn graded(quiz: &Quiz, path: &Path) -> Result<Grades, Failure> {
    let mut grades = Grades::default();
    for (number, line) in super::replay::open(path)?.lines().enumerate() {
        let line = line.map_err(|error| Failure::work(format!("cannot read {}: {error}", path.display())))?;
        if line.trim().is_empty() {
            continue;
        }
        let bad = |why: String| Failure::call(format!("{}, line {}: {why}", path.display(), number + 1));
        let AnswerLine { id, language, answer } =
            serde_json::from_str(&line).map_err(|error| bad(error.to_string()))?;
        let item = quiz.items.iter().find(|item| item.id == id).ok_or_else(|| {
            bad(format!("no question `{id}`")).hint("grade with the --ruleset, --per-rule and --seed of the questions")
        })?;
        grades.take(item, language, yes_or_no(&answer).or_else(|| read_answer(&answer)));
    }
    Ok(grades)
}
