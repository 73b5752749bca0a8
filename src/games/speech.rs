//! What players say to each other.

use super::refusal::{Code, Illegal, Refusal};

/// The longest message, in Unicode scalar values after trimming.
pub const MAX_MESSAGE: usize = 140;

/// The longest reasoning that is kept for spectators, in Unicode scalar values.
pub const MAX_REASONING: usize = 200;

/// The longest text that a record keeps of what a player wrote on its way to an action, in Unicode scalar values.
pub(super) const MAX_THOUGHTS: usize = 2000;

/// What speaking costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Speech {
    /// It is the turn's action.
    Turn,
    /// One message a turn, beside the action.
    Free,
    /// Messages are not allowed.
    Off,
}

impl Speech {
    /// The names in a ruleset.
    pub const NAMES: [(&str, Speech); 3] = [("turn", Speech::Turn), ("free", Speech::Free), ("off", Speech::Off)];

    /// Whether this can be said beside the action.
    ///
    /// # Errors
    /// If talk is not free, or the message is none.
    pub fn check_beside(self, text: &str) -> Result<(), Refusal> {
        let refuse = |message: &str| Err(Refusal::new(Code::BadRequest, message));
        match self {
            Speech::Free => check_message(text).map_err(|bad| Refusal::new(bad.code(), bad.to_string())),
            Speech::Turn => refuse("in this ruleset speaking is the turn's action: act with `speak TEXT`"),
            Speech::Off => refuse("nobody speaks in this ruleset"),
        }
    }
}

/// A message that cannot be said.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadMessage {
    /// Nothing but white space.
    #[error("`speak` needs a text of 1 to {MAX_MESSAGE} characters")]
    Empty,
    /// Too many characters.
    #[error("the message has {length} characters, at most {MAX_MESSAGE} are allowed; shorten it")]
    TooLong {
        /// How many characters it has.
        length: usize,
    },
    /// A line break or another control character.
    #[error("the message has a control character (a line break, say); use plain text on one line")]
    Control,
}

impl Illegal for BadMessage {
    fn code(&self) -> Code {
        match self {
            BadMessage::Empty => Code::SpeakEmpty,
            BadMessage::TooLong { .. } => Code::SpeakTooLong,
            BadMessage::Control => Code::UnreadableAction,
        }
    }
}

/// Whether this can be said; white space around it does not count.
///
/// # Errors
/// With the reason why not.
pub fn check_message(text: &str) -> Result<(), BadMessage> {
    let text = text.trim();
    let length = text.chars().count();
    if length == 0 {
        Err(BadMessage::Empty)
    } else if length > MAX_MESSAGE {
        Err(BadMessage::TooLong { length })
    } else if text.chars().any(char::is_control) {
        Err(BadMessage::Control)
    } else {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_counted_in_characters_after_trimming() {
        assert_eq!(check_message(&"牛".repeat(140)), Ok(()));
        assert_eq!(check_message(&format!("  {}  ", "a".repeat(140))), Ok(()));
        assert_eq!(check_message(&"牛".repeat(141)), Err(BadMessage::TooLong { length: 141 }));
        assert_eq!(check_message(" \u{3000} \n"), Err(BadMessage::Empty));
        assert_eq!(check_message("a\nb"), Err(BadMessage::Control));
        assert_eq!(check_message("a\u{7f}b"), Err(BadMessage::Control));
    }

    #[test]
    fn beside_the_action_one_speaks_only_where_talk_is_free() {
        let code = |speech: Speech, text: &str| speech.check_beside(text).map_err(|refusal| refusal.code);
        assert_eq!(code(Speech::Free, "howdy"), Ok(()));
        assert_eq!(code(Speech::Free, " "), Err(Code::SpeakEmpty));
        assert_eq!(code(Speech::Free, &"a".repeat(141)), Err(Code::SpeakTooLong));
        assert_eq!(code(Speech::Free, "a\nb"), Err(Code::UnreadableAction));
        assert_eq!(code(Speech::Turn, "howdy"), Err(Code::BadRequest));
        assert_eq!(code(Speech::Off, "howdy"), Err(Code::BadRequest));
    }
}
