//! Standoff: language models, bots and people play grid games against each other, fairly and measurably.
//!
//! This page is the architecture. The rules are pure; everything that touches the world stands around them.
//!
//! # Layout
//!
//! | module | what it is | may import |
//! |---|---|---|
//! | [`settings`] | files that people write, with the place of every problem | nothing of ours |
//! | [`games`] | the games: positions, actions, events, rulesets; any game behind one face ([`games::Table`]) | `settings` |
//! | [`mod@matches`] | one match: sealed actions, records, replay and verification | `games` |
//! | [`briefs`] | rules, positions, events and refusals in words, English and Chinese | `settings`, `games`, `matches` |
//! | [`bots`] | bots from dice to search, and their ladder | `settings`, `games` |
//! | [`players`] | who answers: bots, programs, and models over any OpenAI-compatible endpoint | `settings`, `games`, `bots`, `briefs`, `matches` |
//! | [`store`] | what outlives the process: records, sealed actions, keys, tournaments, in one SQLite file or on a PostgreSQL server | `games`, `matches` |
//! | [`referee`] | asks everybody at once, keeps the clocks, applies the policy | `games`, `matches`, `players` |
//! | [`tournaments`] | schedules, verdicts, ratings: who plays better, and how sure we are | `settings`, `games`, `bots`, `matches`, `briefs`, `players`, `referee`, `store` |
//! | [`arena`] | live matches: seats that belong to the holders of their keys, registered players, the queue, taking up again | `settings`, `games`, `matches`, `briefs`, `players`, `store`, `referee` |
//! | [`mcp`] | the games as tools for assistants, on stdio and streamable HTTP | `settings`, `games`, `matches`, `briefs`, `arena` |
//! | [`http`] | the arena: the page, the HTTP API, live streams, and MCP over HTTP | `games`, `matches`, `briefs`, `store`, `tournaments`, `arena`, `mcp` |
//! | [`config`] | what the surroundings say: the configuration file, keys, folders | nothing of ours |
//! | [`cli`] | one file a command, and the pictures on the terminal | everything |
//!
//! A test holds the table.
//!
//! # What carries everything
//!
//! - A position returns the set of seats that must act. One seat: turn by turn. All living seats: at once. Nobody: over.
//!   No line outside a game's own module knows which kind of game it is.
//! - Chance is handed in. A position holds no generator and no seed, so no view can leak it and no bot can foresee it.
//! - Typed inside, text and JSON at the edge. Each game has its own action, event, refusal and state types;
//!   [`games::table`] erases them once.
//! - A lost turn is a fact of the record, never an invented move. What the referee does for a player who failed is marked
//!   as the referee's.
//! - The record is a header, the actions and a digest a turn. Positions are recomputed, never stored.
//!
//! # What is deliberately absent
//!
//! `games`, `matches` and `briefs` read no clock, no file and no environment. No position serialises itself: what leaves
//! the house is a state, made for it. Only `config` reads the environment, and keys never leave it as plain text. There is
//! no `unsafe`.
//!
//! # The pure core by itself
//!
//! Without default features (`default-features = false`) the library is `settings`, `games`, `matches`, `briefs` and
//! `bots`, with nine dependencies: all that is needed to play, record, verify and describe games. The feature `app`, on
//! by default, adds everything else.
//!
//! # An example
//!
//! ```
//! use std::sync::Arc;
//! use standoff::games::{Joint, Order, Ruleset, Seat, Seed, Table};
//!
//! let ruleset = Arc::new(Ruleset::named("cowboy")?);
//! let seed = Seed(7);
//! let mut table = Table::open(ruleset, 2, seed)?;
//! let seat = table.to_act().iter().next().expect("A begins");
//! assert!(table.legal(seat).contains(&"shoot down".to_owned()));
//! let (action, _) = table.read("move down")?;
//! let events = table.play(&Joint::one(seat, Order::Play(action)), &mut seed.turn(0))?;
//! assert_eq!(serde_json::to_value(&events[0])?["type"], "moved");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod bots;
pub mod briefs;
pub mod games;
pub mod matches;
pub mod settings;

#[cfg(feature = "app")]
pub mod arena;
#[cfg(feature = "app")]
pub mod cli;
#[cfg(feature = "app")]
pub mod config;
#[cfg(feature = "app")]
pub mod http;
#[cfg(feature = "app")]
pub mod mcp;
#[cfg(feature = "app")]
pub mod players;
#[cfg(feature = "app")]
pub mod referee;
#[cfg(feature = "app")]
pub mod store;
#[cfg(feature = "app")]
pub mod tournaments;
