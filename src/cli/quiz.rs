//! `standoff quiz`: does a model know the rules?

use std::collections::BTreeMap;
use std::io::{BufRead as _, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use serde::Deserialize;
use serde_json::json;

use super::args::RulesetArgs;
use super::ask::{AskArgs, Session};
use super::bank::ExportTool;
use super::error::Failure;
use super::invite;
use super::messages::TranslatedOutput;
use super::players::ConfigArgs;
use super::seat::PlayerSpec;
use super::storage;
use crate::briefs::{Language, rule_name};
use crate::games::Seed;
use crate::players::model::Model;
use crate::tournaments::quiz::{
    Grade, Grades, QUIZ_VERSION, Quiz, QuizItem, inspect_quiz, promptfoo_quiz, read_answer, yes_or_no,
};

/// Ask language models yes-or-no questions about the rules. The engine makes the questions and knows the answers.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  standoff quiz --players local                            in English and Chinese, by rule
  standoff quiz --players local --lang zh --per-rule 20
  standoff quiz --players local --resume                   go on where it stopped; nothing is paid twice
  standoff quiz --ruleset paint                            print the questions and answers, one per line
  standoff quiz --export promptfoo > promptfooconfig.yaml  take them where you already work
  standoff quiz --answers answers.jsonl                    grade lines like {\"id\":…,\"language\":\"en\",\"answer\":\"yes\"}")]
pub(crate) struct QuizCommand {
    #[command(flatten)]
    rules: RulesetArgs,
    /// Which models are asked: players of the configuration or `openai:MODEL` and the like, as in `standoff play`
    #[arg(long, value_name = "LIST", conflicts_with_all = ["export", "answers"])]
    players: Vec<String>,
    #[command(flatten)]
    config: ConfigArgs,
    #[command(flatten)]
    asking: AskArgs,
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
    pub(crate) fn run(self, out: &mut TranslatedOutput<impl Write>) -> Result<(), Failure> {
        let ruleset = self.rules.resolve()?;
        let seats = self.seats.unwrap_or(ruleset.players.default);
        let quiz = Quiz::build(ruleset, seats, self.per_rule as usize, self.seed).map_err(Failure::call)?;
        let languages = self.lang.map_or_else(|| Language::ALL.to_vec(), |language| vec![language]);
        if let Some(tool) = self.export {
            let text = match tool {
                ExportTool::Promptfoo => promptfoo_quiz(&quiz, &languages),
                ExportTool::Inspect => inspect_quiz(&quiz, &languages),
            };
            return Ok(out.raw()?.write_all(text.map_err(Failure::work)?.as_bytes())?);
        }
        if let Some(path) = &self.answers {
            let grades = graded(&quiz, path)?;
            return self.print(&path.display().to_string(), &quiz, &grades, &languages, out);
        }
        if self.players.is_empty() {
            return list(&quiz, &languages, out.raw()?);
        }
        self.ask(&quiz, &languages, out)
    }

    fn ask(&self, quiz: &Quiz, languages: &[Language], out: &mut impl Write) -> Result<(), Failure> {
        let profiles = self.config.load()?.known;
        let players = PlayerSpec::list(&self.players, &profiles).map_err(Failure::call)?;
        if let Some(player) = players.iter().find(|player| !matches!(player, PlayerSpec::Model(_))) {
            return Err(Failure::call(format!("`{player}` does not read: only language models take a quiz")));
        }
        let what = self.fingerprint(quiz, languages, &players)?;
        storage::block_on(async {
            let mut session = self.asking.open("quiz", &what, &players).await?;
            let asked = self.ask_all(&mut session, quiz, languages, &players).await;
            let grades = session.close(asked, &self.asking.models).await?;
            for (player, grades) in players.iter().zip(grades) {
                self.print(&player.to_string(), quiz, &grades, languages, out)?;
            }
            Ok(())
        })
    }

    /// Puts every question to every player, in every language.
    async fn ask_all(
        &self,
        session: &mut Session,
        quiz: &Quiz,
        languages: &[Language],
        players: &[PlayerSpec],
    ) -> Result<Vec<Grades>, Failure> {
        let mut models = Vec::new();
        for player in players {
            if let PlayerSpec::Model(profile) = player {
                models.push(invite::model(profile, session.budget.clone(), session.journal.clone())?);
            }
        }
        let mut jobs = Vec::new();
        for (number, model) in models.iter().enumerate() {
            for &language in languages {
                for item in &quiz.items {
                    let name = session.name(number, &format!("{}-{language}", item.id));
                    jobs.push(Question { model, name, item, language });
                }
            }
        }
        let mut answers = session.all(jobs, |question| question.put(quiz)).await?.into_iter();
        let graded = models.iter().map(|_| {
            let mut grades = Grades::default();
            for &language in languages {
                for (item, answer) in quiz.items.iter().zip(answers.by_ref()) {
                    grades.take(item, language, read_answer(&answer));
                }
            }
            grades
        });
        Ok(graded.collect())
    }

    /// Which quiz it is, and whom it is put to.
    fn fingerprint(&self, quiz: &Quiz, languages: &[Language], players: &[PlayerSpec]) -> Result<String, Failure> {
        let players = invite::fingerprints(players, Language::En)?;
        let languages: Vec<String> = languages.iter().map(ToString::to_string).collect();
        Ok(json!({
            "version": QUIZ_VERSION, "ruleset": quiz.ruleset, "seats": self.seats, "per_rule": self.per_rule,
            "seed": self.seed, "languages": languages, "players": players,
        })
        .to_string())
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
                languages.iter().map(|&it| format!("{it} {}", grades.grade(rule, it).in_words())).collect();
            writeln!(out, "  rule {number}, {}: {}", rule_name(rule, Language::En), by.join(", "))?;
        }
        for &language in languages {
            let total = grades.total(language);
            writeln!(
                out,
                "  {language}: {} of {} right ({}), both of {} of {} pairs, {} unclear",
                total.right,
                total.read(),
                total.in_words().trim_start(),
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

/// A question to a model.
struct Question<'a> {
    model: &'a Model,
    /// What the journal knows it by.
    name: String,
    item: &'a QuizItem,
    language: Language,
}

impl Question<'_> {
    async fn put(self, quiz: &Quiz) -> Result<String, String> {
        let Question { model, name, item, language } = self;
        let message = quiz.message(item, language).map_err(|refusal| refusal.message)?;
        Ok(model.question(&name, &quiz.system(language), &message).await?.0)
    }
}

fn graded(quiz: &Quiz, path: &Path) -> Result<Grades, Failure> {
    let mut grades = Grades::default();
    for (number, line) in super::replay::open(path)
        .map_err(|failure| failure.hint("`standoff quiz` prints the questions, one per line"))?
        .lines()
        .enumerate()
    {
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
