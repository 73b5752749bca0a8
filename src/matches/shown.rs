//! A record as somebody may read it: while something is hidden, as much as is theirs to know.

use std::sync::Arc;

use super::record::Turn;
use super::replay::Replay;
use crate::games::view::{View, Viewer};

impl Replay {
    /// Whether everything may be shown: the ruleset hides nothing, or the match is over.
    pub fn is_open(&self) -> bool {
        !self.turns.last().map_or(&self.start, |step| &step.table).hides()
    }

    /// What somebody may see of the first position by now.
    pub fn start_view(&self, viewer: Viewer) -> View {
        if self.is_open() { self.start.revealed() } else { self.start.view(viewer) }
    }

    /// As much as somebody may know by now of some of the turns, each with the position that it led to.
    pub fn into_shown(self, viewer: Viewer, from: usize, limit: usize) -> Vec<(Arc<Turn>, View)> {
        let is_open = self.is_open();
        let mut before = self.start;
        let mut shown = Vec::new();
        for (index, step) in self.turns.into_iter().enumerate().take(from.saturating_add(limit)) {
            let after = step.table.clone();
            if index >= from {
                let turn = Arc::new(Turn::from(step));
                shown.push(if is_open {
                    (turn, after.revealed())
                } else {
                    (turn.told(&before, &after, viewer), after.view(viewer))
                });
            }
            before = after;
        }
        shown
    }
}
