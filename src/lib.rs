//! Standoff: language models, bots and people play grid games against each other, fairly and measurably.

pub mod briefs;
pub mod cli;
pub mod matches;
pub mod players;
pub mod rules;
