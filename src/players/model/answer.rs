//! What a reply amounts to: an action, a failure that is the player's, or a look at the position.

#[cfg(test)]
mod tests;

use std::fmt;

use serde::de::{Error as _, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value as Json, json};
use tracing::field::Empty;

use super::fault::Rejected;
use super::genai;
use super::reader::{self, Given, Missing};
use super::reply::{Reply, ToolCall};
use crate::briefs::{AnswerBy, Language, ToolNote, Variant};
use crate::games::refusal::Refusal;
use crate::games::speech::{Speech, check_message};
use crate::matches::{Attempt, BadForm, Problem};
use crate::players::player::{Answer, Ask, PlayerError};

/// What a reply amounts to.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum ReplyVerdict {
    /// An answer that was read, whether or not the rules take it.
    Act {
        answer: Result<Answer, PlayerError>,
        /// What the model notes for itself.
        notes: Option<String>,
    },
    /// No answer that could be read.
    Failed(Attempt),
    /// The model looked around and goes on.
    GoOn,
}

/// What a model gives in a turn, in JSON or by tool: our fields, or the game's own JSON form of an action.
#[derive(Deserialize)]
struct Fields {
    #[serde(default)]
    action: Option<Json>,
    #[serde(default)]
    reasoning: Option<Json>,
    #[serde(default)]
    say: Option<Json>,
    #[serde(default)]
    notes: Option<Json>,
    #[serde(flatten)]
    rest: Once,
}

/// Fields of which each is given once: which of two a model has chosen, nobody can tell.
pub(super) struct Once(pub(super) Map<String, Json>);

impl<'de> Deserialize<'de> for Once {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Once, D::Error> {
        struct Fields;
        impl<'de> Visitor<'de> for Fields {
            type Value = Once;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Once, A::Error> {
                let mut once = Map::new();
                while let Some((name, value)) = fields.next_entry::<String, Json>()? {
                    if once.contains_key(&name) {
                        return Err(A::Error::custom(format_args!("duplicate field `{name}`")));
                    }
                    once.insert(name, value);
                }
                Ok(Once(once))
            }
        }
        deserializer.deserialize_map(Fields)
    }
}

/// The results of tool calls, and what they did.
#[derive(Debug, Default)]
pub(super) struct Called {
    /// By the call's own name. The one that acted has none: the model learns of it only if it failed.
    pub(super) results: Vec<(String, String)>,
    /// The call that acted, and what came of it.
    pub(super) acted: Option<(String, ReplyVerdict)>,
}

/// What a reply without tool calls amounts to.
pub(super) fn judge(reply: &Reply, by: AnswerBy, ask: &Ask) -> ReplyVerdict {
    let content = reply.content.trim();
    if let Some(Rejected { text, words }) = &reply.rejected {
        return ReplyVerdict::Failed(Attempt { text: text.clone(), problem: Problem::Rejected(words.clone()) });
    }
    if let Some(refusal) = &reply.declined {
        let text = if content.is_empty() { refusal.clone() } else { content.to_owned() };
        return ReplyVerdict::Failed(Attempt { text, problem: Problem::Declined });
    }
    if reply.truncated {
        return ReplyVerdict::Failed(Attempt { text: content.to_owned(), problem: Problem::Truncated });
    }
    if content.is_empty() {
        return ReplyVerdict::Failed(Attempt::nothing());
    }
    match by {
        AnswerBy::Json if content.starts_with('{') => in_json(content, ask, BadForm::Json),
        AnswerBy::Json => match reader::spoken(content).trim() {
            "" => ReplyVerdict::Failed(Attempt::nothing()),
            spoken => in_json(spoken, ask, BadForm::Json),
        },
        AnswerBy::Tools | AnswerBy::Text => in_text(content, ask),
    }
}

/// The whole must be one JSON object, with the action in notation or in the game's own JSON form. It is read once.
fn in_json(text: &str, ask: &Ask, no_object: BadForm) -> ReplyVerdict {
    if !text.trim_start().starts_with('{') {
        return misformed(text, no_object);
    }
    let given: Fields = match serde_json::from_str(text) {
        Ok(given) => given,
        Err(error) => return ReplyVerdict::Failed(Attempt::refused(text, Refusal::unreadable_json(&error))),
    };
    match given {
        Fields { action: Some(Json::String(action)), reasoning, say, notes, rest: Once(rest) }
            if rest.is_empty() && [&reasoning, &say, &notes].into_iter().flatten().all(Json::is_string) =>
        {
            let word = |given: Option<Json>| given.as_ref().and_then(Json::as_str).map(str::to_owned);
            let (say, reasoning) = (word(say), word(reasoning));
            let answer = ask.answer(&action).map(|answer| answer.with(say, reasoning.as_deref()));
            ReplyVerdict::Act { answer, notes: word(notes) }
        }
        Fields { action, reasoning, say, notes, rest: Once(mut object) } => {
            let ours = [("action", action), ("reasoning", reasoning), ("say", say), ("notes", notes)];
            object.extend(ours.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?))));
            ReplyVerdict::Act { answer: ask.answer(object), notes: None }
        }
    }
}

/// What the last line gives behind its label, thoughts aside.
fn in_text(text: &str, ask: &Ask) -> ReplyVerdict {
    let spoken = reader::spoken(text);
    match reader::read(&spoken, reader::ACTION) {
        Ok(Given { value, say, notes, above }) => {
            let thought = Some(above.to_owned()).filter(|above| !above.is_empty());
            let answer = ask.answer(value).map(|answer| {
                let mut answer = answer.with(say.map(str::to_owned), None);
                answer.think(thought.as_slice());
                answer
            });
            ReplyVerdict::Act { answer, notes: notes.map(str::to_owned) }
        }
        Err(Missing::Words) => ReplyVerdict::Failed(Attempt::nothing()),
        Err(Missing::Label(line)) => misformed(line, BadForm::Label),
        Err(Missing::Choice(line)) => misformed(line, BadForm::Several),
    }
}

/// Does what the tool calls ask for, in order; what is said is kept in `say`. Calls that act must agree: which of several
/// actions a model has chosen, nobody can tell.
pub(super) fn call(
    calls: &[ToolCall],
    ask: &Ask,
    say: &mut Option<String>,
    variant: &Variant,
    language: Language,
) -> Called {
    let legal = variant.shows_legal();
    let mut called = Called::default();
    let speech = ask.view.ruleset().speech;
    let acts = |call: &&ToolCall| call.name == "act" || (call.name == "speak" && speech == Speech::Turn);
    let mut acting = calls.iter().filter(acts);
    let one_action = acting.next().is_none_or(|first| acting.all(|other| is_same_call(first, other)));
    for call in calls {
        let span = tracing::info_span!(
            "execute_tool",
            { genai::SPAN_NAME } = format!("execute_tool {}", call.name),
            { genai::OPERATION } = "execute_tool",
            { genai::SESSION } = ask.match_id,
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
        let speaks = call.name == "speak" && speech == Speech::Turn;
        let result = match call.name.as_str() {
            name if (name == "act" || speaks) && called.acted.is_some() => {
                variant.tool_note(ToolNote::ActedAlready, language)
            }
            name if name == "act" || speaks => {
                let arguments = &call.arguments;
                let verdict = if !one_action {
                    let all: Vec<&str> = calls.iter().filter(acts).map(|call| call.arguments.as_str()).collect();
                    misformed(&all.join(" "), BadForm::Several)
                } else if speaks {
                    spoken(arguments, ask)
                } else {
                    in_json(arguments, ask, BadForm::Arguments)
                };
                called.acted = Some((call.id.clone(), verdict));
                continue;
            }
            "get_state" => state(ask, legal).to_string(),
            "list_legal_actions" if legal => json!({ "legal_actions": ask.view.legal(ask.seat) }).to_string(),
            "speak" if speech == Speech::Free => talk(&call.arguments, say, variant, language),
            name => variant.tool_note(ToolNote::Unknown(name), language),
        };
        if content {
            span.record(genai::TOOL_RESULT, &result);
        }
        called.results.push((call.id.clone(), result));
    }
    called
}

/// What came of a tool that was called one at a time.
pub(in crate::players) enum ToolOutcome {
    /// What it says. The turn goes on.
    Told(String),
    /// The seat has acted, or tried to.
    Acted(Result<Answer, PlayerError>),
}

/// Does what one call of an agent asks for, as if a model at the table had called.
pub(in crate::players) fn hear_tool(
    name: &str,
    arguments: &str,
    ask: &Ask,
    say: &mut Option<String>,
    variant: &Variant,
    language: Language,
) -> ToolOutcome {
    let one = ToolCall { id: String::new(), name: name.to_owned(), arguments: arguments.to_owned() };
    let mut called = call(&[one], ask, say, variant, language);
    match called.acted {
        Some((_, ReplyVerdict::Act { answer, .. })) => ToolOutcome::Acted(answer),
        Some((_, ReplyVerdict::Failed(attempt))) => ToolOutcome::Acted(Err(PlayerError::NoAction(attempt))),
        Some((_, ReplyVerdict::GoOn)) | None => ToolOutcome::Told(called.results.pop().unwrap_or_default().1),
    }
}

/// Reads what an agent wrote without a call, as if a model at the table had.
pub(in crate::players) fn hear_words(text: &str, ask: &Ask) -> Result<Answer, PlayerError> {
    let reply = Reply { content: text.to_owned(), ..Reply::default() };
    match judge(&reply, AnswerBy::Tools, ask) {
        ReplyVerdict::Act { answer, .. } => answer,
        ReplyVerdict::Failed(attempt) => Err(PlayerError::NoAction(attempt)),
        ReplyVerdict::GoOn => Err(PlayerError::NoAction(Attempt::nothing())),
    }
}

/// Whether two calls are the same, however their arguments are written.
fn is_same_call(one: &ToolCall, other: &ToolCall) -> bool {
    let read = |call: &ToolCall| serde_json::from_str::<Json>(&call.arguments).ok();
    one.name == other.name && (one.arguments == other.arguments || (read(one).is_some() && read(one) == read(other)))
}

/// What `get_state` shows.
fn state(ask: &Ask, legal: bool) -> serde_json::Value {
    let mut shown = json!({ "seat": ask.seat, "your_turn": ask.view.must_act(ask.seat), "state": ask.view.state() });
    if legal {
        shown["legal_actions"] = json!(ask.view.legal(ask.seat));
    }
    shown
}

#[derive(Deserialize)]
struct Words {
    text: String,
}

/// Where speaking is an action.
fn spoken(arguments: &str, ask: &Ask) -> ReplyVerdict {
    match serde_json::from_str::<Words>(arguments) {
        Ok(words) => ReplyVerdict::Act { answer: ask.answer(&format!("speak {}", words.text)), notes: None },
        Err(_) => misformed(arguments, BadForm::Speech),
    }
}

/// Where speaking is free.
fn talk(arguments: &str, say: &mut Option<String>, variant: &Variant, language: Language) -> String {
    let note = match serde_json::from_str::<Words>(arguments) {
        Ok(_) if say.is_some() => ToolNote::SaidAlready,
        Ok(words) if check_message(&words.text).is_ok() => {
            *say = Some(words.text);
            ToolNote::Said
        }
        _ => ToolNote::NotSaid,
    };
    variant.tool_note(note, language)
}

fn misformed(text: &str, form: BadForm) -> ReplyVerdict {
    ReplyVerdict::Failed(Attempt::misformed(text, form))
}
