//! Who plays better, which prompt works better, and how sure we are: schedules, verdicts, ratings.

pub(crate) mod analyze;
pub(crate) mod asking;
pub mod bank;
pub(crate) mod chance;
pub(crate) mod chances;
pub mod experiment;
pub(crate) mod file;
pub mod graded;
pub(crate) mod leaderboard;
pub(crate) mod moves;
pub(crate) mod oracle;
pub mod plan;
pub mod quiz;
pub mod ratings;
pub(crate) mod report;
pub mod run;
pub mod schedule;
pub mod score;
pub(crate) mod tally;
pub mod verdict;
pub(crate) mod work;
