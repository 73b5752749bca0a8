//! What the store holds, as it goes in and comes out.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;

use super::packed::Packed;
use crate::games::Hex;
use crate::games::dice::Seed;
use crate::games::seat::Seat;
use crate::matches::{self, Header, SeatInfo};

/// How a match stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MatchStatus {
    /// It is in play.
    Live,
    /// Over, with a result.
    Finished,
    /// Broken off; it may go on.
    Suspended,
    /// Broken off for good. It counts for nothing.
    Void,
}

impl MatchStatus {
    /// All of them.
    pub const ALL: [MatchStatus; 4] =
        [MatchStatus::Live, MatchStatus::Finished, MatchStatus::Suspended, MatchStatus::Void];

    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            MatchStatus::Live => "live",
            MatchStatus::Finished => "finished",
            MatchStatus::Suspended => "suspended",
            MatchStatus::Void => "void",
        }
    }

    /// The status of this name.
    pub fn named(name: &str) -> Option<MatchStatus> {
        MatchStatus::ALL.into_iter().find(|status| status.name() == name)
    }
}

impl fmt::Display for MatchStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A match that begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewMatch {
    /// The match's own name.
    pub id: String,
    /// The ruleset's name.
    pub ruleset: String,
    /// Where all chance comes from.
    pub seed: Seed,
    /// Who sits where.
    pub seats: Vec<SeatInfo>,
    /// What its driver wants to find again; see [`Change::Note`](super::Change::Note).
    pub note: Option<String>,
}

impl NewMatch {
    /// The match that a record's first line begins.
    pub fn of(header: &Header) -> NewMatch {
        NewMatch {
            id: header.id.clone(),
            ruleset: header.ruleset.name.clone(),
            seed: header.seed,
            seats: header.seats.clone(),
            note: None,
        }
    }
}

/// What is known of a match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatchInfo {
    /// The match's own name.
    pub id: String,
    /// The ruleset's name.
    pub ruleset: String,
    /// Where all chance comes from.
    pub seed: Seed,
    /// Who sits where.
    pub seats: Vec<SeatInfo>,
    /// How it stands.
    pub status: MatchStatus,
    /// When it began, in milliseconds since 1970.
    pub created: i64,
    /// When it last changed.
    pub updated: i64,
    /// How many lines its record has.
    pub lines: u64,
    /// How it ended, once it has.
    pub result: Option<matches::Result>,
    /// Why it is suspended or void.
    pub reason: Option<String>,
    /// What its driver wanted to find again.
    pub note: Option<String>,
}

/// An accepted action of a turn that is not played yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SealedAction {
    /// The seat that sealed it.
    pub seat: Seat,
    /// Turns played before.
    pub turn: u32,
    /// The action, in whatever form its driver reads again.
    pub order: String,
}

/// The SHA-256 of a key or a token: what is kept in its place.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct KeyHash(pub(super) [u8; 32]);

impl KeyHash {
    /// The hash of a key as its holder has it.
    pub fn of(secret: &str) -> KeyHash {
        KeyHash(Sha256::digest(secret.as_bytes()).into())
    }

    /// As text, to be kept among other text.
    pub fn to_hex(self) -> String {
        let (halves, _) = self.0.as_chunks::<16>();
        halves.iter().map(|half| Hex::new(*half).as_str().to_owned()).collect()
    }

    /// From [`KeyHash::to_hex`].
    pub fn from_hex(text: &str) -> Option<KeyHash> {
        let digits = text.as_bytes();
        let is_hash = digits.len() == 64 && digits.iter().all(u8::is_ascii_hexdigit);
        let mut hash = [0; 32];
        for (byte, two) in hash.iter_mut().zip(digits.chunks(2)) {
            *byte = u8::from_str_radix(str::from_utf8(two).ok()?, 16).ok()?;
        }
        is_hash.then_some(KeyHash(hash))
    }

    /// Whether they are the same, in a time that does not depend on where they differ.
    pub fn is(&self, other: &KeyHash) -> bool {
        self.0.ct_eq(&other.0).into()
    }
}

/// A hash is no secret that opens anything, but nobody needs to read it either.
impl fmt::Debug for KeyHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("KeyHash(…)")
    }
}

/// The key of a seat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredSeatKey {
    /// The match that the seat belongs to.
    pub match_id: String,
    /// The seat that the key opens.
    pub seat: Seat,
    /// The key's hash.
    pub hash: KeyHash,
}

/// A registered player.
#[derive(Clone, Debug, PartialEq)]
pub struct PlayerInfo {
    /// Its own name in the store, never changed.
    pub id: String,
    /// What people call it. No two players share one.
    pub name: String,
    /// The token's hash.
    pub token: KeyHash,
    /// When it registered, in milliseconds since 1970; what is given when it registers is ignored.
    pub created: i64,
}

/// Somebody on the ladder.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rival {
    /// A registered player, by its id.
    Player(String),
    /// A player of the house, by its name.
    House(String),
}

impl Rival {
    /// The kind and the name under which it is kept.
    pub(super) fn key(&self) -> (&'static str, &str) {
        match self {
            Rival::Player(id) => ("player", id),
            Rival::House(name) => ("house", name),
        }
    }
}

/// A place on the ladder of a ruleset.
#[derive(Clone, Debug, PartialEq)]
pub struct LadderPlace {
    /// The player or bot who has it.
    pub rival: Rival,
    /// What people call it.
    pub name: String,
    /// On which ladder.
    pub ruleset: String,
    /// The live Elo.
    pub elo: f64,
    /// How many rated matches it has played.
    pub games: u64,
}

/// By which clocks a match of the queue is played.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Pace {
    /// By the ruleset's clocks for live matches.
    #[default]
    Live,
    /// By its other ones, for those who think longer.
    OwnPace,
}

/// A player's place in the queue for a match, and the match that came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ticket {
    /// Which player, by its id.
    pub player: String,
    /// The ruleset's name.
    pub mode: String,
    /// How many players it wants; as many as is usual where it does not say.
    pub players: Option<u32>,
    /// Whether players of the house may fill up.
    pub bots: bool,
    /// Whether it wants a live match or one at everybody's own pace.
    pub pace: Pace,
    /// Since when it waits, in milliseconds since 1970.
    pub since: i64,
    /// The match, once there is one.
    pub match_id: Option<String>,
}

/// What is known of a tournament.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TournamentInfo {
    /// Its own name in the store.
    pub id: String,
    /// What people call it.
    pub name: String,
    /// The file that describes it, word for word.
    pub file: String,
    /// The fingerprint of the file and of all that it stands for.
    pub hash: String,
    /// What is planned, as JSON.
    pub plan: String,
    /// Whether it is over.
    pub finished: bool,
    /// When it began, in milliseconds since 1970; what is given is ignored.
    pub created: i64,
}

/// A block of a tournament: one seed, played in all seat rotations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockInfo {
    /// The tournament that it belongs to, by its id.
    pub tournament: String,
    /// Counted from 0.
    pub number: u64,
    /// The ruleset's name.
    pub ruleset: String,
    /// The seed of all its games.
    pub seed: Seed,
    /// The players of its group.
    pub players: Vec<String>,
}

/// A finished game, as leaderboards need it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameInfo {
    /// The match that has its record.
    pub match_id: String,
    /// The ruleset's name.
    pub ruleset: String,
    /// The ruleset and the map, as the tournament calls them; the ruleset's name outside of one.
    pub course: String,
    /// Where all chance comes from.
    pub seed: Seed,
    /// The block and the game within it, in a tournament.
    pub place: Option<(u64, u64)>,
    /// The players in seat order.
    pub players: Vec<String>,
    /// How it ended.
    pub result: matches::Result,
    /// What was noted of it.
    pub note: Option<String>,
}

/// A game of a tournament that was void.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FaultInfo {
    /// The tournament that it belongs to, by its id.
    pub tournament: String,
    /// The block that it was part of.
    pub block: u64,
    /// Which game of it.
    pub game: u64,
    /// What failed, in words.
    pub reason: String,
}

/// Something that was found out in a tournament or an experiment: what a gate says, how good the moves were. A report
/// is made of these and of the games.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundInfo {
    /// The tournament that it belongs to, by its id.
    pub tournament: String,
    /// What it is about.
    pub topic: String,
    /// What was found, as JSON.
    pub body: String,
}

/// What a model was asked and what it answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredCall {
    /// The match; a check of a player has none.
    pub match_id: Option<String>,
    /// The seat that the request was for.
    pub seat: Seat,
    /// Turns played before.
    pub turn: u32,
    /// Requests before it in the same turn.
    pub ordinal: u32,
    /// The SHA-256 of the request's body, in hexadecimal.
    pub digest: String,
    /// The request's body.
    pub request: Packed,
    /// The answer, in whatever form its asker reads again.
    pub answer: String,
}

/// A request that was sent to a model, whatever became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredRequest {
    /// Its own name. A request is kept as it is sent and once more when it is over.
    pub id: String,
    /// The match; a check of a player has none.
    pub match_id: Option<String>,
    /// Whose request.
    pub seat: Seat,
    /// Turns played before.
    pub turn: u32,
    /// Requests before it in the same turn.
    pub ordinal: u32,
    /// The player, as its profile is called.
    pub player: String,
    /// What became of it, in a word; [`StoredRequest::SENT`] as long as that is not known.
    pub outcome: String,
    /// What failed, in a word.
    pub why: Option<String>,
    /// How many requests it stands for: one, unless they were made before there was room for each.
    pub requests: u64,
    /// What it cost, in 10^-12 of a dollar, at the most.
    pub cost: u64,
    /// Whether that is what was billed.
    pub is_known: bool,
}

impl StoredRequest {
    /// The outcome of a request that is under way.
    pub const SENT: &str = "sent";
    /// The outcome of a request that a model answered.
    pub const ANSWERED: &str = "answered";
}

/// What the requests of a seat in a match cost together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeatSpent {
    /// The match; a check of a player has none.
    pub match_id: Option<String>,
    /// Whose.
    pub seat: Seat,
    /// How many were sent.
    pub requests: u64,
    /// What they cost, in 10^-12 of a dollar, at the most.
    pub cost: u64,
    /// How many were answered and nobody knows what they cost.
    pub unknown: u64,
}
