//! Who plays better, which prompt works better, and how sure we are: schedules, verdicts, ratings.

pub mod schedule;
pub mod score;
