//! Who plays better, which prompt works better, and how sure we are: schedules, verdicts, ratings.

pub mod analyze;
pub mod asking;
pub mod bank;
pub(crate) mod chance;
pub mod chances;
pub mod experiment;
pub mod file;
pub mod graded;
pub mod leaderboard;
pub mod moves;
pub mod oracle;
pub mod plan;
pub mod quiz;
pub mod ratings;
pub mod report;
pub mod run;
pub mod schedule;
pub mod score;
pub mod tally;
pub mod verdict;
pub mod work;
