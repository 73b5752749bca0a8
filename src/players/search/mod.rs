//! The bot that searches: one engine, and for every game what it plays out and how it judges a position.

pub mod cowboy;
pub mod mcts;

use super::bot::{Bot, Budget, NOTHING};
use super::greedy::Greedy;
use crate::rules::cowboy as cowboy_rules;
use crate::rules::table::Position;
use crate::rules::{Dice, Seat, Seed, Table};

pub use self::mcts::{Analysis, Considered, Search};

/// A game that can be searched.
pub trait Playable: Greedy {
    /// How the engine is set for this game.
    const TUNING: Tuning;

    /// A quick and sensible action of a seat in `to_act`, for playouts.
    fn playout(&self, seat: Seat, dice: &mut Dice) -> Self::Action;

    /// What each seat can expect of a position that is not over: its score in [0, 1], `(n − place) / (n − 1)`.
    fn judge(&self, values: &mut [f32]);

    /// How promising each of a seat's legal actions looks before anything is known; larger is better, 1 is average.
    fn promise(&self, _seat: Seat, _actions: &[Self::Action], _promise: &mut [f32]) {}
}

/// How the engine is set.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tuning {
    /// How much it looks at what it has looked at little.
    pub exploration: f32,
    /// How many turns a playout goes on before the position is judged.
    pub playout_turns: u32,
    /// What an action is taken to be worth before the first look at it, compared with the best so far.
    pub first_look: f32,
}

/// How likely it is to come out ahead with such a lead: half without one.
fn even_chance(lead: f32) -> f32 {
    1.0 / (1.0 + (-lead).exp())
}

/// Plays what a search finds best.
#[derive(Debug)]
pub struct SearchBot {
    seed: Seed,
    cowboy: Search<cowboy_rules::Position>,
}

impl SearchBot {
    /// A bot with its own dice.
    pub fn new(seed: Seed, budget: Budget) -> SearchBot {
        SearchBot { seed, cowboy: Search::new(budget) }
    }
}

impl Bot for SearchBot {
    fn choose(&mut self, table: &Table, seat: Seat) -> String {
        if !table.to_act().contains(seat) {
            return NOTHING.to_owned();
        }
        let mut dice = self.seed.turn(table.turn().into());
        match table.position() {
            Position::Cowboy(game) => self.cowboy.choose(game, seat, &mut dice).to_string(),
            _ => table.random_legal(seat, &mut dice),
        }
    }
}
