//! Why the arena cannot do as asked.

use super::purses::FullPurse;
use crate::games::library;
use crate::games::refusal::Refusal;
use crate::games::seat::{Seat, Seats};
use crate::store::{ProcessInfo, StoreError};

/// Why the arena cannot do as asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ArenaError {
    /// No such match.
    #[error("there is no match `{0}`")]
    NoMatch(String),
    /// A key that opens no seat.
    #[error("that seat key opens no seat: it is mistyped, or the match was put away")]
    NoSeat,
    /// As many as there may be.
    #[error("{0} matches are in play here, which is as many as there may be; try again when some have ended")]
    Full(usize),
    /// A guest who cannot come.
    #[error("{0}")]
    Guest(String),
    /// A match that the rules do not allow.
    #[error("{0}")]
    Refused(Refusal),
    /// A seat that cannot be taken.
    #[error(transparent)]
    Seat(#[from] ActError),
    /// A match that another process on the same store plays.
    #[error("the match {match_id} is played by another process{}", reached(process))]
    Elsewhere {
        /// The match that it is about.
        match_id: String,
        /// The process that plays it.
        process: Box<ProcessInfo>,
    },
    /// What an idempotency key cannot be.
    #[error("an idempotency key has 1 to 200 visible ASCII characters; a random UUID is a good one")]
    BadKey,
    /// The same idempotency key came with another request.
    #[error("this idempotency key was used for another request; use a new one for each")]
    KeyReused,
    /// What is kept of a match cannot be read.
    #[error("what is kept of the match {match_id} cannot be read: {why}")]
    Damaged {
        /// The match that cannot be read.
        match_id: String,
        /// What is wrong with it.
        why: String,
    },
    /// The store fails.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A token that is nobody's.
    #[error("that token is nobody's: it is mistyped, or was replaced by another")]
    NoPlayer,
    /// A player without a seat in the match.
    #[error("you hold no seat in this match")]
    NotSeated,
    /// A player who has a seat in the match.
    #[error("you have seat {0} in this match")]
    AlreadySeated(Seat),
    /// A name that cannot be anybody's.
    #[error("{0}")]
    BadName(String),
    /// Another player has the name.
    #[error("another player is called `{0}`")]
    NameTaken(String),
    /// As many matches as a player may have.
    #[error("you have {0} matches in play, which is as many as a player may have")]
    TooMany(usize),
    /// As many matches as a caller may have.
    #[error(transparent)]
    FullPurse(#[from] FullPurse),
    /// A private match, without its invite code.
    #[error("this match is private: whoever opened it has the invite code")]
    NotInvited,
    /// No ruleset of that name can be waited for.
    #[error("there is no mode `{}`; modes are the built-in rulesets: {}", .0, modes())]
    NoMode(String),
    /// Another process on the same store keeps the queue.
    #[error("the queue is kept by another process{}", reached(_0))]
    QueueElsewhere(Box<ProcessInfo>),
    /// An arena that keeps nothing has no players and no queue.
    #[error("this arena keeps nothing: nobody can register here")]
    NoStore,
    /// No random numbers for keys.
    #[error("the system gives no random numbers: {0}")]
    NoChance(String),
}

/// Why an action, a message or a seat was not taken. Nothing has changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ActError {
    /// The rule that it breaks, or what makes it no action.
    #[error("{0}")]
    Refused(Refusal),
    /// Somebody else is to act.
    #[error("it is not your turn; to act: {to_act}")]
    NotYourTurn {
        /// The seats that are to act.
        to_act: Seats,
    },
    /// The seat has acted in this turn, otherwise.
    #[error("you have acted in this turn, with `{action}`; wait until it is played")]
    Acted {
        /// What it did.
        action: String,
    },
    /// For a turn that is past.
    #[error("turn {turn} is past; it is turn {now}")]
    Past {
        /// The turn that the action was meant for.
        turn: u32,
        /// The one at hand.
        now: u32,
    },
    /// For a turn that has not come.
    #[error("turn {turn} has not come; it is turn {now}")]
    Future {
        /// The turn that the action was meant for.
        turn: u32,
        /// The one at hand.
        now: u32,
    },
    /// Seats are open.
    #[error("the match begins when everybody is there; open: {}", list(open))]
    Gathering {
        /// The seats that are still open.
        open: Vec<Seat>,
    },
    /// It has ended.
    #[error("the match is over")]
    Over,
    /// A player of the house cannot be reached.
    #[error("the match is suspended and nobody has lost: {0}")]
    Suspended(String),
    /// The seat gave up.
    #[error("you have resigned")]
    Resigned,
    /// The seat is not open.
    #[error("seat {seat} is not open; open: {}", list(open))]
    Taken {
        /// The seat that was asked for.
        seat: Seat,
        /// Those that are.
        open: Vec<Seat>,
    },
    /// No seat is open.
    #[error("no seat is open in this match")]
    Full,
    /// It could not be written down, so it does not count.
    #[error("it could not be kept and does not count; try again: {0}")]
    NotKept(StoreError),
    /// The match cannot be had here.
    #[error(transparent)]
    Arena(Box<ArenaError>),
}

impl From<ArenaError> for ActError {
    fn from(error: ArenaError) -> ActError {
        match error {
            ArenaError::Seat(error) => error,
            ArenaError::Store(error) => ActError::NotKept(error),
            error => ActError::Arena(Box::new(error)),
        }
    }
}

/// Where a process is reached, in words.
fn modes() -> String {
    library::rulesets().collect::<Vec<_>>().join(", ")
}

fn reached(process: &ProcessInfo) -> String {
    process.address.as_ref().map(|address| format!(", at {address}")).unwrap_or_default()
}

fn list(seats: &[Seat]) -> String {
    let seats: Vec<String> = seats.iter().map(ToString::to_string).collect();
    if seats.is_empty() { "none".to_owned() } else { seats.join(", ") }
}
