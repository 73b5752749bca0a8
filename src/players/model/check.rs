//! What a model can do: asked once, with tiny questions.

use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};

use super::Model;
use super::call::{CallContext, CallError, Unasked};
use super::conversation::{Form, Message};
use super::failure::{Failure, FailureKind};
use super::reply::Reply;
use super::trial::Trial;
use crate::briefs::{AnswerBy, Language, Tool, tool_text};
use crate::games::seat::Seat;
use crate::players::profile::{Mode, Profile, Thinking};
use crate::players::turn::TurnLog;

/// Room for a model that thinks before it says a word.
const MAX_TOKENS: u32 = 512;

/// What was found out about a model.
#[derive(Clone, Debug, PartialEq)]
pub struct Check {
    /// Whether the endpoint answers at all.
    pub reachable: CheckFinding,
    /// Whether it takes the key.
    pub key: CheckFinding,
    /// Whether it has the model.
    pub model: CheckFinding,
    /// Whether the model calls tools.
    pub tools: CheckFinding,
    /// Whether the model answers under a JSON schema.
    pub json_schema: CheckFinding,
    /// Whether answers come piece by piece.
    pub streaming: CheckFinding,
    /// Whether it thinks before it answers.
    pub thinking: CheckFinding,
    /// Whether it says how many tokens it used.
    pub usage: CheckFinding,
    /// Whether it reads what it was told before from a cache.
    pub caching: CheckFinding,
    /// Whether it counts what it writes to that cache.
    pub cache_writes: bool,
    /// How long it took to answer the smallest question.
    pub latency: Option<Duration>,
    /// How it would be asked in mode `auto`; none if it cannot be asked at all.
    pub mode: Option<Mode>,
    /// What to change in the profile.
    pub advice: Vec<Advice>,
}

/// Something to change in a profile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Advice {
    /// The line to write, or the field to leave out.
    pub change: String,
    /// What speaks for it, in a sentence.
    pub why: String,
}

/// An answer to a question about a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CheckFinding {
    /// The endpoint does what was tried.
    Yes,
    /// No, and why.
    No(String),
    /// It cannot be told, and why.
    Unknown(String),
}

impl Check {
    /// Of a model of which nothing is known yet.
    pub fn unknown(why: &str) -> Check {
        let unknown = || CheckFinding::Unknown(why.to_owned());
        Check {
            reachable: unknown(),
            key: unknown(),
            model: unknown(),
            tools: unknown(),
            json_schema: unknown(),
            streaming: unknown(),
            thinking: unknown(),
            usage: unknown(),
            caching: unknown(),
            cache_writes: false,
            latency: None,
            mode: None,
            advice: Vec::new(),
        }
    }
}

impl Model {
    /// Asks the endpoint some tiny questions, each once and without the journal, and says what works. What the endpoint
    /// refuses of a profile is left out or changed, as its words say, and asked again.
    pub async fn check(&self) -> Check {
        let mut check = Check::unknown("the model could not be asked");
        let mut trial = Trial { model: self, profile: self.inner.profile.clone(), advice: Vec::new() };
        let begun = Instant::now();
        let first = trial.ask(&Form::Text, &words("ready")).await;
        let latency = begun.elapsed();
        (check.reachable, check.key, check.model) = (CheckFinding::Yes, CheckFinding::Yes, CheckFinding::Yes);
        let first = match first {
            Ok(first) => first,
            Err(failure) => {
                let why = failure.sentence(&self.inner.profile, self.inner.endpoint.name());
                let unasked = CheckFinding::Unknown("the endpoint did not say".to_owned());
                match failure.kind {
                    FailureKind::Status(401 | 403) => (check.key, check.model) = (CheckFinding::No(why), unasked),
                    FailureKind::Status(404) => check.model = CheckFinding::No(why),
                    FailureKind::Status(_) | FailureKind::Quota | FailureKind::Filtered | FailureKind::TooLong => {
                        check.model = CheckFinding::Unknown(why);
                    }
                    _ => (check.reachable, check.key, check.model) = (CheckFinding::No(why), unasked.clone(), unasked),
                }
                return Check { advice: trial.advice, ..check };
            }
        };
        check.latency = Some(latency);
        check.model = self.listed().await;
        let tools = trial.ask(&tools_form(), &words("question")).await.map(|answer| answer.0);
        check.tools = self.finding(tools_work(&tools));
        if let (CheckFinding::Yes, Ok(reply)) = (&check.tools, &tools)
            && let Err(failure) = trial.ask_again(reply).await
            && failure.is_unsupported()
        {
            let why = failure.sentence(&self.inner.profile, self.inner.endpoint.name());
            check.tools = CheckFinding::No(format!(
                "it calls tools, but the request that brings a tool's result is refused: {why}"
            ));
        }
        let json = trial.ask(&json_form(), &words("question")).await.map(|answer| answer.0);
        check.json_schema = self.finding(json_works(&json));
        let again = trial.ask(&Form::Text, &words("ready")).await.map(|answer| answer.0);
        let mode = match (&check.tools, &check.json_schema) {
            (CheckFinding::Yes, _) => Mode::Tools,
            (_, CheckFinding::Yes) => Mode::Json,
            _ => Mode::Text,
        };
        check.mode = Some(mode);
        let replies = [Ok(&first.0), tools.as_ref(), json.as_ref(), again.as_ref()];
        let replies: Vec<&Reply> = replies.into_iter().flatten().collect();
        check.streaming = match (trial.profile.stream, first.1) {
            (true, true) => CheckFinding::Yes,
            (true, false) => CheckFinding::No("answers come whole, though pieces were asked for".to_owned()),
            (false, _) => CheckFinding::Unknown("it was not asked to: `stream = false`".to_owned()),
        };
        check.thinking = if replies.iter().any(|reply| thinks(reply)) {
            CheckFinding::Yes
        } else {
            CheckFinding::No("it shows no thoughts and counts none".to_owned())
        };
        check.usage = match first.0.usage {
            Some(usage) if usage.input > 0 => CheckFinding::Yes,
            _ => CheckFinding::No("it does not say how many tokens it uses, so nobody knows what it costs".to_owned()),
        };
        check.caching = if replies.iter().any(|reply| reply.usage.is_some_and(|usage| usage.cached > 0)) {
            CheckFinding::Yes
        } else {
            CheckFinding::Unknown("the same prompt twice was read anew; short ones often are".to_owned())
        };
        check.cache_writes = replies.iter().any(|reply| reply.usage.is_some_and(|usage| usage.cache_written > 0));
        trial.advise(&check);
        Check { advice: trial.advice, ..check }
    }

    /// Finds out how the model is best asked, with the journal.
    pub(super) async fn probe(&self) -> Result<AnswerBy, Unasked> {
        let probes: [Probe; 2] =
            [(AnswerBy::Tools, tools_form(), tools_work), (AnswerBy::Json, json_form(), json_works)];
        for (ordinal, (by, form, works)) in (0..).zip(probes) {
            let seat = Seat::new(0);
            let log = &TurnLog::default();
            let context = CallContext { match_id: None, seat, turn: 0, ordinal, log, known: false };
            let reply = match self
                .recall_or_send(context, self.tiny(&form, &words("question")), room(&self.inner.profile))
                .await
            {
                Ok((reply, _)) => Ok(reply),
                Err(CallError::Failed(failure)) if failure.is_unsupported() => Err(failure),
                Err(other) => return Err(self.unasked(other)),
            };
            if let Works::Yes = works(&reply) {
                return Ok(by);
            }
        }
        Ok(AnswerBy::Text)
    }

    /// Whether the endpoint lists the model. Some answer to any name.
    async fn listed(&self) -> CheckFinding {
        let Ok(received) = self.inner.endpoint.models().await else { return CheckFinding::Yes };
        let list = received.json;
        let ids = self.inner.format.models(&list);
        if ids.is_empty() || ids.contains(&self.inner.profile.model.as_str()) {
            return CheckFinding::Yes;
        }
        let some: Vec<&str> = ids.into_iter().take(5).collect();
        CheckFinding::Unknown(format!("it answers, but does not list this model; it lists {}", some.join(", ")))
    }

    fn tiny(&self, form: &Form, question: &str) -> String {
        self.body(&[Message::User(question.to_owned())], form, room(&self.inner.profile))
    }

    fn finding(&self, works: Works) -> CheckFinding {
        match works {
            Works::Yes => CheckFinding::Yes,
            Works::No(why) => CheckFinding::No(why.to_owned()),
            Works::Failed(failure) => {
                let why = failure.sentence(&self.inner.profile, self.inner.endpoint.name());
                if failure.is_unsupported() { CheckFinding::No(why) } else { CheckFinding::Unknown(why) }
            }
        }
    }
}

/// How many tokens an answer gets, thinking included.
pub(super) fn room(profile: &Profile) -> u32 {
    match profile.thinking {
        Some(Thinking::Tokens(tokens)) => tokens.saturating_add(MAX_TOKENS),
        _ => MAX_TOKENS,
    }
}

/// Whether there is anything of a thought in a reply.
fn thinks(reply: &Reply) -> bool {
    fn is_said(value: &Json) -> bool {
        !matches!(value, Json::Null | Json::Bool(false)) && *value != json!("") && *value != json!([])
    }
    fn has_thoughts(json: &Json) -> bool {
        match json {
            Json::Object(fields) => fields.iter().any(|(name, value)| {
                let is_thought = ["reasoning", "thinking", "thought"].iter().any(|word| name.starts_with(word));
                is_thought && is_said(value) || has_thoughts(value)
            }),
            Json::Array(items) => items.iter().any(|item| item["type"] == "reasoning" || has_thoughts(item)),
            _ => false,
        }
    }
    reply.usage.is_some_and(|usage| usage.reasoning > 0) || has_thoughts(&reply.received)
}

/// What a model is told when it is tried out.
pub(super) fn words(name: &str) -> String {
    tool_text(&format!("probe.{name}"), json!({}), Language::En)
}

/// A way to ask, how it is tried, and how to tell that it works.
type Probe = (AnswerBy, Form, fn(&Result<Reply, Failure>) -> Works);

enum Works {
    Yes,
    No(&'static str),
    Failed(Failure),
}

pub(super) fn tools_form() -> Form {
    let input_schema = number();
    Form::Tools(vec![Tool { name: "answer", description: words("tool"), input_schema }])
}

fn json_form() -> Form {
    Form::Json(number())
}

fn number() -> Json {
    json!({
        "type": "object", "properties": { "number": { "type": "integer" } },
        "required": ["number"], "additionalProperties": false,
    })
}

fn tools_work(reply: &Result<Reply, Failure>) -> Works {
    match reply {
        Ok(reply) => match reply.calls.first() {
            Some(call) if call.name == "answer" && has_number(&call.arguments) => Works::Yes,
            Some(_) => Works::No("it calls tools, but not as they are described"),
            None => Works::No("it answers without calling the tool"),
        },
        Err(failure) => Works::Failed(failure.clone()),
    }
}

fn json_works(reply: &Result<Reply, Failure>) -> Works {
    match reply {
        Ok(reply) if has_number(&reply.content) => Works::Yes,
        Ok(_) => Works::No("it does not keep to the schema"),
        Err(failure) => Works::Failed(failure.clone()),
    }
}

fn has_number(text: &str) -> bool {
    serde_json::from_str::<Json>(text).is_ok_and(|json| json["number"].is_i64())
}
