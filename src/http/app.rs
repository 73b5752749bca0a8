//! What all requests share.

use std::collections::HashMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use tokio_util::sync::CancellationToken;

use super::error::ApiError;
use super::limit::{Counted, RequestLimits, Toll};
use super::live::Broadcasts;
use super::lobby::Lobby;
use super::metrics::Metrics;
use super::review::Reviews;
use super::standings::Counts;
use super::views::ViewCache;
use crate::arena::{Arena, Live, Stage};
use crate::briefs::Language;
use crate::store::{KeyHash, Store};
use crate::tournaments::report::Sources;

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
    pub(super) toll: Toll,
    pub(super) metrics: Metrics,
    pub(super) views: ViewCache,
    pub(super) stands: Broadcasts,
    pub(super) lobby: Lobby,
    pub(super) reviews: Reviews,
    pub(super) counts: Counts,
    /// Ends all waiting.
    pub(super) closing: CancellationToken,
    /// Who opened which matches.
    opened: Mutex<HashMap<Counted, Vec<Weak<Live>>>>,
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
        closing: CancellationToken,
    ) -> Arc<App> {
        let wants_token = token.is_some();
        let Services { arena, store, guests, report, page } = services;
        Arc::new(App {
            arena,
            store,
            guests,
            report,
            page,
            wants_token,
            token,
            toll: Toll::new(limits),
            metrics: Metrics::default(),
            views: ViewCache::default(),
            stands: Broadcasts::default(),
            lobby: Lobby::default(),
            reviews: Reviews::default(),
            counts: Counts::default(),
            closing,
            opened: Mutex::default(),
        })
    }

    /// Whether a caller may open one more match.
    ///
    /// # Errors
    /// If it is one too many.
    pub(super) fn may_open(&self, whose: Counted) -> Result<(), ApiError> {
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(matches) = opened.get_mut(&whose) else { return Ok(()) };
        matches.retain(|live| live.upgrade().is_some_and(|live| live.stage() != Stage::Over));
        let (count, most) = (matches.len(), self.toll.limits().matches_each);
        if count == 0 {
            opened.remove(&whose);
        }
        if count < most {
            return Ok(());
        }
        let detail = format!("{count} matches that you opened are not over, which is as many as one may have");
        Err(ApiError::too_many("too_many_matches", detail, 60))
    }

    /// Notes who opened a match.
    pub(super) fn opened(&self, whose: Counted, live: &Arc<Live>) {
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        opened.entry(whose).or_default().push(Arc::downgrade(live));
    }
}
