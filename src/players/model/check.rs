//! What a model can do: asked once, with tiny questions.

use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};

use super::call::{CallContext, CallError};
use super::conversation::{Form, Message};
use super::failure::{Failure, FailureKind};
use super::reply::Reply;
use super::{Inner, Model};
use crate::briefs::{AnswerBy, Language, Tool, tool_text};
use crate::games::seat::Seat;
use crate::players::profile::Mode;
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
    /// How long it took to answer the smallest question.
    pub latency: Option<Duration>,
    /// How it would be asked in mode `auto`; none if it cannot be asked at all.
    pub mode: Option<Mode>,
}

/// An answer to a question about a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CheckFinding {
    /// It does.
    Yes,
    /// No, and why.
    No(String),
    /// It cannot be told, and why.
    Unknown(String),
}

impl Model {
    /// Asks the endpoint some tiny questions, each once and without the journal, and says what works.
    pub async fn check(&self) -> Check {
        let unknown = |why: &str| CheckFinding::Unknown(why.to_owned());
        let begun = Instant::now();
        let first = self.once(&Form::Text, &words("ready")).await;
        let latency = begun.elapsed();
        let mut check = Check {
            reachable: CheckFinding::Yes,
            key: CheckFinding::Yes,
            model: CheckFinding::Yes,
            tools: unknown("the model could not be asked"),
            json_schema: unknown("the model could not be asked"),
            latency: None,
            mode: None,
        };
        if let Err(failure) = first {
            let why = failure.sentence(&self.inner.profile.model, self.inner.endpoint.name());
            let unasked = unknown("the endpoint did not say");
            match failure.kind {
                FailureKind::Status(401 | 403) => (check.key, check.model) = (CheckFinding::No(why), unasked),
                FailureKind::Status(404) => check.model = CheckFinding::No(why),
                FailureKind::Status(_) | FailureKind::Quota => check.model = CheckFinding::Unknown(why),
                _ => (check.reachable, check.key, check.model) = (CheckFinding::No(why), unasked.clone(), unasked),
            }
            return check;
        }
        check.latency = Some(latency);
        check.model = self.listed().await;
        check.tools = self.finding(tools_work(&self.once(&tools_form(), &words("question")).await));
        check.json_schema = self.finding(json_works(&self.once(&json_form(), &words("question")).await));
        check.mode = Some(match (&check.tools, &check.json_schema) {
            (CheckFinding::Yes, _) => Mode::Tools,
            (_, CheckFinding::Yes) => Mode::Json,
            _ => Mode::Text,
        });
        check
    }

    /// Finds out how the model is best asked, with the journal.
    pub(super) async fn probe(&self) -> Result<AnswerBy, String> {
        let probes: [Probe; 2] =
            [(AnswerBy::Tools, tools_form(), tools_work), (AnswerBy::Json, json_form(), json_works)];
        for (ordinal, (by, form, works)) in (0..).zip(probes) {
            let seat = Seat::new(0);
            let log = &TurnLog::default();
            let context = CallContext { match_id: None, seat, turn: 0, ordinal, log, known: false };
            let reply = match self.recall_or_send(context, self.tiny(&form, &words("question")), MAX_TOKENS).await {
                Ok((reply, _)) => Ok(reply),
                Err(CallError::Failed(failure)) if failure.is_unsupported() => Err(failure),
                Err(other) => {
                    return Err(other.sentence(&self.inner.profile.model, self.inner.endpoint.name()));
                }
            };
            if let Works::Yes = works(&reply) {
                return Ok(by);
            }
        }
        Ok(AnswerBy::Text)
    }

    /// Whether the endpoint lists the model. Some answer to any name.
    async fn listed(&self) -> CheckFinding {
        let Ok(received) = self.inner.endpoint.get("/models").await else { return CheckFinding::Yes };
        let list = received.json;
        let ids: Vec<&str> =
            list["data"].as_array().into_iter().flatten().filter_map(|model| model["id"].as_str()).collect();
        if ids.is_empty() || ids.contains(&self.inner.profile.model.as_str()) {
            return CheckFinding::Yes;
        }
        let some: Vec<&str> = ids.into_iter().take(5).collect();
        CheckFinding::Unknown(format!("it answers, but does not list this model; it lists {}", some.join(", ")))
    }

    async fn once(&self, form: &Form, question: &str) -> Result<Reply, Failure> {
        let Inner { endpoint, format, profile, .. } = &*self.inner;
        let received = endpoint.post(*format, self.tiny(form, question), profile.stream).await?;
        format.read(&received.json)
    }

    fn tiny(&self, form: &Form, question: &str) -> String {
        self.body(&[Message::User(question.to_owned())], form, MAX_TOKENS)
    }

    fn finding(&self, works: Works) -> CheckFinding {
        match works {
            Works::Yes => CheckFinding::Yes,
            Works::No(why) => CheckFinding::No(why.to_owned()),
            Works::Failed(failure) => {
                let why = failure.sentence(&self.inner.profile.model, self.inner.endpoint.name());
                if failure.is_unsupported() { CheckFinding::No(why) } else { CheckFinding::Unknown(why) }
            }
        }
    }
}

/// What a model is told when it is tried out.
fn words(name: &str) -> String {
    tool_text(&format!("probe.{name}"), json!({}), Language::En)
}

/// A way to ask, how it is tried, and how to tell that it works.
type Probe = (AnswerBy, Form, fn(&Result<Reply, Failure>) -> Works);

enum Works {
    Yes,
    No(&'static str),
    Failed(Failure),
}

fn tools_form() -> Form {
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
