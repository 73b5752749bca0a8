//! A running program: its pipes, its end, and the end of all that it started.

use std::io;
use std::process::{ExitStatus, Stdio};
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::pending;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep_until, timeout};

use super::relay::Relay;

/// What waits to be read by a program that does not read, at the most.
const MAX_WAITING: usize = 1024 * 1024;

/// How long what a program wrote last may be on its way after its end.
const LAST_WORDS: Duration = Duration::from_millis(200);

/// How long a program may take to leave by itself when the match is over.
const FAREWELL: Duration = Duration::from_secs(1);

/// A program in a process group of its own. Whichever way it is let go, the whole group is killed.
pub(in crate::players) struct Program {
    child: Child,
    #[cfg(unix)]
    group: Option<rustix::process::Pid>,
    stdin: Option<ChildStdin>,
    stdout: Option<ChildStdout>,
    complaints: JoinHandle<()>,
    relay: Arc<Relay>,
    /// What was sent and is not yet in the pipe.
    outbox: Vec<u8>,
    /// What was read and is not yet a line.
    inbox: Vec<u8>,
    max_line: usize,
    /// Nothing more will be sent.
    hang_up: bool,
    exit: Option<ExitStatus>,
    /// Until when to wait for the rest, once it has ended or closed a pipe.
    until: Option<Instant>,
}

/// Why nothing more comes from a program.
#[derive(Debug, thiserror::Error)]
pub(in crate::players) enum Ended {
    #[error("it ended with {0}")]
    Exited(ExitStatus),
    #[error("it closed its standard {0}")]
    Closed(&'static str),
    #[error("it wrote a line of more than {0} bytes")]
    LongLine(usize),
    #[error("it wrote more than {0} lines that were no answer")]
    ManyLines(u32),
    #[error("it reads nothing of what it is sent")]
    Deaf,
    #[error("it got lost: {0}")]
    Lost(#[from] io::Error),
}

impl Ended {
    /// Whether it left by itself and says that all is well.
    pub(in crate::players) fn is_success(&self) -> bool {
        matches!(self, Ended::Exited(status) if status.success())
    }
}

impl Program {
    /// Starts it, with its complaints passed on. No line that it writes may be longer than this.
    pub(in crate::players) fn start(mut command: Command, relay: Arc<Relay>, max_line: usize) -> io::Result<Program> {
        command.kill_on_drop(true);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        #[cfg(unix)]
        command.process_group(0);
        let mut child = command.spawn()?;
        let stderr = child.stderr.take().expect("piped");
        Ok(Program {
            #[cfg(unix)]
            group: child.id().and_then(|id| rustix::process::Pid::from_raw(id.cast_signed())),
            stdin: child.stdin.take(),
            stdout: child.stdout.take(),
            complaints: tokio::spawn(relay.clone().pass_on(stderr)),
            child,
            relay,
            outbox: Vec::new(),
            inbox: Vec::new(),
            max_line,
            hang_up: false,
            exit: None,
            until: None,
        })
    }

    /// Sends a line. It goes out while [`Program::line`] is awaited.
    pub(in crate::players) fn send(&mut self, line: &str) {
        self.outbox.extend_from_slice(line.as_bytes());
    }

    /// Closes its input as soon as all that was sent is there.
    pub(in crate::players) fn hang_up(&mut self) {
        self.hang_up = true;
    }

    /// Says something about the program to whoever runs the match.
    pub(in crate::players) fn note(&self, text: &str) {
        self.relay.line(text);
    }

    /// The next line that it writes. Nothing is lost if this is not awaited to its end.
    pub(in crate::players) async fn line(&mut self) -> Result<Vec<u8>, Ended> {
        loop {
            if let Some(line) = self.next_line()? {
                return Ok(line);
            }
            match (self.exit, &self.stdout) {
                (Some(status), None) => return Err(Ended::Exited(status)),
                (None, Some(_)) => {}
                (Some(_), Some(_)) | (None, None) => {
                    self.until.get_or_insert_with(last_words);
                }
            }
            if self.outbox.len() > MAX_WAITING {
                return Err(Ended::Deaf);
            }
            if self.hang_up && self.outbox.is_empty() {
                self.stdin = None;
            }
            self.wait().await?;
        }
    }

    /// Waits until something has happened: bytes went in or out, or the program ended.
    async fn wait(&mut self) -> Result<(), Ended> {
        let Program { child, stdin, stdout, outbox, inbox, exit, until, .. } = self;
        let read = async {
            inbox.reserve(8 * 1024);
            match stdout {
                Some(stdout) => stdout.read_buf(inbox).await,
                None => pending().await,
            }
        };
        let write = async {
            match stdin {
                Some(stdin) if !outbox.is_empty() => stdin.write(outbox).await,
                _ => pending().await,
            }
        };
        let rest = async {
            match until {
                Some(until) => sleep_until(*until).await,
                None => pending().await,
            }
        };
        tokio::select! {
            biased;
            read = read => if !matches!(read, Ok(1..)) {
                self.stdout = None;
            },
            status = child.wait(), if exit.is_none() => {
                self.exit = Some(status?);
                // What it started and left behind would keep its output open.
                self.kill();
            },
            written = write => if let Ok(written) = written {
                drop(self.outbox.drain(..written));
            } else {
                self.stdin = None;
                self.outbox.clear();
                self.until.get_or_insert_with(last_words);
            },
            () = rest => {
                let closed = if self.stdout.is_none() { "output" } else { "input" };
                return Err(self.exit.map_or(Ended::Closed(closed), Ended::Exited));
            }
        }
        Ok(())
    }

    /// A whole line of what was read, or what was left unfinished at the end.
    fn next_line(&mut self) -> Result<Option<Vec<u8>>, Ended> {
        let end = self.inbox.iter().position(|byte| *byte == b'\n');
        if end.unwrap_or(self.inbox.len()) > self.max_line {
            return Err(Ended::LongLine(self.max_line));
        }
        Ok(match end {
            Some(end) => Some(self.inbox.drain(..=end).collect()),
            None if self.stdout.is_none() && !self.inbox.is_empty() => Some(std::mem::take(&mut self.inbox)),
            None => None,
        })
    }

    /// Lets it go after this last line: it has a moment to leave by itself.
    pub(super) async fn farewell(mut self, line: &str) {
        self.send(line);
        self.hang_up = true;
        // What it still has to say is of no interest, nor is how it leaves.
        let _ = timeout(FAREWELL, async { while self.line().await.is_ok() {} }).await;
        self.bury().await;
    }

    /// Kills what is left of it, and waits for the last of its complaints.
    pub(super) async fn bury(mut self) {
        self.kill();
        let _ = timeout(LAST_WORDS, &mut self.complaints).await;
    }

    /// Kills it with all that it started. Once only: later its number may be somebody else's.
    fn kill(&mut self) {
        #[cfg(unix)]
        if let Some(group) = self.group.take() {
            // It fails only where nobody is left.
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
        #[cfg(not(unix))]
        let _ = self.child.start_kill();
    }
}

fn last_words() -> Instant {
    Instant::now() + LAST_WORDS
}

impl Drop for Program {
    fn drop(&mut self) {
        self.kill();
        self.complaints.abort();
    }
}
