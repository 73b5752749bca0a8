//! A match on its way: the referee plays it, its lines are written down, then shown.

use std::io;
use std::sync::Arc;

use tokio::sync::mpsc;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::archive::Archive;
use super::live::Live;
use super::ticks::Ticks;
use super::view::Stage;
use crate::games::seat::BySeat;
use crate::games::table::Table;
use crate::matches::{Log, Match, Record, Replay, Turn};
use crate::players::Player;
use crate::referee::{self, Clock, Stopped, Watch};
use crate::store::StoreError;

/// A match on its way to the referee.
pub(super) struct StartedMatch {
    pub(super) game: Match,
    /// What was played before, where the match goes on.
    pub(super) past: Option<Replay>,
    pub(super) log: Log<Vec<u8>>,
    /// The first line, where it is not written yet.
    pub(super) header: Option<Record>,
    /// How many lines are written.
    pub(super) lines: u64,
}

/// Runs a match to its end, or to where it stops.
pub(super) async fn referee(
    live: Arc<Live>,
    started: StartedMatch,
    mut players: BySeat<Box<dyn Player>>,
    archive: Option<Arc<Archive>>,
    ticks: Arc<Ticks>,
    stop: CancellationToken,
) {
    let StartedMatch { mut game, past, log, header, lines } = started;
    let (out, settled) = mpsc::unbounded_channel();
    let id = live.id();
    let play = async {
        // Dropped at the end of the match, which ends the publishing too.
        let mut keeper = Keeper { live: &live, log, due: None, out };
        for record in header.into_iter().chain(game.result()) {
            keeper.record(&game, &record)?;
        }
        if let Some(past) = &past {
            referee::remember(past, &mut players).await;
        }
        let pace = live.pace();
        if !pace.is_zero() {
            // Matches that begin together, as after a restart, do not tick together.
            tokio::time::sleep(pace.mul_f64(phase(id))).await;
        }
        referee::run(id, &mut game, past.as_ref(), &mut players, &mut keeper, pace).await?;
        Ok::<(), Stopped>(())
    };
    // The match goes on while its lines are written; what is not written yet, nobody sees.
    // Whoever is sent home leaves what is settled to be written.
    let play = async {
        tokio::select! {
            played = play => Some(played),
            () = stop.cancelled() => None,
        }
    };
    let (played, kept) = tokio::join!(play, publish(&live, settled, lines, archive, &ticks));
    let why = match (played.unwrap_or(Ok(())), kept) {
        (Ok(()), Ok(())) => return,
        (_, Err(error)) => format!("the record cannot be kept: {error}"),
        (Err(stopped), _) => stopped.to_string(),
    };
    tracing::warn!(match_id = live.id(), why, "a match stopped");
    live.enter(Stage::Suspended(why));
}

/// Where between two ticks a match has its own, from 0 to 1.
fn phase(match_id: &str) -> f64 {
    let mixed = match_id
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3));
    f64::from(u32::try_from(mixed >> 32).unwrap_or(0)) / f64::from(u32::MAX)
}

/// A line of a record and the position that it led to.
struct Settled {
    table: Arc<Table>,
    turn: Option<Arc<Turn>>,
    line: Box<str>,
    /// When it was to be played, where there is a pace.
    due: Option<Instant>,
}

/// Writes lines down, then shows them.
async fn publish(
    live: &Live,
    mut settled: mpsc::UnboundedReceiver<Settled>,
    mut written: u64,
    archive: Option<Arc<Archive>>,
    ticks: &Ticks,
) -> Result<(), StoreError> {
    let mut batch = Vec::new();
    while settled.recv_many(&mut batch, 64).await > 0 {
        if let Some(archive) = &archive {
            let lines: Vec<String> = batch.iter().map(|settled| settled.line.to_string()).collect();
            let count = lines.len() as u64;
            // The result and what it changes on the ladder are written together: neither is there without the other.
            let last = batch.last().filter(|settled| settled.turn.is_none());
            let rating = last.and_then(|settled| live.rating(&settled.table));
            archive.append(live.id(), written, lines, rating).await?;
            written += count;
        }
        for Settled { table, turn, line, due } in batch.drain(..) {
            live.publish(&table, turn, line);
            if let Some(due) = due {
                ticks.shown(due);
            }
        }
    }
    Ok(())
}

/// Turns records into lines.
struct Keeper<'a> {
    live: &'a Live,
    log: Log<Vec<u8>>,
    /// When the turn at hand is to be played, where there is a pace.
    due: Option<Instant>,
    out: mpsc::UnboundedSender<Settled>,
}

impl Watch for Keeper<'_> {
    fn asking(&mut self, clock: impl FnOnce() -> Clock) {
        let clock = clock();
        self.due = clock.due;
        self.live.set_clock(clock);
    }

    fn record(&mut self, game: &Match, record: &Record) -> io::Result<()> {
        self.log.write(record)?;
        let out = self.log.get_mut();
        out.pop();
        let line = str::from_utf8(out).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))?.into();
        out.clear();
        let turn = match record {
            Record::Turn(turn) => Some(Arc::new(turn.clone())),
            Record::Match(_) | Record::Result(_) => None,
        };
        let settled =
            Settled { table: Arc::new(game.table().clone()), due: self.due.filter(|_| turn.is_some()), turn, line };
        self.out.send(settled).map_err(|_| io::Error::other("the lines before could not be kept"))
    }
}
