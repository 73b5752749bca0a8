//! The server says that it cannot.

use std::time::Duration;

use crate::canary::case::Case;
use crate::canary::reply::{Reply, act, busy, busy_until, error, http};

fn once(status: u16) -> [Reply; 2] {
    [error(status, "trouble", "try again"), act("move south")]
}

pub(in crate::canary) fn backend() -> Vec<Case> {
    vec![
        Case::tools(
            "400",
            [error(400, "invalid_request", "bad tools")],
            "suspended: SERVER/v1 does not take our request (HTTP 400: bad tools)",
        ),
        Case::tools(
            "401",
            [error(401, "invalid_api_key", "wrong key")],
            "suspended: SERVER/v1 does not accept the key (HTTP 401: wrong key)",
        ),
        Case::tools(
            "401-integer-code",
            [error(401, 401, "Invalid API Key")],
            "suspended: SERVER/v1 does not accept the key (HTTP 401: Invalid API Key)",
        ),
        Case::tools(
            "403",
            [error(403, "forbidden", "not in your country")],
            "suspended: SERVER/v1 does not accept the key (HTTP 403: not in your country)",
        ),
        Case::tools(
            "404-model",
            [error(404, "model_not_found", "no such model")],
            "suspended: SERVER/v1 does not have the model `canary-404-model` (HTTP 404: no such model)",
        ),
        Case::tools("408", once(408), "move south, 1 call, retried: 408"),
        Case::tools("409", once(409), "move south, 1 call, retried: 409"),
        Case::tools(
            "413",
            [error(413, "too_large", "too large")],
            "suspended: SERVER/v1 does not take our request (HTTP 413: too large)",
        ),
        Case::tools(
            "422",
            [error(422, "unprocessable", "no")],
            "suspended: SERVER/v1 does not take our request (HTTP 422: no)",
        ),
        Case::tools("429", once(429), "move south, 1 call, retried: 429"),
        Case::tools("429-retry-after", [busy("1"), act("move south")], "move south, 1 call, retried: 429").waits(1),
        Case::tools("429-retry-after-date", [busy_until(), act("move south")], "move south, 1 call, retried: 429")
            .waits(1),
        Case::tools(
            "429-retry-after-an-hour",
            [busy("3600")],
            "suspended: SERVER/v1 takes no more requests for now (HTTP 429: slow down)",
        ),
        Case::tools(
            "429-for-ever",
            [busy("0")],
            "suspended: SERVER/v1 takes no more requests for now (HTTP 429: slow down)",
        )
        .forever(4),
        Case::tools("500", once(500), "move south, 1 call, retried: 500").over(1),
        Case::tools(
            "502-html",
            [http(502, &[("content-type", "text/html")], "<html>Bad Gateway</html>"), act("move south")],
            "move south, 1 call, retried: 502",
        ),
        Case::tools("503", once(503), "move south, 1 call, retried: 503"),
        Case::tools(
            "503-for-ever",
            [error(503, 503, "Loading model")],
            "suspended: SERVER/v1 is in trouble (HTTP 503: Loading model)",
        )
        .forever(4),
        Case::tools("529", once(529), "move south, 1 call, retried: 529"),
        Case::tools(
            "429-no-money-left",
            [error(429, "insufficient_quota", "buy more")],
            "suspended: SERVER/v1 says that the account has no money left (HTTP 429: buy more)",
        ),
        Case::tools(
            "401-with-the-key-in-it",
            [error(401, "invalid_api_key", "wrong: sk-canary-and-nothing-else")],
            "suspended: SERVER/v1 does not accept the key (HTTP 401: wrong: [key])",
        ),
        Case::tools(
            "429-retry-after-the-players-clock",
            [busy("10"), act("move south")],
            "move south, 1 call, retried: 429",
        )
        .within(8),
        Case::tools(
            "503-then-too-slow",
            [error(503, 503, "Loading model"), act("move south").after(Duration::from_secs(30))],
            "suspended: SERVER/v1 is in trouble (HTTP 503: Loading model)",
        )
        .within(8),
        Case::tools(
            "redirect",
            [http(307, &[("location", "/v1/elsewhere")], "")],
            "suspended: SERVER/v1 has moved (HTTP 307)",
        ),
        Case::tools("418", [http(418, &[], "")], "suspended: SERVER/v1 does not take our request (HTTP 418)"),
    ]
}
