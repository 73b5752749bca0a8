//! What a bot is, and how people ask for one.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use super::greedy::GreedyBot;
use super::random::RandomBot;
use super::search::SearchBot;
use crate::games::{Action, Joint, Order, Seat, Seed, Table, View, Viewer};
use crate::settings::{did_you_mean, shorten};

/// A player that needs nobody.
pub trait Bot: Send + fmt::Debug {
    /// The bot's action for a seat that must act; none for a seat that owes nothing. It sees what the seat sees, never
    /// the match's dice.
    ///
    /// It depends on the bot's seed and the view only, not on what the bot was asked before, unless the bot thinks by
    /// the clock.
    fn choose(&mut self, view: &View, seat: Seat) -> Option<Action>;

    /// Whether it answers so quickly that nobody need make way for it: in some ten microseconds.
    fn is_quick(&self) -> bool {
        false
    }
}

/// What the bots of a table do in the turn at hand, each by what its seat sees.
pub fn orders(table: &Table, bots: &mut [Box<dyn Bot>]) -> Joint<Action> {
    let (to_act, views) = (table.to_act(), table.views());
    let orders = to_act.iter().filter_map(|seat| {
        let action = bots.get_mut(seat.index())?.choose(&views.of(Viewer::Seat(seat)), seat)?;
        Some((seat, Order::Play(action)))
    });
    orders.collect()
}

/// What a bot is asked to be: `random`, `greedy`, `search`, `search:2000`, `search:500ms`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BotSpec {
    /// Any legal action.
    Random,
    /// The best action by rules of thumb.
    Greedy,
    /// The best action by Monte-Carlo tree search.
    Search(Budget),
}

/// How long a search thinks about a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Budget {
    /// So many playouts: the same move on every machine.
    Nodes(u32),
    /// So much time, for play against people.
    Time(Duration),
}

impl Budget {
    /// What `search` alone means.
    pub const DEFAULT: Budget = Budget::Nodes(2000);

    const MAX_NODES: u32 = 100_000_000;
    const MAX_TIME: Duration = Duration::from_mins(10);
}

/// The name of every kind of bot, as [`BotSpec`] reads it, weakest first. `bots.toml` under `prompts/` says what they do.
pub const BOTS: [&str; 3] = ["random", "greedy", "search"];

/// A text that names no bot.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseBotError {
    /// No bot of that name.
    #[error("no bot `{}`; available: random, greedy and search, like `search`, `search:5000` or `search:500ms`{}", shorten(.0), did_you_mean(.0, BOTS))]
    Unknown(String),
    /// A budget for a bot that does not think.
    #[error("`{name}` takes no budget: write `{name}` alone, or `search:{}`", shorten(budget))]
    NoBudget {
        /// The bot that takes no budget.
        name: &'static str,
        /// What followed the colon.
        budget: String,
    },
    /// A budget that is none.
    #[error(
        "`{}` is no budget for a search: write playouts from 1 to 100000000 like `search:5000`, \
         or a time up to 10 minutes like `search:500ms` or `search:2s`", shorten(.0)
    )]
    BadBudget(String),
}

impl FromStr for BotSpec {
    type Err = ParseBotError;

    fn from_str(text: &str) -> Result<BotSpec, ParseBotError> {
        let lower = text.trim().to_ascii_lowercase();
        let (name, budget) = match lower.split_once(':') {
            Some((name, budget)) => (name.trim_end(), Some(budget.trim_start())),
            None => (lower.as_str(), None),
        };
        let bare = |name, spec| match budget {
            None => Ok(spec),
            Some(budget) => Err(ParseBotError::NoBudget { name, budget: budget.to_owned() }),
        };
        match name {
            "random" => bare("random", BotSpec::Random),
            "greedy" => bare("greedy", BotSpec::Greedy),
            "search" => match budget {
                None => Ok(BotSpec::Search(Budget::DEFAULT)),
                Some(budget) => {
                    parse_budget(budget).map(BotSpec::Search).ok_or_else(|| ParseBotError::BadBudget(budget.to_owned()))
                }
            },
            _ => Err(ParseBotError::Unknown(text.to_owned())),
        }
    }
}

fn parse_budget(text: &str) -> Option<Budget> {
    let number =
        |digits: &str| digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse::<u32>().ok()).flatten();
    let time = if let Some(digits) = text.strip_suffix("ms") {
        Duration::from_millis(number(digits)?.into())
    } else if let Some(digits) = text.strip_suffix('s') {
        Duration::from_secs(number(digits)?.into())
    } else {
        return number(text).filter(|nodes| (1..=Budget::MAX_NODES).contains(nodes)).map(Budget::Nodes);
    };
    (Duration::from_millis(1)..=Budget::MAX_TIME).contains(&time).then_some(Budget::Time(time))
}

impl fmt::Display for BotSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BotSpec::Random => f.pad("random"),
            BotSpec::Greedy => f.pad("greedy"),
            BotSpec::Search(Budget::DEFAULT) => f.pad("search"),
            BotSpec::Search(Budget::Nodes(nodes)) => write!(f, "search:{nodes}"),
            BotSpec::Search(Budget::Time(time)) => write!(f, "search:{}ms", time.as_millis()),
        }
    }
}

impl BotSpec {
    /// Such a bot. The seed is the `child("bot", seat's index)` of the match's seed.
    pub fn seat(&self, seed: Seed) -> Box<dyn Bot> {
        match *self {
            BotSpec::Random => Box::new(RandomBot::new(seed)),
            BotSpec::Greedy => Box::new(GreedyBot::new(seed)),
            BotSpec::Search(budget) => Box::new(SearchBot::new(seed, budget)),
        }
    }

    /// Whether it plays a whole game in a moment.
    pub fn is_quick(&self) -> bool {
        !matches!(self, BotSpec::Search(_))
    }
}
