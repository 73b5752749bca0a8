//! Questions that are no turn of a match: those of a quiz.

use super::request::{Form, Message};
use super::{Errand, Model};
use crate::matches::Call;
use crate::rules::seat::Seat;

impl Model {
    /// Puts one question and gives the answer as text, whatever it is. `name` is what the journal knows it by.
    ///
    /// # Errors
    /// If there is no answer, by nobody's fault but the backend's or the budget's: what failed, and what to do.
    pub async fn question(&self, name: &str, system: &str, message: &str) -> Result<(String, Call), String> {
        let max_tokens = self.inner.profile.max_output_tokens;
        let messages = [Message::System(system.to_owned()), Message::User(message.to_owned())];
        let body = self.body(&messages, &Form::Text, max_tokens);
        let seat = Seat::new(0);
        let errand = Errand { match_id: Some(name), seat, turn: 0, ordinal: 0, spent: 0, deadline: None };
        let (reply, call) = self.ask(errand, body, max_tokens).await?;
        Ok((reply.content, call))
    }
}
