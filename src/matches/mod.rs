//! One match: who sits where, what was sealed, what happened. Pure: no clock, no file, no network.
//!
//! [`Match`] is driven by whoever asks the players; [`Record`] is what is kept of it, [`Log`] writes that as
//! hash-chained JSON lines, and [`replay`] plays it again and checks every word.

mod asked;
mod attempt;
pub mod elo;
mod log;
mod play;
mod record;
pub mod replay;
#[cfg(test)]
mod tests;

pub use self::asked::Asked;
pub use self::attempt::{Attempt, Problem};
pub use self::log::{Chain, Log};
pub use self::play::Match;
pub use self::record::{
    Call, Fault, Header, Lapse, ModelInfo, RECORD_VERSION, Record, Refused, Result, SeatInfo, Turn,
};
pub use self::replay::{Replay, ReplayError, Step};
