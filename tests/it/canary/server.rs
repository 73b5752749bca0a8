//! The server that misbehaves: every wire format over hand-written HTTP, so that the HTTP can be broken too.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use serde_json::Value as Json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::Instant;

use super::dialects::{good, model};
use super::reply::{Reply, Step};

/// What the server does for a model, request by request.
#[derive(Clone, Debug)]
pub(super) struct Script {
    pub(super) replies: Vec<Reply>,
    /// Whether the last reply goes on for ever. A good one follows otherwise.
    pub(super) forever: bool,
}

impl Script {
    fn reply(&self, number: usize, head: &str, request: &Json) -> Reply {
        let last = self.replies.last().filter(|_| self.forever);
        self.replies.get(number).or(last).cloned().unwrap_or_else(|| good(head, request, "move east"))
    }
}

/// A request as it came.
#[derive(Clone, Debug)]
pub(super) struct Seen {
    /// The request line and the headers.
    pub(super) head: String,
    pub(super) body: Json,
    /// Which connection it came over.
    pub(super) connection: usize,
    pub(super) at: Instant,
}

/// A server that does for each model what that model's script says.
pub(super) struct Server {
    /// Where it is, like `http://127.0.0.1:4711`.
    pub(super) url: String,
    desk: Arc<Desk>,
}

struct Desk {
    scripts: HashMap<String, Script>,
    seen: Mutex<HashMap<String, Vec<Seen>>>,
}

impl Server {
    /// Starts with a script a model.
    pub(super) async fn start(scripts: HashMap<String, Script>) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let url = format!("http://{}", listener.local_addr().expect("it is bound"));
        let desk = Arc::new(Desk { scripts, seen: Mutex::default() });
        let server = Server { url, desk: desk.clone() };
        tokio::spawn(async move {
            for connection in 0.. {
                let Ok((socket, _)) = listener.accept().await else { return };
                tokio::spawn(serve(desk.clone(), socket, connection));
            }
        });
        server
    }

    /// The requests for a model so far, in their order.
    pub(super) fn seen(&self, model: &str) -> Vec<Seen> {
        self.desk.seen.lock().expect("not poisoned").get(model).cloned().unwrap_or_default()
    }
}

/// Answers request after request until either side hangs up.
async fn serve(desk: Arc<Desk>, mut socket: TcpStream, connection: usize) {
    let mut buffer = Vec::new();
    while let Some((head, body)) = next_request(&mut socket, &mut buffer).await {
        let body: Json = serde_json::from_slice(&body).expect("the player sends JSON");
        let model = model(&head, &body);
        let number = {
            let mut seen = desk.seen.lock().expect("not poisoned");
            let seen = seen.entry(model.clone()).or_default();
            seen.push(Seen { head: head.clone(), body: body.clone(), connection, at: Instant::now() });
            seen.len() - 1
        };
        let script = desk.scripts.get(&model).expect("every model has a script");
        for step in script.reply(number, &head, &body).0 {
            let bytes = match step {
                Step::Send(bytes) => bytes,
                Step::Make(make) => make(SystemTime::now()),
                Step::Wait(time) => {
                    tokio::time::sleep(time).await;
                    continue;
                }
                Step::HangUp => return,
            };
            // Whoever has hung up misses the rest.
            if socket.write_all(&bytes).await.is_err() {
                return;
            }
        }
    }
}

/// The next request on a connection: its head and its body.
pub(crate) async fn next_request(socket: &mut TcpStream, buffer: &mut Vec<u8>) -> Option<(String, Vec<u8>)> {
    loop {
        if let Some(end) = buffer.windows(4).position(|window| window == b"\r\n\r\n") {
            let head = String::from_utf8_lossy(&buffer[..end]).to_ascii_lowercase();
            let length = head.lines().find_map(|line| line.strip_prefix("content-length:"));
            let length: usize = length.map_or(0, |length| length.trim().parse().expect("a length"));
            if buffer.len() >= end + 4 + length {
                let rest = buffer.split_off(end + 4 + length);
                let body = std::mem::replace(buffer, rest).split_off(end + 4);
                return Some((head, body));
            }
        }
        let read = tokio::time::timeout(Duration::from_secs(30), socket.read_buf(buffer)).await;
        if !matches!(read, Ok(Ok(1..))) {
            return None;
        }
    }
}
