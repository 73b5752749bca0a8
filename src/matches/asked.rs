//! What a seat had been told each time it was asked, found again from a record.

use super::replay::Replay;
use crate::games::seat::Seat;
use crate::games::table::{Event, Table};

/// A question that the referee put to a seat.
#[derive(Clone, Debug)]
pub struct Asked<'a> {
    /// For which turn, counted from 1.
    pub turn: u32,
    /// The position at that time.
    pub table: &'a Table,
    /// What had happened since the question before.
    pub since: Vec<Event>,
    /// What the others had said in that time, where talk is free.
    pub said: Vec<(Seat, String)>,
}

impl Replay {
    /// Every question to a seat, in order; the last one has no answer yet where the match is unfinished.
    pub fn asked(&self, seat: Seat) -> Vec<Asked<'_>> {
        let mut asked = Vec::new();
        let (mut since, mut said) = (Vec::new(), Vec::new());
        let mut table = &self.start;
        for step in &self.turns {
            if step.line.actions.contains_key(&seat) {
                let (since, said) = (std::mem::take(&mut since), std::mem::take(&mut said));
                asked.push(Asked { turn: step.line.turn, table, since, said });
            }
            since.extend(step.events.iter().cloned());
            let others = step.line.said.iter().filter(|(other, _)| **other != seat);
            said.extend(others.map(|(&other, text)| (other, text.clone())));
            table = &step.table;
        }
        if table.to_act().contains(seat) {
            asked.push(Asked { turn: table.turn() + 1, table, since, said });
        }
        asked
    }
}
