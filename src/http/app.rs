//! What all requests share.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use tokio::sync::{Semaphore, SemaphorePermit};
use tokio_util::sync::CancellationToken;

use super::caller::{Caller, Credential};
use super::error::ApiError;
use super::fits::Fits;
use super::limit::{RequestLimits, Toll};
use super::live::Broadcasts;
use super::lobby::Lobby;
use super::metrics;
use super::oauth::Issuer;
use super::proxies::TrustedProxy;
use super::review::Reviews;
use super::views::ViewCache;
use crate::arena::{Arena, CallerPurses, Purses};
use crate::briefs::Language;
use crate::store::{KeyHash, Store};
use crate::tournaments::report::Sources;

/// So many readings of much at once.
const LARGE_READS: usize = 2;

/// A player of the house, as it is offered.
#[derive(Clone, Debug)]
pub struct Card {
    /// By which it is invited.
    pub name: String,
    /// Whether it is a model; a bot otherwise.
    pub is_model: bool,
    /// One sentence in English.
    pub en: String,
    /// The same in Chinese.
    pub zh: String,
}

/// Makes the page of a tournament's report, in a language.
pub type Reporting = Arc<dyn Fn(&Sources, Language) -> String + Send + Sync>;

/// What the server is about.
#[derive(Clone)]
pub struct Services {
    /// The live matches.
    pub arena: Arena,
    /// What is kept.
    pub store: Store,
    /// Whom the house can seat.
    pub guests: Vec<Card>,
    /// How reports are made.
    pub report: Reporting,
    /// A folder to read the page from, in place of what is in the program.
    pub page: Option<PathBuf>,
    /// Limits that the house and the arena keep, by name, for whoever watches over it.
    pub limits: Vec<(&'static str, f64)>,
}

/// What all requests share.
pub(super) struct App {
    pub(super) arena: Arena,
    pub(super) store: Store,
    pub(super) guests: Vec<Card>,
    pub(super) report: Reporting,
    pub(super) page: Option<PathBuf>,
    /// What opens the house to whoever has no account, where that is needed.
    pub(super) token: Option<KeyHash>,
    /// Whether everybody must show a token: others than this machine can come in, or somebody set one.
    pub(super) wants_token: bool,
    /// Whether it is for its own machine alone, so that whoever asks is at home.
    pub(super) is_at_home: bool,
    /// Whose tokens are believed beside.
    pub(super) issuer: Option<Issuer>,
    /// Who is believed about where requests come from.
    pub(super) trusted_proxies: Vec<TrustedProxy>,
    /// Whether only processes on the same store are let in.
    pub(super) processes_only: bool,
    pub(super) toll: Toll,
    /// Limits that others keep, by name: they are told with its own.
    pub(super) limits: Vec<(&'static str, f64)>,
    pub(super) views: ViewCache,
    pub(super) stands: Broadcasts,
    pub(super) lobby: Lobby,
    pub(super) reviews: Reviews,
    pub(super) fits: Fits,
    /// So many readings of much at once: fits, reports, replays. The others wait, and take no room meanwhile.
    pub(super) large_reads: Semaphore,
    /// What was last found when somebody asked whether the server can work.
    pub(super) readiness: tokio::sync::Mutex<Option<(tokio::time::Instant, Result<(), ApiError>)>>,
    /// Ends all waiting.
    pub(super) closing: CancellationToken,
    /// How many matches each caller has.
    pub(super) opened: Purses,
}

impl fmt::Debug for Services {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Services").field("arena", &self.arena).finish_non_exhaustive()
    }
}

impl fmt::Debug for App {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Office").field("arena", &self.arena).finish_non_exhaustive()
    }
}

impl App {
    pub(super) fn new(
        services: Services,
        token: Option<KeyHash>,
        limits: RequestLimits,
        processes_only: bool,
        closing: CancellationToken,
    ) -> App {
        let wants_token = token.is_some();
        let Services { arena, store, guests, report, page, limits: others } = services;
        metrics::recorder();
        App {
            arena,
            store,
            guests,
            report,
            page,
            wants_token,
            is_at_home: false,
            issuer: None,
            trusted_proxies: Vec::new(),
            processes_only,
            token,
            toll: Toll::new(limits),
            limits: others,
            views: ViewCache::default(),
            stands: Broadcasts::default(),
            lobby: Lobby::default(),
            reviews: Reviews::default(),
            fits: Fits::default(),
            large_reads: Semaphore::new(LARGE_READS),
            readiness: tokio::sync::Mutex::default(),
            closing,
            opened: Purses::default(),
        }
    }

    /// Waits for leave to read much at once.
    ///
    /// # Errors
    /// Never, while the server is open.
    pub(super) async fn large_read(&self) -> Result<SemaphorePermit<'_>, ApiError> {
        self.large_reads.acquire().await.map_err(|error| ApiError::internal(&error))
    }

    /// Whether anybody can have any number of tokens, so that they say little about who somebody is.
    pub(super) fn is_open(&self) -> bool {
        !self.wants_token
    }

    /// Whether a caller may know what only whoever runs the server needs.
    pub(super) fn is_owner(&self, caller: &Caller) -> bool {
        self.is_at_home || matches!(caller.who, Credential::Owner)
    }

    /// In which the matches of a caller are counted: for whoever it is, and where tokens are free, for where it comes from.
    pub(super) fn purses_of(&self, caller: &Caller) -> CallerPurses {
        let limits = self.toll.limits();
        let own = (caller.counted.name(), limits.matches_each);
        let address = (format!("address {}", caller.from.name()), limits.matches_from_address());
        self.opened.of(std::iter::once(own).chain(self.is_open().then_some(address)).collect())
    }
}
