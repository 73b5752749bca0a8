//! The names under which OpenTelemetry's conventions for generative models want to have things, and content where it is
//! asked for.

use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value as Json, json};

use super::conversation::Message;
use super::reply::{Reply, ToolCall};

pub(super) const OPERATION: &str = "gen_ai.operation.name";
pub(super) const PROVIDER: &str = "gen_ai.provider.name";
pub(super) const CONVERSATION: &str = "gen_ai.conversation.id";
/// By which trace viewers group what belongs together.
pub(super) const SESSION: &str = "session.id";
pub(super) const REQUEST_MODEL: &str = "gen_ai.request.model";
pub(super) const REQUEST_MAX_TOKENS: &str = "gen_ai.request.max_tokens";
pub(super) const REQUEST_TEMPERATURE: &str = "gen_ai.request.temperature";
pub(super) const REQUEST_SEED: &str = "gen_ai.request.seed";
pub(super) const RESPONSE_ID: &str = "gen_ai.response.id";
pub(super) const RESPONSE_MODEL: &str = "gen_ai.response.model";
pub(super) const INPUT_TOKENS: &str = "gen_ai.usage.input_tokens";
pub(super) const CACHED_TOKENS: &str = "gen_ai.usage.cache_read.input_tokens";
pub(super) const CACHE_WRITTEN_TOKENS: &str = "gen_ai.usage.cache_creation.input_tokens";
pub(super) const OUTPUT_TOKENS: &str = "gen_ai.usage.output_tokens";
pub(super) const REASONING_TOKENS: &str = "gen_ai.usage.reasoning.output_tokens";
/// Not of the conventions, but what trace viewers price a call by: some by this name, some by the next.
pub(super) const COST: &str = "gen_ai.usage.cost";
pub(super) const COST_TOTAL: &str = "llm.cost.total";
pub(super) const INPUT_MESSAGES: &str = "gen_ai.input.messages";
pub(super) const OUTPUT_MESSAGES: &str = "gen_ai.output.messages";
pub(super) const TOOL_NAME: &str = "gen_ai.tool.name";
pub(super) const TOOL_CALL_ID: &str = "gen_ai.tool.call.id";
pub(super) const TOOL_TYPE: &str = "gen_ai.tool.type";
pub(super) const TOOL_ARGUMENTS: &str = "gen_ai.tool.call.arguments";
pub(super) const TOOL_RESULT: &str = "gen_ai.tool.call.result";
pub(super) const SERVER_ADDRESS: &str = "server.address";
pub(super) const SERVER_PORT: &str = "server.port";
pub(super) const ERROR_TYPE: &str = "error.type";
pub(super) const STATUS: &str = "otel.status_code";
pub(super) const SPAN_NAME: &str = "otel.name";
pub(super) const SPAN_KIND: &str = "otel.kind";

/// Whether spans have what models are told and answer. `tracing::enabled!` could ask whoever listens, but with a filter a
/// layer it makes the next span disappear.
static CONTENT: AtomicBool = AtomicBool::new(false);

/// The fields that have content, where it is captured.
pub const CONTENT_FIELDS: [&str; 4] = [INPUT_MESSAGES, OUTPUT_MESSAGES, TOOL_ARGUMENTS, TOOL_RESULT];

/// From now on spans have what models are told and answer.
pub fn capture_content() {
    CONTENT.store(true, Ordering::Relaxed);
}

/// A number as spans take it: what has no sign would become a text.
pub(super) fn int(number: impl TryInto<i64>) -> i64 {
    number.try_into().unwrap_or(i64::MAX)
}

/// Whether anybody wants to have content.
pub(super) fn wants_content() -> bool {
    CONTENT.load(Ordering::Relaxed)
}

/// What a model is asked, in the form that the conventions have for it.
pub(super) fn input(messages: &[Message]) -> String {
    let messages: Vec<Json> = messages.iter().map(message).collect();
    json!(messages).to_string()
}

/// What a model answered.
pub(super) fn output(reply: &Reply) -> String {
    let finish = match (&reply.declined, reply.truncated, reply.calls.is_empty()) {
        _ if reply.rejected.is_some() => "error",
        (Some(_), ..) => "content_filter",
        (None, true, _) => "length",
        (None, false, false) => "tool_call",
        (None, false, true) => "stop",
    };
    json!([{ "role": "assistant", "parts": parts(&reply.content, &reply.calls), "finish_reason": finish }]).to_string()
}

fn message(message: &Message) -> Json {
    match message {
        Message::System(system) => json!({ "role": "system", "parts": parts(system.whole(), &[]) }),
        Message::User(text) => json!({ "role": "user", "parts": parts(text, &[]) }),
        Message::Assistant { content, calls, .. } => json!({ "role": "assistant", "parts": parts(content, calls) }),
        Message::Tool { id, text } => {
            json!({ "role": "tool", "parts": [{ "type": "tool_call_response", "id": id, "response": text }] })
        }
    }
}

fn parts(text: &str, calls: &[ToolCall]) -> Vec<Json> {
    let text = (!text.is_empty()).then(|| json!({ "type": "text", "content": text }));
    let call =
        |call: &ToolCall| json!({ "type": "tool_call", "id": call.id, "name": call.name, "arguments": call.arguments });
    text.into_iter().chain(calls.iter().map(call)).collect()
}
