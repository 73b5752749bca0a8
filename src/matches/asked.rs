//! What a seat had been told each time it was asked, found again from a record.

use std::sync::Arc;

use super::replay::Replay;
use crate::games::seat::Seat;
use crate::games::table::Event;
use crate::games::view::{View, Viewer};

/// A question that the referee put to a seat.
#[derive(Clone, Debug)]
pub struct Asked {
    /// For which turn, counted from 1.
    pub turn: u32,
    /// What the seat saw of the position at that time.
    pub view: View,
    /// What it was told of what had happened since the question before, turn by turn.
    pub since: Vec<Arc<[Event]>>,
    /// What the others had said in that time, where talk is free.
    pub said: Vec<(Seat, String)>,
}

impl Asked {
    /// What the seat was told of what had happened since the question before.
    pub fn events(&self) -> Vec<Event> {
        self.since.iter().flat_map(|turn| turn.iter().cloned()).collect()
    }
}

impl Replay {
    /// Every question to a seat, in order; the last one has no answer yet where the match is unfinished.
    pub fn asked(&self, seat: Seat) -> Vec<Asked> {
        let mut asked = Vec::new();
        let (mut since, mut said) = (Vec::new(), Vec::new());
        let viewer = Viewer::Seat(seat);
        for (table, step) in self.steps() {
            if step.line.actions.contains_key(&seat) {
                let (since, said) = (std::mem::take(&mut since), std::mem::take(&mut said));
                asked.push(Asked { turn: step.line.turn, view: table.view(viewer), since, said });
            }
            since.push(step.table.told(table, &step.events.as_slice().into(), viewer));
            let others = step.line.said.iter().filter(|(other, _)| **other != seat);
            said.extend(others.map(|(&other, text)| (other, text.clone())));
        }
        let table = self.turns.last().map_or(&self.start, |step| &step.table);
        if table.must_act(seat) {
            asked.push(Asked { turn: table.turn() + 1, view: table.view(viewer), since, said });
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
