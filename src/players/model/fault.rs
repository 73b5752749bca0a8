//! Whose fault it is, by what a server says of an answer: in every wire format, and whatever the spelling.

use std::fmt::Write as _;
use std::time::Duration;

use serde_json::{Value as Json, json};

/// Why a model stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Finish {
    /// It had said what it had to say.
    Done,
    /// Its tokens were used up: the player's.
    Truncated,
    /// It, or a filter behind it, would not say it: the player's.
    Declined,
    /// It called a tool in a way that its server could not read: the player's.
    BadCall,
    /// Its server failed: nobody's.
    Failed,
}

impl Finish {
    /// By the word that the server has for it.
    pub(super) fn of(reason: &str) -> Finish {
        match reason.to_ascii_lowercase().as_str() {
            "length" | "max_tokens" | "max_output_tokens" | "model_length" => Finish::Truncated,
            "content_filter" | "refusal" | "safety" | "recitation" | "blocklist" | "prohibited_content" | "spii"
            | "language" => Finish::Declined,
            "malformed_function_call"
            | "malformed_tool_call"
            | "malformed_response"
            | "unexpected_tool_call"
            | "too_many_tool_calls" => Finish::BadCall,
            "error" | "other" | "missing_thought_signature" => Finish::Failed,
            _ => Finish::Done,
        }
    }
}

/// What an error that a server reports is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cause {
    /// What the model wrote could not be read: the player's.
    Output,
    /// A filter did not let the answer pass: the player's.
    Declined,
    /// A filter did not let the prompt pass: nobody's.
    Filter,
    /// The prompt is longer than the model can read: nobody's.
    Context,
    /// Anything else: nobody's.
    Other,
}

/// What a model wrote that its own server could not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Rejected {
    /// What it wrote, as far as the server tells.
    pub(super) text: String,
    /// What the server says about it.
    pub(super) words: String,
}

/// An error as a server reports it, in a body of its own or within an answer.
#[derive(Clone, Debug)]
pub(super) struct Reported {
    error: Json,
    /// The error of the server behind a gateway, where that passes it on.
    behind: Json,
}

impl Reported {
    /// The error in a body, if there is one: under a name of its own, in the first choice, or as the whole body.
    pub(super) fn in_body(body: &Json) -> Option<Reported> {
        let is_error = |error: &&Json| match error {
            Json::Null | Json::Bool(false) => false,
            Json::String(text) => !text.is_empty(),
            Json::Object(fields) => !fields.is_empty(),
            _ => true,
        };
        let within = [&body["error"], &body["choices"][0]["error"]].into_iter().find(is_error);
        let error = within.or_else(|| Some(body).filter(|body| is_one_itself(body)))?;
        let raw = &error["metadata"]["raw"];
        let behind = raw.as_str().map_or_else(|| raw.clone(), |raw| serde_json::from_str(raw).unwrap_or_default());
        Some(Reported { error: error.clone(), behind: behind.get("error").cloned().unwrap_or(behind) })
    }

    /// The error that an event of a stream is.
    pub(super) fn in_event(error: &Json) -> Reported {
        Reported { error: error.clone(), behind: Json::Null }
    }

    /// A body that has it and nothing else.
    pub(super) fn into_body(self) -> Json {
        json!({ "error": self.error })
    }

    /// The HTTP status that the error names, by its number or in a word.
    pub(super) fn status(&self) -> Option<u16> {
        let code = &self.error["code"];
        let number = code.as_u64().or_else(|| code.as_str()?.parse().ok());
        let number = number.and_then(|code| u16::try_from(code).ok()).filter(|code| (400..600).contains(code));
        let mut words = ["code", "type", "status"].iter().filter_map(|field| self.error[*field].as_str());
        number.or_else(|| words.find_map(status_of))
    }

    /// Whether it is about the key, whatever its status is.
    pub(super) fn is_about_the_key(&self) -> bool {
        self.details().any(|detail| detail["reason"] == "API_KEY_INVALID")
    }

    /// How long the server wants to be left alone, where it says so in the error itself.
    pub(super) fn retry_after(&self) -> Option<Duration> {
        let delay = self.details().find_map(|detail| detail["retryDelay"].as_str())?;
        Duration::try_from_secs_f64(delay.strip_suffix('s')?.parse().ok()?).ok()
    }

    /// What Google's servers say beside it.
    fn details(&self) -> impl Iterator<Item = &Json> {
        self.error["details"].as_array().into_iter().flatten()
    }

    /// All that is said about it.
    pub(super) fn words(&self) -> Option<String> {
        let of = |error: &Json| {
            let places = [&error["message"], &error["detail"], error];
            places.into_iter().find_map(Json::as_str).map(str::to_owned)
        };
        let mut words = of(&self.error)?;
        if let Some(more) = of(&self.behind).filter(|more| !words.contains(more)) {
            words.push_str(": ");
            words.push_str(&more);
        }
        let sizes = [("n_prompt_tokens", "prompt tokens"), ("n_ctx", "tokens of context")];
        for (name, unit) in sizes {
            if let Some(size) = self.error[name].as_u64() {
                let _ = write!(words, ", {size} {unit}");
            }
        }
        Some(words)
    }

    /// Whether it is about what the model wrote, and so the player's.
    pub(super) fn is_the_players(&self) -> bool {
        matches!(self.cause(), Cause::Output | Cause::Declined)
    }

    /// What the model wrote that could not be read.
    pub(super) fn rejected(&self) -> Rejected {
        let written = [&self.error["failed_generation"], &self.behind["failed_generation"]];
        let words = self.words().unwrap_or_default();
        let text = written.into_iter().find_map(Json::as_str).or_else(|| quoted(&words)).unwrap_or_default().to_owned();
        Rejected { text, words }
    }

    /// What it is about.
    pub(super) fn cause(&self) -> Cause {
        let codes = |error: &Json| {
            let codes = [&error["code"], &error["type"], &error["innererror"]["code"]];
            codes.into_iter().filter_map(Json::as_str).map(str::to_ascii_lowercase).collect::<Vec<_>>()
        };
        let codes = [codes(&self.error), codes(&self.behind)].concat();
        let any = |known: &[&str]| codes.iter().any(|code| known.contains(&code.as_str()));
        let words = self.words().unwrap_or_default().to_lowercase();
        if any(&["tool_use_failed", "json_validate_failed", "output_parse_failed"])
            || UNREADABLE_CALLS.iter().any(|words_of_it| words.contains(words_of_it))
        {
            Cause::Output
        } else if words.contains("output blocked by content filtering policy") {
            Cause::Declined
        } else if any(&["content_filter", "content_policy_violation", "responsibleaipolicyviolation", "invalid_prompt"])
        {
            Cause::Filter
        } else if any(&["context_length_exceeded", "exceed_context_size_error"])
            || OVERFLOWS.iter().any(|words_of_it| words.contains(words_of_it))
        {
            Cause::Context
        } else {
            Cause::Other
        }
    }
}

/// Whether a body is an error as a whole: it says so, or it has words and nothing of an answer.
fn is_one_itself(body: &Json) -> bool {
    let answers = ["choices", "output", "content", "candidates"];
    let is_answer = answers.iter().any(|field| body.get(field).is_some());
    body["object"] == "error" || (!is_answer && (body["message"].is_string() || body["detail"].is_string()))
}

/// What a model wrote, where the words about it quote it: between the marks of Ollama, or of Pydantic (vLLM).
fn quoted(words: &str) -> Option<&str> {
    if let Some((_, raw)) = words.split_once("raw='") {
        return raw.rsplit_once("', err=").map(|(raw, _)| raw);
    }
    let (value, _) = words.split_once("input_value=")?.1.split_once(", input_type=")?;
    let unquoted = |quote| value.strip_prefix(quote)?.strip_suffix(quote);
    Some(unquoted('\'').or_else(|| unquoted('"')).unwrap_or(value))
}

/// The status of an error by the word that a provider has for it, where it came without one.
fn status_of(word: &str) -> Option<u16> {
    Some(match word {
        "invalid_request_error" | "INVALID_ARGUMENT" => 400,
        "authentication_error" | "invalid_api_key" | "UNAUTHENTICATED" => 401,
        "billing_error" => 402,
        "permission_error" | "PERMISSION_DENIED" => 403,
        "not_found_error" | "model_not_found" | "NOT_FOUND" => 404,
        "rate_limit_error" | "rate_limit_exceeded" | "RESOURCE_EXHAUSTED" => 429,
        "server_error" | "api_error" | "INTERNAL" => 500,
        "UNAVAILABLE" => 503,
        "timeout_error" | "DEADLINE_EXCEEDED" => 504,
        "overloaded_error" => 529,
        _ => return None,
    })
}

/// How servers without a code for it say that they could not read the call that the model wrote: llama.cpp and Ollama (both
/// as a 500), vLLM and Cerebras (both as a 400).
const UNREADABLE_CALLS: [&str; 5] = [
    "failed to parse tool call arguments",
    "failed to parse input at pos",
    "error parsing tool call: ",
    " for list[function-wrap",
    "failed to generate tool_calls",
];

/// How servers without a code for it say that a prompt is too long.
const OVERFLOWS: [&str; 9] = [
    "maximum context length",
    "exceeds the available context size",
    "exceeds the context window",
    "prompt is too long",
    "exceeds the maximum number of tokens",
    "longer than the maximum model length",
    "too long to fit into the model",
    "longer than the model's context length",
    "maximum prompt length",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn reported(body: &Json) -> Reported {
        Reported::in_body(body).expect("an error")
    }

    #[test]
    fn an_error_is_found_wherever_it_stands() {
        for body in [
            json!({ "error": { "message": "full", "code": 503 } }),
            json!({ "error": "full" }),
            json!({ "choices": [{ "error": { "message": "full", "code": "503" }, "message": {} }] }),
            json!({ "object": "error", "message": "full", "type": "ServiceUnavailableError", "code": 503 }),
            json!({ "message": "full", "type": "too_many_requests_error", "code": "queue_exceeded" }),
            json!({ "detail": "full" }),
        ] {
            assert_eq!(reported(&body).words().as_deref(), Some("full"), "{body}");
        }
        for body in [
            json!({}),
            json!({ "error": null }),
            json!({ "error": {} }),
            json!({ "choices": [{ "message": {} }] }),
            json!({ "message": "beside it", "choices": [{ "message": {} }] }),
            json!({ "message": { "content": "x" } }),
        ] {
            assert!(Reported::in_body(&body).is_none(), "{body}");
        }
        let statuses = [json!(503), json!("503"), json!("overloaded"), json!(7)];
        let statuses = statuses.map(|code| reported(&json!({ "error": { "code": code } })).status());
        assert_eq!(statuses, [Some(503), Some(503), None, None]);
    }

    #[test]
    fn each_cause_is_known_by_its_code_or_by_its_words() {
        for (error, cause) in [
            (json!({ "code": "tool_use_failed", "message": "x" }), Cause::Output),
            (json!({ "code": "json_validate_failed" }), Cause::Output),
            (
                json!({ "code": 500, "message": "Failed to parse tool call arguments as JSON: missing closing quote" }),
                Cause::Output,
            ),
            (json!({ "message": "Output blocked by content filtering policy" }), Cause::Declined),
            (json!({ "code": "content_filter", "message": "x" }), Cause::Filter),
            (json!({ "code": "x", "innererror": { "code": "ResponsibleAIPolicyViolation" } }), Cause::Filter),
            (json!({ "code": "context_length_exceeded" }), Cause::Context),
            (json!({ "code": 400, "type": "exceed_context_size_error" }), Cause::Context),
            (json!({ "message": "This model's maximum context length is 4096 tokens." }), Cause::Context),
            (json!({ "message": "prompt is too long: 210000 tokens > 200000 maximum" }), Cause::Context),
            (
                json!({ "message": "This model's prompt (5012) is longer than the maximum model length of 4096." }),
                Cause::Context,
            ),
            (json!({ "message": "The input is too long to fit into the model" }), Cause::Context),
            (json!({ "message": "The input (9 tokens) is longer than the model's context length" }), Cause::Context),
            (json!({ "message": "This model's maximum prompt length is 131072" }), Cause::Context),
            (json!({ "message": "2 validation errors for ChatCompletionRequest: tools" }), Cause::Other),
            (json!({ "message": "Unsupported parameter" }), Cause::Other),
            (json!("nope"), Cause::Other),
        ] {
            assert_eq!(reported(&json!({ "error": error })).cause(), cause, "{error}");
        }
    }

    #[test]
    fn a_gateway_passes_on_what_the_server_behind_it_says() {
        let raw =
            json!({ "error": { "code": "tool_use_failed", "message": "no such tool", "failed_generation": "act!" } });
        let error =
            json!({ "code": 400, "message": "Provider returned error", "metadata": { "raw": raw.to_string() } });
        let error = reported(&json!({ "error": error }));
        assert!(error.is_the_players());
        assert_eq!(
            error.rejected(),
            Rejected { text: "act!".into(), words: "Provider returned error: no such tool".into() }
        );
    }

    #[test]
    fn what_the_model_wrote_is_taken_from_the_words_about_it() {
        let vllm = "1 validation error for list[function-wrap[__log_extra_fields__()]]\n  Invalid JSON: EOF while parsing a \
                    string at line 57 [type=json_invalid, input_value=";
        for (message, text) in [
            ("error parsing tool call: raw='{\"a\":\"it's\"}]', err=invalid character".to_owned(), "{\"a\":\"it's\"}]"),
            ("error parsing tool call: raw='{\"a\"', err=".to_owned(), "{\"a\""),
            (format!("{vllm}'[{{\"name\": \"act\"}}', input_type=str]"), "[{\"name\": \"act\"}"),
            (format!("{vllm}\"it's\", input_type=str]"), "it's"),
            (format!("{vllm}{{'name': 'act'}}, input_type=dict]"), "{'name': 'act'}"),
            ("Failed to generate tool_calls. Please adjust your prompt.".to_owned(), ""),
        ] {
            let error = reported(&json!({ "error": { "message": message } }));
            assert_eq!((error.cause(), error.rejected().text.as_str()), (Cause::Output, text), "{message}");
        }
    }

    #[test]
    fn a_finish_is_known_in_every_spelling() {
        for (reason, finish) in [
            ("stop", Finish::Done),
            ("tool_calls", Finish::Done),
            ("length", Finish::Truncated),
            ("max_tokens", Finish::Truncated),
            ("MAX_TOKENS", Finish::Truncated),
            ("content_filter", Finish::Declined),
            ("SAFETY", Finish::Declined),
            ("MALFORMED_FUNCTION_CALL", Finish::BadCall),
            ("error", Finish::Failed),
        ] {
            assert_eq!(Finish::of(reason), finish, "{reason}");
        }
    }
}
