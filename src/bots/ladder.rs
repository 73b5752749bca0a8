//! Two bots against each other, often enough to tell which is better.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use super::bot::{Bot, BotSpec, orders};
use crate::games::{Order, Refusal, Ruleset, Seat, Seed, Table};

/// A comparison of two bots: who, at what, and how often.
#[derive(Clone, Debug)]
pub struct Ladder {
    /// What is played.
    pub ruleset: Arc<Ruleset>,
    /// How many sit at the table: the first bot on one seat, the second on all others.
    pub seats: usize,
    /// Whose score is counted.
    pub first: BotSpec,
    /// The bot on all other seats.
    pub second: BotSpec,
    /// So many seeds; each is played once with the first bot on every seat.
    pub blocks: u64,
    /// Where the seeds come from.
    pub seed: Seed,
}

/// What came out for the first bot, and how well the ruleset tells the two apart.
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
    /// How many games differ from every other in at least one action.
    pub distinct: usize,
    /// How many actions were chosen, by both bots: what a model would be called for.
    pub decisions: u64,
    /// How many seeds were played.
    pub blocks: u32,
    /// The sum of the squares of what a block's mean score has above one half.
    squares: f64,
}

impl Tally {
    /// How many games were played.
    pub const fn games(&self) -> u32 {
        self.wins + self.draws + self.losses
    }

    /// Points per game: 0.5 among equals, 0 before anything is played.
    pub fn score(&self) -> f64 {
        self.points / f64::from(self.games().max(1))
    }

    /// The share of games that ended in a draw.
    pub fn draw_rate(&self) -> f64 {
        f64::from(self.draws) / f64::from(self.games().max(1))
    }

    /// How far the first bot stands out in one block: the mean of the blocks' scores above one half, in standard
    /// deviations. To tell the two apart with some certainty takes blocks by the inverse of its square.
    ///
    /// One even block is added to those that were played, so that bots of which one always wins have a signal too.
    pub fn signal_per_block(&self) -> f64 {
        let blocks = f64::from(self.blocks) + 1.0;
        let mean = (self.score() - 0.5) * f64::from(self.blocks) / blocks;
        let deviation = (self.squares / blocks - mean * mean).max(0.0).sqrt();
        if deviation > 0.0 { mean / deviation } else { 0.0 }
    }

    /// The same for what a thousand calls buy: long games and late verdicts cost money.
    #[expect(clippy::cast_precision_loss, reason = "nobody plays 2^52 turns")]
    pub fn signal_per_thousand_calls(&self) -> f64 {
        let calls = self.decisions as f64 / f64::from(self.blocks.max(1));
        if calls > 0.0 { self.signal_per_block() * (1000.0 / calls).sqrt() } else { 0.0 }
    }

    fn count(&mut self, block: &[Game]) {
        #[expect(clippy::cast_precision_loss, reason = "a block has as many games as a table seats")]
        let mean = block.iter().map(|game| game.points).sum::<f64>() / block.len().max(1) as f64;
        self.blocks += 1;
        self.squares += (mean - 0.5) * (mean - 0.5);
        for game in block {
            self.points += game.points;
            self.decisions += game.decisions;
            match game.place {
                FirstBot::Won => self.wins += 1,
                FirstBot::Drew => self.draws += 1,
                FirstBot::Lost => self.losses += 1,
            }
        }
    }
}

/// One game of a ladder.
#[derive(Clone, Copy, Debug)]
struct Game {
    place: FirstBot,
    points: f64,
    decisions: u64,
    /// Equal where all actions are.
    course: u64,
}

/// How a game ended for the first bot.
#[derive(Clone, Copy, Debug)]
enum FirstBot {
    Won,
    Drew,
    Lost,
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
        let work = || -> Result<Vec<(u64, Vec<Game>)>, Refusal> {
            let mut done = Vec::new();
            loop {
                let block = next.fetch_add(1, Ordering::Relaxed);
                if block >= self.blocks {
                    return Ok(done);
                }
                let seed = self.seed.child("fixture", block);
                let games = Seat::first(self.seats).map(|first| self.play_game(seed, first));
                done.push((block, games.collect::<Result<_, _>>()?));
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
        for (_, games) in &blocks {
            tally.count(games);
        }
        let courses: HashSet<u64> = blocks.iter().flat_map(|(_, games)| games).map(|game| game.course).collect();
        tally.distinct = courses.len();
        Ok(tally)
    }

    fn play_game(&self, seed: Seed, first: Seat) -> Result<Game, Refusal> {
        let mut table = Table::open(Arc::clone(&self.ruleset), self.seats, seed)?;
        let mut bots: Vec<Box<dyn Bot>> = Seat::first(self.seats)
            .map(|seat| {
                let spec = if seat == first { self.first } else { self.second };
                spec.seat(seed.child("bot", seat.index() as u64))
            })
            .collect();
        let (mut course, mut decisions) = (DefaultHasher::new(), 0);
        let outcome = loop {
            if let Some(outcome) = table.outcome() {
                break outcome;
            }
            let orders = orders(&table, &mut bots);
            for (seat, order) in orders.iter() {
                decisions += 1;
                let Order::Play(action) = order else { continue };
                (seat, action.to_string()).hash(&mut course);
            }
            table.play(&orders, &mut seed.turn(table.turn().into()))?;
        };
        let shares_first = outcome.places.values().filter(|&&place| place == 1).count() > 1;
        let place = match outcome.places.get(&first) {
            Some(1) if shares_first => FirstBot::Drew,
            Some(1) => FirstBot::Won,
            _ => FirstBot::Lost,
        };
        let points = outcome.scores().get(&first).copied().unwrap_or(0.0);
        Ok(Game { place, points, decisions, course: course.finish() })
    }
}
