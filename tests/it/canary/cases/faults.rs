//! Errors that come as answers, and answers that come as errors: whose fault each is.

use serde_json::{Value as Json, json};
use standoff::players::Mode;

use crate::canary::case::Case;
use crate::canary::reply::{Reply, act, body, completion, http, message, text};

fn then_good(reply: Reply) -> [Reply; 2] {
    [reply, act("move south")]
}

fn error(status: u16, error: &Json) -> Reply {
    http(status, &[("content-type", "application/json")], json!({ "error": error }).to_string())
}

/// An answer that could be read, with more in its body or in its choice.
fn with(more: &Json, in_choice: &Json) -> Reply {
    let mut answer = completion(&json!({ "role": "assistant", "content": "ACTION: move east" }), "stop");
    for (place, fields) in [("", more), ("/choices/0", in_choice)] {
        let place = answer.pointer_mut(place).expect("it is there");
        for (name, value) in fields.as_object().expect("fields") {
            place[name] = value.clone();
        }
    }
    body(answer.to_string())
}

fn finished(finish: &str) -> Reply {
    message(&json!({ "content": "ACTION: move east" }), finish)
}

#[expect(clippy::too_many_lines, reason = "it is a table")]
pub(in crate::canary) fn faults() -> Vec<Case> {
    let none = || json!({});
    let failed_call = |status| {
        error(
            status,
            &json!({
                "message": "Failed to call a function. Please adjust your prompt. See 'failed_generation' for more details.",
                "type": "invalid_request_error", "code": "tool_use_failed",
                "failed_generation": "<function=act{\"action\": \"move east\"}</function>",
            }),
        )
    };
    let failed_json = error(
        400,
        &json!({
            "message": "Failed to validate JSON.", "type": "invalid_request_error", "code": "json_validate_failed",
            "failed_generation": "move east",
        }),
    );
    let streamed = || {
        let event = json!({ "error": { "code": "tool_use_failed", "message": "no", "failed_generation": "act" } });
        http(200, &[("content-type", "text/event-stream")], format!("data: {event}\n\n"))
    };
    let unread = "move south, refused: unreadable, 2 calls, tokens [0, 0, 0, 0] for 0.0 USD";
    // Whether an answer that is called a success was billed, nobody knows.
    let unread_unpriced = "move south, refused: unreadable, 2 calls, tokens [0, 0, 0, 0] for an unknown price";
    vec![
        Case::tools(
            "error-beside-an-answer",
            then_good(with(&json!({ "error": { "message": "overloaded" } }), &none())),
            "move south, 1 call, retried: error",
        ),
        Case::tools(
            "error-in-a-choice",
            then_good(with(&none(), &json!({ "error": { "code": 502, "message": "upstream" } }))),
            "move south, 1 call, retried: 502",
        ),
        Case::tools(
            "error-in-a-choice-for-ever",
            [with(&none(), &json!({ "error": { "message": "upstream is gone" } }))],
            "suspended: SERVER/v1 says that it failed: upstream is gone",
        )
        .forever(4),
        Case::tools("finish-error", then_good(finished("error")), "move south, 1 call, retried: error"),
        Case::tools(
            "finish-error-for-ever",
            [finished("error")],
            "suspended: SERVER/v1 says that it failed: it stopped with `finish_reason` \"error\"",
        )
        .forever(4),
        Case::tools("tool-use-failed", then_good(failed_call(400)), unread),
        Case::tools("tool-use-failed-with-200", then_good(failed_call(200)), unread_unpriced),
        Case::tools("tool-use-failed-in-a-stream", then_good(streamed()), unread_unpriced).streamed(),
        Case::new("json-validate-failed", Mode::Json, [failed_json, text(r#"{"action":"move south"}"#)], unread),
        Case::tools(
            "malformed-function-call",
            then_good(finished("MALFORMED_FUNCTION_CALL")),
            "move south, refused: unreadable, 2 calls",
        ),
        Case::tools(
            "prompt-filtered",
            [error(
                400,
                &json!({
                    "message": "The response was filtered due to the prompt triggering a content management policy.",
                    "type": null, "param": "prompt", "code": "content_filter", "status": 400,
                    "innererror": { "code": "ResponsibleAIPolicyViolation" },
                }),
            )],
            "suspended: SERVER/v1 does not let our prompt pass its content filter: The response was filtered due \
             to the prompt triggering a content management policy.",
        ),
        Case::tools("answer-filtered", then_good(finished("content_filter")), "move south, refused: refused, 2 calls"),
        Case::tools(
            "answer-filtered-for-safety",
            then_good(finished("SAFETY")),
            "move south, refused: refused, 2 calls",
        ),
        Case::tools("cut-by-max-tokens", then_good(finished("max_tokens")), "move south, refused: truncated, 2 calls"),
        Case::tools("cut-by-MAX-TOKENS", then_good(finished("MAX_TOKENS")), "move south, refused: truncated, 2 calls"),
        Case::tools(
            "context-length-exceeded",
            [error(
                400,
                &json!({
                    "message": "This model's maximum context length is 4096 tokens. However, your messages resulted in \
                                5012 tokens.",
                    "type": "invalid_request_error", "param": "messages", "code": "context_length_exceeded",
                }),
            )],
            "suspended: our request is too long for `canary-context-length-exceeded`: This model's maximum \
             context length is 4096 tokens. However, your messages resulted in 5012 tokens.",
        ),
        Case::tools(
            "context-size-exceeded",
            [error(
                400,
                &json!({
                    "code": 400, "message": "the request exceeds the available context size",
                    "type": "exceed_context_size_error", "n_prompt_tokens": 5012, "n_ctx": 4096,
                }),
            )],
            "suspended: our request is too long for `canary-context-size-exceeded`: the request exceeds the \
             available context size, 5012 prompt tokens, 4096 tokens of context",
        ),
        Case::tools(
            "an-error-of-many-words",
            [error(
                400,
                &json!({
                    "message": "Unsupported parameter: 'max_tokens' is not supported with this model. Use \
                                'max_completion_tokens' instead.",
                    "code": "unsupported_parameter",
                }),
            )],
            "suspended: SERVER/v1 does not take our request (HTTP 400: Unsupported parameter: 'max_tokens' is not \
             supported with this model. Use 'max_completion_tokens' instead.)",
        ),
    ]
}

/// An error that stands in no `error` of its own.
fn at_the_top(status: u16, error: &Json) -> Reply {
    http(status, &[("content-type", "application/json")], error.to_string())
}

/// As a stream has it.
fn in_an_event(error: &Json) -> Reply {
    http(200, &[("content-type", "text/event-stream")], format!("data: {error}\n\n"))
}

/// Calls and prompts that servers of one's own refuse, each in its own words.
pub(in crate::canary) fn words() -> Vec<Case> {
    let vllm = json!({
        "object": "error", "type": "BadRequestError", "param": null, "code": 400,
        "message": "1 validation error for list[function-wrap[__log_extra_fields__()]]\n  Invalid JSON: expected value at \
                    line 1 column 1 [type=json_invalid, input_value='<tool_call> {\"name\": \"act\"}', input_type=str]\n    \
                    For further information visit https://errors.pydantic.dev/2.12/v/json_invalid",
    });
    let ollama = json!({
        "message": "error parsing tool call: raw='{\"action\":\"move east\"}]', err=invalid character ']' after top-level value",
        "type": "api_error", "param": null, "code": null,
    });
    let cerebras = json!({
        "message": "Failed to generate tool_calls. Exception: Tool is not present in the tools list.",
        "type": "invalid_request_error", "param": "tools", "code": "bad_tool_call",
    });
    let sglang = json!({
        "object": "error", "type": "BadRequestError", "param": null, "code": 400,
        "message": "The input (5012 tokens) is longer than the model's context length (4096 tokens).",
    });
    let unread = "move south, refused: unreadable, 2 calls, tokens [0, 0, 0, 0] for 0.0 USD";
    let unread_unpriced = "move south, refused: unreadable, 2 calls, tokens [0, 0, 0, 0] for an unknown price";
    vec![
        Case::tools("vllm-bad-call", then_good(error(400, &vllm)), unread),
        Case::tools("vllm-bad-call-at-the-top", then_good(at_the_top(400, &vllm)), unread),
        Case::tools("vllm-bad-call-in-a-stream", then_good(in_an_event(&vllm)), unread_unpriced).streamed(),
        Case::tools("ollama-bad-call", then_good(error(500, &ollama)), unread),
        Case::tools("ollama-bad-call-in-a-stream", then_good(in_an_event(&json!({ "error": ollama }))), unread_unpriced)
            .streamed(),
        Case::tools("cerebras-bad-call", then_good(at_the_top(400, &cerebras)), unread),
        Case::tools("cerebras-bad-call-in-a-stream", then_good(in_an_event(&cerebras)), unread_unpriced).streamed(),
        Case::tools(
            "sglang-context",
            [at_the_top(400, &sglang)],
            "suspended: our request is too long for `canary-sglang-context`: The input (5012 tokens) is longer than the \
             model's context length (4096 tokens).",
        ),
        Case::tools(
            "sglang-context-in-a-stream",
            [in_an_event(&sglang)],
            "suspended: our request is too long for `canary-sglang-context-in-a-stream`: The input (5012 tokens) is longer \
             than the model's context length (4096 tokens).",
        )
        .streamed(),
        Case::tools(
            "an-error-at-the-top-with-200",
            then_good(at_the_top(200, &json!({ "object": "error", "message": "full", "code": 503 }))),
            "move south, 1 call, retried: 503",
        ),
        Case::tools(
            "a-request-that-is-wrong-at-the-top",
            [at_the_top(400, &json!({ "message": "property 'tools' is unsupported", "code": "wrong_api_format" }))],
            "suspended: SERVER/v1 does not take our request (HTTP 400: property 'tools' is unsupported)",
        ),
    ]
}
