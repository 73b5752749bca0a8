//! A model at the table, over HTTP to a server next door.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use secrecy::SecretString;
use serde_json::{Value as Json, json};
use wiremock::matchers::{method, path};
use wiremock::{Mock, MockServer, Request, Respond, ResponseTemplate};

use super::failure::RetryPolicy;
use super::*;
use crate::games::accepted::READS;
use crate::games::{Code, Joint, Order, Ruleset, Seat, Seed, Table, Viewer};
use crate::matches::{BadForm, Problem};
use crate::players::player::{Answer, Ask, PlayerError};
use crate::players::profile::{Api, EndpointLimits, Price};
use crate::players::turn::{Time, TurnLog};

const KEY: &str = "sk-nobody-may-see-this";

/// Answers in order; the last one again and again.
struct Script(Mutex<VecDeque<ResponseTemplate>>);

impl Respond for Script {
    fn respond(&self, _: &Request) -> ResponseTemplate {
        let mut left = self.0.lock().expect("nobody panics in here");
        if left.len() > 1 { left.pop_front().expect("some are left") } else { left[0].clone() }
    }
}

async fn server(script: impl IntoIterator<Item = ResponseTemplate>) -> MockServer {
    let server = MockServer::start().await;
    let script = Script(Mutex::new(script.into_iter().collect()));
    Mock::given(method("POST")).and(path("/v1/chat/completions")).respond_with(script).mount(&server).await;
    server
}

/// What the server was asked.
async fn seen(server: &MockServer) -> Vec<Json> {
    let requests = server.received_requests().await.expect("they are recorded");
    let posted = requests.iter().filter(|request| request.method.as_str() == "POST");
    posted.map(|request| request.body_json().expect("we send JSON")).collect()
}

fn completion(message: &Json, finish: &str) -> ResponseTemplate {
    ResponseTemplate::new(200).set_body_json(json!({
        "model": "tiny-2026",
        "choices": [{ "message": message, "finish_reason": finish }],
        "usage": {
            "prompt_tokens": 1000, "completion_tokens": 50,
            "prompt_tokens_details": { "cached_tokens": 600 },
            "completion_tokens_details": { "reasoning_tokens": 20 },
        },
    }))
}

fn text(content: &str) -> ResponseTemplate {
    completion(&json!({ "content": content }), "stop")
}

fn calls(calls: &[(&str, &str)]) -> ResponseTemplate {
    let calls: Vec<Json> = calls
        .iter()
        .enumerate()
        .map(|(id, (name, arguments))| {
            json!({ "id": format!("c{id}"), "type": "function", "function": { "name": name, "arguments": arguments } })
        })
        .collect();
    completion(&json!({ "content": null, "tool_calls": calls }), "tool_calls")
}

fn profile(server: &MockServer, mode: Mode) -> Profile {
    Profile {
        name: "tiny".to_owned(),
        mode,
        temperature: Some(0.0),
        max_output_tokens: 200,
        reasoning_effort: Some("tiny".to_owned()),
        seed: Some(7),
        stream: false,
        timeout: Duration::from_secs(5),
        price: Some(Price { input: 1.0, cached_input: 0.5, cache_write: 1.0, output: 10.0 }),
        limits: EndpointLimits { requests_per_minute: None, tokens_per_minute: None, concurrency: 4 },
        ..Profile::at(&format!("{}/v1/", server.uri()), "tiny")
    }
}

fn model(profile: Profile, budget: RunBudget, journal: Arc<dyn Journal>) -> Model {
    let first = Duration::from_millis(1);
    let retry = RetryPolicy { tries: 3, first, first_busy: first, total: Duration::from_secs(2) };
    let key = Some(SecretString::from(KEY));
    Model::with_retry_policy(profile, key, Variant::default(), Arc::new(budget), journal, retry).expect("a profile")
}

fn tiny(server: &MockServer, mode: Mode) -> Model {
    model(profile(server, mode), RunBudget::unlimited(), Arc::new(NoJournal))
}

fn opened(ruleset: &str) -> Table {
    let ruleset = Arc::new(Ruleset::named(ruleset).expect("it is built in"));
    Table::open(ruleset, 2, Seed(7)).expect("two can play")
}

pub(super) fn asked(ruleset: &str) -> Ask {
    let seat = Seat::new(0);
    Ask {
        match_id: "m".to_owned(),
        view: opened(ruleset).view(Viewer::Seat(seat)),
        seat,
        since: Vec::new(),
        said: Vec::new(),
    }
}

async fn act(model: &Model, ruleset: &str) -> Result<Answer, PlayerError> {
    act_logged(model, ruleset, &TurnLog::default()).await
}

async fn act_logged(model: &Model, ruleset: &str, log: &TurnLog) -> Result<Answer, PlayerError> {
    model.seat(Language::En).act(&asked(ruleset), log).await
}

fn problem(result: Result<Answer, PlayerError>) -> Problem {
    match result {
        Err(PlayerError::NoAction(attempt)) => attempt.problem,
        other => panic!("{other:?}"),
    }
}

fn backend(result: Result<Answer, PlayerError>) -> String {
    match result {
        Err(PlayerError::Backend(why)) => why,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn the_last_line_of_a_text_is_the_action_and_the_call_is_accounted_for() {
    let server = server([text("Up is free.\n\nACTION: move down\n")]).await;
    let log = TurnLog::default();
    let answer = act_logged(&tiny(&server, Mode::Text), "cowboy", &log).await.expect("an answer");
    assert_eq!(answer.action.notation(), "move down");
    let call = &log.calls()[0];
    assert_eq!((call.model.as_str(), call.input_tokens, call.cached_tokens), ("tiny-2026", 1000, 600));
    assert_eq!((call.output_tokens, call.reasoning_tokens, call.usd), (50, 20, Some(0.0012)));
    let request = &seen(&server).await[0];
    assert_eq!(request["messages"].as_array().map(Vec::len), Some(2));
    for (field, value) in
        [("model", json!("tiny")), ("max_tokens", json!(200)), ("seed", json!(7)), ("reasoning_effort", json!("tiny"))]
    {
        assert_eq!(request[field], value);
    }
    let headers = &server.received_requests().await.expect("they are recorded")[0].headers;
    assert_eq!(headers["authorization"], format!("Bearer {KEY}"));
}

#[tokio::test]
async fn a_refused_action_comes_back_as_the_result_of_its_tool_call() {
    let server = server([
        calls(&[("act", r#"{"action":"move nowhere"}"#)]),
        calls(&[("speak", r#"{"text":"Hi"}"#), ("act", r#"{"action":"move south"}"#)]),
    ])
    .await;
    let mut seat = tiny(&server, Mode::Tools).seat(Language::En);
    let (ask, log) = (asked("paint"), TurnLog::default());
    let Err(PlayerError::NoAction(first)) = seat.act(&ask, &log).await else { panic!("no such direction") };
    log.attempt(first);
    let second = seat.act(&ask, &log).await.expect("another");
    assert_eq!((second.action.notation(), second.say.as_deref()), ("move south", Some("Hi")));
    let messages = &seen(&server).await[1]["messages"];
    let roles: Vec<&str> = messages.as_array().expect("a list").iter().filter_map(|m| m["role"].as_str()).collect();
    assert_eq!(roles, ["system", "user", "assistant", "tool"]);
    assert_eq!(messages[3]["tool_call_id"], "c0");
    assert!(messages[3]["content"].as_str().is_some_and(|text| text.contains("2 more")), "{messages}");
}

#[tokio::test]
async fn a_model_looks_around_before_it_acts_and_cannot_for_ever() {
    let look = || calls(&[("get_state", ""), ("list_legal_actions", "{}"), ("shout", "{}")]);
    let patient = server([look(), calls(&[("act", r#"{"action":"shoot down","reasoning":"B is there"}"#)])]).await;
    let log = TurnLog::default();
    let answer = act_logged(&tiny(&patient, Mode::Tools), "cowboy", &log).await.expect("an answer");
    assert_eq!((answer.action.notation(), answer.action.reasoning()), ("shoot down", Some("B is there")));
    assert_eq!(log.calls().len(), 2);
    let messages = &seen(&patient).await[1]["messages"];
    let results: Vec<&str> = (3..6).filter_map(|at| messages[at]["content"].as_str()).collect();
    for (result, part) in results.iter().zip(["\"your_turn\":true", "\"shoot down\"", "no tool `shout`"]) {
        assert!(result.contains(part), "{result}");
    }
    // Each request has all the tokens of the profile.
    let restless = server([look()]).await;
    assert_eq!(problem(act(&tiny(&restless, Mode::Tools), "cowboy").await), Problem::Nothing);
    assert_eq!(seen(&restless).await.iter().map(|r| r["max_tokens"].as_u64()).collect::<Vec<_>>(), [Some(200); 8]);
}

#[tokio::test]
async fn where_speaking_is_an_action_the_tool_speaks_it() {
    let server = server([
        calls(&[("speak", r#"{"text":"Howdy"}"#)]),
        calls(&[("speak", r#"{"text":"Howdy"}"#), ("act", r#"{"action":"move down"}"#)]),
    ])
    .await;
    let model = tiny(&server, Mode::Tools);
    let answer = act(&model, "cowboy").await.expect("an answer");
    assert_eq!((answer.action.notation(), answer.say), ("speak Howdy", None));
    assert_eq!(problem(act(&model, "cowboy").await), Problem::Form(BadForm::Several));
}

#[tokio::test]
async fn json_comes_under_a_schema() {
    let server = server([text(r#"{"action":"move down","reasoning":"why not"}"#)]).await;
    let answer = act(&tiny(&server, Mode::Json), "cowboy").await.expect("an answer");
    assert_eq!((answer.action.notation(), answer.action.reasoning()), ("move down", Some("why not")));
    let format = &seen(&server).await[0]["response_format"];
    assert_eq!(format["json_schema"]["schema"]["required"], json!(["reasoning", "action"]));
}

#[tokio::test]
async fn a_model_is_asked_to_think_before_it_acts() {
    for (mode, reply) in [
        (Mode::Tools, calls(&[("act", r#"{"reasoning":"why not","action":"move down"}"#)])),
        (Mode::Json, text(r#"{"reasoning":"why not","action":"move down"}"#)),
    ] {
        let server = server([reply]).await;
        let answer = act(&tiny(&server, mode), "cowboy").await.expect("an answer");
        assert_eq!(answer.action.reasoning(), Some("why not"));
        // The order of fields, which JSON does not keep, is in the text alone.
        let requests = server.received_requests().await.expect("they are recorded");
        let sent = String::from_utf8(requests[0].body.clone()).expect("UTF-8");
        assert!(sent.contains(r#""properties":{"reasoning":{"#), "{mode:?}: {sent}");
    }
}

#[tokio::test]
async fn what_is_written_on_the_way_to_an_action_is_kept_for_spectators() {
    let beside = |content: &str, name: &str, arguments: &str| {
        let function = json!({ "name": name, "arguments": arguments });
        let call = json!({ "id": "c0", "type": "function", "function": function });
        completion(&json!({ "content": content, "tool_calls": [call] }), "tool_calls")
    };
    let look = || beside("Let me look.", "get_state", "{}");
    let act_on = || beside("<think>hm</think>B is near.", "act", r#"{"action":"move down","reasoning":"away"}"#);
    for (mode, replies, kept) in [
        (Mode::Tools, vec![look(), act_on()], "Let me look.\nB is near.\naway"),
        (Mode::Text, vec![text("<think>hm</think>\nB is near.\n\nACTION: move down")], "B is near."),
    ] {
        let server = server(replies).await;
        let answer = act(&tiny(&server, mode), "cowboy").await.expect("an answer");
        assert_eq!(answer.action.reasoning(), Some(kept));
    }
}

#[tokio::test]
async fn a_model_is_told_how_long_its_answer_may_be() {
    let server = server([text("ACTION: move down")]).await;
    act(&tiny(&server, Mode::Text), "cowboy").await.expect("an answer");
    let system = seen(&server).await[0]["messages"][0]["content"].to_string();
    assert!(system.contains("at most 200 tokens"), "{system}");
}

#[tokio::test]
async fn text_beside_a_tool_call_does_nothing_and_text_alone_is_read_as_text() {
    let both = json!({
        "content": "move up",
        "tool_calls": [{ "id": "c0", "type": "function", "function": { "name": "act", "arguments": "{\"action\":\"move down\"}" } }],
    });
    for (reply, action) in
        [(completion(&both, "tool_calls"), "move down"), (text("Up it is.\nACTION: shield up"), "shield up")]
    {
        let server = server([reply]).await;
        assert_eq!(act(&tiny(&server, Mode::Tools), "cowboy").await.expect("an answer").action.notation(), action);
    }
}

#[tokio::test]
async fn a_note_to_oneself_is_in_the_next_turn_and_replaces_the_one_before() {
    let noting = |note: &str| calls(&[("act", &json!({ "action": "shield up", "notes": note }).to_string())]);
    let server = server([noting("first thought"), noting("second thought"), noting("")]).await;
    let variant = Variant::named("scratchpad").expect("it is built in");
    let (budget, journal) = (Arc::new(RunBudget::unlimited()), Arc::new(NoJournal));
    let model =
        Model::new(profile(&server, Mode::Tools), Secrets::default(), variant, budget, journal).expect("a profile");
    let mut seat = model.seat(Language::En);
    let (mut ask, mut table) = (asked("cowboy"), opened("cowboy"));
    for _ in 0..3 {
        ask.view = table.view(Viewer::Seat(ask.seat));
        seat.act(&ask, &TurnLog::default()).await.expect("an answer");
        for order in ["shield up", "shield down"] {
            let joint = Joint::one(
                table.to_act().iter().next().expect("somebody's turn"),
                Order::Play(table.read(order).expect("an action").0),
            );
            table.play(&joint, &mut Seed(7).turn(0)).expect("it is legal");
        }
    }
    let told: Vec<String> = seen(&server).await.iter().map(|request| request["messages"][1].to_string()).collect();
    let has = |thought: &str| told.iter().map(|told| told.contains(thought)).collect::<Vec<_>>();
    assert_eq!(has("first thought"), [false, true, false]);
    assert_eq!(has("second thought"), [false, false, true]);
}

#[tokio::test]
async fn what_is_no_action_is_told_apart() {
    let prose = "I think\nthat I will move down.";
    for (mode, reply, expected) in [
        (Mode::Text, text(prose), Problem::Form(BadForm::Label)),
        (Mode::Text, text("  "), Problem::Nothing),
        (Mode::Text, completion(&json!({ "content": "ACTION: move down" }), "length"), Problem::Truncated),
        (Mode::Text, completion(&json!({ "refusal": "No." }), "stop"), Problem::Declined),
        (Mode::Tools, completion(&json!({ "content": "" }), "content_filter"), Problem::Declined),
        (Mode::Tools, completion(&json!({ "reasoning_content": "ACTION: move down" }), "stop"), Problem::Nothing),
        (Mode::Tools, text("move down"), Problem::Form(BadForm::Label)),
        (Mode::Text, text("ACTION: move up ACTION: move down"), Problem::Form(BadForm::Several)),
        (Mode::Tools, calls(&[("act", "move down")]), Problem::Form(BadForm::Arguments)),
        (Mode::Tools, calls(&[("speak", "Howdy")]), Problem::Form(BadForm::Speech)),
        (Mode::Json, text("move down"), Problem::Form(BadForm::Json)),
        (Mode::Json, text("```json\n{\"action\":\"move down\"}\n```"), Problem::Form(BadForm::Json)),
    ] {
        let server = server([reply]).await;
        assert_eq!(problem(act(&tiny(&server, mode), "cowboy").await), expected, "{mode:?}");
    }
}

#[tokio::test]
async fn what_cannot_be_read_is_refused_as_it_is() {
    for (mode, reply) in [
        (Mode::Text, text("ACTION: move")),
        (Mode::Tools, calls(&[("act", r#"{"action":"move down","seat":"B"}"#)])),
        (Mode::Tools, calls(&[("act", r#"{"action":"move down""#)])),
        (Mode::Json, text(r#"{"action":"move up","action":"move down"}"#)),
    ] {
        let server = server([reply]).await;
        let problem = problem(act(&tiny(&server, mode), "cowboy").await);
        assert_eq!(problem.refusal().code, Code::UnreadableAction, "{problem}");
        assert!(matches!(problem, Problem::Refused(_)), "{problem}");
    }
}

#[tokio::test]
async fn a_models_action_is_read_once() {
    let stream = |pieces: &[&str]| {
        let pieces = pieces.iter().map(|content| json!({ "choices": [{ "delta": { "content": content } }] }));
        let end = json!({ "choices": [{ "delta": {}, "finish_reason": "stop" }] });
        let events: Vec<String> = pieces.chain([end]).map(|chunk| format!("data: {chunk}\n\n")).collect();
        ResponseTemplate::new(200).set_body_raw(events.concat(), "text/event-stream")
    };
    for (mode, reply, action) in [
        (Mode::Tools, calls(&[("act", r#"{"action":"move down","reasoning":"why not"}"#)]), "move down"),
        (Mode::Tools, calls(&[("act", r#"{"action":"shield","direction":"left"}"#)]), "shield left"),
        (Mode::Tools, calls(&[("speak", r#"{"text":"Howdy"}"#)]), "speak Howdy"),
        (Mode::Json, text(r#"{"action":"move down"}"#), "move down"),
        (Mode::Text, text("Down it is.\nACTION: move down"), "move down"),
        (Mode::Text, stream(&["ACTION: mo", "ve down"]), "move down"),
    ] {
        let server = server([reply]).await;
        let profile = Profile { stream: true, ..profile(&server, mode) };
        let model = model(profile, RunBudget::unlimited(), Arc::new(NoJournal));
        READS.set(0);
        let answer = act(&model, "cowboy").await.expect("an answer");
        assert_eq!((answer.action.notation(), READS.get()), (action, 1), "{mode:?}");
    }
}

#[tokio::test]
async fn a_failing_backend_is_asked_again_and_the_record_says_so() {
    let server = server([
        ResponseTemplate::new(503).set_body_json(json!({ "error": { "code": 503, "message": "Loading model" } })),
        ResponseTemplate::new(200).set_body_string("<html>"),
        text("ACTION: move down"),
    ])
    .await;
    let log = TurnLog::default();
    act_logged(&tiny(&server, Mode::Text), "cowboy", &log).await.expect("it heals");
    assert_eq!(log.calls()[0].retries, ["503: Loading model", "body: no JSON object, called `text/plain`: <html>"]);
}

#[tokio::test]
async fn what_a_server_could_not_read_is_the_models_and_is_kept_in_the_servers_words() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("m.calls.jsonl");
    let words = "Failed to call a function. Please adjust your prompt. See 'failed_generation' for more details.";
    let error = json!({ "message": words, "code": "tool_use_failed", "failed_generation": "<function=act>" });
    let server = server([ResponseTemplate::new(400).set_body_json(json!({ "error": error }))]).await;
    // The second one finds the answer in the journal.
    for _ in 0..2 {
        let journal = Arc::new(FileJournal::open(&file).expect("a journal"));
        let model = model(profile(&server, Mode::Tools), RunBudget::unlimited(), journal);
        let Err(PlayerError::NoAction(attempt)) = act(&model, "cowboy").await else { panic!("no action was given") };
        assert_eq!((attempt.text.as_str(), attempt.problem), ("<function=act>", Problem::Rejected(words.to_owned())));
    }
    assert_eq!(seen(&server).await.len(), 1);
}

#[tokio::test]
async fn a_call_that_llama_cpp_could_not_read_is_the_models_though_the_server_calls_it_500() {
    let words = "Failed to parse tool call arguments as JSON: syntax error: missing closing quote";
    let error = json!({ "code": 500, "message": words, "type": "server_error" });
    let server = server([ResponseTemplate::new(500).set_body_json(json!({ "error": error }))]).await;
    let Err(PlayerError::NoAction(attempt)) = act(&tiny(&server, Mode::Tools), "cowboy").await else {
        panic!("no action was given")
    };
    assert_eq!(attempt.problem, Problem::Rejected(words.to_owned()));
    assert_eq!(seen(&server).await.len(), 1);
}

#[tokio::test]
async fn a_call_that_its_server_rejected_costs_nothing_and_leaves_the_cost_known() {
    let words = "Failed to call a function.";
    let rejected = ResponseTemplate::new(400)
        .set_body_json(json!({ "error": { "message": words, "code": "tool_use_failed", "failed_generation": "act" } }));
    let server = server([rejected]).await;
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("m.calls.jsonl");
    let budget = Arc::new(RunBudget::unlimited());
    // The second one finds the answer in the journal.
    for _ in 0..2 {
        let journal = Arc::new(FileJournal::open(&file).expect("a journal"));
        let profile = profile(&server, Mode::Tools);
        let model = Model::new(profile, None, Variant::default(), budget.clone(), journal).expect("a profile");
        let log = TurnLog::default();
        let answer = act_logged(&model, "cowboy", &log).await;
        assert_eq!(problem(answer), Problem::Rejected(words.to_owned()));
        assert_eq!(log.calls().iter().map(|call| call.usd).collect::<Vec<_>>(), [Some(0.0)]);
    }
    assert_eq!((budget.calls(), budget.spent_usd()), (1, Some(0.0)));
    let ledger = FileJournal::open(&file).expect("a journal").ledger();
    assert_eq!(ledger.all, Spent::new(1, 0.0));
}

#[tokio::test]
async fn a_model_that_keeps_its_thoughts_to_itself_is_not_asked_for_them() {
    let words = "Encrypted content is not supported with this model.";
    let reply = ResponseTemplate::new(400)
        .set_body_json(json!({ "error": { "message": words, "type": "invalid_request_error", "param": "include" } }));
    let server = MockServer::start().await;
    Mock::given(method("POST")).and(path("/v1/responses")).respond_with(reply).mount(&server).await;
    let profile = Profile { api: Api::Responses, ..profile(&server, Mode::Tools) };
    let why = backend(act(&model(profile, RunBudget::unlimited(), Arc::new(NoJournal)), "cowboy").await);
    assert!(why.contains(words) && why.contains("thinking = false"), "{why}");
}

#[tokio::test]
async fn a_request_that_is_too_long_says_how_long() {
    let error = json!({ "code": "context_length_exceeded", "message": "at most 100 tokens" });
    let server = server([ResponseTemplate::new(400).set_body_json(json!({ "error": error }))]).await;
    let why = backend(act(&tiny(&server, Mode::Text), "cowboy").await);
    assert!(why.contains("at most 100 tokens; it has about "), "{why}");
    assert_eq!(seen(&server).await.len(), 1);
}

#[tokio::test]
async fn what_does_not_heal_says_what_to_do_and_never_the_key() {
    let wrong_key = json!({ "error": { "code": 401, "message": format!("no key {KEY} here") } });
    let stream = |text: &str| ResponseTemplate::new(200).set_body_raw(text.replace("KEY", KEY), "text/event-stream");
    for (reply, requests, part) in [
        (ResponseTemplate::new(401).set_body_json(wrong_key), 1, "api_key_env"),
        (ResponseTemplate::new(404), 1, "`tiny`"),
        (ResponseTemplate::new(400), 1, "HTTP 400"),
        (ResponseTemplate::new(429).insert_header("retry-after", "3600"), 1, "rate limits"),
        (ResponseTemplate::new(500), 3, "HTTP 500"),
        (ResponseTemplate::new(200).set_body_string("{}"), 3, "in the format `api = \"chat\"`"),
        (ResponseTemplate::new(200).set_body_string("{\"hint\":\"use /v2\"}"), 3, "use /v2"),
        (ResponseTemplate::new(200).set_body_string(format!("Who has {KEY}?")), 3, "Who has [key]?"),
        (stream("data: {\"error\":{\"message\":\"Who has KEY?\"}}\n\n"), 3, "Who has [key]?"),
        (stream("data: Who has KEY?\n\n"), 3, "Who has [key]?"),
        (ResponseTemplate::new(200).set_body_string(format!("{{{}", " ".repeat(10 << 20))), 3, "too large"),
    ] {
        let server = server([reply]).await;
        let profile = Profile { stream: true, ..profile(&server, Mode::Text) };
        let why = backend(act(&model(profile, RunBudget::unlimited(), Arc::new(NoJournal)), "cowboy").await);
        assert!(why.contains(part) && why.contains(&server.uri()) && !why.contains(KEY), "{why}");
        assert_eq!(seen(&server).await.len(), requests, "{why}");
    }
}

#[tokio::test]
async fn nobody_there_is_nobodys_fault() {
    let server = server([text("ACTION: move down")]).await;
    // No server can have port 0.
    let profile = Profile { base_url: "http://127.0.0.1:0/v1".to_owned(), ..profile(&server, Mode::Text) };
    let why = backend(act(&model(profile, RunBudget::unlimited(), Arc::new(NoJournal)), "cowboy").await);
    assert!(why.contains("cannot connect"), "{why}");
}

#[tokio::test]
async fn a_failure_never_uses_up_the_players_clock() {
    let server =
        server([ResponseTemplate::new(503), text("ACTION: move down").set_delay(Duration::from_mins(1))]).await;
    let model = tiny(&server, Mode::Text);
    let log = TurnLog::new(Some(Duration::from_secs(4)));
    let mut seat = model.seat(Language::En);
    let ask = asked("cowboy");
    let result = tokio::select! {
        result = seat.act(&ask, &log) => result,
        () = log.out_of_time() => panic!("the clock ran out"),
    };
    let why = backend(result);
    assert!(why.contains("503"), "{why}");
    assert!(log.spent(Time::Backend) >= Duration::from_millis(500), "{log:?}");
}

#[tokio::test]
async fn a_queue_and_a_back_off_run_nobodys_clock_and_the_journal_knows_them() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("m.calls.jsonl");
    let busy = ResponseTemplate::new(429).insert_header("retry-after", "1");
    let server = server([busy, text("ACTION: move down")]).await;
    let limits = EndpointLimits { requests_per_minute: Some(30), tokens_per_minute: None, concurrency: 1 };
    let profile = Profile { limits, timeout: Duration::from_mins(1), ..profile(&server, Mode::Text) };
    let journaled = || {
        let journal = FileJournal::open(&file).expect("a journal");
        model(profile.clone(), RunBudget::unlimited(), Arc::new(journal))
    };
    let model = journaled();
    // Three at once, and then one in two seconds: as long as a backend is retried.
    let wanted = LeaseRequest { endpoint: model.inner.endpoint.name(), limits, tokens: 0, most: 0, in_match: None };
    for _ in 0..3 {
        drop(model.inner.limiter.lease(wanted).await.expect("nothing is limited but the rate"));
    }
    let (log, begun) = (TurnLog::default(), Instant::now());
    let first = act_logged(&model, "cowboy", &log).await.expect("an answer");
    let (waited, backend) = (log.spent(Time::Waiting), log.spent(Time::Backend));
    assert!(waited >= Duration::from_millis(1500) && backend >= Duration::from_millis(900), "{log:?}");
    assert!(log.spent(Time::Thinking) + waited + backend <= begun.elapsed(), "{log:?}");
    let again = TurnLog::default();
    assert_eq!(act_logged(&journaled(), "cowboy", &again).await.expect("the same"), first);
    assert_eq!((again.spent(Time::Waiting), again.spent(Time::Backend)), (waited, backend));
    assert_eq!(again.calls(), log.calls());
}

#[tokio::test]
async fn what_was_paid_for_before_the_clock_ran_out_is_in_the_log() {
    let server =
        server([calls(&[("get_state", "{}")]), text("ACTION: move down").set_delay(Duration::from_mins(1))]).await;
    let log = TurnLog::default();
    let (mut seat, ask) = (tiny(&server, Mode::Tools).seat(Language::En), asked("cowboy"));
    let called_once = async {
        while log.calls().is_empty() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::select! {
        result = seat.act(&ask, &log) => panic!("{result:?}"),
        () = called_once => assert_eq!(log.cut_off(), None),
    }
    assert_eq!(log.calls().iter().map(|call| call.usd).collect::<Vec<_>>(), [Some(0.0012)]);
}

#[tokio::test]
async fn budgets_are_checked_before_anything_is_sent() {
    let server = server([text("ACTION: move down")]).await;
    let profile = || profile(&server, Mode::Text);
    let cheap = Profile { max_usd_match: Some(0.001), ..profile() };
    let none = || Arc::new(NoJournal);
    for (model, part) in [
        (model(cheap, RunBudget::unlimited(), none()), "budget of this match"),
        (model(profile(), RunBudget::new(Some(0.001), None), none()), "budget of this run"),
        (model(profile(), RunBudget::new(None, Some(0)), none()), "all 0 calls"),
    ] {
        let Err(PlayerError::Withheld(why)) = act(&model, "cowboy").await else { panic!("there is no money for it") };
        assert!(why.contains(part), "{why}");
    }
    assert_eq!(seen(&server).await.len(), 0);
    let budget = Arc::new(RunBudget::new(Some(1.0), None));
    let model = Model::new(profile(), None, Variant::default(), budget.clone(), none()).expect("a profile");
    act(&model, "cowboy").await.expect("there is enough");
    assert_eq!(budget.spent_usd(), Some(0.0012));
}

#[tokio::test]
async fn an_answered_call_is_not_paid_for_twice() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("m.calls.jsonl");
    let server = server([ResponseTemplate::new(503), text("ACTION: move down"), text("ACTION: move up")]).await;
    let journaled = || {
        let journal = FileJournal::open(&file).expect("a journal");
        model(profile(&server, Mode::Text), RunBudget::unlimited(), Arc::new(journal))
    };
    let first = act(&journaled(), "cowboy").await.expect("an answer");
    let kept = std::fs::read_to_string(&file).expect("it is there");
    assert!(kept.contains("tiny-2026") && !kept.contains(KEY));
    // Killed in the middle of the next line.
    std::fs::write(&file, format!("{kept}{{\"match_id\":\"m\",\"se")).expect("written");
    assert_eq!(act(&journaled(), "cowboy").await.expect("the same"), first);
    assert_eq!(seen(&server).await.len(), 2);
    assert_eq!(std::fs::read_to_string(&file).expect("it is there"), kept);
}

#[tokio::test]
async fn a_journal_that_is_something_else_is_refused_with_the_place() {
    let file = tempfile::NamedTempFile::new().expect("a file");
    std::fs::write(file.path(), "\nhello\n").expect("written");
    let error = FileJournal::open(file.path()).expect_err("no journal").to_string();
    assert!(error.contains("line 2"), "{error}");
}

#[tokio::test]
async fn a_cassette_plays_without_a_server_and_knows_what_it_lacks() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = server([calls(&[("get_state", "{}")]), calls(&[("act", r#"{"action":"move down"}"#)])]).await;
    let profile = profile(&server, Mode::Tools);
    let record = Arc::new(Cassette::record(folder.path()).expect("a folder"));
    let first = act(&model(profile.clone(), RunBudget::unlimited(), record), "cowboy").await.expect("an answer");
    drop(server);
    let replay = Arc::new(Cassette::replay(folder.path()).expect("a folder"));
    let model = model(profile, RunBudget::unlimited(), replay);
    let mut ask = asked("cowboy");
    ask.match_id = "another".to_owned();
    assert_eq!(model.seat(Language::En).act(&ask, &TurnLog::default()).await.expect("the same"), first);
    let why = backend(act(&model, "cowboy-duel").await);
    assert!(why.contains("cassette has no answer for request 0 of seat A in turn 0"), "{why}");
}

#[tokio::test]
async fn a_check_says_what_works() {
    let json = r#"{"number":7}"#;
    let server = server([text("ready"), calls(&[("answer", json)]), text("7")]).await;
    let list = ResponseTemplate::new(200).set_body_json(json!({ "data": [{ "id": "tiny" }] }));
    Mock::given(method("GET")).and(path("/v1/models")).respond_with(list).mount(&server).await;
    let check = tiny(&server, Mode::Auto).check().await;
    assert_eq!(
        (&check.reachable, &check.key, &check.model),
        (&CheckFinding::Yes, &CheckFinding::Yes, &CheckFinding::Yes)
    );
    assert_eq!((&check.tools, check.mode), (&CheckFinding::Yes, Some(Mode::Tools)));
    assert!(matches!(check.json_schema, CheckFinding::No(_)) && check.latency.is_some());
    assert_eq!([&check.thinking, &check.usage, &check.caching], [&CheckFinding::Yes; 3]);
    assert!(matches!(check.streaming, CheckFinding::Unknown(_)));
    let changes: Vec<&str> = check.advice.iter().map(|advice| advice.change.as_str()).collect();
    assert_eq!(changes, ["max_output_tokens = 16384"]);
}

#[tokio::test]
async fn a_check_brings_the_result_of_a_tool_as_a_turn_would() {
    let refused = |words: &str| ResponseTemplate::new(400).set_body_json(json!({ "message": words, "code": "wrong" }));
    let answers = || calls(&[("answer", r#"{"number":7}"#)]);
    let words = "messages.1.assistant.reasoning_content is unsupported";
    let script = [text("ready"), answers(), refused(words), text(r#"{"number":7}"#)];
    let server_of = server(script).await;
    let check = tiny(&server_of, Mode::Tools).check().await;
    let CheckFinding::No(why) = &check.tools else { panic!("{check:?}") };
    assert!(why.contains(words) && why.contains("a tool's result"), "{why}");
    assert_eq!((check.mode, check.advice[0].change.as_str()), (Some(Mode::Json), "mode = \"json\""));
    let request = &seen(&server_of).await[2];
    let roles: Vec<_> = request["messages"].as_array().expect("a list").iter().map(|one| one["role"].clone()).collect();
    assert_eq!(roles, ["user", "assistant", "tool"]);
    assert_eq!(request["messages"][2]["tool_call_id"], "c0");
    // What helps is tried, and said.
    let thinking = "tool_choice must be auto after a thought";
    let script = [text("ready"), answers(), refused(thinking), answers(), text(r#"{"number":7}"#)];
    let check = tiny(&server(script).await, Mode::Tools).check().await;
    assert_eq!((&check.tools, check.advice[0].change.as_str()), (&CheckFinding::Yes, "tool_choice = \"auto\""));
}

#[tokio::test]
async fn a_check_leaves_out_what_the_endpoint_refuses_and_says_so() {
    let refused = |words: &str| {
        ResponseTemplate::new(400).set_body_json(json!({ "error": { "message": words, "code": "unsupported" } }))
    };
    let max_tokens = "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.";
    let server = server([
        refused(max_tokens),
        refused("Unsupported value: 'temperature' does not support 0."),
        completion(&json!({ "content": "ready" }), "stop"),
        refused("tool_choice 'required' is not supported"),
        calls(&[("answer", r#"{"number":7}"#)]),
        text(r#"{"number":7}"#),
    ])
    .await;
    let check = tiny(&server, Mode::Tools).check().await;
    assert_eq!((&check.tools, &check.json_schema), (&CheckFinding::Yes, &CheckFinding::Yes));
    let changes: Vec<&str> = check.advice.iter().map(|advice| advice.change.as_str()).collect();
    let wanted = ["max_tokens_field = \"max_completion_tokens\"", "no temperature", "tool_choice = \"auto\""];
    assert_eq!(changes[..3], wanted);
    assert_eq!(check.advice[0].why, max_tokens);
    let requests = seen(&server).await;
    assert_eq!((&requests[2]["max_completion_tokens"], &requests[2]["temperature"]), (&json!(512), &Json::Null));
    assert_eq!(requests[4]["tool_choice"], "auto");
}

#[tokio::test]
async fn an_endpoint_that_refuses_everything_is_not_asked_for_ever() {
    let words = "max_completion_tokens tool_choice stream temperature seed effort thinking";
    let server = server([ResponseTemplate::new(400).set_body_json(json!({ "error": { "message": words } }))]).await;
    let check = tiny(&server, Mode::Tools).check().await;
    assert_eq!(check.mode, None);
    assert!(seen(&server).await.len() < 12);
}

#[tokio::test]
async fn a_check_says_what_does_not() {
    let server = server([ResponseTemplate::new(401)]).await;
    let check = tiny(&server, Mode::Auto).check().await;
    assert!(matches!((&check.reachable, &check.key), (CheckFinding::Yes, CheckFinding::No(_))), "{check:?}");
    assert_eq!(check.mode, None);
}

#[tokio::test]
async fn auto_finds_out_once_what_the_model_can_do() {
    let server = server([ResponseTemplate::new(400), text(r#"{"number":7}"#), text(r#"{"action":"move down"}"#)]).await;
    let model = tiny(&server, Mode::Auto);
    for _ in 0..2 {
        assert_eq!(act(&model, "cowboy").await.expect("an answer").action.notation(), "move down");
    }
    assert_eq!(seen(&server).await.len(), 4);
}
