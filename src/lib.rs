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
//! | [`pictures`] | scenes as drawings, cards and animations, to look at and to share | `games`, `matches`, `briefs` |
//! | [`bots`] | bots from dice to search, and their ladder | `settings`, `games` |
//! | [`players`] | who answers: bots, programs, agents, and models over four wire formats | `settings`, `games`, `bots`, `briefs`, `matches` |
//! | [`store`] | what outlives the process: records, sealed actions, keys, tournaments, in one SQLite file or on a PostgreSQL server | `games`, `matches` |
//! | [`referee`] | asks everybody at once, keeps the clocks, applies the policy | `games`, `matches`, `players` |
//! | [`tournaments`] | schedules, verdicts, ratings: who plays better, and how sure we are | `settings`, `games`, `bots`, `matches`, `briefs`, `players`, `referee`, `store` |
//! | [`arena`] | live matches: seats that belong to the holders of their keys, registered players, the queue, taking up again | `settings`, `games`, `matches`, `briefs`, `players`, `store`, `referee` |
//! | [`mcp`] | the games as tools for assistants, on stdio and streamable HTTP | `settings`, `games`, `matches`, `briefs`, `arena` |
//! | [`http`] | the arena: the page, the HTTP API, live streams, and MCP over HTTP | `games`, `matches`, `briefs`, `pictures`, `store`, `tournaments`, `arena`, `mcp` |
//! | [`config`] | what the surroundings say: the configuration file, keys, folders | nothing of ours |
//! | [`cli`] | one file per command, and pictures on the terminal | everything |
//!
//! A test holds the table.
//!
//! # What carries everything
//!
//! - A position returns the set of seats that must act. One seat: turn by turn. All living seats: at once. Nobody: over.
//!   No line outside a game's own folder knows which kind of game it is.
//! - Chance is handed in. A position holds no generator and no seed, so no view can leak it and no bot can foresee it.
//! - A game is a folder under `src/games`. The macro `list!` in [`games`] names the games, and the types over all of them
//!   ([`games::Position`], [`games::Action`], [`games::State`], …) are generated from it. What a game can add beyond its
//!   rules are traits with defaults: [`games::judge::Judge`] for the bots, [`games::scene::Scenic`] for pictures and
//!   buttons, [`games::words::Words`] for briefs, [`games::quiz::Quiz`] for questions.
//! - Everybody sees a view. [`games::Table::view`] gives what a seat, or everybody, may see; bots, briefs, scenes and
//!   controls are made from it.
//! - An action is read once. Text or JSON becomes [`games::Accepted`] at the door where it enters, only the rules can make
//!   one, and from there to the record nobody reads or checks it again.
//! - One owner of a turn's time: the log of a turn tells thinking, waiting in our own queues, and backend trouble apart.
//!   Only thinking runs a player's clock.
//! - A lost turn is a fact of the record, never an invented move. What the referee does for a player who failed is marked
//!   as the referee's.
//! - The record is a header, the actions, the events and a digest per turn, and it can grow: [`mod@matches::format`] says
//!   who reads what. Positions are recomputed, never stored.
//!
//! # Glossary
//!
//! | word | meaning |
//! |---|---|
//! | seat | a chair at the table, `A`, `B`, …; whoever sits there is a player |
//! | player | whoever answers for a seat: a bot, a model, a program, a person |
//! | table | a ruleset and a position of it |
//! | turn | one application of actions: by one seat, or by all living seats at once |
//! | joint | the orders of all seats in one turn |
//! | view | what somebody may see of a position |
//! | scene | a view as data to draw; controls are what can be chosen from it |
//! | brief | the rules of a ruleset in words, made for a player |
//! | variant | a way to tell a model all this: which sections, which words, how to answer |
//! | attempt | an answer that was not taken, and why |
//! | lapse | a turn that a player lost; the referee does what the ruleset's policy says |
//! | block | one seed played in all seat rotations: the unit of every statistic |
//! | bank | positions with known good actions, to compare players without whole games |
//! | cassette | what models were asked and answered, to be played back without asking |
//! | stand-in | the action that the referee draws for a player who gave none, where the policy says so |
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
pub mod pictures;
#[cfg(feature = "app")]
pub mod players;
#[cfg(feature = "app")]
pub mod referee;
#[cfg(feature = "app")]
pub mod store;
#[cfg(feature = "app")]
pub mod tournaments;
