//! What was played so far: the record, and the latest turns as they are.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::live::{Live, LiveState, now};
use super::view::{Moment, Stage};
use crate::games::ruleset::Ruleset;
use crate::games::table::Table;
use crate::games::view::Viewer;
use crate::matches::{self, Replay, ReplayError, Turn};

/// So many of the latest turns are kept as they are, or more where there are many seats. Older ones are lines of text.
const RECENT: usize = 8;

impl Live {
    /// The record so far, line by line.
    pub fn lines(&self) -> Vec<String> {
        self.state().lines.iter().map(ToString::to_string).collect()
    }

    /// The record as anybody may read it by now. While the match is played there is nothing in it to compute from; none
    /// where something is hidden.
    pub fn shown_record(&self) -> Option<String> {
        let (over, hides) = {
            let state = self.state();
            (state.stage == Stage::Over, state.table.hides())
        };
        if over {
            return Some(self.record());
        }
        (!hides).then(|| matches::record_in_play(&self.record()))
    }

    /// The record so far, each line with its end.
    pub fn record(&self) -> String {
        let state = self.state();
        let mut record = String::with_capacity(state.lines.iter().map(|line| line.len() + 1).sum());
        for line in &state.lines {
            record.push_str(line);
            record.push('\n');
        }
        record
    }

    /// The record so far, played again: every position of it. None before the match has begun.
    ///
    /// # Errors
    /// Never for a record that was made here.
    pub fn replay(&self) -> Result<Option<Replay>, ReplayError> {
        let record = self.record();
        if record.is_empty() { Ok(None) } else { Replay::read(record.as_bytes()).map(Some) }
    }

    /// The turns that were played, from the one after `after` on.
    pub fn turns_after(&self, after: u32) -> Vec<Arc<Turn>> {
        let state = self.state();
        let oldest = state.recent.front().map_or(u32::MAX, |moment| moment.turn.turn);
        // The header is line 0, so turn n is line n.
        let older = state.lines.iter().skip(1).zip(1..).take_while(|(_, turn)| *turn < oldest);
        let older =
            older.filter(|(_, turn)| *turn > after).filter_map(|(line, _)| Turn::read(&self.ruleset, line).ok());
        let recent = state.recent.iter().map(|moment| &moment.turn).filter(|turn| turn.turn > after).cloned();
        older.map(Arc::new).chain(recent).collect()
    }

    /// The same with the positions, where all of them are among the latest few; [`Live::replay`] has the others.
    pub fn moments_after(&self, after: u32) -> Option<Vec<Moment>> {
        let state = self.state();
        let oldest = state.recent.front().map_or(state.table.turn() + 1, |moment| moment.turn.turn);
        (after + 1 >= oldest).then(|| state.recent.iter().filter(|moment| moment.turn.turn > after).cloned().collect())
    }

    /// Takes a line of the record, the turn that it tells of and the position that it led to. The match is over with the
    /// line of its result, not with its last turn: what is told to be over has a whole record.
    pub(super) fn publish(&self, table: &Arc<Table>, turn: Option<Arc<Turn>>, line: Box<str>) {
        let mut state = self.state();
        let is_result = turn.is_none() && !state.lines.is_empty();
        state.lines.push(line);
        if let Some(turn) = turn {
            state.count(&turn);
            let before = state.table.clone();
            state.keep(Moment { turn, before, table: table.clone() });
        }
        state.table = table.clone();
        if is_result {
            state.stage = Stage::Over;
        }
        drop(state);
        self.updated.store(now(), Ordering::Relaxed);
        self.tell();
    }

    /// Takes up a record where it ends.
    pub(super) fn restore(&self, replay: Replay, lines: Vec<Box<str>>) {
        let mut state = self.state();
        let state = &mut *state;
        // Where only the result is missing, the referee still has it to write.
        state.stage = if replay.result.is_some() { Stage::Over } else { Stage::Playing };
        state.table = Arc::new(replay.start);
        for step in replay.turns {
            let table = Arc::new(step.table.clone());
            let turn = Arc::new(Turn::from(step));
            let before = std::mem::replace(&mut state.table, table.clone());
            state.count(&turn);
            state.keep(Moment { turn, before, table });
        }
        state.lines = lines;
    }
}

impl LiveState {
    /// A turn that was played.
    pub(super) fn turn(&self, ruleset: &Ruleset, turn: u32) -> Option<Arc<Turn>> {
        let recent = self.recent.iter().find(|moment| moment.turn.turn == turn);
        let read = || Turn::read(ruleset, self.lines.get(turn as usize)?).ok().map(Arc::new);
        recent.map(|moment| moment.turn.clone()).or_else(read)
    }

    /// As much of a turn as somebody may know by now.
    pub(super) fn told(&self, moment: &Moment, viewer: Viewer) -> Arc<Turn> {
        moment.told(if self.stage == Stage::Over { Viewer::After } else { viewer })
    }

    pub(super) fn keep(&mut self, moment: Moment) {
        // Whoever is still in the match has acted among as many turns as there are seats.
        while self.recent.len() >= RECENT.max(2 * self.chairs.len()) {
            self.recent.pop_front();
        }
        self.recent.push_back(moment);
    }

    /// Takes into account who lapsed in a turn and what it cost.
    pub(super) fn count(&mut self, turn: &Turn) {
        if turn.lapses.is_empty() && turn.calls.is_empty() {
            return;
        }
        for seat in Arc::make_mut(&mut self.seats) {
            seat.count(turn);
        }
    }
}
