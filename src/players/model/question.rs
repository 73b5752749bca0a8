//! Questions that are no turn of a match: those of a quiz.

use std::sync::Arc;

use super::Model;
use super::call::{CallContext, Unasked};
use super::conversation::{Form, Message};
use crate::briefs::{AnswerBy, Language, SystemPrompt};
use crate::games::ruleset::Ruleset;
use crate::games::seat::Seat;
use crate::matches::Call;
use crate::players::turn::TurnLog;

impl Model {
    /// The language it is addressed in, where the match has this one.
    pub fn language(&self, of_match: Language) -> Language {
        self.inner.variant.language(self.inner.profile.language.unwrap_or(of_match))
    }

    /// What its prompt says of the rules, as it would get it on a seat.
    pub fn briefing(&self, ruleset: &Ruleset, seats: usize, seat: Seat, language: Language) -> String {
        self.inner.variant.system(ruleset, seats, seat, AnswerBy::Text, language)
    }

    /// Puts one question and gives the answer as text, whatever it is; nothing where it was cut off or declined. `name` is what the journal knows it by.
    ///
    /// # Errors
    /// If there is no answer, by nobody's fault but the backend's or the budget's: what failed, and what to do.
    pub async fn question(&self, name: &str, system: &str, message: &str) -> Result<(String, Call), String> {
        let max_tokens = self.inner.profile.max_output_tokens;
        let messages = [Message::System(Arc::new(SystemPrompt::shared(system))), Message::User(message.to_owned())];
        let seat = Seat::new(0);
        let log = &TurnLog::default();
        let context = CallContext { match_id: Some(name), seat, turn: 0, ordinal: 0, log, known: false };
        match self.ask(context, &messages, &Form::Text, max_tokens).await {
            // What is not whole is no answer.
            Ok((reply, call)) if reply.is_whole() => Ok((reply.content, call)),
            Ok((_, call)) => Ok((String::new(), call)),
            Err(Unasked::Backend(why) | Unasked::Withheld(why)) => Err(why),
            Err(Unasked::TooSlow) => Err("no answer in time".to_owned()),
        }
    }
}
