//! What other processes on the same store play, and how to speak to them.

use std::sync::OnceLock;
use std::time::Duration;

use super::{Arena, ArenaError};
use crate::games::seat::Seat;
use crate::matches::SeatInfo;
use crate::store::{Filter, MatchStatus};

/// The header with which a process shows another that it is one on the same store.
pub const PROCESS_HEADER: &str = "standoff-process";

/// So long a process may take to let another in.
const CONNECT: Duration = Duration::from_secs(2);

/// So many live matches are looked through for those that wait for players.
const LOOKED_THROUGH: u32 = 200;

/// A match that another process plays and that waits for players.
#[derive(Clone, Debug)]
pub struct Gathering {
    /// The match's name.
    pub match_id: String,
    /// The ruleset's name.
    pub ruleset: String,
    /// Who sits where so far.
    pub seats: Vec<SeatInfo>,
    /// The seats that anybody can take.
    pub open: Vec<Seat>,
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
        Ok(elsewhere.filter_map(super::archive::gathering).collect())
    }
}

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
