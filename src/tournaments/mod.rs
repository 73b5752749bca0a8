//! Who plays better, which prompt works better, and how sure we are: schedules, verdicts, ratings.

mod chance;
pub mod plan;
pub mod ratings;
pub mod schedule;
pub mod score;
pub mod verdict;
