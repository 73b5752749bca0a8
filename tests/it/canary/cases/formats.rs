//! The same ways to misbehave in every wire format, and the ways that only one has.

use serde_json::{Value as Json, json};
use standoff::players::{Api, Mode};

use crate::canary::case::Case;
use crate::canary::dialects::{Said, Stop, error, event_stream, of, streamed, whole};
use crate::canary::reply::{Reply, body, http};

/// What only the server understands.
const THOUGHT: &str = "opaque-thought-of-the-canary";

/// A case of one format, named after it.
struct Maker(Api);

impl Maker {
    fn case(&self, name: &str, mode: Mode, replies: impl IntoIterator<Item = Reply>, verdict: &'static str) -> Case {
        Case::new(format!("{}-{name}", self.0).leak(), mode, replies, verdict).over_api(self.0)
    }

    fn tools(&self, name: &str, replies: impl IntoIterator<Item = Reply>, verdict: &'static str) -> Case {
        self.case(name, Mode::Tools, replies, verdict)
    }

    fn says(&self, said: &Said) -> Reply {
        whole(self.0, said)
    }

    fn south(&self) -> Reply {
        self.says(&Said::act("move south"))
    }

    fn then_good(&self, reply: Reply) -> [Reply; 2] {
        [reply, self.south()]
    }

    /// The bytes of a stream.
    fn events(&self, said: &Said) -> String {
        event_stream(&of(self.0).events(said))
    }
}

fn at_once(text: String) -> Reply {
    streamed([text.into_bytes()])
}

pub(in crate::canary) fn formats() -> Vec<Case> {
    let alike = Api::ALL.into_iter().flat_map(|api| {
        let maker = Maker(api);
        [
            answers(&maker),
            cache_writes(&maker),
            refusals(&maker),
            strict(&maker),
            errors(&maker),
            backend(&maker),
            streams(&maker),
        ]
        .concat()
    });
    alike.chain(responses()).chain(anthropic()).chain(gemini()).collect()
}

fn answers(maker: &Maker) -> Vec<Case> {
    let look = || Said::call("get_state", "{}");
    let counted = Said { tokens: [2_000_000, 1_000_000, 500_000, 0], ..Said::act("move south") };
    vec![
        maker.tools("good", [maker.south()], "move south, 1 call"),
        maker.case("json", Mode::Json, [maker.says(&Said::text(r#"{"action":"move south"}"#))], "move south, 1 call"),
        maker.case("text", Mode::Text, [maker.says(&Said::text("Hm.\nACTION: move south"))], "move south, 1 call"),
        maker
            .tools(
                "thinks-looks-then-acts",
                [maker.says(&look().thinking(THOUGHT)), maker.south()],
                "move south, 2 calls",
            )
            .carries(THOUGHT),
        maker
            .tools(
                "thinks-breaks-a-rule-then-acts",
                [maker.says(&Said::act("move north").thinking(THOUGHT)), maker.south()],
                "move south, refused: illegal move_out_of_bounds, 2 calls",
            )
            .carries(THOUGHT),
        maker.tools(
            "looks-speaks-and-acts-at-once",
            [maker.says(&look().and(Said::call("speak", r#"{"text":"hello"}"#)).and(Said::act("move south")))],
            "move south, said hello, 1 call",
        ),
        maker.tools(
            "looks-twice-at-once",
            maker.then_good(maker.says(&look().and(Said::call("list_legal_actions", "{}")))),
            "move south, 2 calls",
        ),
        maker.tools(
            "counted",
            [maker.says(&counted)],
            "move south, 1 call, tokens [2000000, 1000000, 500000, 0] for 2.1 USD",
        ),
    ]
}

/// What is written to a cache has a price of its own, where a format says how much that is. Gemini does not.
fn cache_writes(maker: &Maker) -> Vec<Case> {
    let counted = Said {
        tokens: [3_000_000, 1_000_000, 500_000, 0],
        cache_written: if maker.0 == Api::Gemini { 0 } else { 1_000_000 },
        ..Said::act("move south")
    };
    let verdict = if maker.0 == Api::Gemini {
        "move south, 1 call, tokens [3000000, 1000000, 500000, 0] for 3.1 USD"
    } else {
        "move south, 1 call, tokens [3000000, 1000000, 500000, 0] for 3.35 USD"
    };
    vec![maker.tools("cache-written", [maker.says(&counted)], verdict)]
}

fn refusals(maker: &Maker) -> Vec<Case> {
    let words = || Said::text("I would rather not.");
    vec![
        maker.tools("prose", maker.then_good(maker.says(&words())), "move south, refused: unreadable, 2 calls"),
        maker.tools(
            "nothing",
            maker.then_good(maker.says(&Said::text(""))),
            "move south, refused: unreadable, 2 calls",
        ),
        maker.tools(
            "thoughts-alone",
            maker.then_good(maker.says(&Said::text("").thinking("ACTION: move east"))),
            "move south, refused: unreadable, 2 calls",
        ),
        maker.tools(
            "no-action-in-the-call",
            maker.then_good(maker.says(&Said::call("act", "{}"))),
            "move south, refused: unreadable, 2 calls",
        ),
        maker.tools(
            "cut-by-length",
            maker.then_good(maker.says(&words().thinking(THOUGHT).stopped(Stop::Length))),
            "move south, refused: truncated, 2 calls",
        ),
        maker.tools(
            "call-cut-by-length",
            maker.then_good(maker.says(&Said::act("move so").stopped(Stop::Length))),
            "move south, refused: truncated, 2 calls",
        ),
        maker.tools(
            "declined",
            maker.then_good(maker.says(&words().stopped(Stop::Refused))),
            "move south, refused: refused, 2 calls",
        ),
    ]
}

/// Words and thoughts with actions in them, of which none is given but on the last line.
fn strict(maker: &Maker) -> Vec<Case> {
    let south = || maker.says(&Said::text("ACTION: move south"));
    let text = |name: &str, said: &Said, verdict: &'static str| {
        let replies =
            if verdict.contains("refused") { vec![maker.says(said), south()] } else { vec![maker.says(said)] };
        maker.case(name, Mode::Text, replies, verdict)
    };
    let unread = "move south, refused: unreadable, 2 calls";
    let thought = "ACTION: move east";
    let both = Said::text("ACTION: move south").thinking(thought);
    vec![
        text("text-behind-a-thought", &both, "move south, 1 call"),
        text("text-thought-alone", &Said::text("").thinking(thought), unread),
        text("text-prose-behind-a-thought", &Said::text("As I said.").thinking(thought), unread),
        text("text-open-think", &Said::text("<think>\nHm.\nACTION: move east"), unread),
        text("text-label-further-up", &Said::text("ACTION: move east\nThat is risky."), unread),
        text("text-no-label", &Said::text("move east"), unread),
        text("text-cut", &both.clone().stopped(Stop::Length), "move south, refused: truncated, 2 calls"),
        text("text-declined", &both.clone().stopped(Stop::Refused), "move south, refused: refused, 2 calls"),
        maker.case("text-in-pieces", Mode::Text, [at_once(maker.events(&both))], "move south, 1 call").streamed(),
        maker
            .case(
                "text-thought-in-pieces",
                Mode::Text,
                [at_once(maker.events(&Said::text("As I said.").thinking(thought))), south()],
                unread,
            )
            .streamed(),
        maker.case(
            "json-behind-a-thought",
            Mode::Json,
            [maker.says(&Said::text(r#"{"action":"move south"}"#).thinking(r#"{"action":"move east"}"#))],
            "move south, 1 call",
        ),
        maker.tools(
            "acts-twice-at-once",
            maker.then_good(maker.says(&Said::act("move east").and(Said::act("move south")))),
            unread,
        ),
    ]
}

/// Errors that are about what the model wrote, by the words of servers that speak several formats, and what a filter says.
fn errors(maker: &Maker) -> Vec<Case> {
    let Maker(api) = *maker;
    let mut bad_call = of(api).error(400, "tool_use_failed", "Failed to call a function.");
    (bad_call["error"]["code"], bad_call["error"]["failed_generation"]) = (json!("tool_use_failed"), json!("act(east"));
    let mut bad_json = bad_call.clone();
    bad_json["error"]["code"] = json!("json_validate_failed");
    let mut in_event = of(api).error_event(400, "tool_use_failed", "Failed to call a function.");
    let place = if in_event["error"].is_object() { &mut in_event["error"] } else { &mut in_event };
    place["code"] = json!("tool_use_failed");
    let json_type = [("content-type", "application/json")];
    let unread = "move south, refused: unreadable, 2 calls, tokens [0, 0, 0, 0] for 0.0 USD";
    let unread_unpriced = "move south, refused: unreadable, 2 calls, tokens [0, 0, 0, 0] for an unknown price";
    let blocked = "Output blocked by content filtering policy";
    // Some servers have one form of an error for all formats that they speak.
    let at_the_top =
        |code: u16, message: &str| json!({ "object": "error", "message": message, "type": "X", "code": code });
    let ollama = at_the_top(500, "error parsing tool call: raw='act(east', err=invalid character 'a'");
    vec![
        maker.tools("bad-call-at-the-top", maker.then_good(http(500, &json_type, ollama.to_string())), unread),
        maker
            .tools("stream-bad-call-at-the-top", maker.then_good(at_once(event_stream(&[ollama]))), unread_unpriced)
            .streamed(),
        maker
            .tools(
                "stream-error-at-the-top",
                maker.then_good(at_once(event_stream(&[at_the_top(503, "full")]))),
                "move south, 1 call, retried: 503",
            )
            .streamed(),
        maker.tools("bad-call", maker.then_good(http(400, &json_type, bad_call.to_string())), unread),
        maker.tools("bad-call-with-200", maker.then_good(body(bad_call.to_string())), unread_unpriced),
        maker.tools("bad-json", maker.then_good(http(400, &json_type, bad_json.to_string())), unread),
        maker.tools("stream-bad-call", maker.then_good(at_once(event_stream(&[in_event]))), unread_unpriced).streamed(),
        maker.tools(
            "answer-blocked",
            maker.then_good(error(api, 400, "invalid_request_error", blocked)),
            "move south, refused: refused, 2 calls, tokens [0, 0, 0, 0] for 0.0 USD",
        ),
        maker
            .tools(
                "answer-blocked-in-a-stream",
                maker.then_good(at_once(event_stream(&[of(api).error_event(400, "invalid_request_error", blocked)]))),
                "move south, refused: refused, 2 calls, tokens [0, 0, 0, 0] for an unknown price",
            )
            .streamed(),
    ]
}

/// What each provider calls it.
fn words(api: Api) -> [&'static str; 6] {
    match api {
        Api::Chat | Api::Responses => [
            "invalid_api_key",
            "model_not_found",
            "rate_limit_exceeded",
            "server_error",
            "overloaded",
            "invalid_request",
        ],
        Api::Anthropic => [
            "authentication_error",
            "not_found_error",
            "rate_limit_error",
            "api_error",
            "overloaded_error",
            "invalid_request_error",
        ],
        Api::Gemini => {
            ["UNAUTHENTICATED", "NOT_FOUND", "RESOURCE_EXHAUSTED", "INTERNAL", "UNAVAILABLE", "INVALID_ARGUMENT"]
        }
    }
}

fn backend(maker: &Maker) -> Vec<Case> {
    let [key, model, busy, internal, overloaded, bad] = words(maker.0);
    let fails = |status, word, message: &str| error(maker.0, status, word, message);
    let seconds = [("content-type", "application/json"), ("retry-after", "1")];
    let slow_down = http(429, &seconds, of(maker.0).error(429, busy, "slow down").to_string());
    let overflow: &'static str = format!(
        "suspended: our request is too long for `canary-{}-context`: prompt is too long: 210000 tokens > 200000 maximum",
        maker.0
    )
    .leak();
    let no_model: &'static str =
        format!("suspended: SERVER/v1 does not have the model `canary-{}-404` (HTTP 404: no such model)", maker.0)
            .leak();
    vec![
        maker.tools(
            "401-with-the-key-in-it",
            [fails(401, key, "wrong: sk-canary-and-nothing-else")],
            "suspended: SERVER/v1 does not accept the key (HTTP 401: wrong: [key])",
        ),
        maker.tools("404", [fails(404, model, "no such model")], no_model),
        maker.tools(
            "400",
            [fails(400, bad, "bad tools")],
            "suspended: SERVER/v1 does not take our request (HTTP 400: bad tools)",
        ),
        maker.tools("context", [fails(400, bad, "prompt is too long: 210000 tokens > 200000 maximum")], overflow),
        maker.tools("429-retry-after", [slow_down, maker.south()], "move south, 1 call, retried: 429").waits(1),
        maker.tools("500", maker.then_good(fails(500, internal, "sorry")), "move south, 1 call, retried: 500"),
        maker.tools("529", maker.then_good(fails(529, overloaded, "full")), "move south, 1 call, retried: 529"),
        maker
            .tools(
                "529-for-ever",
                [fails(529, overloaded, "full")],
                "suspended: SERVER/v1 is in trouble (HTTP 529: full)",
            )
            .forever(4),
        maker.tools("error-with-200", maker.then_good(fails(200, "odd", "odd")), "move south, 1 call, retried: error"),
        maker.tools("html", maker.then_good(http(200, &[], "<p>Sign in")), "move south, 1 call, retried: body"),
        maker.tools("empty-object", maker.then_good(body("{}")), "move south, 1 call, retried: body"),
        maker.tools("half-an-answer", maker.then_good(maker.south().cut()), "move south, 1 call, retried: connection"),
    ]
}

fn streams(maker: &Maker) -> Vec<Case> {
    let said =
        || Said::act("move south").thinking(THOUGHT).and(Said { text: "South. 南。".to_owned(), ..Said::default() });
    let all = maker.events(&said());
    let events = of(maker.0).events(&said());
    let half = || event_stream(&events[..2]);
    let in_call = all[..all.find("move s").expect("its arguments")].to_owned();
    let [.., overloaded, _] = words(maker.0);
    let failing = half() + &event_stream(&[of(maker.0).error_event(529, overloaded, "full")]);
    let looks = Said::call("get_state", "{}").thinking(THOUGHT);
    let cases = vec![
        maker.tools("stream", [at_once(all.clone())], "move south, 1 call"),
        maker.tools("stream-byte-by-byte", [streamed(all.bytes().map(|byte| vec![byte]))], "move south, 1 call"),
        maker.tools("stream-not-given", [maker.south()], "move south, 1 call"),
        maker
            .tools("stream-looks-then-acts", [at_once(maker.events(&looks)), maker.south()], "move south, 2 calls")
            .carries(THOUGHT),
        maker.tools("stream-cut", maker.then_good(at_once(half())), "move south, 1 call, retried: connection"),
        maker.tools("stream-cut-in-the-call", maker.then_good(at_once(in_call)), "move south, 1 call, retried: body"),
        maker.tools(
            "stream-cut-by-length",
            maker.then_good(at_once(maker.events(&Said::text("Hm.").stopped(Stop::Length)))),
            "move south, refused: truncated, 2 calls",
        ),
        maker.tools(
            "stream-of-another-kind",
            maker.then_good(at_once("data: {\"hello\":\n\n".to_owned())),
            "move south, 1 call, retried: body",
        ),
        maker.tools(
            "stream-fails-in-the-middle",
            maker.then_good(at_once(failing)),
            match maker.0 {
                // A word of the server's own, for which there is no status.
                Api::Responses => "move south, 1 call, retried: error",
                _ => "move south, 1 call, retried: 529",
            },
        ),
    ];
    cases.into_iter().map(Case::streamed).collect()
}

fn responses() -> Vec<Case> {
    let maker = Maker(Api::Responses);
    let failed = |code: &str| {
        let mut answer = of(Api::Responses).answer(&Said::text(""));
        (answer["status"], answer["error"]) = (json!("failed"), json!({ "code": code, "message": "sorry" }));
        body(answer.to_string())
    };
    let mut filtered = of(Api::Responses).answer(&Said::text("I"));
    (filtered["status"], filtered["incomplete_details"]) = (json!("incomplete"), json!({ "reason": "content_filter" }));
    let mut twice = of(Api::Responses).answer(&Said::text("I look first.").thinking(THOUGHT));
    let last = of(Api::Responses).answer(&Said::text("ACTION: move south"))["output"][0].clone();
    twice["output"].as_array_mut().expect("a list").push(last);
    vec![
        maker.case("text-in-two-messages", Mode::Text, [body(twice.to_string())], "move south, 1 call"),
        maker.tools(
            "arguments-are-no-json",
            maker.then_good(maker.says(&Said::call("act", "move south"))),
            "move south, refused: unreadable, 2 calls",
        ),
        maker.tools("failed", maker.then_good(failed("server_error")), "move south, 1 call, retried: 500"),
        maker.tools("limited", maker.then_good(failed("rate_limit_exceeded")), "move south, 1 call, retried: 429"),
        maker.tools(
            "prompt-filtered",
            [failed("invalid_prompt")],
            "suspended: SERVER/v1 does not let our prompt pass its content filter: sorry",
        ),
        maker.tools("filtered", maker.then_good(body(filtered.to_string())), "move south, refused: refused, 2 calls"),
    ]
}

fn anthropic() -> Vec<Case> {
    let maker = Maker(Api::Anthropic);
    let stopped = |reason: &str| {
        let mut answer = of(Api::Anthropic).answer(&Said::text("Let me see.").thinking(THOUGHT));
        answer["stop_reason"] = json!(reason);
        body(answer.to_string())
    };
    let garbled = maker.events(&Said::call("act", "{\"action\": move south}"));
    let twice = maker.events(&Said::call("act", r#"{"action":"move east","action":"move south"}"#));
    let mut between = of(Api::Anthropic).answer(&Said::text("I look first."));
    let then = of(Api::Anthropic).answer(&Said::text("ACTION: move south").thinking(THOUGHT));
    let blocks = then["content"].as_array().expect("a list").clone();
    between["content"].as_array_mut().expect("a list").extend(blocks);
    vec![
        maker.case("text-around-a-thought", Mode::Text, [body(between.to_string())], "move south, 1 call"),
        maker
            .tools("stream-key-given-twice", maker.then_good(at_once(twice)), "move south, refused: unreadable, 2 calls")
            .streamed(),
        maker.tools("paused", maker.then_good(stopped("pause_turn")), "move south, 2 calls").carries(THOUGHT),
        maker.tools(
            "context-filled",
            [stopped("model_context_window_exceeded")],
            "suspended: our request is too long for `canary-anthropic-context-filled`: the answer did not fit behind the prompt",
        ),
        maker
            .tools("stream-garbled-call", maker.then_good(at_once(garbled)), "move south, refused: unreadable, 2 calls")
            .streamed(),
    ]
}

fn gemini() -> Vec<Case> {
    let maker = Maker(Api::Gemini);
    let finished = |reason: &str| -> Json {
        let mut answer = of(Api::Gemini).answer(&Said::text(""));
        answer["candidates"][0] = json!({ "finishReason": reason, "finishMessage": "act(move south", "index": 0 });
        answer
    };
    let malformed = || finished("MALFORMED_FUNCTION_CALL");
    let mut between = of(Api::Gemini).answer(&Said::text("I look first."));
    let then = of(Api::Gemini).answer(&Said::text("ACTION: move south").thinking(THOUGHT));
    let parts = then["candidates"][0]["content"]["parts"].as_array().expect("a list").clone();
    between["candidates"][0]["content"]["parts"].as_array_mut().expect("a list").extend(parts);
    let blocked = json!({ "promptFeedback": { "blockReason": "PROHIBITED_CONTENT" } });
    vec![
        maker.case("text-around-a-thought", Mode::Text, [body(between.to_string())], "move south, 1 call"),
        maker.tools(
            "malformed-call",
            maker.then_good(body(malformed().to_string())),
            "move south, refused: unreadable, 2 calls",
        ),
        maker
            .tools(
                "stream-malformed-call",
                maker.then_good(at_once(event_stream(&[malformed()]))),
                "move south, refused: unreadable, 2 calls",
            )
            .streamed(),
        maker.tools(
            "recitation",
            maker.then_good(body(finished("RECITATION").to_string())),
            "move south, refused: refused, 2 calls",
        ),
        maker.tools(
            "other",
            maker.then_good(body(finished("OTHER").to_string())),
            "move south, 1 call, retried: error",
        ),
        maker.tools(
            "prompt-blocked",
            [body(blocked.to_string())],
            "suspended: SERVER/v1 does not let our prompt pass its content filter: PROHIBITED_CONTENT",
        ),
        maker.tools(
            "400-wrong-key",
            [http(
                400,
                &[("content-type", "application/json")],
                json!({ "error": {
                    "code": 400, "message": "API key not valid.", "status": "INVALID_ARGUMENT",
                    "details": [{ "@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID" }],
                } })
                .to_string(),
            )],
            "suspended: SERVER/v1 does not accept the key (HTTP 401: API key not valid.)",
        ),
        maker
            .tools(
                "429-says-when",
                [
                    http(
                        429,
                        &[("content-type", "application/json")],
                        json!({ "error": {
                            "code": 429, "message": "slow down", "status": "RESOURCE_EXHAUSTED",
                            "details": [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "1.2s" }],
                        } })
                        .to_string(),
                    ),
                    maker.south(),
                ],
                "move south, 1 call, retried: 429",
            )
            .waits(1),
    ]
}
