//! What a reply amounts to: an action, a failure that is the player's, or a look at the position.

use serde::Deserialize;
use serde_json::json;
use tracing::field::Empty;

use super::genai;
use super::reply::{Reply, ToolCall};
use crate::briefs::{AnswerBy, Language, ToolNote, tool_note};
use crate::games::refusal::{Code, Refusal};
use crate::games::speech::{Speech, check_message};
use crate::games::table::Table;
use crate::players::player::{Ask, Attempt, Problem};

/// How many lines from the end are looked at for an action. Nobody says so much after it.
const MAX_LINES: usize = 200;

/// What a reply amounts to.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Verdict {
    /// An action, for the referee to judge.
    Act(Given),
    /// No action.
    Failed(Attempt),
    /// The model looked around and goes on.
    GoOn,
}

/// What a model gives in a turn, in JSON or by tool.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Given {
    pub(super) action: String,
    #[serde(default)]
    pub(super) reasoning: Option<String>,
    #[serde(default)]
    pub(super) say: Option<String>,
    #[serde(default)]
    pub(super) notes: Option<String>,
}

/// The results of tool calls, and what they did.
#[derive(Debug, Default)]
pub(super) struct Called {
    /// By the call's own name. The one that acted has none yet: the referee has to judge it.
    pub(super) results: Vec<(String, String)>,
    /// The call that acted, and what came of it.
    pub(super) acted: Option<(String, Verdict)>,
}

/// What a reply without tool calls amounts to.
pub(super) fn judge(reply: &Reply, by: AnswerBy, table: &Table) -> Verdict {
    let content = reply.content.trim();
    if let Some(refusal) = &reply.declined {
        let text = if content.is_empty() { refusal.clone() } else { content.to_owned() };
        return Verdict::Failed(Attempt { text, problem: Problem::Declined });
    }
    if reply.truncated {
        return Verdict::Failed(Attempt { text: content.to_owned(), problem: Problem::Truncated });
    }
    if content.is_empty() {
        return Verdict::Failed(Attempt::nothing());
    }
    match by {
        AnswerBy::Json => in_json(content),
        AnswerBy::Tools | AnswerBy::Text => in_text(content, table),
    }
}

/// The whole must be one JSON object, with the action in notation or in the game's own JSON form.
fn in_json(text: &str) -> Verdict {
    if !text.starts_with('{') {
        return unreadable(text, "the answer is not one JSON object");
    }
    Verdict::Act(serde_json::from_str(text).unwrap_or_else(|_| plain(text)))
}

/// The last line that reads as an action. Nothing is rescued out of a line.
fn in_text(text: &str, table: &Table) -> Verdict {
    let lines: Vec<&str> = text.lines().rev().map(str::trim).filter(|line| !line.is_empty()).take(MAX_LINES).collect();
    let labelled = |label: &str| {
        let word = |line: &&str| {
            let rest = line.strip_prefix(label)?;
            rest.strip_prefix(':').or_else(|| rest.strip_prefix('：')).map(|text| text.trim().to_owned())
        };
        lines.iter().find_map(word)
    };
    match lines.iter().find_map(|line| Some((line, table.read(line).ok()?))) {
        Some((line, reading)) => Verdict::Act(Given {
            action: (*line).to_owned(),
            reasoning: reading.1,
            say: labelled("SAY"),
            notes: labelled("NOTES"),
        }),
        // The referee says best what is wrong with it.
        None if lines.len() == 1 => Verdict::Act(plain(text)),
        None => Verdict::Failed(Attempt { text: text.to_owned(), problem: Problem::Nothing }),
    }
}

/// Does what the tool calls ask for, in order. The first that acts counts; what is said is kept in `say`.
pub(super) fn call(calls: &[ToolCall], ask: &Ask, say: &mut Option<String>, legal: bool, language: Language) -> Called {
    let mut called = Called::default();
    let speech = ask.table.ruleset().speech;
    for call in calls {
        let span = tracing::info_span!(
            "execute_tool",
            { genai::SPAN_NAME } = format!("execute_tool {}", call.name),
            { genai::OPERATION } = "execute_tool",
            { genai::TOOL_NAME } = call.name,
            { genai::TOOL_CALL_ID } = call.id,
            { genai::TOOL_TYPE } = "function",
            { genai::TOOL_ARGUMENTS } = Empty,
            { genai::TOOL_RESULT } = Empty,
        )
        .entered();
        let content = !span.is_disabled() && genai::wants_content();
        if content {
            span.record(genai::TOOL_ARGUMENTS, &call.arguments);
        }
        let act = match call.name.as_str() {
            "act" => Some(arguments(&call.arguments)),
            "speak" if speech == Speech::Turn => Some(spoken(&call.arguments)),
            _ => None,
        };
        let result = match (act, call.name.as_str()) {
            (Some(_), _) if called.acted.is_some() => tool_note(ToolNote::ActedAlready, language),
            (Some(verdict), _) => {
                called.acted = Some((call.id.clone(), verdict));
                continue;
            }
            (None, "get_state") => state(ask, legal).to_string(),
            (None, "list_legal_actions") if legal => json!({ "legal_actions": ask.table.legal(ask.seat) }).to_string(),
            (None, "speak") if speech == Speech::Free => talk(&call.arguments, say, language),
            (None, name) => tool_note(ToolNote::Unknown(name), language),
        };
        if content {
            span.record(genai::TOOL_RESULT, &result);
        }
        called.results.push((call.id.clone(), result));
    }
    called
}

/// What `get_state` shows.
fn state(ask: &Ask, legal: bool) -> serde_json::Value {
    let table = &ask.table;
    let mut shown = json!({ "seat": ask.seat, "your_turn": table.to_act().contains(ask.seat), "state": table.state() });
    if legal {
        shown["legal_actions"] = json!(table.legal(ask.seat));
    }
    shown
}

/// The arguments of `act`: ours, or the game's own JSON form of an action.
fn arguments(text: &str) -> Verdict {
    match serde_json::from_str::<Given>(text) {
        Ok(given) => Verdict::Act(given),
        Err(_) if text.trim_start().starts_with('{') => Verdict::Act(plain(text)),
        Err(_) => unreadable(text, "the arguments of `act` are not a JSON object"),
    }
}

#[derive(Deserialize)]
struct Words {
    text: String,
}

/// Where speaking is an action.
fn spoken(arguments: &str) -> Verdict {
    match serde_json::from_str::<Words>(arguments) {
        Ok(words) => Verdict::Act(plain(&format!("speak {}", words.text))),
        Err(_) => unreadable(arguments, "the arguments of `speak` are not a JSON object with a `text`"),
    }
}

/// Where speaking is free.
fn talk(arguments: &str, say: &mut Option<String>, language: Language) -> String {
    let note = match serde_json::from_str::<Words>(arguments) {
        Ok(_) if say.is_some() => ToolNote::SaidAlready,
        Ok(words) if check_message(&words.text).is_ok() => {
            *say = Some(words.text);
            ToolNote::Said
        }
        _ => ToolNote::NotSaid,
    };
    tool_note(note, language)
}

fn plain(action: &str) -> Given {
    Given { action: action.to_owned(), ..Given::default() }
}

fn unreadable(text: &str, why: &str) -> Verdict {
    let problem = Problem::Refused(Refusal::new(Code::UnreadableAction, why));
    Verdict::Failed(Attempt { text: text.to_owned(), problem })
}
