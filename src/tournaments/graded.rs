//! Players of known skill: bots from random to search, and mixtures of the two, against which scales are calibrated and
//! with which experiments are simulated.

use std::fmt;
use std::sync::Arc;

use super::chance::unit;
use crate::bots::{Bot, BotSpec, Budget, orders};
use crate::games::{Action, Refusal, Ruleset, Seat, Seed, Table, View};

/// A player whose skill is known by construction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Graded {
    /// A bot as it is.
    Bot(BotSpec),
    /// Plays the move of a search with so many playouts in this share of its turns, and any legal action in the others.
    Mixture {
        /// Playouts of the search.
        nodes: u32,
        /// In so many of a hundred turns.
        percent: u32,
    },
}

impl Graded {
    /// The player at a table. The same seed and view give the same action.
    pub fn seat(self, seed: Seed) -> Box<dyn Bot> {
        match self {
            Graded::Bot(bot) => bot.seat(seed),
            Graded::Mixture { nodes, percent } => Box::new(Mixture {
                seed: seed.child("mixture", 0),
                search: BotSpec::Search(Budget::Nodes(nodes)).seat(seed),
                share: f64::from(percent) / 100.0,
            }),
        }
    }
}

impl fmt::Display for Graded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Graded::Bot(bot) => bot.fmt(f),
            Graded::Mixture { nodes, percent } => write!(f, "{percent} % search:{nodes}"),
        }
    }
}

/// Plays a search's move now and then.
#[derive(Debug)]
struct Mixture {
    seed: Seed,
    search: Box<dyn Bot>,
    share: f64,
}

impl Bot for Mixture {
    fn choose(&mut self, view: &View, seat: Seat) -> Option<Action> {
        if !view.must_act(seat) {
            return None;
        }
        let mut dice = self.seed.turn(view.turn().into());
        if unit(&mut dice) < self.share {
            return self.search.choose(view, seat);
        }
        Some(view.random_legal(seat, &mut dice))
    }
}

/// A game that was played to its end.
#[derive(Clone, Debug, PartialEq)]
pub struct PlayedOut {
    /// What each seat has of it, in [0, 1].
    pub scores: Vec<f64>,
    /// How often each seat acted.
    pub turns: Vec<u64>,
}

/// Plays a game between such players, by seat.
///
/// # Errors
/// If the ruleset does not take so many seats.
pub fn play_out(ruleset: &Arc<Ruleset>, players: &[Graded], seed: Seed) -> Result<PlayedOut, Refusal> {
    let mut table = Table::open(ruleset.clone(), players.len(), seed)?;
    let mut bots: Vec<Box<dyn Bot>> =
        players.iter().zip(0..).map(|(player, seat)| player.seat(seed.child("bot", seat))).collect();
    let mut turns = vec![0; players.len()];
    loop {
        if let Some(outcome) = table.outcome() {
            let mut scores = vec![0.5; players.len()];
            for (seat, score) in outcome.scores() {
                scores[seat.index()] = score;
            }
            return Ok(PlayedOut { scores, turns });
        }
        let joint = orders(&table, &mut bots);
        for seat in table.to_act().iter() {
            turns[seat.index()] += 1;
        }
        table.play(&joint, &mut seed.turn(table.turn().into()))?;
    }
}
