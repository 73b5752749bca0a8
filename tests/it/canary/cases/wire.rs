//! The connection breaks, or what comes over it is no completion.

use serde_json::json;

use crate::canary::case::Case;
use crate::canary::reply::{Reply, act, body, call, completion, dropped, error, http, text};

fn then_good(reply: Reply) -> [Reply; 2] {
    [reply, act("move south")]
}

fn south() -> String {
    let message =
        json!({ "role": "assistant", "content": null, "tool_calls": [call("act", r#"{"action":"move south"}"#)] });
    completion(&message, "tool_calls").to_string()
}

pub(in crate::canary) fn wire() -> Vec<Case> {
    let html = || http(200, &[("content-type", "text/html")], "<!doctype html><p>Sign in to the hotel's network.");
    vec![
        Case::tools("nobody-listens", [], "suspended: cannot connect to http://127.0.0.1:0/v1: Connection refused")
            .unserved(),
        Case::tools("dropped", then_good(dropped()), "move south, 1 call, retried: connection"),
        Case::tools(
            "dropped-for-ever",
            [dropped()],
            "suspended: SERVER/v1 broke off the connection: connection closed before message completed",
        )
        .forever(4),
        Case::tools(
            "dropped-in-the-body",
            then_good(act("move south").cut()),
            "move south, 1 call, retried: connection",
        ),
        Case::tools(
            "stalled-in-the-body",
            then_good(act("move south").stalled()),
            "move south, 1 call, retried: timeout",
        )
        .hurried(),
        Case::tools(
            "stalled-for-ever",
            [act("move south").stalled()],
            "suspended: no answer from SERVER/v1 in time (8 s)",
        )
        .forever(4)
        .hurried(),
        Case::tools(
            "wrong-content-type",
            [http(200, &[("content-type", "text/plain")], south())],
            "move south, 1 call",
        ),
        Case::tools("no-content-type", [http(200, &[], south())], "move south, 1 call"),
        Case::tools("html", then_good(html()), "move south, 1 call, retried: body"),
        Case::tools(
            "html-for-ever",
            [html()],
            "suspended: SERVER/v1 does not answer in the format `api = \"chat\"`: no JSON object, called `text/html`: \
             <!doctype html><p>Sign in to the hotel's network.",
        )
        .forever(4),
        Case::tools("half-json", then_good(body(&south()[..80])), "move south, 1 call, retried: body"),
        Case::tools("empty-body", then_good(body("")), "move south, 1 call, retried: body"),
        Case::tools("empty-object", then_good(body("{}")), "move south, 1 call, retried: body"),
        Case::tools("null", then_good(body("null")), "move south, 1 call, retried: body"),
        Case::tools("no-choices", then_good(body(r#"{"choices":[]}"#)), "move south, 1 call, retried: body"),
        Case::tools("no-message", then_good(body(r#"{"choices":[{}]}"#)), "move south, 1 call, retried: body"),
        Case::tools(
            "error-with-200",
            then_good(error(200, "overloaded", "overloaded")),
            "move south, 1 call, retried: error",
        ),
        Case::tools(
            "error-with-200-and-a-status",
            then_good(error(200, 503, "overloaded")),
            "move south, 1 call, retried: 503",
        ),
        Case::tools(
            "invalid-utf-8",
            then_good(body([south().as_bytes(), b"\xff"].concat())),
            "move south, 1 call, retried: body",
        ),
        Case::tools("deep-body", then_good(body("[".repeat(1_000_000))), "move south, 1 call, retried: body"),
        Case::tools("key-twice", [body(south().replacen('{', r#"{"choices":[],"#, 1))], "move south, 1 call"),
        Case::tools(
            "body-of-11-megabytes",
            [text(&"thinking ".repeat(1_250_000))],
            "suspended: SERVER/v1 does not answer in the format `api = \"chat\"`: too large, more than 10 MB",
        )
        .forever(4),
        Case::tools(
            "unasked-stream",
            then_good(http(
                200,
                &[("content-type", "text/event-stream")],
                "data: {\"choices\":[]}\n\ndata: [DONE]\n\n",
            )),
            "move south, 1 call, retried: body",
        ),
    ]
}
