//! What came back, read as leniently as servers differ.

use serde_json::Value as Json;

use super::failure::{Failure, Kind};

/// What a model said.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Reply {
    /// The answer's own name.
    pub(super) id: Option<String>,
    /// Which model answered, by its own account.
    pub(super) model: String,
    pub(super) content: String,
    /// Whether the model, or what stands before it, would not answer.
    pub(super) declined: Option<String>,
    /// Whether it was cut off.
    pub(super) truncated: bool,
    pub(super) calls: Vec<ToolCall>,
    /// None where the server does not say.
    pub(super) usage: Option<Usage>,
}

/// A tool that the model called.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ToolCall {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) arguments: String,
}

/// How many tokens it took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Usage {
    pub(super) input: u64,
    pub(super) cached: u64,
    pub(super) output: u64,
    pub(super) reasoning: u64,
}

impl Reply {
    /// Reads the body of a chat completion as a journal has it.
    ///
    /// # Errors
    /// As [`Reply::of`].
    pub(super) fn read(body: &str) -> Result<Reply, Failure> {
        Reply::of(&serde_json::from_str(body).map_err(|error| Failure::new(Kind::Body, error))?)
    }

    /// What a chat completion says.
    ///
    /// # Errors
    /// If it is none. What is in it may be any nonsense; that is the model's.
    pub(super) fn of(json: &Json) -> Result<Reply, Failure> {
        let choice = &json["choices"][0];
        let message = &choice["message"];
        if !message.is_object() {
            let failure = Failure::dressed_up(json);
            return Err(failure.unwrap_or_else(|| Failure::new(Kind::Body, "JSON without `choices[0].message`")));
        }
        let finish = choice["finish_reason"].as_str().unwrap_or("");
        let refusal = message["refusal"].as_str().filter(|text| !text.trim().is_empty());
        let declined = refusal.or_else(|| (finish == "content_filter").then_some("content_filter"));
        let calls = message["tool_calls"].as_array().into_iter().flatten().enumerate();
        Ok(Reply {
            id: json["id"].as_str().map(str::to_owned),
            model: json["model"].as_str().unwrap_or("").to_owned(),
            content: content(&message["content"]),
            declined: declined.map(str::to_owned),
            truncated: finish == "length",
            calls: calls.map(|(index, call)| ToolCall::read(call, index)).collect(),
            usage: json.get("usage").filter(|usage| usage.is_object()).map(Usage::read),
        })
    }
}

impl ToolCall {
    fn read(call: &Json, index: usize) -> ToolCall {
        let function = &call["function"];
        let arguments = match &function["arguments"] {
            Json::String(text) => text.clone(),
            Json::Null => String::new(),
            other => other.to_string(),
        };
        // Results are matched by this name; where the server gave none, any will do.
        let id = call["id"].as_str().filter(|id| !id.is_empty());
        ToolCall {
            id: id.map_or_else(|| format!("call_{index}"), str::to_owned),
            name: function["name"].as_str().unwrap_or("").to_owned(),
            arguments,
        }
    }
}

impl Usage {
    fn read(usage: &Json) -> Usage {
        let number = |value: &Json| value.as_u64().unwrap_or(0);
        let cached = &usage["prompt_tokens_details"]["cached_tokens"];
        Usage {
            input: number(&usage["prompt_tokens"]),
            cached: number(cached),
            output: number(&usage["completion_tokens"]),
            reasoning: number(&usage["completion_tokens_details"]["reasoning_tokens"]),
        }
    }
}

/// A text, or the texts of its parts.
fn content(content: &Json) -> String {
    match content {
        Json::String(text) => text.clone(),
        Json::Array(parts) => parts.iter().filter_map(|part| part["text"].as_str()).collect(),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(message: &Json, finish: &str) -> Reply {
        let body = json!({ "choices": [{ "message": message, "finish_reason": finish }] });
        Reply::read(&body.to_string()).expect("a completion")
    }

    #[test]
    fn content_comes_as_text_in_parts_or_not_at_all() {
        for (content, text) in
            [(json!("a"), "a"), (json!([{ "type": "text", "text": "a" }, { "text": "b" }]), "ab"), (json!(null), "")]
        {
            assert_eq!(read(&json!({ "content": content }), "stop").content, text);
        }
    }

    #[test]
    fn reasoning_is_never_taken_for_the_answer() {
        let reply = read(&json!({ "content": "", "reasoning_content": "move up", "reasoning": "move up" }), "stop");
        assert_eq!(reply, Reply::default());
    }

    #[test]
    fn refusals_and_filters_are_told_from_being_cut_off() {
        assert_eq!(read(&json!({ "refusal": "no" }), "stop").declined.as_deref(), Some("no"));
        assert_eq!(read(&json!({ "refusal": " " }), "stop").declined, None);
        assert!(read(&json!({}), "content_filter").declined.is_some());
        assert!(read(&json!({}), "length").truncated);
    }

    #[test]
    fn what_is_no_completion_is_the_servers_fault() {
        for body in ["", "null", "[]", "{}", r#"{"choices":[]}"#, r#"{"choices":[{}]}"#, r#"{"error":{"code":"x"}}"#] {
            assert_eq!(Reply::read(body).expect_err(body).kind, Kind::Body);
        }
        let busy = r#"{"error":{"code":503,"message":"overloaded"}}"#;
        assert_eq!(Reply::read(busy).expect_err("an error").kind, Kind::Status(503));
    }
}
