//! One game, from its first line to its last.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::pool::GameJob;
use crate::bots::Bot;
use crate::games::Viewer;
use crate::games::seat::{BySeat, Seat};
use crate::matches::{self, Fault, GameSummary, Log, Match, Record};
use crate::players::Player;
use crate::referee::{self, Stopped, Watch};

/// A game that is over.
#[derive(Debug)]
pub(super) struct PlayedGame {
    pub(super) result: matches::Result,
    /// How many bytes its record has.
    pub(super) size: u64,
    pub(super) lines: u64,
    pub(super) summary: GameSummary,
}

/// Keeps the record in memory, after those that are there: all lines, each with its end.
struct Scribe<'a> {
    log: Log<&'a mut Vec<u8>>,
    from: usize,
    lines: u64,
    summary: GameSummary,
    result: Option<matches::Result>,
}

impl<'a> Scribe<'a> {
    fn new(header: &Record, room: &'a mut Vec<u8>) -> io::Result<Scribe<'a>> {
        // A short game has some ten thousand bytes.
        room.reserve(16 * 1024);
        let from = room.len();
        let mut scribe = Scribe { log: Log::new(room), from, lines: 0, summary: GameSummary::default(), result: None };
        scribe.write(header)?;
        Ok(scribe)
    }

    fn write(&mut self, record: &Record) -> io::Result<()> {
        match record {
            Record::Turn(turn) => self.summary.add(turn),
            Record::Result(result) => self.result = Some(result.clone()),
            Record::Match(_) => {}
        }
        self.lines += 1;
        self.log.write(record)
    }

    fn finish(self) -> Option<PlayedGame> {
        let Scribe { log, from, lines, mut summary, result } = self;
        summary.close();
        let size = (log.into_inner().len() - from) as u64;
        Some(PlayedGame { result: result?, size, lines, summary })
    }
}

/// Keeps the record, and shows it to whoever watches the game.
struct Shown<'a, F> {
    scribe: Scribe<'a>,
    show: F,
}

impl<F: FnMut(&[u8])> Watch for Shown<'_, F> {
    fn record(&mut self, _: &Match, record: &Record) -> io::Result<()> {
        let from = self.scribe.log.get_ref().len();
        self.scribe.write(record)?;
        (self.show)(&self.scribe.log.get_ref()[from..]);
        Ok(())
    }
}

/// Opens the match of a job. The seats were checked when the run began.
fn open<'a>(job: &GameJob, room: &'a mut Vec<u8>) -> (Match, Scribe<'a>) {
    let opened = Match::open_seated(job.match_id.clone(), job.ruleset.clone(), job.seed, job.seats.clone());
    let (game, header) = opened.expect("the ruleset takes so many seats");
    let scribe = Scribe::new(&header, room).expect("memory does not fail");
    (game, scribe)
}

/// Plays a game among bots, without waiting for anything; its record is at the end of `room` then. Nothing if the run
/// stops before its end.
pub(super) fn among_bots(job: &GameJob, halt: &AtomicBool, room: &mut Vec<u8>) -> Option<PlayedGame> {
    let (mut game, mut scribe) = open(job, room);
    let mut bots: Vec<Box<dyn Bot>> = job
        .bots
        .iter()
        .enumerate()
        .map(|(seat, spec)| spec.expect("only bots play").seat(job.seed.child("bot", seat as u64)))
        .collect();
    let mut chosen = Vec::new();
    while !game.awaiting().is_empty() {
        // Those who act at once choose before anything is played.
        let views = game.table().views();
        for seat in game.awaiting().iter() {
            if halt.load(Ordering::Relaxed) {
                return None;
            }
            let view = views.of(Viewer::Seat(seat));
            let action = bots[seat.index()].choose(&view, seat);
            chosen.push((seat, action.and_then(|action| view.accept_action(seat, action).ok())));
        }
        for (seat, accepted) in chosen.drain(..) {
            let records = match accepted {
                Some(accepted) => game.seal(accepted),
                None => game.lapse(seat, Fault::Illegal),
            };
            for record in records {
                scribe.write(&record).expect("memory does not fail");
            }
        }
    }
    scribe.finish()
}

/// Plays a game with anybody, under a referee; its record is in `room` then, and `show` gets its lines as they
/// come, each with its end.
///
/// # Errors
/// If it has to stop before its end.
pub(super) async fn refereed(
    job: &GameJob,
    players: &mut BySeat<Box<dyn Player>>,
    room: &mut Vec<u8>,
    mut show: impl FnMut(&[u8]),
) -> Result<PlayedGame, Stopped> {
    let (mut game, scribe) = open(job, room);
    show(scribe.log.get_ref());
    let mut shown = Shown { scribe, show };
    referee::run(&job.match_id, &mut game, None, players, &mut shown, Duration::ZERO).await?;
    let missing = || io::Error::other("the match ended without a result");
    Ok(shown.scribe.finish().ok_or_else(missing)?)
}

/// The seats of a job, in order.
pub(super) fn seats(job: &GameJob) -> impl Iterator<Item = Seat> {
    Seat::first(job.seats.len())
}
