//! What a model is told, until prompt variants say it.

use crate::briefs::{self, Language, Section};
use crate::players::player::Problem;
use crate::rules::refusal::{Code, Refusal};
use crate::rules::ruleset::Ruleset;
use crate::rules::seat::Seat;
use crate::rules::table::{Event, Table};

/// How a model gives its action.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum AnswerBy {
    Tools,
    Json,
    Text,
}

/// What a model is told, and how.
#[derive(Clone, Debug, Default)]
pub struct Variant;

impl Variant {
    pub(super) fn shows_legal(&self) -> bool {
        true
    }

    pub(super) fn keeps_notes(&self) -> bool {
        false
    }

    pub(super) fn system(&self, ruleset: &Ruleset, seats: usize, by: AnswerBy, language: Language) -> String {
        let answer = match by {
            AnswerBy::Tools => "Answer by calling `act` with the action.",
            AnswerBy::Json => "Answer with one JSON object that has the action in notation as `action`.",
            AnswerBy::Text => "End your answer with a line that has the action in notation and nothing else.",
        };
        format!("{}\n{answer}\n", briefs::brief(ruleset, seats, language))
    }

    pub(super) fn turn(
        &self,
        table: &Table,
        seat: Seat,
        events: &[Event],
        said: &[(Seat, String)],
        language: Language,
    ) -> String {
        briefs::turn(&briefs::Turn { table, seat, events, said }, &Section::ALL, language)
    }

    pub(super) fn refused(
        &self,
        table: &Table,
        seat: Seat,
        text: &str,
        problem: &Problem,
        attempt: u32,
        language: Language,
    ) -> String {
        let refusal = match problem {
            Problem::Refused(refusal) => refusal.clone(),
            other => Refusal::new(Code::UnreadableAction, other.to_string()),
        };
        briefs::refused(table, seat, text, &refusal, attempt, language)
    }
}
