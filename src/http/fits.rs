//! The leaderboard of record, kept: a request is answered with what is there, and fitted again behind its back.
//!
//! A fit belongs to the counts that it was made of. Where they have changed, whoever asks waits a moment for the new fit,
//! and gets the last one if that takes longer. Fits outlive the process in the store.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use axum::body::Bytes;
use futures_util::FutureExt as _;
use futures_util::future::{BoxFuture, Shared};
use tokio::time::{Instant, sleep, timeout};

use super::app::App;
use super::error::ApiError;
use crate::store::{Change, KeyHash, StoredFit};
use crate::tournaments::leaderboard::{Forfeits, Leaderboard};
use crate::tournaments::tally::Tally;

/// So long a request waits for a new fit where there is an old one.
const PATIENCE: Duration = Duration::from_millis(80);

/// So often it is looked whether there is something new.
const INTERVAL: Duration = Duration::from_secs(2);

/// After a fit so many times as long as it took pass until the next one.
const REST: u32 = 4;

/// So many fits are known at once, and so long one is kept up that nobody asks for.
const MOST_KNOWN: usize = 64;
const WANTED_FOR: Duration = Duration::from_mins(10);

/// What a fit is of.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct FitScope {
    /// Only of this tournament, by its id.
    pub(super) tournament: Option<String>,
    /// Only of this ruleset.
    pub(super) ruleset: Option<String>,
    /// Who is rated 1000.
    pub(super) anchor: Option<String>,
}

impl FitScope {
    /// Under which it is kept.
    fn name(&self) -> String {
        let FitScope { tournament, ruleset, anchor } = self;
        serde_json::json!([tournament, ruleset, anchor]).to_string()
    }
}

/// The fits that are known.
#[derive(Debug, Default)]
pub(super) struct Fits(Mutex<HashMap<FitScope, FitProgress>>);

/// What is known of a fit.
#[derive(Debug)]
struct FitProgress {
    latest: Option<KeptFit>,
    /// The one under way.
    coming: Option<Shared<BoxFuture<'static, Result<KeptFit, ApiError>>>>,
    /// Before this no other is begun.
    rests_until: Instant,
    /// When somebody last asked for it.
    asked: Instant,
}

/// A fit, and the counts that it was made of.
#[derive(Clone, Debug)]
struct KeptFit {
    fingerprint: Arc<str>,
    body: Bytes,
}

/// The leaderboard of something, as JSON.
///
/// # Errors
/// If the store cannot be read.
pub(super) async fn board(app: &Arc<App>, scope: FitScope) -> Result<Bytes, ApiError> {
    app.fits.asked(&scope);
    let fingerprint = fingerprint(app, &scope).await?;
    let latest = latest(app, &scope).await?;
    if let Some(kept) = latest.as_ref().filter(|kept| kept.fingerprint == fingerprint) {
        return Ok(kept.body.clone());
    }
    let coming = app.fits.begin(app, &scope, latest.is_none());
    match (latest, coming) {
        (Some(latest), None) => Ok(latest.body),
        (Some(latest), Some(coming)) => match timeout(PATIENCE, coming).await {
            Ok(fitted) => Ok(fitted?.body),
            Err(_) => Ok(latest.body),
        },
        (None, Some(coming)) => Ok(coming.await?.body),
        (None, None) => Err(ApiError::missing("no_games", "nothing is counted")),
    }
}

/// Keeps up what is asked for, and the leaderboard of everything.
pub(super) async fn keep_up(app: Weak<App>) {
    loop {
        let Some(app) = app.upgrade() else { return };
        let mut wanted = app.fits.wanted();
        if !wanted.contains(&FitScope::default()) {
            wanted.push(FitScope::default());
        }
        for scope in wanted {
            let stale = async {
                let (now, latest) = (fingerprint(&app, &scope).await?, latest(&app, &scope).await?);
                Ok::<_, ApiError>(latest.is_none_or(|kept| kept.fingerprint != now))
            };
            match stale.await {
                Ok(true) => {
                    if let Some(coming) = app.fits.begin(&app, &scope, false)
                        && let Err(error) = coming.await
                    {
                        tracing::warn!(?error, "a fit failed");
                    }
                }
                Ok(false) => {}
                Err(error) => tracing::warn!(?error, "the counts cannot be read"),
            }
        }
        drop(app);
        sleep(INTERVAL).await;
    }
}

/// What the counts are now, in a word.
async fn fingerprint(app: &App, scope: &FitScope) -> Result<Arc<str>, ApiError> {
    let totals = app.store.totals().await?.unwrap_or_default();
    // Another version may fit otherwise.
    let mut words = env!("CARGO_PKG_VERSION").to_owned();
    let is_part = |tournament: &str| scope.tournament.as_deref().is_none_or(|wanted| tournament == wanted);
    for (tournament, total) in totals.iter().filter(|(tournament, _)| is_part(tournament)) {
        let _ = write!(words, "\n{tournament} {} {}", total.games, total.revision);
    }
    Ok(KeyHash::of(&words).to_hex().into())
}

/// The last fit, of this process or of another.
async fn latest(app: &App, scope: &FitScope) -> Result<Option<KeptFit>, ApiError> {
    if let Some(kept) = app.fits.latest(scope) {
        return Ok(Some(kept));
    }
    let found = app.store.fit(&scope.name()).await?;
    let kept = found.map(|fit| KeptFit { fingerprint: fit.fingerprint.into(), body: fit.body.into() });
    if let Some(kept) = &kept {
        app.fits.learn(scope, kept.clone(), Duration::ZERO);
    }
    Ok(kept)
}

/// Fits anew, and keeps what comes of it.
async fn refit(app: Arc<App>, scope: FitScope) -> Result<KeptFit, ApiError> {
    let _leave = app.large_read().await?;
    let begun = Instant::now();
    // What is counted while it is read belongs to the next one.
    let fingerprint = fingerprint(&app, &scope).await?;
    let mut tally = Tally::read(&app.store, scope.tournament.as_deref()).await?;
    if let Some(ruleset) = &scope.ruleset {
        tally.retain_ruleset(ruleset);
    }
    let anchor = scope.anchor.clone();
    // Away from the threads that answer.
    let fit = move || {
        let board = Leaderboard::of_tally(&tally, anchor.as_deref(), Forfeits::Counted);
        serde_json::to_string(&board)
    };
    let body = tokio::task::spawn_blocking(fit).await.map_err(|error| ApiError::internal(&error))?;
    let body = body.map_err(|error| ApiError::internal(&error))?;
    let kept = KeptFit { fingerprint, body: body.clone().into() };
    app.fits.learn(&scope, kept.clone(), begun.elapsed());
    let fit = StoredFit { scope: scope.name(), fingerprint: kept.fingerprint.to_string(), body };
    if let Err(error) = app.store.write(vec![Change::Fit(fit)]).await {
        tracing::warn!(%error, "a fit could not be kept");
    }
    Ok(kept)
}

impl Fits {
    fn known(&self) -> std::sync::MutexGuard<'_, HashMap<FitScope, FitProgress>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes that somebody asks for it.
    fn asked(&self, scope: &FitScope) {
        if let Some(known) = self.known().get_mut(scope) {
            known.asked = Instant::now();
        }
    }

    fn latest(&self, scope: &FitScope) -> Option<KeptFit> {
        self.known().get(scope)?.latest.clone()
    }

    fn learn(&self, scope: &FitScope, kept: KeptFit, took: Duration) {
        let mut fits = self.known();
        if fits.len() >= MOST_KNOWN && !fits.contains_key(scope) {
            let oldest = fits.iter().min_by_key(|(_, known)| known.asked).map(|(scope, _)| scope.clone());
            oldest.map(|scope| fits.remove(&scope));
        }
        let known = fits.entry(scope.clone()).or_insert_with(FitProgress::new);
        (known.latest, known.coming) = (Some(kept), None);
        // Those that nobody waits for long need no rest.
        known.rests_until = Instant::now() + if took > PATIENCE { took * REST } else { Duration::ZERO };
    }

    /// Begins a fit, unless one is under way; none while the last one has only just been made.
    fn begin(
        &self,
        app: &Arc<App>,
        scope: &FitScope,
        at_once: bool,
    ) -> Option<Shared<BoxFuture<'static, Result<KeptFit, ApiError>>>> {
        let mut fits = self.known();
        let known = fits.entry(scope.clone()).or_insert_with(FitProgress::new);
        if let Some(coming) = known.coming.as_ref().filter(|coming| coming.peek().is_none()) {
            return Some(coming.clone());
        }
        if !at_once && Instant::now() < known.rests_until {
            return None;
        }
        // In a task of its own: whoever asked may hang up.
        let fitting = tokio::spawn(refit(app.clone(), scope.clone()));
        let coming = fitting.map(|fitted| fitted.unwrap_or_else(|error| Err(ApiError::internal(&error))));
        let coming = coming.boxed().shared();
        known.coming = Some(coming.clone());
        Some(coming)
    }

    /// What was asked for lately.
    fn wanted(&self) -> Vec<FitScope> {
        let fits = self.known();
        fits.iter().filter(|(_, known)| known.asked.elapsed() < WANTED_FOR).map(|(scope, _)| scope.clone()).collect()
    }
}

impl FitProgress {
    fn new() -> FitProgress {
        let now = Instant::now();
        FitProgress { latest: None, coming: None, rests_until: now, asked: now }
    }
}
