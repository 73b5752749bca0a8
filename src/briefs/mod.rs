//! Rulesets, positions, events and refusals in words, English and Chinese as equals.
//!
//! All words stand in `prompts/en` and `prompts/zh`, file for file the same: a brief for each game, the messages of a
//! turn, and `terms.toml` with words and sentences. They are templates; every number in them comes from the resolved
//! ruleset, and every example is played on the engine before it is told. What the templates may say is checked by
//! tests, so nothing here can fail.

mod book;
mod brief;
mod cowboy;
mod labels;
mod language;
mod lobby;
mod paint;
mod question;
mod quoted;
mod refusal;
mod review;
mod royale;
mod sketch;
mod style;
#[cfg(test)]
mod tests;
mod tools;
mod turn;
mod variant;

pub use self::book::terms;
pub use self::brief::{AnswerBy, ParseAnswerByError, brief, live_brief};
pub use self::labels::{action_words, label, worded_controls, worded_scene};
pub use self::language::{Language, ParseLanguageError};
pub use self::lobby::{Hint, ask_person, hint, prompt, what_if, what_if_events, what_ifs, what_ifs_text};
pub use self::question::{question_message, question_text, rule_name};
pub use self::quoted::{markup, quoted};
pub use self::refusal::{refusal, refused};
pub use self::review::{Alternative, Loss, Quality, loss_sentences};
pub use self::style::Style;
pub use self::tools::{Offer, Tool, ToolNote, tool_note, tools};
pub use self::turn::{Past, Section, TurnContext, board, event_sentence, said_sentence, turn};
pub use self::variant::{MAX_NOTES, Part, Variant, VariantError, variant_file, variants};
