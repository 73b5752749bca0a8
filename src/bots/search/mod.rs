//! The bot that searches: one engine for all games.

pub mod mcts;

use super::bot::{Bot, Budget};
use crate::games::any::{AnySeen, Member, each};
use crate::games::view::{Partial as _, Seen};
use crate::games::{Action, Dice, Seat, Seed, View};

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
    /// What it would do, seeing this.
    ///
    /// # Errors
    /// If it is of another game.
    fn choose(&mut self, seen: &AnySeen, seat: Seat, dice: &mut Dice) -> Result<Option<Action>, OtherGame>;
}

impl<G: Member> Thinker for Search<G> {
    fn choose(&mut self, seen: &AnySeen, seat: Seat, dice: &mut Dice) -> Result<Option<Action>, OtherGame> {
        let action = match G::seen_of(seen).ok_or(OtherGame)? {
            Seen::All(game) => Search::choose(self, game, seat, dice),
            Seen::Part(part) => match part.certain() {
                Some(game) => Search::choose(self, game, seat, dice),
                None => self.choose_unsure(|dice| part.sample(dice), seat, dice),
            },
        };
        Ok(action.map(G::wrap_action))
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
        fn memory<G: Member>(_: &Seen<G>, budget: Budget) -> Box<dyn Thinker> {
            Box::new(Search::<G>::new(budget))
        }
        let seen = view.seen();
        let mut dice = self.seed.turn(view.turn().into());
        let mut thinker = self.memory.take().unwrap_or_else(|| each!(AnySeen: seen, seen => memory(seen, self.budget)));
        let action = thinker.choose(seen, seat, &mut dice);
        let action = action.unwrap_or_else(|OtherGame| {
            thinker = each!(AnySeen: seen, seen => memory(seen, self.budget));
            thinker.choose(seen, seat, &mut dice).ok().flatten()
        });
        self.memory = Some(thinker);
        action
    }
}

/// What a search thinks of every legal action of a seat, in notation, by what the seat sees; nothing for a seat that owes
/// no action. Where something is hidden, possible positions are drawn and what they say is averaged.
pub fn analyse(view: &View, seat: Seat, budget: Budget, seed: Seed) -> Option<Analysis<String>> {
    fn ask<G: Member>(seen: &Seen<G>, seat: Seat, budget: Budget, dice: &mut Dice) -> Option<Analysis<String>> {
        let mut search = Search::oracle(budget);
        let analysis = match seen {
            Seen::All(game) => search.analyse(game, seat, dice)?,
            Seen::Part(part) => search.analyse_unsure(|dice| part.sample(dice), seat, dice)?,
        };
        let actions = analysis.actions.into_iter().map(|considered| considered.map(|action| action.to_string()));
        Some(Analysis { actions: actions.collect(), value: analysis.value, best: analysis.best })
    }
    let mut dice = seed.turn(view.turn().into());
    each!(AnySeen: view.seen(), seen => ask(seen, seat, budget, &mut dice))
}
