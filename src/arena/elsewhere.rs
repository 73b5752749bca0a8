//! What other processes on the same store play, and how to speak to them.

use std::sync::OnceLock;
use std::time::{Duration, Instant};

use super::{Arena, ArenaError};
use crate::games::seat::Seat;
use crate::games::view::{View, Viewer};
use crate::matches::SeatInfo;
use crate::store::{Filter, MatchInfo, MatchStatus, ProcessInfo};

/// The header with which a process shows another that it is one on the same store.
pub const PROCESS_HEADER: &str = "standoff-process";

/// So long a process may take to let another in.
const CONNECT: Duration = Duration::from_secs(2);

/// How often whoever waits for another process looks whether that one's lease still runs.
const LOOKED_AT: Duration = Duration::from_secs(1);

/// So long it may take to find out what others have taken over.
const LONGEST_LOOK: Duration = Duration::from_secs(2);

/// So many live matches are looked through for those that wait for players.
const LOOKED_THROUGH: u32 = 200;

/// A match that waits for players, as the store knows it.
#[derive(Clone, Debug)]
pub struct Gathering {
    /// The match's name.
    pub match_id: String,
    /// The ruleset's name.
    pub ruleset: String,
    /// Who sits where so far.
    pub seats: Vec<SeatInfo>,
    /// The seats that can be taken.
    pub open: Vec<Seat>,
    /// Whether only those with the invite code can join.
    pub is_private: bool,
}

impl Gathering {
    /// A match of the store, if it is one of an arena that waits for players.
    pub fn of(info: &MatchInfo) -> Option<Gathering> {
        let is_waiting = info.status == MatchStatus::Live && info.lines == 0;
        super::archive::gathering(info).filter(|_| is_waiting)
    }
}

/// The position from which a match of an arena begins, as everybody may see it.
pub fn opening_view(info: &MatchInfo) -> Option<View> {
    super::archive::opening(info).map(|table| table.view(Viewer::Public))
}

impl Arena {
    /// The matches of other processes on the same store that wait for players and that anybody can join, the newest first.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn gathering_elsewhere(&self) -> Result<Vec<Gathering>, ArenaError> {
        let Some(archive) = &self.inner.context.archive else { return Ok(Vec::new()) };
        let filter = Filter { status: Some(MatchStatus::Live), limit: Some(LOOKED_THROUGH), ..Filter::default() };
        let found = archive.store().matches(&filter).await?;
        let elsewhere = found.iter().filter(|info| info.lines == 0 && self.here(&info.id).is_none());
        Ok(elsewhere.filter_map(Gathering::of).filter(|waiting| !waiting.is_private).collect())
    }

    /// Waits for what another process has to say, as long as its lease runs. None once that has run out: a process that
    /// stands still answers nobody, and what it had is anybody's.
    pub async fn while_leased<T>(&self, process: &ProcessInfo, answer: impl Future<Output = T>) -> Option<T> {
        tokio::select! {
            biased;
            answer = answer => Some(answer),
            () = self.lease_end(process) => None,
        }
    }

    async fn lease_end(&self, process: &ProcessInfo) {
        let Some(archive) = &self.inner.context.archive else { return std::future::pending().await };
        loop {
            tokio::time::sleep(LOOKED_AT).await;
            // Where the store cannot be read nothing can be taken over either.
            if let Ok(false) = archive.process().is_leased(&process.id).await {
                return;
            }
        }
    }

    /// Lets go of what others have taken over, if this process's lease may have run out meanwhile: it stood still, or could
    /// not reach the store. Until then nobody is shown a match as it was.
    pub(super) async fn let_go(&self) {
        let Some(archive) = &self.inner.context.archive else { return };
        let process = archive.process();
        if !process.is_in_doubt() {
            return;
        }
        let mut tried_in_vain = self.inner.letting_go.lock().await;
        if !process.is_in_doubt() || tried_in_vain.is_some_and(|at| at.elapsed() < LOOKED_AT) {
            return;
        }
        let lapses = process.lapses();
        *tried_in_vain = match tokio::time::timeout(LONGEST_LOOK, self.let_go_of_lost()).await {
            Ok(Ok(())) => {
                process.checked(lapses);
                None
            }
            // Nothing is known, and whatever is written is refused if it must be.
            Ok(Err(error)) => {
                tracing::warn!(%error, "what others have taken over is not known");
                Some(Instant::now())
            }
            Err(_) => Some(Instant::now()),
        };
    }

    async fn let_go_of_lost(&self) -> Result<(), ArenaError> {
        let Some(archive) = &self.inner.context.archive else { return Ok(()) };
        for live in self.list() {
            if !live.is_over() && !live.is_closed() && !archive.process().has(live.id(), live.epoch()).await? {
                tracing::info!(match_id = live.id(), "another process plays this match now");
                live.close();
                self.index().forget(&live);
            }
        }
        self.let_go_of_queue().await
    }
}

/// A request to another process.
pub type ProcessRequest = reqwest::RequestBuilder;

/// What comes back of it.
pub type ProcessAnswer = reqwest::Response;

/// What speaks HTTP to other processes. None where the system has no room for it.
pub fn process_client() -> Option<&'static reqwest::Client> {
    static CLIENT: OnceLock<Option<reqwest::Client>> = OnceLock::new();
    let build = || {
        // Also where nothing is encrypted the client wants to know with what it would be.
        drop(rustls::crypto::ring::default_provider().install_default());
        reqwest::Client::builder().no_proxy().connect_timeout(CONNECT).build().ok()
    };
    CLIENT.get_or_init(build).as_ref()
}
