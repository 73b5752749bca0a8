//! What can be written.

use super::packed::Packed;
use super::stored::{
    BlockInfo, FaultInfo, FoundInfo, KeyHash, MatchStatus, NewMatch, PlayerInfo, Rival, SealedAction, StoredCall,
    StoredRequest, StoredSeatKey, Ticket, TournamentInfo,
};
use crate::matches;

/// One change to what is kept.
#[derive(Clone, Debug)]
pub enum Change {
    /// A match begins. Its first line is appended like any other.
    Open(NewMatch),
    /// Lines of a record, from this line on, counted from 0, without line ends. The result's line ends the match, and
    /// actions that were sealed for turns that are now played are forgotten.
    Append {
        /// The match whose record grows.
        match_id: String,
        /// Where they begin.
        first_line: u64,
        /// The lines, each without its end.
        lines: Vec<String>,
    },
    /// A match is suspended, void or live again.
    Status {
        /// The match whose status changes.
        match_id: String,
        /// What it is from now on.
        status: MatchStatus,
        /// Why it is suspended or void.
        reason: Option<String>,
    },
    /// What the driver of a live match wants to find again: its clocks, its settings. Any text.
    Note {
        /// The match that the note is about.
        match_id: String,
        /// The note, in whatever form its writer reads again.
        note: String,
    },
    /// An accepted action of a turn that is not played yet.
    Seal {
        /// The match that it is for.
        match_id: String,
        /// The action, for a turn that is not played yet.
        sealed: SealedAction,
    },
    /// The key of a seat. A seat may get a new one; then the old one is worth nothing.
    Key(StoredSeatKey),
    /// A player registers. The name must be free, in whatever letters it is written.
    Register(PlayerInfo),
    /// A player gets a new token; the old one is worth nothing.
    Token {
        /// Which player, by its id.
        player: String,
        /// The hash of the new one.
        token: KeyHash,
    },
    /// A match changes the live Elo of those who played it. Once a match: again it changes nothing.
    Rate {
        /// The match that was rated.
        match_id: String,
        /// On which ladder.
        ruleset: String,
        /// Who came in at which place.
        places: Vec<(Rival, u32)>,
    },
    /// A player waits for a match, or has got one. It has one ticket at a time.
    Queue(Ticket),
    /// A player waits no more.
    Unqueue {
        /// Which player, by its id.
        player: String,
    },
    /// A tournament begins, or goes on under what is now known of it.
    Tournament(TournamentInfo),
    /// A block of a tournament is drawn.
    Block(BlockInfo),
    /// Finished games with their whole records. Of those that are there already, the first stay.
    Games(Box<FinishedGames>),
    /// A game of a tournament was void; it is to be played again.
    Fault(FaultInfo),
    /// What a model was asked and what it answered.
    Call(Box<StoredCall>),
    /// A request to a model, as it is sent and again when it is over.
    Request(Box<StoredRequest>),
    /// What was found out in a tournament or an experiment, in place of what was known of the same before.
    Found(FoundInfo),
}

/// Finished games with their whole records.
#[derive(Clone, Debug)]
pub struct FinishedGames {
    /// The games, in the order of their records.
    pub games: Vec<FinishedGame>,
    /// Their records, one after the other.
    pub records: Packed,
}

/// A finished game.
#[derive(Clone, Debug)]
pub struct FinishedGame {
    /// The match that it was.
    pub info: NewMatch,
    /// How it ended.
    pub result: matches::Result,
    /// How many bytes its record has: all lines, each with its end.
    pub size: u64,
    /// How many lines.
    pub lines: u64,
    /// The tournament, the block and the game within the block that it is, if it is one.
    pub of: Option<(String, u64, u64)>,
}
