//! A record as somebody may read it: while something is hidden, as much as is theirs to know.

use std::sync::Arc;

use serde_json::Value as Json;

use super::record::Turn;
use super::replay::Replay;
use crate::games::view::{View, Viewer};

/// A record of a match that is still played, without all that could be computed from: seed, fingerprints, chain. The
/// rest of it is as it will be.
pub fn record_in_play(record: &str) -> String {
    let mut shown = String::with_capacity(record.len());
    for line in record.lines() {
        let Ok(Json::Object(mut fields)) = serde_json::from_str(line) else { continue };
        for field in ["seed", "state_hash", "hash"] {
            fields.remove(field);
        }
        shown.push_str(&Json::Object(fields).to_string());
        shown.push('\n');
    }
    shown
}

impl Replay {
    /// Whether everything may be shown: the ruleset hides nothing, or the match is over.
    pub fn is_open(&self) -> bool {
        !self.turns.last().map_or(&self.start, |step| &step.table).hides()
    }

    /// Who somebody is to this match by now: when it is over, everybody may see everything.
    fn by_now(&self, viewer: Viewer) -> Viewer {
        let over = self.turns.last().is_some_and(|step| step.table.outcome().is_some());
        if over { Viewer::After } else { viewer }
    }

    /// What somebody may see of the first position by now.
    pub fn start_view(&self, viewer: Viewer) -> View {
        self.start.view(self.by_now(viewer))
    }

    /// As much as somebody may know by now of some of the turns, each with the position that it led to.
    pub fn into_shown(self, viewer: Viewer, from: usize, limit: usize) -> Vec<(Arc<Turn>, View)> {
        let viewer = self.by_now(viewer);
        let mut before = self.start;
        let mut shown = Vec::new();
        for (index, step) in self.turns.into_iter().enumerate().take(from.saturating_add(limit)) {
            let after = step.table.clone();
            if index >= from {
                let turn = Arc::new(Turn::from(step));
                shown.push((turn.told(&before, &after, viewer), after.view(viewer)));
            }
            before = after;
        }
        shown
    }
}
