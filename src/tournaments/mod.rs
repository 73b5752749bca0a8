//! Who plays better, which prompt works better, and how sure we are: schedules, verdicts, ratings.

pub mod board;
mod chance;
pub mod experiment;
pub mod file;
pub mod plan;
pub mod ratings;
pub mod run;
pub mod schedule;
pub mod score;
pub mod verdict;
