//! The bot that searches: one engine for all games.

pub mod mcts;

use super::bot::{Bot, Budget};
use crate::games::any::{Member, Position, each};
use crate::games::{Action, Dice, Seat, Seed, Table, View};

pub use self::mcts::{Analysis, Considered, Search};

/// Plays what a search finds best.
#[derive(Debug)]
pub struct SearchBot {
    seed: Seed,
    budget: Budget,
    /// The memory of the search, which is used again from move to move.
    memory: Option<Box<dyn Thinker>>,
}

/// A search cannot think about a position of another game.
#[derive(Clone, Copy, Debug)]
struct OtherGame;

/// A search of some game.
trait Thinker: std::fmt::Debug + Send {
    /// What it would do in a position.
    ///
    /// # Errors
    /// If it is a position of another game.
    fn choose(&mut self, position: &Position, seat: Seat, dice: &mut Dice) -> Result<Option<Action>, OtherGame>;
}

impl<G: Member> Thinker for Search<G> {
    fn choose(&mut self, position: &Position, seat: Seat, dice: &mut Dice) -> Result<Option<Action>, OtherGame> {
        let game = G::of(position).ok_or(OtherGame)?;
        Ok(Search::choose(self, game, seat, dice).map(G::wrap_action))
    }
}

impl SearchBot {
    /// A bot with its own dice.
    pub fn new(seed: Seed, budget: Budget) -> SearchBot {
        SearchBot { seed, budget, memory: None }
    }
}

impl Bot for SearchBot {
    fn choose(&mut self, view: &View, seat: Seat) -> Option<Action> {
        fn memory<G: Member>(_: &G, budget: Budget) -> Box<dyn Thinker> {
            Box::new(Search::<G>::new(budget))
        }
        let mut dice = self.seed.turn(view.turn().into());
        let table = view.sample(&mut dice);
        let position = table.position();
        let mut thinker =
            self.memory.take().unwrap_or_else(|| each!(Position: position, game => memory(game, self.budget)));
        let action = thinker.choose(position, seat, &mut dice);
        let action = action.unwrap_or_else(|OtherGame| {
            thinker = each!(Position: position, game => memory(game, self.budget));
            thinker.choose(position, seat, &mut dice).ok().flatten()
        });
        self.memory = Some(thinker);
        action
    }
}

/// What a search thinks of every legal action of a seat, in notation; nothing for a seat that owes no action.
pub fn analyse(table: &Table, seat: Seat, budget: Budget, seed: Seed) -> Option<Analysis<String>> {
    fn ask<G: Member>(game: &G, seat: Seat, budget: Budget, seed: Seed) -> Option<Analysis<String>> {
        let analysis = Search::oracle(budget).analyse(game, seat, &mut seed.turn(game.turn().into()))?;
        let actions = analysis.actions.into_iter().map(|considered| considered.map(|action| action.to_string()));
        Some(Analysis { actions: actions.collect(), value: analysis.value, best: analysis.best })
    }
    each!(Position: table.position(), game => ask(game, seat, budget, seed))
}
