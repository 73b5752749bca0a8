//! What the store holds, as it goes in and comes out.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;

use super::outcome::BlockOutcome;
use super::packed::Packed;
use crate::games::Hex;
use crate::games::dice::Seed;
use crate::games::seat::Seat;
use crate::matches::{self, Header, Identity, SeatInfo, SeatSummary};

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
    /// Where the chain of its record's hashes stands; empty for a record that came whole.
    pub chain: String,
}

/// A process that plays matches, as others on the same store find it.
#[derive(Clone, PartialEq, Eq)]
pub struct ProcessInfo {
    /// Its own name, never another's.
    pub id: String,
    /// The number of the lock that it holds beside a store's file: where that is free, the process has ended.
    pub slot: Option<u32>,
    /// Where others reach it.
    pub address: Option<String>,
    /// What others show there, so that it knows them for processes on the same store.
    pub secret: String,
}

/// Never shows the secret.
impl fmt::Debug for ProcessInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ProcessInfo { id, slot, address, .. } = self;
        f.debug_struct("ProcessInfo").field("id", id).field("slot", slot).field("address", address).finish()
    }
}

/// Who owns something, and since which change of hands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnerInfo {
    /// The process that owns it. Of one that is forgotten only the name is known.
    pub process: ProcessInfo,
    /// Goes up whenever it changes hands.
    pub epoch: u64,
    /// Whether the process's lease runs.
    pub is_leased: bool,
}

/// An answer that can be asked for again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredAnswer {
    /// The hash of who asked, and of the key that they asked with.
    pub hash: KeyHash,
    /// What was asked, to tell the same question from another.
    pub request: String,
    /// What was answered, without secrets.
    pub answer: String,
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

    /// Reads what [`KeyHash::to_hex`] wrote.
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

/// A place on the ladder of a ruleset.
#[derive(Clone, Debug, PartialEq)]
pub struct LadderPlace {
    /// Who has it.
    pub who: Identity,
    /// What people call it.
    pub name: String,
    /// On which ladder.
    pub ruleset: String,
    /// The live Elo.
    pub elo: f64,
    /// How many rated matches it has played.
    pub games: u64,
}

/// What a rated match made of somebody's Elo.
#[derive(Clone, Debug, PartialEq)]
pub struct RatingPoint {
    /// The match that was rated.
    pub match_id: String,
    /// On which ladder.
    pub ruleset: String,
    /// The Elo after it.
    pub elo: f64,
    /// When it was rated, in milliseconds since 1970.
    pub at: i64,
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

/// How far a block has come.
#[derive(Clone, Copy, Debug)]
pub struct BlockProgress {
    /// Whether its tournament is over.
    pub finished: bool,
    /// How many players it has, and so many games: everybody sits on every seat once.
    pub players: usize,
    /// How many of them are over.
    pub games: u64,
}

impl BlockProgress {
    /// Whether its seed is that of a game that is still to be played, in a tournament of this plan.
    pub fn shares_open_seed(self, plan: &str) -> bool {
        let plan: serde_json::Value = serde_json::from_str(plan).unwrap_or_default();
        // All groups of an experiment play the same seeds.
        let is_experiment = plan["kind"].as_str() == Some("experiment");
        !self.finished && (is_experiment || self.players == 0 || self.games < self.players as u64)
    }
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
    /// What the players are called, in seat order.
    pub players: Vec<String>,
    /// Who they are, in seat order. One identity may have several seats.
    pub identities: Vec<Identity>,
    /// Whether it counts for ratings: it is a tournament's game, one that the operator played, or one that the queue
    /// made; and no guest has a seat in it.
    pub counts: bool,
    /// How it ended.
    pub result: matches::Result,
    /// What was noted of it.
    pub note: Option<String>,
}

/// Games as they are counted.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GameCounts {
    /// Who has which number in the outcomes of blocks.
    pub identities: HashMap<u32, Identity>,
    /// How often each kind of block happened.
    pub blocks: Vec<BlockCount>,
    /// What everybody was called, cost and how it failed; what was written last is last.
    pub players: Vec<PlayerCount>,
}

/// How often a kind of block happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockCount {
    /// The ruleset's name.
    pub ruleset: Arc<str>,
    /// The ruleset and the map.
    pub course: Arc<str>,
    /// How it ended; nothing for games that count for nobody's rating, which are a block each.
    pub outcome: BlockOutcome,
    /// How often it happened.
    pub times: u64,
}

/// What is known of somebody on a course beside results.
#[derive(Clone, Debug, PartialEq)]
pub struct PlayerCount {
    /// By its number.
    pub who: u32,
    /// The ruleset's name.
    pub ruleset: Arc<str>,
    /// The ruleset and the map.
    pub course: Arc<str>,
    /// What it was last called.
    pub name: String,
    /// What it cost and how it failed.
    pub summary: SeatSummary,
}

/// How many finished games a tournament has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GameTotal {
    /// How many there are.
    pub games: u64,
    /// Goes up whenever something about them is counted: the same number, the same counts.
    pub revision: u64,
}

/// A fit that is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredFit {
    /// What it is a fit of.
    pub scope: String,
    /// The counts that it was made of.
    pub fingerprint: String,
    /// The fit, as JSON.
    pub body: String,
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
    /// The seat that the request was made for.
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
    /// The seat that it is about.
    pub seat: Seat,
    /// How many were sent.
    pub requests: u64,
    /// What they cost, in 10^-12 of a dollar, at the most.
    pub cost: u64,
    /// How many were answered and nobody knows what they cost.
    pub unknown: u64,
    /// How many were not answered, and count as the most that they may have cost.
    pub bounded: u64,
}

/// A part of a run that waits for a worker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobInfo {
    /// Its own name, the same whenever the same is to be played.
    pub name: String,
    /// The run that it is part of.
    pub tournament: String,
    /// What is to be played, in whatever form workers read.
    pub body: String,
    /// What a worker must be able to do to be given it: all of these.
    pub needs: Vec<String>,
}

/// How a job ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum JobEnd {
    /// All of it is played and kept.
    Done,
    /// A game of it is void, by nobody's fault at the table.
    Void,
    /// It took down several workers in a row.
    SetAside,
    /// Nobody needs it any more.
    Withdrawn,
}

impl JobEnd {
    /// All of them.
    pub const ALL: [JobEnd; 4] = [JobEnd::Done, JobEnd::Void, JobEnd::SetAside, JobEnd::Withdrawn];

    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            JobEnd::Done => "done",
            JobEnd::Void => "void",
            JobEnd::SetAside => "set_aside",
            JobEnd::Withdrawn => "withdrawn",
        }
    }
}

/// A job as it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredJob {
    /// Its own name.
    pub name: String,
    /// The run that it is part of.
    pub tournament: String,
    /// What is to be played.
    pub body: String,
    /// How it ended; none if it waits or is played.
    pub end: Option<JobEnd>,
    /// Who plays it, or did last; none where it waits.
    pub worker: Option<String>,
    /// How often it was started. Every write of whoever plays it carries it.
    pub epoch: u64,
    /// How often it was started in a row with nothing written in between.
    pub starts: u64,
    /// How long the last start took to its end, in milliseconds.
    pub took: Option<u64>,
    /// Why it was not played to its end.
    pub reason: Option<String>,
}

/// How many jobs of a run stand in the same way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobCount {
    /// The run that they are part of.
    pub tournament: String,
    /// How they ended; none if they wait or are played.
    pub end: Option<JobEnd>,
    /// Who plays them; none where they wait, or are over.
    pub worker: Option<String>,
    /// How many.
    pub jobs: u64,
}

/// What the requests of a run come to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RunSpending {
    /// How many there were.
    pub requests: u64,
    /// What they cost, in units of 10^-12 dollars.
    pub cost: u64,
}

/// A portion of something that several processes use together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShareRequest {
    /// Of what.
    pub name: String,
    /// Who holds it.
    pub holder: String,
    /// How much more.
    pub amount: u64,
    /// How much all of them may have together, with what is spent.
    pub max: u64,
    /// The run whose ledger says what is spent, where anything is.
    pub spent_by: Option<(String, Spending)>,
    /// How long it is held, unless it is renewed.
    pub lasts: Duration,
}

/// What of a ledger is limited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spending {
    /// What requests cost.
    Money,
    /// How many there are.
    Calls,
}

/// What became of a request for a portion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ShareAnswer {
    /// Whether it was granted.
    pub granted: bool,
    /// How much others hold.
    pub others: u64,
    /// What the run has spent, in 10^-12 of a dollar.
    pub cost: u64,
    /// How many requests the run has sent.
    pub requests: u64,
}

/// A portion that is held.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Portion {
    /// Of what.
    pub name: String,
    /// How much.
    pub amount: u64,
    /// How many hold some of it, or wait for it.
    pub holders: u64,
}
