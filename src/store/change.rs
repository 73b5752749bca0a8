//! What can be written.

use std::time::Duration;

use super::care::Prunable;
use super::in_play::LinesInPlay;
use super::packed::Packed;
use super::stored::{
    BlockInfo, FaultInfo, FoundInfo, JobEnd, JobInfo, KeyHash, MatchStatus, NewMatch, PlayerInfo, ProcessInfo,
    SealedAction, StoredAnswer, StoredCall, StoredFit, StoredRequest, StoredSeatKey, Ticket, TournamentInfo,
};
use crate::matches::{self, Identity};

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
    /// A process plays matches for so long, unless it says so again before.
    Lease(ProcessInfo, Duration),
    /// A process plays nothing more.
    EndLease {
        /// The process that ends.
        id: String,
    },
    /// A process takes something over whose last owner is gone, or which nobody owned.
    TakeUp {
        /// The match, or whatever else one process does at a time.
        name: String,
        /// The process that holds it.
        owner: String,
    },
    /// Whoever writes this still owns something, or nothing of what comes with it is written.
    Fence {
        /// What it owns.
        name: String,
        /// Since which change of hands.
        epoch: u64,
    },
    /// An answer that can be asked for again.
    Answer(StoredAnswer),
    /// The record of a match that is over is packed.
    Pack {
        /// The match whose record it is.
        match_id: String,
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
        places: Vec<(Identity, u32)>,
    },
    /// What is old is cleared away.
    Prune {
        /// The kind of data that goes.
        what: Prunable,
        /// If it was last touched before this time, in milliseconds since 1970.
        before: i64,
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
    /// Lines of a game that is being played, for whoever watches it.
    InPlay(LinesInPlay),
    /// A game is not played any more, whatever became of it.
    LeavePlay {
        /// The match that was played.
        match_id: String,
    },
    /// A game of a tournament was void; it is to be played again.
    Fault(FaultInfo),
    /// What a model was asked and what it answered.
    Call(Box<StoredCall>),
    /// A request to a model, as it is sent and again when it is over.
    Request(Box<StoredRequest>),
    /// A part of a run waits for a worker. One that waits already, or is being played, stays as it is.
    Job(JobInfo),
    /// A worker starts a job. Whoever had it before writes nothing more of it.
    StartJob {
        /// The job that it is about.
        name: String,
        /// The worker's name in the store.
        worker: String,
    },
    /// Whoever writes this still has a job, or nothing of what comes with it is written.
    JobFence {
        /// The job that it is about.
        name: String,
        /// Since which start.
        epoch: u64,
        /// Whether what comes with it brings the job on, so that it is not to be blamed if its worker goes down later.
        is_progress: bool,
    },
    /// A job is over.
    EndJob {
        /// The job that it is about.
        name: String,
        /// How it ended.
        end: JobEnd,
        /// Why, where it was not played to its end.
        reason: Option<String>,
    },
    /// A worker gives a job back. Nothing happens where another one has it by now.
    GiveBackJob {
        /// The job that it is about.
        name: String,
        /// The worker's name in the store.
        worker: String,
    },
    /// Jobs are not needed any more.
    WithdrawJobs {
        /// The jobs that it is about.
        names: Vec<String>,
        /// Whether also those that are being played.
        even_begun: bool,
    },
    /// Jobs that are over were heard of by whoever waited for them.
    ForgetJobs {
        /// The jobs that it is about.
        names: Vec<String>,
        /// Whether also those that were withdrawn and that their workers have not let go of: they write nothing more.
        even_begun: bool,
    },
    /// What was found out in a tournament or an experiment, in place of what was known of the same before.
    Found(FoundInfo),
    /// A fit is kept, in place of the last one of the same games.
    Fit(StoredFit),
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
