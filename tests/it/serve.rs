//! `standoff serve` as a program: who is let in, and that nothing is lost.

use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::JoinHandle;
use std::time::Duration;

use rmcp::ServiceExt as _;
use rmcp::model::ClientConfig;
use rmcp::transport::StreamableHttpClientTransport;
use serde_json::json;

use crate::mcp::params;

/// A running server.
pub(crate) struct Server {
    pub(crate) child: Child,
    pub(crate) address: String,
    told: Vec<String>,
    /// What it went on telling, once it has ended.
    later: Option<JoinHandle<String>>,
}

impl Server {
    pub(crate) fn start(store: &Path, arguments: &[&str], token: Option<&str>) -> Server {
        let mut command = Command::new(env!("CARGO_BIN_EXE_standoff"));
        command.args(["serve", "--port", "0", "--store"]).arg(store).args(arguments).stderr(Stdio::piped());
        match token {
            Some(token) => command.env("STANDOFF_TOKEN", token),
            None => command.env_remove("STANDOFF_TOKEN"),
        };
        let mut child = command.spawn().expect("it starts");
        let mut stderr = BufReader::new(child.stderr.take().expect("piped"));
        let mut told = Vec::new();
        let address = loop {
            let mut line = String::new();
            assert_ne!(stderr.read_line(&mut line).expect("it tells"), 0, "it ended: {told:?}");
            if let Some(address) = line.trim().strip_prefix("listening on http://") {
                break address.to_owned();
            }
            told.push(line.trim().to_owned());
        };
        // Read on, so that it never waits for whoever listens.
        let later = std::thread::spawn(move || {
            let mut later = String::new();
            let _ = stderr.read_to_string(&mut later);
            later
        });
        Server { child, address, told, later: Some(later) }
    }

    /// Ends it at once, and gives all that it told.
    pub(crate) fn end(mut self) -> String {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let later = self.later.take().map(|later| later.join().expect("it only reads"));
        self.told.join("\n") + &later.unwrap_or_default()
    }

    /// The status line of an answer to a plain request, and its body.
    pub(crate) fn ask(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> (u16, String) {
        let port = self.address.rsplit(':').next().expect("a port");
        let mut stream = TcpStream::connect(format!("127.0.0.1:{port}")).expect("it listens");
        stream.set_read_timeout(Some(Duration::from_secs(20))).expect("a limit");
        let mut request =
            format!("{method} {path} HTTP/1.1\r\nConnection: close\r\nContent-Length: {}\r\n", body.len());
        if !headers.iter().any(|(name, _)| *name == "Host") {
            write!(request, "Host: 127.0.0.1:{port}\r\n").expect("a text takes all");
        }
        for (name, value) in headers {
            write!(request, "{name}: {value}\r\n").expect("a text takes all");
        }
        write!(stream, "{request}\r\n{body}").expect("it reads");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("it answers");
        let status = answer.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
        (status, answer)
    }

    fn initialize(&self, headers: &[(&str, &str)]) -> u16 {
        let hello = json!({
            "jsonrpc": "2.0", "id": 1, "method": "initialize",
            "params": { "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } },
        });
        let usual = [("Content-Type", "application/json"), ("Accept", "application/json, text/event-stream")];
        let headers: Vec<(&str, &str)> = usual.into_iter().chain(headers.iter().copied()).collect();
        self.ask("POST", "/mcp", &headers, &hello.to_string()).0
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn only_those_are_let_in_who_call_it_by_its_name_and_come_from_its_own_pages() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = Server::start(&folder.path().join("s.db"), &["--host", "games.example.org"], None);
    assert_eq!(server.ask("GET", "/healthz", &[], "").0, 200);
    assert_eq!(server.ask("GET", "/nowhere", &[], "").0, 404);
    assert_eq!(server.initialize(&[]), 200);
    assert_eq!(server.initialize(&[("Host", "games.example.org")]), 200);
    assert_eq!(server.initialize(&[("Host", "evil.example.org")]), 403);
    assert_eq!(server.initialize(&[("Origin", "http://localhost:3000")]), 200);
    assert_eq!(server.initialize(&[("Origin", "https://evil.example.org")]), 403);
    assert_eq!(server.initialize(&[("Origin", "null")]), 403);
    assert_eq!(server.ask("POST", "/mcp", &[("Content-Type", "application/json")], &"x".repeat(2 << 20)).0 / 100, 4);
}

#[test]
fn beyond_this_machine_everybody_must_show_the_token() {
    let folder = tempfile::tempdir().expect("a folder");
    let token = "correct-horse-battery";
    let server = Server::start(&folder.path().join("s.db"), &["--bind", "0.0.0.0"], Some(token));
    assert_eq!(server.initialize(&[]), 401);
    assert_eq!(server.initialize(&[("Authorization", "Bearer wrong")]), 401);
    assert_eq!(server.initialize(&[("Authorization", "bearer correct-horse-battery")]), 200);
    assert_eq!(server.ask("GET", "/healthz", &[], "").0, 200);
    let other = Server::start(&folder.path().join("o.db"), &["--bind", "0.0.0.0"], None);
    let made =
        other.told.iter().find_map(|line| line.strip_prefix("clients must send this token: ")).expect("a new token");
    assert_eq!(other.initialize(&[]), 401);
    assert_eq!(other.initialize(&[("Authorization", &format!("Bearer {made}"))]), 200);
}

#[tokio::test]
async fn a_killed_server_goes_on_with_every_match_and_every_key() {
    // The client wants one even where it speaks plain HTTP.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let folder = tempfile::tempdir().expect("a folder");
    let store = folder.path().join("s.db");
    let connect = async |server: &Server| {
        let transport = StreamableHttpClientTransport::from_uri(format!("http://{}/mcp", server.address));
        ClientConfig::default().serve(transport).await.expect("it answers")
    };
    let server = Server::start(&store, &[], None);
    let client = connect(&server).await;
    let opened = client.call_tool(params("new_match", json!({ "ruleset": "paint", "opponents": ["random"] }))).await;
    let mut view = opened.expect("a match").structured_content.expect("data");
    let key = view["seat_key"].clone();
    for turn in 1..=6 {
        let acted = client
            .call_tool(params("act", json!({ "seat_key": key, "action": view["legal_actions"][0], "full": true })))
            .await;
        view = acted.expect("an answer").structured_content.expect("data");
        assert_eq!(view["state"]["turn"], turn);
    }
    drop(server);
    let server = Server::start(&store, &[], None);
    let client = connect(&server).await;
    let back = client.call_tool(params("get_state", json!({ "seat_key": key }))).await.expect("an answer");
    assert_eq!(back.structured_content.expect("data")["state"], view["state"]);
    let acted = client
        .call_tool(params("act", json!({ "seat_key": key, "action": view["legal_actions"][0], "full": true })))
        .await;
    assert_eq!(acted.expect("an answer").structured_content.expect("data")["state"]["turn"], 7);
}

#[test]
fn a_port_that_is_taken_is_said_so_with_the_way_out() {
    let folder = tempfile::tempdir().expect("a folder");
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = taken.local_addr().expect("bound").port().to_string();
    let output = Command::new(env!("CARGO_BIN_EXE_standoff"))
        .args(["serve", "--port", &port, "--store"])
        .arg(folder.path().join("s.db"))
        .output()
        .expect("it runs");
    let told = String::from_utf8(output.stderr).expect("text");
    assert_eq!(output.status.code(), Some(1), "{told}");
    assert!(told.contains("cannot listen on") && told.contains("--port 0"), "{told}");
}

#[test]
fn a_thousand_idle_sessions_do_not_trouble_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = Server::start(&folder.path().join("s.db"), &[], None);
    let resident = || {
        let status = std::fs::read_to_string(format!("/proc/{}/status", server.child.id())).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        line.and_then(|line| line.trim().trim_end_matches("kB").trim().parse::<u64>().ok()).unwrap_or(0)
    };
    let before = resident();
    for _ in 0..1000 {
        assert_eq!(server.initialize(&[]), 200);
    }
    let grown = resident().saturating_sub(before) / 1024;
    assert!(grown < 150, "{grown} MB for a thousand sessions");
    assert_eq!(server.ask("GET", "/healthz", &[], "").0, 200);
}
