//! Standoff: language models, bots and people play grid games against each other, fairly and measurably.

pub mod players;
pub mod rules;
