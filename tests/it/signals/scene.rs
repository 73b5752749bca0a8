//! A model next door that notes what becomes of each request, and a folder with all that commands need.

use std::collections::BTreeSet;
use std::fs;
use std::process::{Child, Command};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};
use std::time::{Duration, Instant};

use serde_json::Value as Json;
use standoff::store::{Location, Store};
use tempfile::TempDir;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use crate::canary::next_request;
use crate::experiment;
use crate::program::{standoff, stdout};

/// Longer than anything takes here, on however busy a machine.
pub(super) const LONG: Duration = Duration::from_mins(10);

/// What stands before the number of a life in the key of that life.
const KEY: &str = "sk-of-life-";

/// A request, and what became of it.
#[derive(Clone, Debug)]
pub(super) struct Asked {
    pub(super) body: Vec<u8>,
    /// In which life of the program it was asked, by the key that only this life has.
    pub(super) life: usize,
    /// When all of the answer was sent.
    pub(super) answered: Option<Instant>,
    /// When the program had read all of it: it hangs up then, as the answer asks it to.
    pub(super) read: Option<Instant>,
}

/// How far a request has come.
#[derive(Clone, Copy, Debug)]
pub(super) enum Stage {
    Asked,
    Answered,
    Read,
}

impl Stage {
    fn is_reached(self, asked: &Asked) -> bool {
        match self {
            Stage::Asked => true,
            Stage::Answered => asked.answered.is_some(),
            Stage::Read => asked.read.is_some(),
        }
    }
}

pub(super) struct Scene {
    pub(super) folder: TempDir,
    requests: Arc<Mutex<Vec<Asked>>>,
}

impl Scene {
    /// A model that answers after a pause, or never where there is none; commands do this much at once.
    pub(super) async fn new(pause: Option<Duration>, at_once: usize) -> Scene {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let url = format!("http://{}/v1", listener.local_addr().expect("it is bound"));
        let requests = Arc::<Mutex<Vec<Asked>>>::default();
        let log = requests.clone();
        tokio::spawn(async move {
            while let Ok((socket, _)) = listener.accept().await {
                tokio::spawn(serve(socket, log.clone(), pause));
            }
        });
        let folder = tempfile::tempdir().expect("a folder");
        let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).expect("writable");
        write(
            "standoff.toml",
            &format!(
                "[players.still]\nmodel = \"still\"\nbase_url = \"{url}\"\napi_key_env = \"STILL_KEY\"\nmode = \"text\"\n\
                 concurrency = 3\nprice = {{ input = 1.0, output = 5.0 }}\n"
            ),
        );
        write("brief.toml", "base = \"cowboy\"\nname = \"brief\"\nmax_rounds = 8\n");
        let cup = "name = \"cup\"\nplayers = [\"still\", \"greedy\"]\nblocks = 2\nrulesets = [\"brief.toml\"]\n";
        write("cup.toml", &format!("concurrency = {at_once}\n{cup}"));
        let experiment = "name = \"e\"\nmodels = [\"still\"]\nvariants = [\"standard\", \"bare\"]\nblocks = 1\n\
                          gates = [\"quiz\", \"games\"]\nrulesets = [\"brief.toml\"]\n[quiz]\nper_rule = 4\n";
        write("e.toml", &format!("concurrency = {at_once}\n{experiment}"));
        fs::write(folder.path().join("bank.json"), bank()).expect("writable");
        Scene { folder, requests }
    }

    fn log(&self) -> MutexGuard<'_, Vec<Asked>> {
        self.requests.lock().expect("not poisoned")
    }

    /// How many requests there were.
    pub(super) fn asked(&self) -> usize {
        self.log().len()
    }

    pub(super) fn requests(&self) -> Vec<Asked> {
        self.log().clone()
    }

    /// The program in its first life.
    pub(super) fn program(&self, args: &[impl AsRef<str>]) -> Command {
        self.program_in(0, args)
    }

    pub(super) fn program_in(&self, life: usize, args: &[impl AsRef<str>]) -> Command {
        let mut command = standoff(&args.iter().map(AsRef::as_ref).collect::<Vec<_>>());
        command.current_dir(&self.folder).env("HOME", self.folder.path()).env("STILL_KEY", format!("{KEY}{life}"));
        for name in ["STANDOFF_CONFIG", "XDG_CONFIG_HOME", "XDG_DATA_HOME"] {
            command.env_remove(name);
        }
        command
    }

    /// How many requests the ledger knows of, in the journal of the match or in the store.
    pub(super) async fn entered(&self) -> usize {
        if let Ok(journal) = fs::read_to_string(self.folder.path().join("m.jsonl.journal")) {
            let lines = journal.lines().map(|line| serde_json::from_str::<Json>(line).expect("JSON"));
            let ids: BTreeSet<String> =
                lines.filter_map(|line| Some(line["ledger"]["id"].as_str()?.to_owned())).collect();
            return ids.len();
        }
        let places = stdout(&self.program(&["where", "--json"]).output().expect("it starts"));
        let places: Json = serde_json::from_str(&places).expect("JSON");
        let path = places["store"]["path"].as_str().expect("a path");
        let store = Store::open(&Location::File(path.into())).await.expect("a store");
        let spent = store.spent("").await.expect("it can be read");
        store.close().await;
        usize::try_from(spent.iter().map(|seat| seat.requests).sum::<u64>()).expect("few")
    }

    /// Waits until so many requests of a life have come this far, or the program has ended.
    pub(super) fn wait_for(&self, life: usize, count: usize, stage: Stage, child: &mut Child) {
        let begun = Instant::now();
        let reached = || self.log().iter().filter(|asked| asked.life == life && stage.is_reached(asked)).count();
        while reached() < count && child.try_wait().expect("it can be asked").is_none() {
            assert!(begun.elapsed() < LONG, "it gets on");
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

/// Answers one request per connection, and notes when the other side has read it.
async fn serve(mut socket: TcpStream, requests: Arc<Mutex<Vec<Asked>>>, pause: Option<Duration>) {
    let Some((head, body)) = next_request(&mut socket, &mut Vec::new()).await else { return };
    let life = head.split(KEY).nth(1).and_then(|rest| rest.lines().next()?.trim().parse().ok()).expect("its key");
    let answer = experiment::completion(&body).to_string();
    let number = {
        let mut requests = requests.lock().expect("not poisoned");
        requests.push(Asked { body, life, answered: None, read: None });
        requests.len() - 1
    };
    let note = |set: fn(&mut Asked, Instant)| set(&mut requests.lock().expect("not poisoned")[number], Instant::now());
    match pause {
        Some(pause) => tokio::time::sleep(pause).await,
        None => std::future::pending().await,
    }
    let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length:";
    if socket.write_all(format!("{head} {}\r\n\r\n{answer}", answer.len()).as_bytes()).await.is_err() {
        return;
    }
    note(|asked, now| asked.answered = Some(now));
    // Nothing more comes but the end of the connection.
    let _ = socket.read(&mut [0]).await;
    note(|asked, now| asked.read = Some(now));
}

/// A bank of some twenty positions, made once: most of those that are asked for are not confirmed.
fn bank() -> &'static [u8] {
    static BANK: OnceLock<Vec<u8>> = OnceLock::new();
    BANK.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("bank.json").display().to_string();
        let build = "bank build --positions 120 --share 60 --nodes 60 --seed 2 --calibrate 0 --out";
        let args: Vec<&str> = build.split(' ').chain([file.as_str()]).collect();
        stdout(&standoff(&args).output().expect("it starts"));
        fs::read(file).expect("it was made")
    })
}
