//! Matches wherever they are: in the arena, or only in the store.

use std::sync::Arc;

use super::office::Office;
use super::problem::Problem;
use super::views::kept_body;
use super::wire::ViewBody;
use crate::arena::{ArenaError, Live};
use crate::briefs::Language;
use crate::matches::{LineProblem, Replay, ReplayError};
use crate::store::MatchInfo;

/// A match that somebody named.
pub(super) enum Found {
    /// In the arena.
    Live(Arc<Live>),
    /// A game of a tournament, or one that another process plays: only its record can be read.
    Kept(Box<MatchInfo>),
}

/// The match of a name.
///
/// # Errors
/// If there is none.
pub(super) async fn find(office: &Office, id: &str) -> Result<Found, Problem> {
    let missing = match office.arena.watch(id).await {
        Ok(live) => return Ok(Found::Live(live)),
        Err(error @ (ArenaError::NoMatch(_) | ArenaError::Elsewhere(_))) => error,
        Err(error) => return Err(error.into()),
    };
    match office.store.find(id.trim()).await? {
        Some(info) => Ok(Found::Kept(Box::new(info))),
        None => Err(missing.into()),
    }
}

/// The record of a match, each line with its end.
///
/// # Errors
/// If the store cannot be read.
pub(super) async fn record(office: &Office, found: &Found) -> Result<Vec<u8>, Problem> {
    match found {
        Found::Live(live) => Ok(live.record().into_bytes()),
        Found::Kept(info) => Ok(office.store.record(&info.id, 0).await?),
    }
}

/// A record, played again away from the threads that answer.
pub(super) async fn replay(record: Vec<u8>) -> Result<Result<Replay, ReplayError>, Problem> {
    let played = tokio::task::spawn_blocking(move || Replay::read(record.as_slice())).await;
    played.map_err(|error| Problem::internal(&error))
}

/// A record, checked byte for byte away from the threads that answer.
pub(super) async fn verify(record: Vec<u8>) -> Result<Result<Replay, ReplayError>, Problem> {
    let checked = tokio::task::spawn_blocking(move || Replay::verify(record.as_slice())).await;
    checked.map_err(|error| Problem::internal(&error))
}

/// Why a record cannot be played again here.
pub(super) fn unreadable(error: &ReplayError) -> Problem {
    match error.problem {
        LineProblem::Rules(_) => Problem::conflict("unknown_rules", error.to_string()),
        LineProblem::Version(_) => Problem::conflict("unknown_version", error.to_string()),
        _ => Problem::internal(error),
    }
}

/// A match that is only in the store, as a spectator sees it.
///
/// # Errors
/// If its record cannot be read.
pub(super) async fn view(office: &Office, info: MatchInfo, language: Language) -> Result<ViewBody, Problem> {
    let record = office.store.record(&info.id, 0).await?;
    if record.is_empty() {
        return Err(Problem::missing("no_match", format!("the match `{}` has not begun, and is not here", info.id)));
    }
    let replay = replay(record).await?.map_err(|error| unreadable(&error))?;
    Ok(kept_body(&info, replay, language))
}
