//! The fingerprint of what a model is told.

use serde_json::json;
use sha2::{Digest as _, Sha256};

use super::Variant;
use crate::briefs::book::leaves;
use crate::briefs::tools::answer_schema;
use crate::briefs::{AnswerBy, Language, Offer};
use crate::games::{GameId, Ruleset, Seat, library};

/// The common terms that the messages of a match are made of, beside those of the games.
const TOLD: [&str; 10] =
    ["bad_json", "board", "direction", "events", "fact", "failed", "illegal", "list", "reason", "refusals"];

impl Variant {
    /// The fingerprint of what is sent to a model that is asked in these ways, in this language: the system message of
    /// every built-in ruleset, tools and schema as they are, and all that the later messages are made of. What is not sent
    /// is not in it: the variant's name, its other language, parts that it leaves out.
    pub fn hash(&self, ways: &[AnswerBy], language: Language) -> String {
        let mut digest = Sha256::new();
        let mut add = |text: &str| {
            digest.update((text.len() as u64).to_le_bytes());
            digest.update(text);
        };
        for name in library::rulesets() {
            // In a tournament more is said: that there was an opening.
            let ruleset = Ruleset::named(name).expect("it is built in").for_tournament(None);
            for &by in ways {
                add(&self.system(&ruleset, ruleset.players.default, Seat::new(0), by, language));
            }
        }
        let (legal, notes) = (self.shows_legal(), self.keeps_notes());
        for talk in [false, true] {
            if ways.contains(&AnswerBy::Tools) {
                for tool in self.tools(Offer { legal, talk, notes }, language) {
                    add(&json!([tool.name, tool.description, tool.input_schema]).to_string());
                }
            }
            if ways.contains(&AnswerBy::Json) {
                add(&answer_schema(talk, notes).to_string());
            }
        }
        let content = &self.content;
        add(&json!([content.turn, content.board, content.history]).to_string());
        let book = self.book(language);
        for file in ["turn.md", "refused.md"] {
            add(book.templates.get_template(file).expect("a file of every book").source());
        }
        let is_told = |name: &str| {
            let (head, rest) = name.split_once('.').unwrap_or((name, ""));
            let of_a_game = GameId::NAMES.iter().any(|(game, _)| *game == head);
            if of_a_game { !rest.starts_with("quiz") } else { TOLD.contains(&head) || name == "said" || name == "form" }
        };
        for (name, text) in leaves(&book.terms) {
            let note = ways.contains(&AnswerBy::Tools) && name.starts_with("tools.note.");
            if note || is_told(&name) {
                add(&name);
                add(&text);
            }
        }
        let half = digest.finalize()[..16].try_into().expect("a digest has 32 bytes");
        format!("{:032x}", u128::from_be_bytes(half))
    }
}
