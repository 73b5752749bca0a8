//! Rulesets, positions, events and refusals in words, English and Chinese as equals.
//!
//! All words stand in `prompts/en` and `prompts/zh`, file for file the same: `NAME.md` and `NAME.toml` with the brief and
//! the sentences of each game, and what all games share: the messages of a turn (`role`, `turn`, `refused`, `answer`),
//! `terms.toml`, `tools.toml`, `bots.toml` and `quiz.toml`. They are templates; every number in them comes from the
//! resolved ruleset, and every example is played on the engine before it is told. What fills them in comes from
//! [`games::words`](crate::games::words): no line here knows a single game. What the built-in templates may say is checked
//! by tests, so nothing here can fail; a variant's own files are tried out when they are read.

mod book;
mod brief;
mod failures;
mod labels;
mod language;
mod lobby;
mod question;
mod quoted;
mod refusal;
mod review;
mod seated;
mod style;
#[cfg(test)]
mod tests;
mod tools;
mod turn;
mod variant;

pub use self::book::terms;
pub use self::brief::{AnswerBy, ParseAnswerByError, brief, live_brief};
pub use self::failures::{failure_sentences, refused_reason};
pub use self::labels::{action_words, label, worded_controls, worded_scene};
pub use self::language::{Language, ParseLanguageError};
pub use self::lobby::{Hint, ask_person, hint, prompt, what_if, what_if_events, what_ifs, what_ifs_text};
pub use self::question::{question_message, question_text, rule_name};
pub use self::quoted::{markup, quoted};
pub use self::refusal::{refusal, refused};
pub use self::review::{Alternative, Loss, Quality, loss_sentences};
pub use self::seated::{SeatResult, action_form, position, sentences, verdict, verdict_sentence};
pub use self::style::Style;
pub use self::tools::{Offer, Tool, ToolNote, answer_schema, bot_sentence, tool_note, tool_text, tools};
pub use self::turn::{
    Past, Section, TurnContext, board, event_sentence, event_sentences, opening_sentence, said_sentence, turn,
};
pub use self::variant::{MAX_NOTES, Part, SystemPrompt, Variant, VariantError, variant_file, variants};
