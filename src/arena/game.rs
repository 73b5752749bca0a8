//! A match on its way: the referee plays it, and tells the task that owns the match what is settled.

use std::io;
use std::sync::Arc;

use tokio::sync::mpsc;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::live::Live;
use super::task::Command;
use crate::games::seat::BySeat;
use crate::games::table::Table;
use crate::matches::{Log, Match, Record, Replay, Turn};
use crate::players::Player;
use crate::referee::{self, Clock, Stopped, Watch};

/// A match on its way to the referee.
pub(super) struct StartedMatch {
    pub(super) game: Match,
    /// What was played before, where the match goes on.
    pub(super) past: Option<Replay>,
    pub(super) log: Log<Vec<u8>>,
    /// The first line, where it is not written yet.
    pub(super) header: Option<Record>,
}

/// Runs a match to its end, or to where it stops. The match goes on while its lines are written; what is not written yet,
/// nobody sees.
pub(super) async fn referee(
    live: Arc<Live>,
    number: u64,
    started: StartedMatch,
    mut players: BySeat<Box<dyn Player>>,
    stop: CancellationToken,
) {
    let StartedMatch { mut game, past, log, header } = started;
    let out = live.commands();
    let mut leaving = Leaving { number, why: Some("the referee failed".to_owned()), out: out.clone() };
    let id = live.id();
    let play = async {
        let mut keeper = Keeper { live: &live, number, log, due: None, out: out.clone() };
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
    let played = tokio::select! {
        played = play => played,
        () = stop.cancelled() => Ok(()),
    };
    leaving.why = played.err().map(|stopped| stopped.to_string());
}

/// Tells that a referee has left, however that came.
struct Leaving {
    number: u64,
    why: Option<String>,
    out: mpsc::UnboundedSender<Command>,
}

impl Drop for Leaving {
    fn drop(&mut self) {
        // Where the task is gone, nobody is left to be told.
        let _ = self.out.send(Command::Left(self.number, self.why.take()));
    }
}

/// Where between two ticks a match has its own, from 0 to 1.
fn phase(match_id: &str) -> f64 {
    let mixed = match_id
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3));
    f64::from(u32::try_from(mixed >> 32).unwrap_or(0)) / f64::from(u32::MAX)
}

/// A line of a record and the position that it led to.
#[derive(Debug)]
pub(super) struct Settled {
    pub(super) table: Arc<Table>,
    pub(super) turn: Option<Arc<Turn>>,
    pub(super) line: Box<str>,
    /// When it was to be played, where there is a pace.
    pub(super) due: Option<Instant>,
}

/// Turns records into lines.
struct Keeper<'a> {
    live: &'a Live,
    /// Which referee of the match it is.
    number: u64,
    log: Log<Vec<u8>>,
    /// When the turn at hand is to be played, where there is a pace.
    due: Option<Instant>,
    out: mpsc::UnboundedSender<Command>,
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
        self.out
            .send(Command::Settled(self.number, settled))
            .map_err(|_| io::Error::other("the lines before could not be kept"))
    }
}
