//! Two bots against each other, often enough to tell which is better.

use std::ops::AddAssign;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use super::bot::{Bot, BotSpec, orders};
use crate::games::{Refusal, Ruleset, Seat, Seed, Table};

/// A comparison of two bots: who, at what, and how often.
#[derive(Clone, Debug)]
pub struct Ladder {
    /// What is played.
    pub ruleset: Arc<Ruleset>,
    /// How many sit at the table: the first bot on one seat, the second on all others.
    pub seats: usize,
    /// Whose score is counted.
    pub first: BotSpec,
    /// Against whom.
    pub second: BotSpec,
    /// So many seeds; each is played once with the first bot on every seat.
    pub blocks: u64,
    /// Where the seeds come from.
    pub seed: Seed,
}

/// What came out for the first bot.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tally {
    /// First place, shared with nobody.
    pub wins: u32,
    /// A shared first place.
    pub draws: u32,
    /// Any other place.
    pub losses: u32,
    /// The sum of `(n − place) / (n − 1)`, shared places averaged.
    pub points: f64,
}

impl Tally {
    /// How many games were played.
    pub const fn games(&self) -> u32 {
        self.wins + self.draws + self.losses
    }

    /// Points a game: 0.5 among equals. Nothing was played: 0.
    pub fn score(&self) -> f64 {
        self.points / f64::from(self.games().max(1))
    }
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Tally) {
        self.wins += other.wins;
        self.draws += other.draws;
        self.losses += other.losses;
        self.points += other.points;
    }
}

impl Ladder {
    /// Plays all games on so many threads. The same ladder gives the same tally, however many they are, unless a bot
    /// thinks by the clock.
    ///
    /// # Errors
    /// If the ruleset does not take so many seats.
    pub fn play(&self, threads: usize) -> Result<Tally, Refusal> {
        self.ruleset.check_players(self.seats)?;
        let next = AtomicU64::new(0);
        let work = || -> Result<Vec<(u64, Tally)>, Refusal> {
            let mut done = Vec::new();
            loop {
                let block = next.fetch_add(1, Ordering::Relaxed);
                if block >= self.blocks {
                    return Ok(done);
                }
                done.push((block, self.play_block(block)?));
            }
        };
        let mut blocks = thread::scope(|scope| {
            let workers: Vec<_> = (0..threads.max(1)).map(|_| scope.spawn(work)).collect();
            let mut blocks = Vec::new();
            for worker in workers {
                blocks.extend(worker.join().expect("no bot panics")?);
            }
            Ok::<_, Refusal>(blocks)
        })?;
        // Sums of fractions depend on their order; that of the blocks is always the same.
        blocks.sort_unstable_by_key(|&(block, _)| block);
        let mut tally = Tally::default();
        for (_, part) in blocks {
            tally += part;
        }
        Ok(tally)
    }

    /// One seed, with the first bot on each seat in turn.
    fn play_block(&self, block: u64) -> Result<Tally, Refusal> {
        let seed = self.seed.child("fixture", block);
        let mut tally = Tally::default();
        for first in Seat::first(self.seats) {
            tally += self.play_game(seed, first)?;
        }
        Ok(tally)
    }

    fn play_game(&self, seed: Seed, first: Seat) -> Result<Tally, Refusal> {
        let mut table = Table::open(Arc::clone(&self.ruleset), self.seats, seed)?;
        let mut bots: Vec<Box<dyn Bot>> = Seat::first(self.seats)
            .map(|seat| {
                let spec = if seat == first { self.first } else { self.second };
                spec.seat(seed.child("bot", seat.index() as u64))
            })
            .collect();
        let outcome = loop {
            if let Some(outcome) = table.outcome() {
                break outcome;
            }
            table.play(&orders(&table, &mut bots), &mut seed.turn(table.turn().into()))?;
        };
        let shares_first = outcome.places.values().filter(|&&place| place == 1).count() > 1;
        let (wins, draws, losses) = match outcome.places.get(&first) {
            Some(1) if shares_first => (0, 1, 0),
            Some(1) => (1, 0, 0),
            _ => (0, 0, 1),
        };
        let points = outcome.scores().get(&first).copied().unwrap_or(0.0);
        Ok(Tally { wins, draws, losses, points })
    }
}
