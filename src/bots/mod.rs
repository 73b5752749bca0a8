//! Bots, from dice to search, and the ladder on which they are compared.
//!
//! [`BotSpec`] is what people write, [`Bot`] what sits at a table. Programs that play by the million use the typed
//! forms behind them: [`greedy::greedy`] and [`search::Search`].

pub mod bot;
pub mod greedy;
pub mod ladder;
pub mod random;
pub mod search;
#[cfg(test)]
mod tests;

pub use self::bot::{BOTS, Bot, BotSpec, Budget, ParseBotError, orders};
pub use self::ladder::{Ladder, Tally};
