//! The bot that searches: one engine for all games, and for every game how a position is judged.

pub mod cowboy;
pub mod mcts;
pub mod paint;
pub mod royale;

use std::cmp::Ordering;

use super::bot::{Bot, Budget, NOTHING};
use super::greedy::Greedy;
use crate::games::table::Position;
use crate::games::{Seat, Seed, Table, cowboy as cowboy_rules, paint as paint_rules, royale as royale_rules};

pub use self::mcts::{Analysis, Considered, Search};

/// A game that can be searched.
pub trait Playable: Greedy {
    /// How the engine is set for this game.
    const TUNING: Tuning;

    /// What each seat can expect of a position that is not over: its score in [0, 1], `(n − place) / (n − 1)`.
    fn judge(&self, values: &mut [f32]);
}

/// How the engine is set.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tuning {
    /// How much it looks at what it has looked at little.
    pub exploration: f32,
    /// How much more it looks at what the rules of thumb call better: by a factor of e for each 1/sharpness of merit.
    /// At 0 they are not asked.
    pub sharpness: f32,
    /// How often, of 1, it takes the others to play by the rules of thumb instead of what is best for them.
    pub habit: f32,
    /// How much less than the rules say it is worth to it when all share one place.
    pub contempt: f32,
}

/// How likely it is to come out ahead with such a lead: half without one.
fn even_chance(lead: f32) -> f32 {
    1.0 / (1.0 + (-lead).exp())
}

/// Every seat's expected score: the share of the others that it will be placed above, each as likely as `chance` says.
fn score_pairs(values: &mut [f32], chance: impl Fn(Seat, Seat) -> f32) {
    let count = values.len();
    for (index, value) in values.iter_mut().enumerate() {
        let seat = Seat::new(index);
        let (sum, others) = Seat::first(count)
            .filter(|&other| other != seat)
            .fold((0.0, 0.0), |(sum, others), other| (sum + chance(seat, other), others + 1.0));
        *value = if others > 0.0 { sum / others } else { 1.0 };
    }
}

/// Who is above whom when both places are settled.
fn settled(one: Option<u32>, other: Option<u32>) -> f32 {
    match one.cmp(&other) {
        Ordering::Less => 1.0,
        Ordering::Equal => 0.5,
        Ordering::Greater => 0.0,
    }
}

/// Plays what a search finds best.
#[derive(Debug)]
pub struct SearchBot {
    seed: Seed,
    cowboy: Search<cowboy_rules::Position>,
    paint: Search<paint_rules::Position>,
    royale: Search<royale_rules::Position>,
}

impl SearchBot {
    /// A bot with its own dice.
    pub fn new(seed: Seed, budget: Budget) -> SearchBot {
        SearchBot { seed, cowboy: Search::new(budget), paint: Search::new(budget), royale: Search::new(budget) }
    }
}

impl Bot for SearchBot {
    fn choose(&mut self, table: &Table, seat: Seat) -> String {
        let mut dice = self.seed.turn(table.turn().into());
        let action = match table.position() {
            Position::Cowboy(game) => self.cowboy.choose(game, seat, &mut dice).map(|action| action.to_string()),
            Position::Paint(game) => self.paint.choose(game, seat, &mut dice).map(|action| action.to_string()),
            Position::Royale(game) => self.royale.choose(game, seat, &mut dice).map(|action| action.to_string()),
        };
        action.unwrap_or_else(|| NOTHING.to_owned())
    }
}

/// What a search thinks of every legal action of a seat, in notation; nothing for a seat that owes no action.
pub fn analyse(table: &Table, seat: Seat, budget: Budget, seed: Seed) -> Option<Analysis<String>> {
    fn ask<G: Playable>(game: &G, seat: Seat, budget: Budget, seed: Seed) -> Option<Analysis<String>> {
        let analysis = Search::oracle(budget).analyse(game, seat, &mut seed.turn(game.turn().into()))?;
        let actions = analysis.actions.into_iter().map(|considered| considered.map(|action| action.to_string()));
        Some(Analysis { actions: actions.collect(), value: analysis.value, best: analysis.best })
    }
    match table.position() {
        Position::Cowboy(game) => ask(game, seat, budget, seed),
        Position::Paint(game) => ask(game, seat, budget, seed),
        Position::Royale(game) => ask(game, seat, budget, seed),
    }
}
