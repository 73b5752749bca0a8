//! The referee: asks all awaited players at once, keeps the clocks, and applies the ruleset's policy to those who fail.
//!
//! It knows nothing of turn order: [`Match::awaiting`] says whom to ask. Whose fault a failure was is kept apart to the
//! end: what a player got wrong goes into the record as that player's, and what fails between us and a player suspends
//! the match, with nobody the loser. Nothing of one player's answer reaches another before the turn is played.
//!
//! A turn's time has one owner, the [`TurnLog`](crate::players::TurnLog) that the referee shares with the player it asks.
//! Only thinking runs the player's clocks; waiting in our own queues and trouble with a backend are told apart as they
//! pass, and recorded.

#[cfg(test)]
mod tests;
mod turns;

use std::time::Duration;

use futures_util::future::join_all;
use tokio::time::Instant;
use tracing::Instrument as _;
use tracing::field::Empty;

use self::turns::{TurnEnd, Turns};
use crate::games::outcome::Outcome;
use crate::games::seat::{BySeat, Seat};
use crate::matches::{Match, Record, Replay};
use crate::players::{Ask, Player};

/// The clocks of a turn that begins.
#[derive(Clone, Debug)]
pub struct Clock {
    /// Turns played before.
    pub turn: u32,
    /// When the players are asked.
    pub begun: Instant,
    /// When it is played at the earliest, where there is a pace.
    pub due: Option<Instant>,
    /// Until when each awaited seat may answer, where there is a limit; later by as long as its player has to wait for
    /// anything but itself.
    pub until: Vec<(Seat, Option<Instant>)>,
    /// What each seat had left for the whole match when the turn began, where that is limited.
    pub left: Option<BySeat<Duration>>,
}

/// Whoever keeps or shows the record of a match as it grows.
pub trait Watch {
    /// Learns that players are about to be asked for a turn.
    fn asking(&mut self, _clock: impl FnOnce() -> Clock) {}

    /// Takes a line of the record as soon as it is settled, with the match as it is after it.
    ///
    /// # Errors
    /// If the line cannot be kept; the match stops there.
    fn record(&mut self, game: &Match, record: &Record) -> std::io::Result<()>;
}

/// Why a match stopped before its end. It can go on from its record.
#[derive(Debug, thiserror::Error)]
pub enum Stopped {
    /// What stands between us and a player failed.
    #[error("the match is suspended and nobody has lost: the player on seat {seat} cannot be reached: {why}")]
    Backend {
        /// The seat whose player cannot answer.
        seat: Seat,
        /// What the backend said.
        why: String,
    },
    /// A player may not be asked any more.
    #[error("the match is suspended and nobody has lost: {why}")]
    Withheld {
        /// Which budget is used up.
        why: String,
    },
    /// A person left.
    #[error("the match was left before its end")]
    Left,
    /// The record could not be kept.
    #[error("cannot write the record: {0}")]
    Record(#[from] std::io::Error),
}

impl Stopped {
    /// In a word.
    fn kind(&self) -> &'static str {
        match self {
            Stopped::Backend { .. } => "backend",
            Stopped::Withheld { .. } => "budget",
            Stopped::Left => "left",
            Stopped::Record(_) => "record",
        }
    }
}

/// Plays a match to its end, with at least `pace` from turn to turn: what is settled sooner is played when its time has
/// come, so that nobody can tell from outside how fast anybody was. `past` is the record that the match goes
/// on from, if it does. Dropping the future stops the match after the last line that was recorded.
///
/// # Errors
/// If it has to stop before its end. Every turn up to there is in the record.
pub async fn run(
    id: &str,
    game: &mut Match,
    past: Option<&Replay>,
    players: &mut BySeat<Box<dyn Player>>,
    watch: &mut impl Watch,
    pace: Duration,
) -> Result<Outcome, Stopped> {
    let table = game.table();
    let span = tracing::info_span!(
        "match",
        "otel.name" = format!("match {}", table.ruleset().name),
        "standoff.match.id" = id,
        "session.id" = id,
        "standoff.ruleset" = table.ruleset().name,
        "standoff.seats" = i64::try_from(table.seats()).unwrap_or(i64::MAX),
        "standoff.turns" = Empty,
        "standoff.end" = Empty,
        "error.type" = Empty,
        "otel.status_code" = Empty,
    );
    let played = play(id, game, past, players, watch, pace).instrument(span.clone()).await;
    span.record("standoff.turns", i64::from(game.table().turn()));
    match &played {
        Ok(outcome) => drop(span.record("standoff.end", tracing::field::debug(outcome.reason))),
        Err(stopped) => {
            span.record("error.type", stopped.kind());
            span.record("otel.status_code", "ERROR");
        }
    }
    played
}

/// Takes every player through its part of a match that is about to go on from its record.
pub async fn remember(record: &Replay, players: &mut BySeat<Box<dyn Player>>) {
    let each = players.iter_mut().map(|(seat, player)| async move {
        for asked in record.asked(seat) {
            // The last question has no answer yet.
            let Some(step) = record.turns.get(asked.turn as usize - 1) else { return };
            let ask = Ask { match_id: record.id.clone(), view: asked.view, seat, since: asked.since, said: asked.said };
            player.remember(ask, step.line.calls.get(&seat).map_or(&[], Vec::as_slice)).await;
        }
    });
    join_all(each).await;
}

async fn play(
    id: &str,
    game: &mut Match,
    past: Option<&Replay>,
    players: &mut BySeat<Box<dyn Player>>,
    watch: &mut impl Watch,
    pace: Duration,
) -> Result<Outcome, Stopped> {
    let mut turns = Turns::new(id, game, past, players);
    let mut begun = Instant::now();
    loop {
        if let Some(outcome) = game.table().outcome() {
            join_all(players.iter_mut().map(|(_, player)| player.end(&outcome))).await;
            return Ok(outcome);
        }
        let due = (!pace.is_zero()).then(|| begun + pace);
        watch.asking(|| turns.clock(game, due));
        let asked = turns.ask(game, players).await;
        // Who cannot be reached stops the match before anybody's order is played, or told to a log.
        for asked in &asked {
            let stopped = match &asked.end {
                TurnEnd::Backend(why) => Stopped::Backend { seat: asked.seat, why: why.clone() },
                TurnEnd::Withheld(why) => Stopped::Withheld { why: why.clone() },
                TurnEnd::Left => Stopped::Left,
                TurnEnd::Action(_) | TurnEnd::Lapse(_) | TurnEnd::Crashed(_) | TurnEnd::Resigned => continue,
            };
            asked.trace();
            return Err(stopped);
        }
        begun = match due {
            // A clock that is kept to the tick does not drift by what each tick costs.
            Some(due) if due > Instant::now() => {
                tokio::time::sleep_until(due).await;
                due
            }
            _ => Instant::now(),
        };
        for asked in asked {
            asked.trace();
            for record in turns.settle(game, asked) {
                watch.record(game, &record)?;
            }
        }
    }
}
