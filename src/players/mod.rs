//! Whoever answers for a seat: bots, language models ([`model`]), agents ([`agent`]), programs, scripts.

pub mod agent;
pub mod interruptible;
pub mod model;
pub mod player;
pub mod process;
pub mod profile;
pub mod scripted;
pub mod turn;

pub use self::agent::{AgentPlayer, AgentProfile, AgentSeat};
pub use self::interruptible::Interruptible;
pub use self::player::{Answer, Ask, BotPlayer, Player, PlayerError};
pub use self::process::{Hello, ProcessError, ProcessPlayer};
pub use self::profile::{Api, Contestants, EndpointLimits, Mode, Price, Profile, Provider};
pub use self::scripted::{Script, ScriptError};
pub use self::turn::{Lap, Time, TooLate, TurnLog};
