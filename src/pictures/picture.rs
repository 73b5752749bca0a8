//! A scene with what only people want to see beside it: names, and what was told, said and thought.

use super::text::clean;
use crate::briefs;
use crate::briefs::Language;
use crate::games::scene::{Label, Scene, Standing};
use crate::games::seat::Seat;

/// A position drawn for people. All text that it hands out is safe to show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// What there is to see.
    pub scene: Scene,
    /// Who plays, in seat order.
    pub names: Vec<String>,
    /// What happened, was said and was thought.
    pub notes: Vec<PictureNote>,
    /// The language of the labels.
    pub language: Language,
}

impl Picture {
    /// What is played: the name of the ruleset.
    pub(crate) fn title(&self) -> String {
        clean(&self.scene.ruleset)
    }

    /// How far it is.
    pub(crate) fn status(&self) -> Vec<String> {
        self.scene.status.iter().map(|label| self.word(label)).collect()
    }

    /// Who won and why, once it is over.
    pub(crate) fn result(&self) -> Option<String> {
        let called = |seat| match self.name(seat) {
            name if name.trim().is_empty() => seat.to_string(),
            name => format!("{seat} {name}"),
        };
        self.scene.outcome.as_ref().map(|outcome| self.language.result(outcome, called))
    }

    /// How far it is and how everybody is doing, or how it ended: the picture in one sentence.
    pub fn summary(&self) -> String {
        let called = |one: &Standing| {
            let amount = one.amount.as_ref().map_or_else(|| one.meter.value.to_string(), |amount| self.word(amount));
            format!("{} {} {amount}", one.seat, self.name(one.seat))
        };
        let players: Vec<String> = self.scene.standings.iter().map(called).collect();
        let how = self.result().unwrap_or_else(|| self.status().join(" · "));
        format!("{how} — {}", players.join(" · "))
    }

    /// Who sits there; nothing where nobody said.
    pub(crate) fn name(&self, seat: Seat) -> String {
        self.names.get(seat.index()).map(|name| clean(name)).unwrap_or_default()
    }

    /// More about somebody, in short words.
    pub(crate) fn facts(&self, one: &Standing) -> Vec<String> {
        one.facts.iter().map(|label| self.word(label)).collect()
    }

    /// Somebody's place, once settled.
    pub(crate) fn place(&self, one: &Standing) -> Option<String> {
        one.place.map(|place| self.word(&Label::of("label.place", [place])))
    }

    fn word(&self, label: &Label) -> String {
        clean(&briefs::label(label, self.language))
    }
}

/// A line of text beside the board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PictureNote {
    /// Who it is about or from.
    pub seat: Option<Seat>,
    /// What sort of text it is.
    pub voice: Voice,
    /// The text, on one line and harmless.
    text: String,
}

/// Who speaks in a note.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Voice {
    /// We do: what happened.
    Narrator,
    /// A player, to the others.
    Speech,
    /// A player, to the spectators.
    Thought,
}

impl PictureNote {
    /// Whether it is what somebody thought.
    pub fn is_thought(&self) -> bool {
        self.voice == Voice::Thought
    }

    /// A sentence about what happened.
    pub fn told(text: &str) -> PictureNote {
        PictureNote { seat: None, voice: Voice::Narrator, text: clean(text) }
    }

    /// What a player said to the others.
    pub fn said(seat: Seat, text: &str) -> PictureNote {
        PictureNote { seat: Some(seat), voice: Voice::Speech, text: clean(text) }
    }

    /// What a player wants spectators to know.
    pub fn thought(seat: Seat, text: &str) -> PictureNote {
        PictureNote { seat: Some(seat), voice: Voice::Thought, text: clean(text) }
    }

    /// The text, on one line and without control characters.
    pub fn text(&self) -> &str {
        &self.text
    }
}
