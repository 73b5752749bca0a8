//! Spans as a collector gets them.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use wiremock::matchers::{header, method, path};
use wiremock::{Mock, MockServer, ResponseTemplate};

use super::{Mind, PRICE, folder, play, program, stdout};

/// A field of a protobuf message: its number, and a number or bytes.
enum Field<'a> {
    Number(u64),
    Bytes(&'a [u8]),
}

fn varint(bytes: &mut &[u8]) -> u64 {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = bytes.split_first().expect("a whole number");
        *bytes = rest;
        number |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            break;
        }
    }
    number
}

/// The fields of a message, in their order.
fn fields(mut bytes: &[u8]) -> Vec<(u64, Field<'_>)> {
    let mut fields = Vec::new();
    while !bytes.is_empty() {
        let tag = varint(&mut bytes);
        let size = match tag & 7 {
            0 => {
                fields.push((tag >> 3, Field::Number(varint(&mut bytes))));
                continue;
            }
            1 => 8,
            2 => usize::try_from(varint(&mut bytes)).expect("a size"),
            5 => 4,
            other => panic!("wire type {other}"),
        };
        let (value, rest) = bytes.split_at(size);
        bytes = rest;
        fields.push((tag >> 3, Field::Bytes(value)));
    }
    fields
}

/// The messages in a field.
fn within(bytes: &[u8], number: u64) -> impl Iterator<Item = &[u8]> {
    fields(bytes).into_iter().filter_map(move |field| match field {
        (other, Field::Bytes(bytes)) if other == number => Some(bytes),
        _ => None,
    })
}

fn text(bytes: &[u8], number: u64) -> String {
    within(bytes, number).next().map(|bytes| String::from_utf8_lossy(bytes).into_owned()).unwrap_or_default()
}

/// A span as it came over the wire.
#[derive(Debug)]
struct Span {
    name: String,
    id: Vec<u8>,
    parent: Vec<u8>,
    attributes: BTreeMap<String, String>,
}

impl Span {
    fn read(bytes: &[u8]) -> Span {
        let one = |number| within(bytes, number).next().unwrap_or_default().to_vec();
        let attributes = within(bytes, 9).map(|pair| {
            let value = within(pair, 2).next().unwrap_or_default();
            let value = match fields(value).pop() {
                Some((1, Field::Bytes(text))) => String::from_utf8_lossy(text).into_owned(),
                Some((3, Field::Number(number))) => number.to_string(),
                Some((4, Field::Bytes(bytes))) => {
                    f64::from_le_bytes(bytes.try_into().expect("eight bytes")).to_string()
                }
                _ => "?".to_owned(),
            };
            (text(pair, 1), value)
        });
        Span { name: text(bytes, 5), id: one(2), parent: one(4), attributes: attributes.collect() }
    }

    fn has(&self, name: &str, value: &str) {
        assert_eq!(self.attributes.get(name).map(String::as_str), Some(value), "{name}: {self:?}");
    }
}

async fn collector() -> MockServer {
    let server = MockServer::start().await;
    let protobuf = header("content-type", "application/x-protobuf");
    Mock::given(method("POST"))
        .and(path("/v1/traces"))
        .and(protobuf)
        .respond_with(ResponseTemplate::new(200))
        .mount(&server)
        .await;
    server
}

async fn spans(collector: &MockServer) -> Vec<Span> {
    let requests = collector.received_requests().await.expect("they are recorded");
    let mut spans = Vec::new();
    for request in &requests {
        for scope in within(&request.body, 1).flat_map(|resource| within(resource, 2)) {
            spans.extend(within(scope, 2).map(Span::read));
        }
    }
    spans
}

#[tokio::test]
async fn every_span_of_a_run_gets_to_the_collector_under_its_parent_and_by_its_usual_names() {
    let (mind, collector) = (Mind::default(), collector().await);
    let server = mind.serve().await;
    let folder = folder(&server, PRICE);
    let uri = collector.uri();
    stdout(&program(&folder, &play("mind,greedy", &["--otlp", &uri])).output().expect("it starts"));
    let spans = spans(&collector).await;
    let named = |start: &str| spans.iter().filter(|span| span.name.starts_with(start)).collect::<Vec<_>>();
    let (run, game) = (named("run play"), named("match paint"));
    assert_eq!((run.len(), game.len()), (1, 1));
    assert!(run[0].parent.is_empty());
    assert_eq!(game[0].parent, run[0].id);
    game[0].has("standoff.turns", "6");
    let turns = named("turn ");
    assert_eq!(turns.len(), 12);
    assert!(turns.iter().all(|turn| turn.parent == game[0].id));
    let chats = named("chat mind");
    assert_eq!(chats.len(), mind.count());
    let tools = named("execute_tool ");
    assert_eq!(tools.len(), chats.len(), "each answer is a tool call");
    let of_a: Vec<_> = turns.iter().filter(|turn| turn.name == "turn A").map(|turn| &turn.id).collect();
    assert!(chats.iter().chain(&tools).all(|span| of_a.contains(&&span.parent)));
    for (name, value) in [
        ("gen_ai.operation.name", "chat"),
        ("gen_ai.provider.name", "127.0.0.1"),
        ("gen_ai.request.model", "mind"),
        ("gen_ai.request.max_tokens", "4096"),
        ("gen_ai.response.model", "mind-2026"),
        ("gen_ai.response.id", "x"),
        ("gen_ai.usage.input_tokens", "1000"),
        ("gen_ai.usage.output_tokens", "50"),
        ("gen_ai.usage.cost", "0.0015"),
        ("llm.cost.total", "0.0015"),
        ("server.address", "127.0.0.1"),
    ] {
        chats[0].has(name, value);
    }
    let session = &game[0].attributes["standoff.match.id"];
    for span in game.iter().chain(&turns).chain(&chats).chain(&tools) {
        span.has("session.id", session);
    }
    tools[0].has("gen_ai.operation.name", "execute_tool");
    let named: Vec<_> = tools.iter().map(|span| span.attributes["gen_ai.tool.name"].as_str()).collect();
    assert!(named.contains(&"act") && named.contains(&"get_state"), "{named:?}");
    assert!(
        spans.iter().all(|span| !span.attributes.contains_key("gen_ai.input.messages")),
        "nobody asked for content"
    );
    assert!(!format!("{spans:?}").contains("I thought"));
}

#[tokio::test]
async fn content_is_exported_where_it_is_asked_for_by_flag_or_variable() {
    for flag in [true, false] {
        let (mind, collector) = (Mind::default(), collector().await);
        let server = mind.serve().await;
        let folder = folder(&server, PRICE);
        let uri = collector.uri();
        let more: &[&str] = if flag { &["--otlp", &uri, "--otlp-content"] } else { &["--otlp", &uri] };
        let mut command = program(&folder, &play("mind,greedy", more));
        if !flag {
            command.env("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", "true");
        }
        stdout(&command.output().expect("it starts"));
        let spans = spans(&collector).await;
        let chat = spans.iter().find(|span| span.name == "chat mind").expect("a call");
        assert!(chat.attributes["gen_ai.input.messages"].contains("\"role\":\"system\""), "{chat:?}");
        assert!(chat.attributes["gen_ai.output.messages"].contains("\"type\":\"tool_call\""), "{chat:?}");
        assert!(!format!("{spans:?}").contains(super::KEY));
    }
}

#[tokio::test]
async fn what_failed_is_on_the_span_of_the_call_of_the_turn_and_of_the_match() {
    let (server, collector) = (MockServer::start().await, collector().await);
    Mock::given(method("POST")).respond_with(ResponseTemplate::new(401)).mount(&server).await;
    let folder = folder(&server, PRICE);
    let uri = collector.uri();
    super::complaint(&program(&folder, &play("mind,greedy", &["--otlp", &uri])).output().expect("it starts"), 1);
    let spans = spans(&collector).await;
    for (name, error) in [("chat mind", "401"), ("turn A", "backend"), ("match paint", "backend")] {
        spans.iter().find(|span| span.name == name).expect(name).has("error.type", error);
    }
}

#[tokio::test]
async fn a_dead_or_silent_collector_hurts_no_match() {
    let mind = Mind::default();
    let server = mind.serve().await;
    let folder = folder(&server, PRICE);
    let silent = MockServer::start().await;
    let never = ResponseTemplate::new(200).set_delay(Duration::from_mins(5));
    Mock::given(method("POST")).respond_with(never).mount(&silent).await;
    for uri in ["http://127.0.0.1:9".to_owned(), silent.uri()] {
        let begun = Instant::now();
        let played = program(&folder, &play("mind,greedy", &["--otlp", &uri])).output().expect("it starts");
        stdout(&played);
        let said = String::from_utf8_lossy(&played.stderr).into_owned();
        let notes: Vec<&str> = said.lines().filter(|line| !line.starts_with("the match is kept in ")).collect();
        assert!(notes.len() == 1 && notes[0].starts_with("note: not all spans got to "), "{said}");
        assert!(begun.elapsed() < Duration::from_mins(2), "{uri}");
    }
}

#[tokio::test]
async fn a_log_tells_what_is_sent_again_and_nothing_of_what_is_said() {
    let mind = Mind::default();
    let server = mind.serve().await;
    let busy = ResponseTemplate::new(503);
    Mock::given(method("POST")).respond_with(busy).up_to_n_times(1).with_priority(1).mount(&server).await;
    let folder = folder(&server, PRICE);
    let played = program(&folder, &play("mind,greedy", &["--log", "debug"])).output().expect("it starts");
    stdout(&played);
    let log = String::from_utf8_lossy(&played.stderr).into_owned();
    assert!(log.contains("the request is sent again") && log.contains("503"), "{log}");
    assert!(!log.contains(super::KEY) && !log.contains("I thought"), "{log}");
}
