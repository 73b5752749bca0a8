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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::games::{Ruleset, Seed};
    use crate::matches::{Log, Match};

    #[test]
    fn a_seat_was_told_what_the_others_said_and_not_its_own_words() {
        let ruleset = Arc::new(Ruleset::named("cowboy-classic").expect("built in"));
        let (mut game, header) =
            Match::open("m1", ruleset, Seed(7), vec!["tester".to_owned(); 2]).expect("two can play");
        let mut log = Log::new(Vec::new());
        log.write(&header).expect("memory does not fail");
        let (a, b) = (Seat::new(0), Seat::new(1));
        for (seat, words) in [(a, "first of A"), (b, "first of B"), (a, "second of A")] {
            game.say(seat, words).expect("talk is free");
            for record in game.submit(seat, "shield up").expect("legal") {
                log.write(&record).expect("memory does not fail");
            }
        }
        let replay = Replay::read(log.into_inner().as_slice()).expect("verifies");
        let told = |seat: Seat| {
            let asked = replay.asked(seat).into_iter();
            asked.map(|asked| (asked.turn, asked.since.len(), asked.said)).collect::<Vec<_>>()
        };
        let said = |seat: Seat, words: &str| vec![(seat, words.to_owned())];
        assert_eq!(told(a), [(1, 0, vec![]), (3, 2, said(b, "first of B"))]);
        assert_eq!(told(b), [(2, 1, said(a, "first of A")), (4, 2, said(a, "second of A"))]);
    }
}
