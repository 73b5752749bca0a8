//! Matches wherever they are: in the arena, or only in the store.

use std::sync::Arc;

use super::app::App;
use super::error::ApiError;
use super::views::stored_body;
use super::wire::ViewBody;
use crate::arena::{ArenaError, Live};
use crate::briefs::Language;
use crate::matches::{LineProblem, Replay, ReplayError, record_in_play};
use crate::store::MatchInfo;

/// A match that somebody named.
pub(super) enum FoundMatch {
    /// In the arena.
    Live(Arc<Live>),
    /// A game of a tournament, over or in play in another process: only its record can be read.
    Stored(Box<MatchInfo>),
}

/// The match of a name.
///
/// # Errors
/// If there is none.
pub(super) async fn find(app: &App, id: &str) -> Result<FoundMatch, ApiError> {
    let missing = match app.arena.watch(id).await {
        Ok(live) => return Ok(FoundMatch::Live(live)),
        Err(error @ ArenaError::NoMatch(_)) => error,
        Err(error) => return Err(error.into()),
    };
    let id = id.trim();
    let stored = match app.store.find(id).await? {
        None => app.store.game_in_play(id).await?.map(|game| game.info),
        found => found,
    };
    stored.map(|info| FoundMatch::Stored(Box::new(info))).ok_or_else(|| missing.into())
}

/// The record of a match, each line with its end.
///
/// # Errors
/// If the store cannot be read.
pub(super) async fn record(app: &App, found: &FoundMatch) -> Result<Vec<u8>, ApiError> {
    match found {
        FoundMatch::Live(live) => Ok(live.record().into_bytes()),
        FoundMatch::Stored(info) => stored_record(app, &info.id).await,
    }
}

/// The record of a match that is not in the arena, over or in play.
pub(super) async fn stored_record(app: &App, id: &str) -> Result<Vec<u8>, ApiError> {
    let record = app.store.record(id, 0).await?;
    if !record.is_empty() {
        return Ok(record);
    }
    let in_play = app.store.record_in_play(id).await?;
    // It may have ended in between.
    Ok(if in_play.is_empty() { app.store.record(id, 0).await? } else { in_play })
}

/// The record of a match as anybody may read it by now, and whether it is whole. A game whose seed is played again on
/// other seats is given like one in play.
///
/// # Errors
/// If the store cannot be read, or something of the match is hidden until its end.
pub(super) async fn shown_record(app: &App, found: &FoundMatch) -> Result<(Vec<u8>, bool), ApiError> {
    let hidden = || ApiError::conflict("hidden", "this match hides something: its record can be read when it is over");
    match found {
        FoundMatch::Live(live) => {
            let record = live.shown_record().ok_or_else(hidden)?;
            Ok((record.into_bytes(), live.is_over()))
        }
        FoundMatch::Stored(info) => {
            let record = record(app, found).await?;
            let is_over = info.result.is_some();
            if is_over && !app.store.shares_open_seed(&info.id).await? {
                return Ok((record, true));
            }
            if hides(record.clone()).await? {
                return Err(hidden());
            }
            let shown = record_in_play(&String::from_utf8_lossy(&record));
            Ok((shown.into_bytes(), false))
        }
    }
}

/// Whether something of what a record tells is still hidden from somebody.
///
/// # Errors
/// If it cannot be played again.
pub(super) async fn hides(record: Vec<u8>) -> Result<bool, ApiError> {
    if record.is_empty() {
        return Ok(false);
    }
    let replay = replay(record).await?.map_err(|error| unreadable(&error))?;
    Ok(!replay.is_open())
}

/// A record, played again away from the threads that answer.
pub(super) async fn replay(record: Vec<u8>) -> Result<Result<Replay, ReplayError>, ApiError> {
    let played = tokio::task::spawn_blocking(move || Replay::read(record.as_slice())).await;
    played.map_err(|error| ApiError::internal(&error))
}

/// A record, checked byte for byte away from the threads that answer.
pub(super) async fn verify(record: Vec<u8>) -> Result<Result<Replay, ReplayError>, ApiError> {
    let checked = tokio::task::spawn_blocking(move || Replay::verify(record.as_slice())).await;
    checked.map_err(|error| ApiError::internal(&error))
}

/// Why a record cannot be played again here.
pub(super) fn unreadable(error: &ReplayError) -> ApiError {
    match error.problem {
        LineProblem::Rules(_) => ApiError::conflict("unknown_rules", error.to_string()),
        LineProblem::Version(_) => ApiError::conflict("unknown_version", error.to_string()),
        _ => ApiError::internal(error),
    }
}

/// A match that is only in the store, as a spectator sees it.
///
/// # Errors
/// If its record cannot be read.
pub(super) async fn view(app: &App, info: MatchInfo, language: Language) -> Result<ViewBody, ApiError> {
    let record = stored_record(app, &info.id).await?;
    if record.is_empty() {
        return Err(ApiError::missing("no_match", format!("the match `{}` has not begun, and is not here", info.id)));
    }
    let replay = replay(record).await?.map_err(|error| unreadable(&error))?;
    Ok(stored_body(&info, replay, language))
}
