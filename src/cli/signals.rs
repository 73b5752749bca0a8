//! How commands stop when they are told to: Ctrl-C, SIGTERM and SIGHUP alike.
//!
//! At the first signal no new call is made and those under way are waited for; at the second, or after
//! [`LONGEST_WAIT`], the command ends at once. Everything that was answered is kept either way.

use std::fmt;
use std::io;
use std::time::Duration;

use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

use super::error::Failure;
use super::messages;

/// How long calls under way are waited for.
const LONGEST_WAIT: Duration = Duration::from_secs(30);

/// A signal that asks the program to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Signal {
    Interrupt,
    #[cfg(unix)]
    Terminate,
    #[cfg(unix)]
    HangUp,
}

impl Signal {
    /// The exit code by which shells know it.
    pub(crate) fn exit_code(self) -> u8 {
        match self {
            Signal::Interrupt => 130,
            #[cfg(unix)]
            Signal::Terminate => 143,
            #[cfg(unix)]
            Signal::HangUp => 129,
        }
    }
}

impl fmt::Display for Signal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Signal::Interrupt => "an interrupt",
            #[cfg(unix)]
            Signal::Terminate => "SIGTERM",
            #[cfg(unix)]
            Signal::HangUp => "SIGHUP",
        })
    }
}

/// Listens for signals from the moment it is made.
#[derive(Debug)]
pub(crate) struct Signals {
    sources: Sources,
    stop: CancellationToken,
    received: Option<Signal>,
}

impl Signals {
    /// Begins to listen. It must be called where tasks can be run.
    ///
    /// # Errors
    /// If the system does not let us listen.
    pub(crate) fn listen() -> Result<Signals, Failure> {
        let sources = Sources::open().map_err(|error| Failure::work(format!("cannot listen for signals: {error}")))?;
        Ok(Signals { sources, stop: CancellationToken::new(), received: None })
    }

    /// What is cancelled by the first signal.
    pub(crate) fn stop(&self) -> CancellationToken {
        self.stop.clone()
    }

    /// The first signal, if there was one.
    pub(crate) fn received(&self) -> Option<Signal> {
        self.received
    }

    /// Waits for a signal.
    pub(crate) async fn next(&mut self) -> Signal {
        self.sources.next().await
    }

    /// Does this work. The first signal asks it to stop; nothing comes back where it was left at once.
    pub(crate) async fn heed<T>(&mut self, work: impl Future<Output = T>) -> Option<T> {
        tokio::pin!(work);
        let mut end = None;
        loop {
            let up = async {
                match end {
                    Some(end) => sleep_until(end).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                biased;
                done = &mut work => return Some(done),
                signal = self.sources.next() => {
                    if self.received.is_some() {
                        return None;
                    }
                    self.received = Some(signal);
                    self.stop.cancel();
                    end = Some(Instant::now() + LONGEST_WAIT);
                    messages::tell(&format!(
                        "stopping at {signal}: no new call is made, and those under way are waited for, at most {} s; \
                         once more ends at once",
                        LONGEST_WAIT.as_secs()
                    ));
                }
                () = up => return None,
            }
        }
    }

    /// From now on a signal ends the program at once, with these words.
    pub(crate) fn end_at_once(mut self, failure: Failure) {
        tokio::spawn(async move {
            let signal = self.sources.next().await;
            messages::tell(&failure.to_string());
            std::process::exit(signal.exit_code().into())
        });
    }

    /// The failure of a command that was stopped, with the signal's exit code; of one that was not, as it is.
    pub(crate) fn failure(&self, failure: Failure) -> Failure {
        match self.received {
            Some(signal) => failure.with_code(signal.exit_code()),
            None => failure,
        }
    }
}

#[cfg(unix)]
#[derive(Debug)]
struct Sources {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
    /// None where whoever started us wants it to be ignored, as `nohup` does.
    hang_up: Option<tokio::signal::unix::Signal>,
}

#[cfg(unix)]
impl Sources {
    fn open() -> io::Result<Sources> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Sources {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hang_up: if ignores_hang_up() { None } else { Some(signal(SignalKind::hangup())?) },
        })
    }

    async fn next(&mut self) -> Signal {
        let hung_up = async {
            match &mut self.hang_up {
                Some(hang_up) => hang_up.recv().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            _ = self.interrupt.recv() => Signal::Interrupt,
            _ = self.terminate.recv() => Signal::Terminate,
            _ = hung_up => Signal::HangUp,
        }
    }
}

/// Whether SIGHUP is ignored, as far as the system says.
#[cfg(unix)]
fn ignores_hang_up() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_some_and(|mask| mask & 1 == 1)
}

#[cfg(not(unix))]
#[derive(Debug)]
struct Sources;

#[cfg(not(unix))]
impl Sources {
    #[expect(clippy::unnecessary_wraps, reason = "it can fail elsewhere")]
    fn open() -> io::Result<Sources> {
        Ok(Sources)
    }

    async fn next(&mut self) -> Signal {
        if tokio::signal::ctrl_c().await.is_err() {
            // Nobody can interrupt us here.
            std::future::pending::<()>().await;
        }
        Signal::Interrupt
    }
}
