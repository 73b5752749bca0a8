//! Whoever takes part, and games with those who must be waited for.

use std::fmt;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::Run;
use super::game;
use super::pool::{Completion, Finished, Job, kept};
use crate::bots::BotSpec;
use crate::games::Seed;
use crate::games::outcome::Outcome;
use crate::games::ruleset::Ruleset;
use crate::games::seat::{BySeat, Seat};
use crate::matches::ModelInfo;
use crate::players::model::Model;
use crate::players::{Answer, Ask, BotPlayer, Player, PlayerError, Time, TurnLog};
use crate::referee::Stopped;
use crate::store::{Change, Games, Packer};

/// Somebody who takes part.
#[derive(Clone)]
pub struct Entry {
    /// What records and leaderboards call it.
    pub name: String,
    /// How a model is asked, where it is one.
    pub model: Option<ModelInfo>,
    /// Who it is.
    pub kind: Kind,
}

/// Who takes part.
#[derive(Clone)]
pub enum Kind {
    /// A built-in bot.
    Bot(BotSpec),
    /// Anybody who must be brought to the table and waited for.
    Guest(Arc<dyn Guest>),
}

/// A place at a table, for which a player is brought.
#[derive(Clone, Debug)]
pub struct Chair {
    /// What is played.
    pub ruleset: Arc<Ruleset>,
    /// How many sit there.
    pub seats: usize,
    /// Which seat it is.
    pub seat: Seat,
    /// Where the player's own chance comes from.
    pub seed: Seed,
}

/// Brings a player to a table.
pub trait Guest: Send + Sync {
    /// The player for one seat of one match. The error says in words why there is none; nobody has lost by it.
    fn seat(&self, chair: Chair) -> BoxFuture<'_, Result<Box<dyn Player>, String>>;

    /// The language model that it is, where it is one: whoever reads can be asked about the rules.
    fn model(&self) -> Option<&Model> {
        None
    }
}

impl Entry {
    /// The bot that it is, if it is one.
    pub fn bot(&self) -> Option<BotSpec> {
        match self.kind {
            Kind::Bot(spec) => Some(spec),
            Kind::Guest(_) => None,
        }
    }
}

impl fmt::Debug for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Kind::Bot(spec) => f.debug_tuple("Bot").field(spec).finish(),
            Kind::Guest(_) => f.write_str("Guest(…)"),
        }
    }
}

impl fmt::Debug for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Entry").field("name", &self.name).finish_non_exhaustive()
    }
}

/// Plays a game in a task of its own and tells what became of it, whatever that is: the dispatcher counts on it.
pub(super) fn play(run: Arc<Run>, job: Job, halt: CancellationToken, tell: mpsc::UnboundedSender<Completion>) {
    tokio::spawn(async move {
        let game = tokio::spawn(played(run, job.clone(), halt));
        let told =
            game.await.unwrap_or_else(|failed| Completion::Fault { job: Box::new(job), why: failed.to_string() });
        let _ = tell.send(told);
    });
}

async fn played(run: Arc<Run>, job: Job, halt: CancellationToken) -> Completion {
    let mut record = Vec::new();
    let played = match bring(&run, &job, &halt).await {
        Ok(mut players) => game::refereed(&job, &mut players, &mut record).await.map_err(|stopped| match stopped {
            Stopped::Backend { why, .. } => why,
            other => other.to_string(),
        }),
        Err(why) => Err(why),
    };
    match played {
        Ok(played) => {
            let Finished { block, game, over } = kept(job, played, false);
            let games = Games { games: vec![game], records: Packer::default().pack(&record) };
            let changes = block.into_iter().chain([Change::Games(Box::new(games))]).collect();
            Completion::Finished { game: Box::new(over), outcome: run.store.write(changes).await }
        }
        Err(_) if halt.is_cancelled() => Completion::Abandoned { among_bots: false },
        Err(why) => Completion::Fault { job: Box::new(job), why },
    }
}

/// Everybody at their seats.
async fn bring(run: &Run, job: &Job, halt: &CancellationToken) -> Result<BySeat<Box<dyn Player>>, String> {
    let mut players: Vec<Box<dyn Player>> = Vec::with_capacity(job.seats.len());
    for (seat, entrant) in game::seats(job).zip(&job.entrants) {
        let seed = job.seed.child("bot", seat.index() as u64);
        players.push(match &run.entries[entrant.index()].kind {
            Kind::Bot(spec) => Box::new(BotPlayer::new(spec.seat(seed))),
            Kind::Guest(guest) => {
                let chair = Chair { ruleset: job.ruleset.clone(), seats: job.seats.len(), seat, seed };
                Box::new(Interruptible { player: guest.seat(chair).await?, halt: halt.clone() })
            }
        });
    }
    Ok(players.into_iter().collect())
}

/// A player who is not asked again once the run stops. What it is answering then, it answers to the end, unless it only
/// waits for its turn to ask.
struct Interruptible {
    player: Box<dyn Player>,
    halt: CancellationToken,
}

impl Player for Interruptible {
    fn act<'a>(&'a mut self, ask: &'a Ask, log: &'a TurnLog) -> BoxFuture<'a, Result<Answer, PlayerError>> {
        let Interruptible { player, halt } = self;
        Box::pin(async move {
            let stopped = || Err(PlayerError::Backend("the run was stopped".to_owned()));
            if halt.is_cancelled() {
                return stopped();
            }
            // An answer that is under way is paid for; one that waits in a queue is not.
            let halted = async {
                halt.cancelled().await;
                log.until(Time::Waiting).await;
            };
            tokio::select! {
                biased;
                answer = player.act(ask, log) => answer,
                () = halted => stopped(),
            }
        })
    }

    fn end(&mut self, outcome: &Outcome) -> BoxFuture<'_, ()> {
        self.player.end(outcome)
    }

    fn is_timed(&self) -> bool {
        self.player.is_timed()
    }
}
