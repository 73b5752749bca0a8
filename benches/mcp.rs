//! The MCP server against a bare echo server of the same library, built in the same run: latency, throughput, start and
//! memory. `cargo bench --bench mcp`; the machine's noise hits both sides alike, so look at the ratios.

#![expect(clippy::print_stdout, reason = "a benchmark tells what it measured")]

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::serve::ListenerExt as _;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ClientConfig, ContentBlock, ErrorData, ServerCapabilities,
    ServerConfig,
};
use rmcp::service::{RequestContext, RunningService};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::transport::{StreamableHttpClientTransport, TokioChildProcess, stdio_pipes};
use rmcp::{RoleClient, RoleServer, ServerHandler, ServiceExt as _};
use serde_json::{Value, json};

/// Says what it is told.
#[derive(Clone)]
struct Echo;

impl ServerHandler for Echo {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn call_tool(
        &self,
        params: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let text = params.arguments.and_then(|arguments| Some(arguments.get("text")?.as_str()?.to_owned()));
        Ok(CallToolResult::success(vec![ContentBlock::text(text.unwrap_or_default())]).into())
    }
}

async fn echo_over_http() {
    let service = StreamableHttpService::new(
        || Ok(Echo),
        Arc::new(LocalSessionManager::default()),
        StreamableHttpServerConfig::default(),
    );
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("bound");
    writeln!(std::io::stderr(), "listening on http://{address}").expect("somebody reads");
    let listener = listener.tap_io(|stream| drop(stream.set_nodelay(true)));
    axum::serve(listener, axum::Router::new().nest_service("/mcp", service)).await.expect("it serves");
}

type Client = RunningService<RoleClient, ClientConfig>;

/// The program: the one that was built with this, or the one that `STANDOFF` names.
fn program() -> Command {
    let built = || env!("CARGO_BIN_EXE_standoff").into();
    Command::new(std::env::var_os("STANDOFF").unwrap_or_else(built))
}

fn this() -> Command {
    Command::new(std::env::current_exe().expect("this program has a path"))
}

async fn over_stdio(mut command: Command) -> Client {
    command.stderr(Stdio::null());
    let process = TokioChildProcess::new(tokio::process::Command::from(command)).expect("it starts");
    ClientConfig::default().serve(process).await.expect("it answers")
}

async fn over_http(address: SocketAddr) -> Client {
    let transport = StreamableHttpClientTransport::from_uri(format!("http://{address}/mcp"));
    ClientConfig::default().serve(transport).await.expect("it answers")
}

/// A server process and where it listens.
struct Serving {
    child: Child,
    _stderr: BufReader<std::process::ChildStderr>,
    address: SocketAddr,
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[expect(clippy::zombie_processes, reason = "it is waited for where it is dropped")]
fn serving(mut command: Command) -> Serving {
    let mut child = command.stderr(Stdio::piped()).spawn().expect("it starts");
    let mut stderr = BufReader::new(child.stderr.take().expect("piped"));
    loop {
        let mut line = String::new();
        assert_ne!(stderr.read_line(&mut line).expect("it tells"), 0, "it ended");
        if let Some(address) = line.trim().strip_prefix("listening on http://") {
            return Serving { child, _stderr: stderr, address: address.parse().expect("an address") };
        }
    }
}

fn call(tool: &'static str, arguments: Value) -> CallToolRequestParams {
    CallToolRequestParams::new(tool).with_arguments(serde_json::from_value(arguments).expect("an object"))
}

/// An echo of these words.
fn echo(text: &str) -> CallToolRequestParams {
    call("echo", json!({ "text": text }))
}

/// The words of a position, so that the echo has as much to carry as the answer that it is compared with.
async fn words(client: &Client, state: &CallToolRequestParams) -> String {
    let result = client.call_tool(state.clone()).await.expect("an answer");
    result.content.iter().filter_map(|block| Some(block.as_text()?.text.clone())).collect()
}

async fn get_state(client: &Client) -> CallToolRequestParams {
    let opened =
        client.call_tool(call("new_match", json!({ "opponents": ["greedy"], "seed": "1" }))).await.expect("a match");
    let key = opened.structured_content.expect("data")["seat_key"].clone();
    call("get_state", json!({ "seat_key": key }))
}

/// The median and the 99th percentile of a call, in microseconds.
async fn latency(client: &Client, params: &CallToolRequestParams, calls: usize) -> (f64, f64) {
    let mut times = Vec::with_capacity(calls);
    for _ in 0..calls {
        let begun = Instant::now();
        client.call_tool(params.clone()).await.expect("an answer");
        times.push(begun.elapsed().as_secs_f64() * 1e6);
    }
    times.sort_by(f64::total_cmp);
    (times[calls / 2], times[calls * 99 / 100])
}

/// Rounds in turn, so that a slow moment of the machine hits both; the best of each.
async fn compare(what: &str, echo_client: &Client, standoff_client: &Client) {
    let state = get_state(standoff_client).await;
    let (short, same) = (echo("the quick brown fox"), echo(&words(standoff_client, &state).await));
    let mut best = [(f64::MAX, f64::MAX); 3];
    for _ in 0..5 {
        let round = [
            latency(echo_client, &short, 1000).await,
            latency(echo_client, &same, 1000).await,
            latency(standoff_client, &state, 1000).await,
        ];
        for (best, now) in best.iter_mut().zip(round) {
            *best = (best.0.min(now.0), best.1.min(now.1));
        }
    }
    let [short, same, state] = best;
    println!(
        "{what}: p50 µs (p99): echo of a few words {:.0} ({:.0}), echo of the same words {:.0} ({:.0}), get_state {:.0} ({:.0}); \
         p50 ratios {:.2} and {:.2}",
        short.0,
        short.1,
        same.0,
        same.1,
        state.0,
        state.1,
        state.0 / short.0,
        state.0 / same.0
    );
}

async fn throughput(clients: &[(Client, CallToolRequestParams)], time: Duration) -> f64 {
    let begun = Instant::now();
    let rounds = clients.iter().map(|(client, params)| async move {
        let mut calls = 0_u32;
        while begun.elapsed() < time {
            client.call_tool(params.clone()).await.expect("an answer");
            calls += 1;
        }
        calls
    });
    let calls: u32 = futures_util::future::join_all(rounds).await.into_iter().sum();
    f64::from(calls) / begun.elapsed().as_secs_f64()
}

fn resident(pid: u32) -> f64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.trim().trim_end_matches("kB").trim().parse::<f64>().ok())
        .map_or(f64::NAN, |kb| kb / 1024.0)
}

/// From start to the first answer, in milliseconds.
fn start(store: &std::path::Path) -> f64 {
    let begun = Instant::now();
    let mut child = program()
        .args(["mcp", "--store"])
        .arg(store)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts");
    let hello = json!({
        "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": { "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "b", "version": "1" } },
    });
    let mut input = child.stdin.take().expect("piped");
    writeln!(input, "{hello}").expect("it listens");
    let mut line = String::new();
    BufReader::new(child.stdout.take().expect("piped")).read_line(&mut line).expect("it answers");
    let millis = begun.elapsed().as_secs_f64() * 1e3;
    drop(input);
    let _ = child.wait();
    millis
}

async fn measure() {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let folder = tempfile::tempdir().expect("a folder");
    let store = |name: &str| folder.path().join(name);
    let standoff = |command: &str, name: &str| {
        let mut process = program();
        process.arg(command).arg("--store").arg(store(name));
        process
    };
    {
        let mut process = this();
        process.arg("echo-stdio");
        compare("stdio", &over_stdio(process).await, &over_stdio(standoff("mcp", "stdio.db")).await).await;
    }
    let mut process = this();
    process.arg("echo-http");
    let echo_server = serving(process);
    let mut process = standoff("serve", "http.db");
    process.args(["--port", "0"]);
    let server = serving(process);
    compare("http", &over_http(echo_server.address).await, &over_http(server.address).await).await;
    let (mut echoes, mut states) = (Vec::new(), Vec::new());
    for _ in 0..32 {
        let client = over_http(server.address).await;
        let params = get_state(&client).await;
        echoes.push((over_http(echo_server.address).await, echo(&words(&client, &params).await)));
        states.push((client, params));
    }
    let (mut echoed, mut stated) = (0.0_f64, 0.0_f64);
    for _ in 0..3 {
        echoed = echoed.max(throughput(&echoes, Duration::from_secs(2)).await);
        stated = stated.max(throughput(&states, Duration::from_secs(2)).await);
    }
    println!(
        "http, 32 sessions: echo of the same words {echoed:.0} calls/s; get_state {stated:.0} calls/s; ratio {:.2}",
        stated / echoed
    );
    let mut starts: Vec<f64> = (0..15).map(|_| start(&store("start.db"))).collect();
    starts.sort_by(f64::total_cmp);
    println!("start to first answer: median {:.1} ms of 15", starts[7]);
    let mut process = standoff("serve", "memory.db");
    process.args(["--port", "0"]);
    let server = serving(process);
    let client = over_http(server.address).await;
    for _ in 0..100 {
        client.call_tool(call("new_match", json!({ "opponents": ["greedy"] }))).await.expect("a match");
    }
    println!("memory with 100 live matches: {:.1} MB", resident(server.child.id()));
}

fn main() {
    let runtime = tokio::runtime::Runtime::new().expect("threads");
    runtime.block_on(async {
        match std::env::args().nth(1).as_deref() {
            Some("echo-stdio") => {
                let running = Echo.serve(stdio_pipes()).await.expect("a client");
                running.waiting().await.expect("it ends");
            }
            Some("echo-http") => echo_over_http().await,
            _ => measure().await,
        }
    });
}
