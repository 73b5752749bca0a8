//! One match: who sits where, what was sealed, what happened. Pure: no clock, no file, no network.
//!
//! [`Match`] is driven by whoever asks the players; [`Record`] is what is kept of it, [`Log`] writes that as
//! hash-chained JSON lines. [`mod@format`] says which records there are. [`Replay`] plays one again, leniently or checking
//! every word; a [`Transcript`] is what can be read where the rules are not known.

mod asked;
mod attempt;
pub mod elo;
mod error;
pub mod format;
mod identity;
mod lines;
mod log;
mod play;
mod record;
mod replay;
mod shown;
mod summary;
#[cfg(test)]
mod tests;
mod transcript;

pub use self::asked::Asked;
pub use self::attempt::{Attempt, BadForm, Problem};
pub use self::error::{LineProblem, ReplayError};
pub use self::identity::{Identity, IdentityKind, ParseIdentityError};
pub use self::lines::TurnLine;
pub use self::log::{Chain, Log};
pub use self::play::Match;
pub use self::record::{Call, Fault, Header, Lapse, ModelInfo, Record, RefusedAttempt, Result, SeatInfo, Turn};
pub use self::replay::{Replay, Step};
pub use self::shown::record_in_play;
pub use self::summary::{GameSummary, SeatBill, SeatSummary};
pub use self::transcript::{Transcript, TranscriptTurn};
