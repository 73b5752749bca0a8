//! A recorded match as a row of pictures.

use std::collections::BTreeMap;

use super::picture::PictureNote;
use crate::briefs::{Language, event_sentence, failure_sentences, opening_sentence};
use crate::games::seat::Seat;
use crate::games::table::{Event, Opening, State};
use crate::matches::{Lapse, RefusedAttempt, Replay};

/// A moment of a match.
#[derive(Clone, Debug)]
pub struct Frame {
    /// The position to draw.
    pub state: State,
    /// What led to it.
    pub events: Vec<Event>,
    /// What is told, said and thought about it.
    pub notes: Vec<PictureNote>,
}

/// What there is to see, from the start on.
pub fn frames(record: &Replay, language: Language) -> Vec<Frame> {
    let start = Frame { state: record.start.state(), events: Vec::new(), notes: opening(&record.opening, language) };
    let turns = record.turns.iter().map(|step| {
        let line = &step.line;
        let told = TurnDigest {
            events: &step.events,
            refused: &line.refused,
            lapses: &line.lapses,
            said: &line.said,
            reasoning: &line.reasoning,
        };
        Frame { state: step.table.state(), events: step.events.clone(), notes: told.notes(language) }
    });
    std::iter::once(start).chain(turns).collect()
}

/// That the match began from an opening, and what was done in it.
fn opening(turns: &Opening, language: Language) -> Vec<PictureNote> {
    if turns.is_empty() {
        return Vec::new();
    }
    let actions = |turn: &BTreeMap<Seat, String>| {
        let actions: Vec<String> = turn.iter().map(|(seat, action)| format!("{seat} {action}")).collect();
        actions.join(" · ")
    };
    let sentence = std::iter::once(opening_sentence(language));
    sentence.chain(turns.iter().map(actions)).map(|line| PictureNote::told(&line)).collect()
}

/// What a turn has to tell.
pub(crate) struct TurnDigest<'a> {
    pub(crate) events: &'a [Event],
    pub(crate) refused: &'a [RefusedAttempt],
    pub(crate) lapses: &'a BTreeMap<Seat, Lapse>,
    pub(crate) said: &'a BTreeMap<Seat, String>,
    pub(crate) reasoning: &'a BTreeMap<Seat, String>,
}

impl TurnDigest<'_> {
    /// What was refused and why, what happened, what was said and thought.
    pub(crate) fn notes(&self, language: Language) -> Vec<PictureNote> {
        let failures = failure_sentences(self.refused, self.lapses, language).into_iter();
        let events = self.events.iter().map(|event| event_sentence(event, language));
        let said = self.said.iter().map(|(&seat, text)| PictureNote::said(seat, text));
        let thoughts = self.reasoning.iter().map(|(&seat, text)| PictureNote::thought(seat, text));
        failures.chain(events).map(|text| PictureNote::told(&text)).chain(said).chain(thoughts).collect()
    }
}
