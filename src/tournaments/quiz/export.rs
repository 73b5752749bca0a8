//! Quizzes and banks in the forms of other tools: promptfoo's YAML and Inspect's JSON lines.

use serde_json::{Value as Json, json};

use super::super::bank::{BadBank, Bank};
use super::Quiz;
use crate::briefs::{AnswerBy, Language, TurnContext, Variant};
use crate::games::{Refusal, Viewer};

/// The forms that there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Export {
    /// A promptfoo configuration.
    Promptfoo,
    /// An Inspect dataset.
    Inspect,
}

/// A quiz as a promptfoo configuration: prompts, a place for providers, a test an item.
///
/// # Errors
/// If an item cannot be put.
pub fn promptfoo_quiz(quiz: &Quiz, languages: &[Language]) -> Result<String, Refusal> {
    let mut tests = Vec::new();
    for &language in languages {
        for item in &quiz.items {
            // The last line, as JavaScript's expressions have it: they know no flag inside.
            let expected = if item.answer { "[Yy][Ee][Ss]|是" } else { "[Nn][Oo]|否|不是" };
            let last = format!(
                "(?:^|\\n)[ *_`\"“]*(?:[Aa][Nn][Ss][Ww][Ee][Rr]|答案)[ *_`]*[:：][ *_`\"“]*(?:{expected})[\\s.!*_`\"”。！]*$"
            );
            tests.push(json!({
                "description": format!("{} {language}", item.id),
                "vars": { "system": quiz.system(language), "question": quiz.message(item, language)? },
                "assert": [{ "type": "regex", "value": last }],
                "metadata": { "id": item.id, "rule": item.rule, "language": language },
            }));
        }
    }
    Ok(promptfoo("Standoff quiz", &tests))
}

/// A quiz as an Inspect dataset, an item a line.
///
/// # Errors
/// If an item cannot be put.
pub fn inspect_quiz(quiz: &Quiz, languages: &[Language]) -> Result<String, Refusal> {
    let mut text = String::new();
    for &language in languages {
        for item in &quiz.items {
            let (yes, no) = match language {
                Language::En => ("yes", "no"),
                Language::Zh => ("是", "否"),
            };
            let line = json!({
                "id": format!("{}-{language}", item.id),
                "input": [
                    { "role": "system", "content": quiz.system(language) },
                    { "role": "user", "content": quiz.message(item, language)? },
                ],
                "target": if item.answer { yes } else { no },
                "metadata": { "item": item.id, "rule": item.rule, "language": language, "twin": item.twin },
            });
            text.push_str(&line.to_string());
            text.push('\n');
        }
    }
    Ok(text)
}

/// The two messages of an exercise of a bank, as a model gets them that answers in text.
fn messages(bank: &Bank, variant: &Variant, language: Language) -> Result<Vec<(String, String)>, BadBank> {
    let exercises = bank.exercises()?;
    let put = exercises.iter().map(|exercise| {
        let (table, seat) = (&exercise.table, exercise.critical.seat);
        let view = table.view(Viewer::Seat(seat));
        let context = TurnContext { view: &view, seat, since: &[], said: &[], history: &[], notes: None };
        let system = variant.system(table.ruleset(), table.seats(), seat, AnswerBy::Text, language);
        (system, variant.turn(&context, language))
    });
    Ok(put.collect())
}

/// A bank as a promptfoo configuration: an answer scores what it keeps of the chance to win.
///
/// # Errors
/// If a position cannot be set up.
pub fn promptfoo_bank(bank: &Bank, variant: &Variant, language: Language) -> Result<String, BadBank> {
    let put = messages(bank, variant, language)?;
    let tests: Vec<Json> = bank
        .positions
        .iter()
        .zip(put)
        .map(|(critical, (system, question))| {
            // What stands in one line is taken for an expression.
            let script = format!(
                "(() => {{ const values = {}; const top = Math.max(...Object.values(values)); \
                 const spoken = output.replace(/<think(ing)?>[^]*?(<\\/think(ing)?>|$)/gi, '\\n').trim(); \
                 const given = /(?:^|\\n)[ *_`\"“]*(?:action|动作)[ *_`]*[:：]([^\\n]*)$/i.exec(spoken); \
                 const last = given ? given[1].replace(/[*_`.\"“”。]/g, '').trim().toLowerCase() : ''; \
                 const kept = last in values ? 1 - (top - values[last]) : 0; \
                 return {{ pass: kept > 0.95, score: kept, reason: 'best: {}' }}; }})()",
                json!(critical.values),
                critical.best,
            );
            json!({
                "description": critical.id,
                "vars": { "system": system, "question": question },
                "assert": [{ "type": "javascript", "value": script }],
                "metadata": { "id": critical.id, "oracle": bank.oracle, "language": language },
            })
        })
        .collect();
    Ok(promptfoo("Standoff position bank", &tests))
}

/// A bank as an Inspect dataset; the target is the best action, the metadata has the value of every one.
///
/// # Errors
/// If a position cannot be set up.
pub fn inspect_bank(bank: &Bank, variant: &Variant, language: Language) -> Result<String, BadBank> {
    let put = messages(bank, variant, language)?;
    let lines = bank.positions.iter().zip(put).map(|(critical, (system, question))| {
        let line = json!({
            "id": critical.id,
            "input": [{ "role": "system", "content": system }, { "role": "user", "content": question }],
            "target": critical.best,
            "metadata": { "values": critical.values, "gap": critical.gap, "oracle": bank.oracle, "language": language },
        });
        format!("{line}\n")
    });
    Ok(lines.collect())
}

/// A configuration. JSON is YAML: every text stands in it as safely as in any quoting of our own.
fn promptfoo(title: &str, tests: &[Json]) -> String {
    let prompt = json!([
        { "role": "system", "content": "{{ system }}" },
        { "role": "user", "content": "{{ question }}" },
    ]);
    let head = format!(
        "# {title}. Name the models to test under `providers`, then run: promptfoo eval -c FILE\n\
         description: {}\nprompts:\n  - {}\nproviders:\n  - \"openai:chat:gpt-5-mini\"\ntests:\n",
        json!(title),
        json!(prompt.to_string()),
    );
    let tests = tests.iter().map(|test| format!("  - {test}\n"));
    std::iter::once(head).chain(tests).collect()
}
