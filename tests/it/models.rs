//! Models that play from the command line, over a server next door.
//!
//! What the server answers hangs on every byte of the request, and the model's note to itself hangs on that: a player that
//! had forgotten anything of its match would ask for something else from there on.

mod kill;
mod ledger;
mod limits;
mod otlp;
mod postgres;
mod tape;

use std::collections::BTreeMap;
use std::fs;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value as Json, json};
use tempfile::TempDir;
use wiremock::matchers::{method, path};
use wiremock::{Mock, MockServer, Request, Respond, ResponseTemplate};

use crate::program::{complaint, run, standoff, stdout};

/// The key that is in every request, and in nothing that is kept.
const KEY: &str = "sk-for-nobodys-eyes";

/// The number of a request, and whom to tell that it has come.
type Hold = (usize, Sender<()>);

/// A model that plays Paint: it looks around, breaks a rule now and then, and takes notes.
#[derive(Clone, Default)]
struct Mind {
    /// How often each request came.
    seen: Arc<Mutex<BTreeMap<String, usize>>>,
    /// The number of a request that is not answered for a long time, and whom to tell that it has come.
    hold: Arc<Mutex<Option<Hold>>>,
    /// How long every answer takes.
    pause: Duration,
}

impl Mind {
    /// Holds the request with this number, from 1.
    fn hold(&self, number: usize) -> Receiver<()> {
        let (sender, receiver) = channel();
        *self.hold.lock().expect("not poisoned") = Some((number, sender));
        receiver
    }

    fn requests(&self) -> Vec<String> {
        self.seen.lock().expect("not poisoned").keys().cloned().collect()
    }

    fn count(&self) -> usize {
        self.seen.lock().expect("not poisoned").values().sum()
    }

    async fn serve(&self) -> MockServer {
        let server = MockServer::start().await;
        Mock::given(method("POST")).and(path("/v1/chat/completions")).respond_with(self.clone()).mount(&server).await;
        server
    }
}

impl Respond for Mind {
    fn respond(&self, request: &Request) -> ResponseTemplate {
        assert_eq!(request.headers["authorization"], format!("Bearer {KEY}"));
        let text = String::from_utf8(request.body.clone()).expect("UTF-8");
        let number = {
            let mut seen = self.seen.lock().expect("not poisoned");
            *seen.entry(text.clone()).or_default() += 1;
            seen.values().sum::<usize>()
        };
        let mut hold = self.hold.lock().expect("not poisoned");
        if hold.as_ref().is_some_and(|(held, _)| *held == number) {
            let (_, sender) = hold.take().expect("it is there");
            let _ = sender.send(());
            return ResponseTemplate::new(200).set_delay(Duration::from_mins(1));
        }
        answer(&text).set_delay(self.pause)
    }
}

fn answer(request: &str) -> ResponseTemplate {
    let thought = request.bytes().fold(7_u32, |sum, byte| sum.wrapping_mul(31).wrapping_add(byte.into()));
    let json: Json = serde_json::from_str(request).expect("JSON");
    let asked_before = json["messages"].as_array().expect("messages").len() > 2;
    let direction = ["north", "east", "south", "west"][thought as usize / 8 % 4];
    let act = |action: String| json!({ "action": action, "notes": format!("I thought {thought}") }).to_string();
    let turn = json["messages"][1]["content"].as_str().expect("a text");
    let (name, arguments) = match thought % 4 {
        _ if asked_before => ("act", act(format!("shoot {direction}"))),
        _ if turn.contains("6 turns left") || turn.contains("3 turns left") => ("get_state", "{}".to_owned()),
        _ if turn.contains("5 turns left") => ("act", act("move nowhere".to_owned())),
        0 => ("get_state", "{}".to_owned()),
        1 => ("act", act("move nowhere".to_owned())),
        _ => ("act", act(format!("shoot {direction}"))),
    };
    stream(&json!({ "tool_calls": [{ "index": 0, "id": "c", "function": { "name": name, "arguments": arguments } }] }))
}

/// An answer in pieces, as servers stream them.
fn stream(delta: &Json) -> ResponseTemplate {
    let chunk = |delta: &Json, finish: &Json| json!({ "id": "x", "model": "mind-2026", "choices": [{ "delta": delta, "finish_reason": finish }] });
    let usage = json!({ "choices": [], "usage": { "prompt_tokens": 1000, "completion_tokens": 50 } });
    let chunks = [chunk(&json!({ "role": "assistant" }), &json!(null)), chunk(delta, &json!("tool_calls")), usage];
    let event = |chunk: &Json| format!("data: {chunk}\n\n");
    let body: String = chunks.iter().map(event).collect();
    ResponseTemplate::new(200)
        .insert_header("x-request-id", format!("echo of {KEY}").as_str())
        .set_body_raw(body + "data: [DONE]\n\n", "text/event-stream")
}

/// A folder with a configuration for a model on this server.
fn folder(server: &MockServer, fields: &str) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let file = format!(
        "[players.mind]\nmodel = 'mind'\nbase_url = '{}/v1'\napi_key_env = 'STANDOFF_TEST_KEY'\n\
         prompt = 'scratchpad'\n{fields}\n",
        server.uri()
    );
    fs::write(folder.path().join("standoff.toml"), file).expect("written");
    folder
}

const PRICE: &str = "price = { input = 1.0, output = 10.0 }";

/// The program in a folder of its own, with the key.
fn program(folder: &TempDir, args: &[&str]) -> Command {
    let mut command = standoff(args);
    command.current_dir(folder).env("HOME", folder.path()).env("STANDOFF_TEST_KEY", KEY);
    for name in ["STANDOFF_CONFIG", "XDG_CONFIG_HOME", "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"] {
        command.env_remove(name);
    }
    command
}

/// A short match of Paint with these players and more flags.
fn play<'a>(players: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let match_of = ["play", "--ruleset", "paint", "--set", "turns=6", "--seed", "7", "--json", "--players", players];
    [&match_of[..], more].concat()
}

fn spawn(mut command: Command) -> Child {
    command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the program starts")
}

fn read(folder: &TempDir, name: &str) -> String {
    fs::read_to_string(folder.path().join(name)).expect(name)
}

/// Everything that the program left in a folder, one after the other.
fn all_files(folder: &std::path::Path) -> String {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    entries
        .map(|path| if path.is_dir() { all_files(&path) } else { fs::read_to_string(&path).expect("a text") })
        .collect()
}

#[tokio::test]
async fn a_model_plays_from_the_command_line_and_the_record_tells_what_it_cost() {
    let mind = Mind::default();
    let server = mind.serve().await;
    let folder = folder(&server, PRICE);
    let played = program(&folder, &play("mind,greedy", &["--record", "m.jsonl"])).output().expect("it starts");
    let result: Json = serde_json::from_str(&stdout(&played)).expect("one JSON line");
    assert_eq!(result["turns"], 6);
    let calls = mind.count();
    assert_eq!(result["models"]["A"]["calls"], calls);
    let usd = result["models"]["A"]["usd"].as_f64().expect("it has a price");
    assert!((usd - f64::from(u32::try_from(calls).expect("few")) * 0.0015).abs() < 1e-9, "{result}");
    let record = read(&folder, "m.jsonl");
    assert_eq!(record.matches("\"first_token_millis\":").count(), calls, "{record}");
    assert!(record.contains("\"model\":\"mind-2026\"") && record.contains("\"mode\":\"tools\""), "{record}");
    assert!(record.contains("\"fault\":\"unreadable\""), "it breaks a rule now and then: {record}");
    assert!(
        stdout(&run(&["replay", folder.path().join("m.jsonl").to_str().expect("a path"), "--verify"]))
            .starts_with("verified")
    );
    let journal = read(&folder, "m.jsonl.journal");
    assert_eq!(journal.lines().filter(|line| line.contains("\"digest\":")).count(), calls);
    // Each request is in the ledger as it was sent and as it was answered.
    for outcome in ["sent", "answered"] {
        assert_eq!(journal.matches(&format!("\"outcome\":\"{outcome}\"")).count(), calls, "{journal}");
    }
    assert!(journal.contains("\"x-request-id\":\"echo of [key]\""), "{journal}");
    assert!(!all_files(folder.path()).contains(KEY));
}

#[tokio::test]
async fn a_limit_of_money_needs_a_price_and_no_price_is_not_free() {
    let mind = Mind::default();
    let server = mind.serve().await;
    let folder = folder(&server, "");
    let refused = program(&folder, &play("mind,greedy", &["--max-usd", "1"])).output().expect("it starts");
    let said = complaint(&refused, 2);
    assert!(said.contains("`mind`") && said.contains("price = {") && said.contains("leave out the limit"), "{said}");
    assert_eq!(mind.count(), 0);
    // Nothing is begun that cannot be played: no record is made, and none is moved aside.
    assert!(!said.contains("is kept in"), "{said}");
    fs::write(folder.path().join("m.jsonl"), "an earlier one").expect("written");
    for more in [
        &["--record", "m.jsonl", "--max-usd", "1"][..],
        &["--cassette", "tape", "--record", "m.jsonl", "--max-usd", "1"],
    ] {
        complaint(&program(&folder, &play("mind,greedy", more)).output().expect("it starts"), 2);
        assert_eq!(read(&folder, "m.jsonl"), "an earlier one");
    }
    let played = program(&folder, &play("mind,greedy", &[])).output().expect("it starts");
    let result: Json = serde_json::from_str(&stdout(&played)).expect("one JSON line");
    assert_eq!(result["models"]["A"]["usd"], Json::Null);
    let mut shown = play("mind,greedy", &[]);
    shown.retain(|arg| *arg != "--json");
    let shown = program(&folder, &shown).output().expect("it starts");
    let told = String::from_utf8_lossy(&shown.stderr).into_owned();
    assert!(told.contains("A mind: ") && told.contains("cost unknown") && !told.contains("$0"), "{told}");
}
