//! Which matches are wanted.

use super::stored::MatchStatus;
use crate::matches::Identity;

/// Which matches are wanted; by default all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// Only matches of this status.
    pub status: Option<MatchStatus>,
    /// Only of this ruleset.
    pub ruleset: Option<String>,
    /// Only with this player.
    pub player: Option<String>,
    /// Only with this identity, in matches whose records say who played.
    pub identity: Option<Identity>,
    /// Only of this tournament.
    pub tournament: Option<String>,
    /// Only those that began before this match; none where it is not known.
    pub before: Option<String>,
    /// At most so many.
    pub limit: Option<u32>,
}
