//! Somebody who plays over HTTP: one connection a request, as plain as it gets.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};
use standoff::store::{Change, StoredRequest};

use crate::serve::Server;

/// A text of JSON in which the values of these fields, each written as `"field":`, are left out.
pub(super) fn without(text: &str, fields: &[&str]) -> String {
    let mut text = text.to_owned();
    for field in fields {
        while let Some(at) = text.find(field) {
            let end = text[at + field.len()..].find([',', '}']).expect("a value ends");
            text.replace_range(at..at + field.len() + end, "");
        }
    }
    text
}

/// A request to a model that was answered, as the ledger has it.
pub(super) fn answered(id: &str, match_id: &str, cost: u64, is_known: bool) -> Change {
    Change::Request(Box::new(StoredRequest {
        id: id.to_owned(),
        match_id: Some(match_id.to_owned()),
        seat: "A".parse().expect("a seat"),
        turn: 0,
        ordinal: 0,
        player: "costly".to_owned(),
        outcome: StoredRequest::ANSWERED.to_owned(),
        why: None,
        requests: 1,
        cost,
        is_known,
    }))
}

/// An answer.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) head: String,
    pub(super) text: String,
}

impl Answer {
    pub(super) fn json(&self) -> Json {
        serde_json::from_str(&self.text).unwrap_or_else(|error| panic!("{error}: {}", self.text))
    }

    /// The JSON of an answer that must be this status.
    pub(super) fn expect(self, status: u16) -> Json {
        assert_eq!(self.status, status, "{}", self.text);
        self.json()
    }

    /// The code of a problem of this status.
    pub(super) fn problem(self, status: u16) -> String {
        assert!(self.head.contains("application/problem+json"), "{}\n{}", self.head, self.text);
        let problem = self.expect(status);
        assert_eq!(problem["status"], status);
        assert!(problem["detail"].as_str().is_some_and(|detail| !detail.is_empty()), "{problem}");
        problem["code"].as_str().expect("a code").to_owned()
    }

    pub(super) fn header(&self, name: &str) -> Option<&str> {
        let is_it = |line: &&str| line.split_once(':').is_some_and(|(key, _)| key.eq_ignore_ascii_case(name));
        self.head.lines().find(is_it).and_then(|line| line.split_once(':')).map(|(_, value)| value.trim())
    }
}

/// A server's address, and what to show there.
#[derive(Clone, Debug)]
pub(super) struct Client {
    pub(super) port: String,
    pub(super) token: Option<String>,
}

pub(super) fn server(folder: &Path, arguments: &[&str]) -> Server {
    Server::start(&folder.join("s.db"), arguments, None)
}

impl Client {
    pub(super) fn of(server: &Server) -> Client {
        Client { port: server.address.rsplit(':').next().expect("a port").to_owned(), token: None }
    }

    pub(super) fn with(&self, token: &Json) -> Client {
        Client { token: Some(token.as_str().expect("a token").to_owned()), ..self.clone() }
    }

    /// The same of another server.
    pub(super) fn at(&self, other: &Client) -> Client {
        Client { token: self.token.clone(), ..other.clone() }
    }

    /// Registers a player and speaks for it from then on.
    pub(super) fn register(&self, name: &str) -> Client {
        let player = self.post("/players", &json!({ "name": name })).expect(201);
        self.with(&player["token"])
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(format!("127.0.0.1:{}", self.port)).expect("it listens");
        stream.set_read_timeout(Some(Duration::from_secs(40))).expect("a limit");
        stream
    }

    pub(super) fn send(&self, method: &str, path: &str, more: &str, body: &str) -> TcpStream {
        let mut stream = self.connect();
        let token = self.token.as_ref().map(|token| format!("Authorization: Bearer {token}\r\n")).unwrap_or_default();
        let kind = if body.is_empty() { "" } else { "Content-Type: application/json\r\n" };
        let length = body.len();
        let port = &self.port;
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n{token}{kind}{more}Content-Length: {length}\r\n\r\n{body}"
        );
        // A server that refuses a long body hangs up while it is being sent; its answer is there all the same.
        let _ = stream.write_all(request.as_bytes());
        stream
    }

    pub(super) fn raw(&self, method: &str, path: &str, more: &str, body: &str) -> Answer {
        let mut bytes = Vec::new();
        let _ = self.send(method, path, more, body).read_to_end(&mut bytes);
        let text = String::from_utf8(bytes).expect("text");
        let (head, text) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
        Answer { status, head: head.to_owned(), text: text.to_owned() }
    }

    /// A file: the status, the head and the bytes.
    pub(super) fn file(&self, path: &str, more: &str) -> (u16, String, Vec<u8>) {
        let mut bytes = Vec::new();
        let _ = self.send("GET", path, more, "").read_to_end(&mut bytes);
        let end = bytes.windows(4).position(|four| four == b"\r\n\r\n").expect("a head");
        let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
        (status, head, bytes.split_off(end + 4))
    }

    pub(super) fn get(&self, path: &str) -> Answer {
        self.raw("GET", &format!("/api/v1{path}"), "", "")
    }

    pub(super) fn post(&self, path: &str, body: &Json) -> Answer {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        self.raw("POST", &format!("/api/v1{path}"), "", &body)
    }

    pub(super) fn delete(&self, path: &str) -> Answer {
        self.raw("DELETE", &format!("/api/v1{path}"), "", "")
    }

    /// Opens a match: its name, and the clients of one's own seats.
    pub(super) fn open(&self, request: &Json) -> (String, Vec<Client>) {
        let opened = self.post("/matches", request).expect(201);
        let mine = opened["mine"].as_array().expect("a list").iter().map(|mine| self.with(&mine["seat_key"]));
        (opened["match_id"].as_str().expect("a name").to_owned(), mine.collect())
    }

    pub(super) fn view(&self, id: &str) -> Json {
        self.get(&format!("/matches/{id}")).expect(200)
    }

    /// Waits until the record of a match begins.
    pub(super) fn begun(&self, id: &str) {
        let until = Instant::now() + Duration::from_secs(40);
        while self.get(&format!("/matches/{id}/record")).text.is_empty() {
            assert!(Instant::now() < until, "it does not begin");
        }
    }

    /// The match as soon as its clock runs: a moment after the turn before is seen.
    pub(super) fn asked(&self, id: &str) -> Json {
        let until = Instant::now() + Duration::from_secs(40);
        loop {
            let view = self.view(id);
            if !view["deadline_ms"].is_null() {
                return view;
            }
            assert!(Instant::now() < until, "nobody is asked: {view}");
        }
    }

    pub(super) fn act(&self, id: &str, action: &Json) -> Answer {
        self.post(&format!("/matches/{id}/action"), action)
    }

    /// The match once more than `since` turns are played.
    pub(super) fn after(&self, id: &str, since: u64) -> Json {
        let until = Instant::now() + Duration::from_secs(40);
        loop {
            let view = self.get(&format!("/matches/{id}?wait=20&since={since}")).expect(200);
            if view["turn"].as_u64().is_some_and(|turn| turn > since) || view["status"] == "over" {
                return view;
            }
            assert!(Instant::now() < until, "nothing happens: {view}");
        }
    }

    /// The events of a stream.
    pub(super) fn events(&self, path: &str, more: &str) -> Events {
        let stream = self.send("GET", &format!("/api/v1{path}"), more, "");
        let mut lines = BufReader::new(stream);
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            assert_ne!(lines.read_line(&mut head).expect("it answers"), 0, "{head}");
        }
        assert!(head.starts_with("HTTP/1.1 200") && head.contains("text/event-stream"), "{head}");
        Events { lines, rest: String::new() }
    }
}

/// A stream of server-sent events.
pub(super) struct Events {
    lines: BufReader<TcpStream>,
    rest: String,
}

/// An event of a stream.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Event {
    pub(super) name: String,
    pub(super) id: Option<u64>,
    pub(super) data: Json,
}

impl Events {
    /// One chunk of the body; nothing at its end.
    fn chunk(&mut self) -> Option<String> {
        let mut size = String::new();
        self.lines.read_line(&mut size).ok()?;
        let size = usize::from_str_radix(size.trim(), 16).ok().filter(|size| *size > 0)?;
        let mut chunk = vec![0; size + 2];
        self.lines.read_exact(&mut chunk).ok()?;
        chunk.truncate(size);
        Some(String::from_utf8(chunk).expect("text"))
    }
}

impl Iterator for Events {
    type Item = Event;

    fn next(&mut self) -> Option<Event> {
        loop {
            while let Some((block, rest)) = self.rest.split_once("\n\n") {
                let field = |name: &str| block.lines().find_map(|line| line.strip_prefix(&format!("{name}: ")));
                let event = field("event").map(|name| Event {
                    name: name.to_owned(),
                    id: field("id").map(|id| id.parse().expect("a number")),
                    data: serde_json::from_str(field("data").expect("data")).expect("JSON"),
                });
                self.rest = rest.to_owned();
                if event.is_some() {
                    return event;
                }
            }
            let chunk = self.chunk()?;
            self.rest.push_str(&chunk);
        }
    }
}
