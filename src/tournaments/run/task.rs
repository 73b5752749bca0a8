//! Games with players who must be waited for: a task each.

use std::sync::Arc;

use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::Run;
use super::entry::{Entry, EntryKind, SeatRequest};
use super::game::{self, PlayedGame};
use super::pool::{Completion, Finished, GameJob, kept};
use super::publish::Publisher;
use crate::games::seat::BySeat;
use crate::players::{BotPlayer, Interruptible, Player};
use crate::referee::Stopped;
use crate::store::{Change, FinishedGames, Packer, Store};

/// Plays a game in a task of its own and tells what became of it, whatever that is: the dispatcher counts on it.
pub(super) fn play(run: Arc<Run>, job: GameJob, halt: CancellationToken, tell: mpsc::UnboundedSender<Completion>) {
    tokio::spawn(async move {
        let game = tokio::spawn(played(run, job.clone(), halt));
        let told = game.await.unwrap_or_else(|failed| Completion::Fault {
            job: Box::new(job),
            why: failed.to_string(),
            among_bots: false,
        });
        let _ = tell.send(told);
    });
}

async fn played(run: Arc<Run>, job: GameJob, halt: CancellationToken) -> Completion {
    let mut record = Vec::new();
    let (played, leave) = refereed(&run.entries, &run.store, &job, &halt, &mut record).await;
    match played {
        Ok(played) => {
            let Finished { block, game, over } = kept(job, played, false);
            let games = FinishedGames { games: vec![game], records: Packer::default().pack(&record) };
            let changes = block.into_iter().chain([Change::Games(Box::new(games)), leave]).collect();
            Completion::Finished { game: Box::new(over), outcome: run.store.write(changes).await }
        }
        Err(why) => {
            // Whether the store can be written is found out by what matters.
            let _ = run.store.write(vec![leave]).await;
            if halt.is_cancelled() {
                Completion::Abandoned { among_bots: false }
            } else {
                Completion::Fault { job: Box::new(job), why, among_bots: false }
            }
        }
    }
}

/// Plays a game to its end; its record is in `room` then. The error says in words why there is none. Whoever watches the
/// game is told that it is over by the change that comes with it.
pub(super) async fn refereed(
    entries: &[Entry],
    store: &Store,
    job: &GameJob,
    halt: &CancellationToken,
    room: &mut Vec<u8>,
) -> (Result<PlayedGame, String>, Change) {
    let publisher = Publisher::new(job, store);
    let played = match bring(entries, job, halt).await {
        Ok(mut players) => {
            let played = game::refereed(job, &mut players, room, |lines| publisher.show(lines)).await;
            played.map_err(|stopped| match stopped {
                Stopped::Backend { why, .. } | Stopped::Withheld { why } => why,
                other => other.to_string(),
            })
        }
        Err(why) => Err(why),
    };
    (played, publisher.leave().await)
}

/// Everybody at their seats.
async fn bring(entries: &[Entry], job: &GameJob, halt: &CancellationToken) -> Result<BySeat<Box<dyn Player>>, String> {
    let mut players: Vec<Box<dyn Player>> = Vec::with_capacity(job.seats.len());
    for (seat, entrant) in game::seats(job).zip(&job.entrants) {
        let seed = job.seed.child("bot", seat.index() as u64);
        players.push(match &entries[entrant.index()].kind {
            EntryKind::Bot(spec) => Box::new(BotPlayer::new(spec.seat(seed))),
            EntryKind::Factory(factory) => {
                let request = SeatRequest { ruleset: job.ruleset.clone(), seats: job.seats.len(), seat, seed };
                Box::new(Interruptible::new(factory.seat(request).await?, halt.clone()))
            }
        });
    }
    Ok(players.into_iter().collect())
}
