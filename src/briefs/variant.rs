//! Prompt variants: what a model is told, and how. A variant is a file; `prompts/variants/standard.toml` documents every
//! field.

mod hash;
mod prompts;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use serde::Serialize;
use serde_json::json;

use self::prompts::{Prompts, rehearse};
use super::book::{BadPrompt, Book};
use super::brief::{self, AnswerBy, Wanted};
use super::language::Language;
use super::refusal::failed;
use super::style::{Style, has_same_actions};
use super::tools::{self, Offer, Tool, ToolNote};
use super::turn::{self, Section, TurnContext};
use crate::games::View;
use crate::games::ruleset::Ruleset;
use crate::games::seat::Seat;
use crate::games::speech::Speech;
use crate::matches::Attempt;
use crate::settings::did_you_mean;
use crate::settings::fields::{BadFile, Fields, FileProblem, Place, Reader};
use crate::settings::files::Files;

/// The longest note that a player may leave for itself, in Unicode scalar values.
pub const MAX_NOTES: usize = 1000;

const BUILT_IN: [(&str, &str); 6] = [
    ("standard", include_str!("../../prompts/variants/standard.toml")),
    ("bare", include_str!("../../prompts/variants/bare.toml")),
    ("json-board", include_str!("../../prompts/variants/json-board.toml")),
    ("list-board", include_str!("../../prompts/variants/list-board.toml")),
    ("no-legal", include_str!("../../prompts/variants/no-legal.toml")),
    ("scratchpad", include_str!("../../prompts/variants/scratchpad.toml")),
];

/// The names of the built-in variants.
pub fn variants() -> impl Iterator<Item = &'static str> {
    BUILT_IN.iter().map(|(name, _)| *name)
}

/// A section of the system prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// The rules of the ruleset.
    Rules,
    /// Worked examples, within the rules.
    Examples,
    /// How to answer, and what failing costs.
    Answer,
    /// What is easily got wrong.
    Tips,
    /// Which seat the model has, what the referee does, whose words are whose.
    Role,
    /// The variant's own words.
    Extra,
}

impl Part {
    /// Those that the brief is made of.
    pub(super) const BRIEF: [Part; 4] = [Part::Rules, Part::Examples, Part::Answer, Part::Tips];

    const NAMES: [(&str, Part); 6] = [
        ("rules", Part::Rules),
        ("examples", Part::Examples),
        ("answer", Part::Answer),
        ("tips", Part::Tips),
        ("role", Part::Role),
        ("extra", Part::Extra),
    ];
}

/// Why there is no such variant.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum VariantError {
    /// Nothing of that name is built in.
    #[error("no prompt variant `{0}` is built in; available: {names}{meant}", names = names(), meant = did_you_mean(.0, variants()))]
    Unknown(String),
    /// The file cannot be read.
    #[error("cannot read the prompt variant `{path}`: {why}")]
    Unread {
        /// The file that cannot be read.
        path: String,
        /// What the system says of it.
        why: String,
    },
    /// The file is no variant. Every problem is named with its place.
    #[error(transparent)]
    Bad(#[from] BadFile),
}

/// What a model is told, and how.
#[derive(Clone, Debug)]
pub struct Variant {
    name: String,
    content: Content,
    /// Its own prompt files, where it has some.
    prompts: Option<Arc<Prompts>>,
    /// How many tokens an answer may have, where the model is told.
    max_output: Option<u32>,
}

impl PartialEq for Variant {
    fn eq(&self, other: &Variant) -> bool {
        let files = |variant: &Variant| variant.prompts.as_ref().map(|prompts| prompts.replaced.clone());
        let said = |variant: &Variant| (variant.name.clone(), variant.content.clone(), variant.max_output);
        said(self) == said(other) && files(self) == files(other)
    }
}

impl Eq for Variant {}

/// All that a variant's file says.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Content {
    language: Option<Language>,
    system: Vec<Part>,
    turn: Vec<Section>,
    board: Style,
    history: usize,
    extra_en: String,
    extra_zh: String,
}

impl Default for Variant {
    fn default() -> Variant {
        Variant::named("standard").expect("it is built in")
    }
}

impl Variant {
    /// A built-in variant.
    ///
    /// # Errors
    /// If there is none of that name.
    pub fn named(name: &str) -> Result<Variant, VariantError> {
        let text = variant_file(name).ok_or_else(|| VariantError::Unknown(name.to_owned()))?;
        Variant::read(name, text)
    }

    /// A variant from the text of its file, without prompt files of its own. It is called after the file.
    ///
    /// # Errors
    /// With every problem of it.
    pub fn read(source: &str, text: &str) -> Result<Variant, VariantError> {
        let (variant, prompts) = Variant::parse(source, text)?;
        match prompts {
            None => Ok(variant),
            Some((_, place)) => Err(BadFile::new(place, "`prompts` needs the variant to be read from a file").into()),
        }
    }

    /// The variant, and the folder of its own prompt files with the place where it is named.
    fn parse(source: &str, text: &str) -> Result<(Variant, Option<(String, Place)>), VariantError> {
        let mut fields = Fields::from_toml(source, text)?;
        let prompts = fields.take_text("prompts")?;
        if let Some((base, place)) = fields.take_text("base")? {
            let below = variant_file(&base).ok_or_else(|| {
                BadFile::new(
                    place,
                    format!("`base` must be a built-in variant, not \"{base}\"; available: {}", names()),
                )
            })?;
            let mut below = Fields::from_toml(&base, below)?;
            // The built-in ones stand on `standard` at the most.
            if let Some((base, _)) = below.take_text("base")? {
                let mut bottom = Fields::from_toml(&base, variant_file(&base).unwrap_or_default())?;
                bottom.overlay(below);
                below = bottom;
            }
            below.overlay(fields);
            fields = below;
        }
        let file = source.rsplit(['/', '\\']).next().unwrap_or(source);
        let name = file.strip_suffix(".toml").unwrap_or(file).to_owned();
        Ok((Variant { name, content: Content::read(fields)?, prompts: None, max_output: None }, prompts))
    }

    /// A built-in variant, or else the file of that path with the prompt files that it names. These are tried out on every
    /// built-in ruleset, so that nothing is left to fail in a match.
    ///
    /// # Errors
    /// If there is neither, or with every problem of the files.
    pub fn load(name: &str, files: &dyn Files) -> Result<Variant, VariantError> {
        if variant_file(name).is_some() {
            return Variant::named(name);
        }
        if !name.contains(['/', '\\', '.']) {
            return Err(VariantError::Unknown(name.to_owned()));
        }
        let text = files.read(name).map_err(|why| VariantError::Unread { path: name.to_owned(), why })?;
        let (mut variant, named) = Variant::parse(name, &text)?;
        let Some((folder, place)) = named else { return Ok(variant) };
        let above = name.rfind(['/', '\\']).map_or("", |end| &name[..=end]);
        let folder = format!("{above}{}", folder.trim_end_matches('/'));
        let located = |bad: BadPrompt| FileProblem {
            place: place.clone(),
            message: format!("`prompts`: {folder}/{}: {}", bad.file, bad.why),
        };
        let refuse = |problems: Vec<BadPrompt>| BadFile { problems: problems.into_iter().map(located).collect() };
        let prompts = Arc::new(Prompts::read(&folder, files).map_err(refuse)?);
        variant.prompts = Some(prompts.clone());
        let problems = rehearse(&variant, &prompts);
        if problems.is_empty() { Ok(variant) } else { Err(refuse(problems).into()) }
    }

    /// What it says things with.
    fn book(&self, language: Language) -> &Book {
        self.prompts.as_ref().map_or_else(|| Book::of(language), |prompts| prompts.book(language))
    }

    /// The same for a model whose answers are cut off after so many tokens, and which is told so.
    #[must_use]
    pub fn with_output_limit(self, tokens: u32) -> Variant {
        Variant { max_output: Some(tokens), ..self }
    }

    /// What records call it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The language that the model is addressed in, in a match of this language.
    pub fn language(&self, of_match: Language) -> Language {
        self.content.language.unwrap_or(of_match)
    }

    /// How many of its earlier turns the model is told of.
    pub fn history(&self) -> usize {
        self.content.history
    }

    /// Whether the model may know what is legal without finding out for itself.
    pub fn shows_legal(&self) -> bool {
        self.content.turn.contains(&Section::Legal)
    }

    /// Whether the model may leave notes for itself.
    pub fn keeps_notes(&self) -> bool {
        self.content.turn.contains(&Section::Notes)
    }

    /// How positions are shown.
    pub fn style(&self) -> Style {
        self.content.board
    }

    /// The system prompt of a seat among so many, as one text.
    pub fn system(&self, ruleset: &Ruleset, seats: usize, seat: Seat, by: AnswerBy, language: Language) -> String {
        self.system_prompt(ruleset, seats, seat, by, language).text
    }

    /// The system prompt of a seat among so many.
    pub fn system_prompt(
        &self,
        ruleset: &Ruleset,
        seats: usize,
        seat: Seat,
        by: AnswerBy,
        language: Language,
    ) -> SystemPrompt {
        let is_brief = |part: &Part| Part::BRIEF.contains(part);
        let parts = self.content.system.chunk_by(|a, b| is_brief(a) && is_brief(b));
        let sections = parts.map(|parts| (parts[0] == Part::Role, parts)).map(|(is_role, parts)| {
            let section = match parts[0] {
                Part::Role => role(ruleset, seats, seat, self.book(language)),
                Part::Extra => self.extra(language).to_owned(),
                Part::Rules | Part::Examples | Part::Answer | Part::Tips => {
                    let wanted = Wanted {
                        parts,
                        by: Some(by),
                        style: self.content.board.for_ruleset(ruleset),
                        turn: &self.content.turn,
                        max_output: self.max_output,
                    };
                    brief::write(ruleset, seats, &wanted, self.book(language))
                }
            };
            (is_role, section)
        });
        let mut prompt = SystemPrompt { text: String::new(), shared: None };
        for (is_role, section) in sections {
            let section = section.trim();
            if section.is_empty() {
                continue;
            }
            if !prompt.text.is_empty() {
                prompt.text.push_str("\n\n");
            }
            if is_role {
                prompt.shared.get_or_insert(prompt.text.len());
            }
            prompt.text.push_str(section);
        }
        prompt.text.push('\n');
        prompt
    }

    /// The message of a turn.
    pub fn turn(&self, context: &TurnContext<'_>, language: Language) -> String {
        let from = context.history.len().saturating_sub(self.content.history);
        let context = TurnContext { history: &context.history[from..], ..*context };
        // What never changes is in the rules.
        let is_rule = |section: &Section| *section == Section::Legal && has_same_actions(context.view.ruleset());
        let sections: Vec<Section> = self.content.turn.iter().copied().filter(|section| !is_rule(section)).collect();
        turn::write(&context, &sections, self.content.board, self.book(language))
    }

    /// The message after an answer that was not taken: why, and what is left. `count` counts those of this turn, from 1.
    pub fn refused(
        &self,
        view: &View,
        seat: Seat,
        attempt: &Attempt,
        count: u32,
        by: AnswerBy,
        language: Language,
    ) -> String {
        failed(view, seat, attempt, count, by, self.book(language))
    }

    /// The tools that the model plays with, always in the same order.
    pub fn tools(&self, offer: Offer, language: Language) -> Vec<Tool> {
        tools::describe(offer, self.book(language))
    }

    /// What the model is told of a tool call that did not end its turn.
    pub fn tool_note(&self, note: ToolNote<'_>, language: Language) -> String {
        tools::tell_note(note, self.book(language))
    }

    fn extra(&self, language: Language) -> &str {
        match language {
            Language::En => &self.content.extra_en,
            Language::Zh => &self.content.extra_zh,
        }
    }
}

impl Content {
    fn read(fields: Fields) -> Result<Content, BadFile> {
        let languages = [("match", None), ("en", Some(Language::En)), ("zh", Some(Language::Zh))];
        let mut reader = Reader::new(fields);
        let [of_system, of_turn, of_history] = ["system", "turn", "history"].map(|key| reader.place(key));
        let language = reader.choice("language", &languages);
        let system = reader.choices("system", &Part::NAMES);
        let turn = reader.choices("turn", &Section::NAMES);
        let board = reader.choice("board", &Style::NAMES);
        let history = reader.int("history", 0..=50);
        let mut extra = reader.table("extra");
        let [of_en, of_zh] = ["en", "zh"].map(|key| extra.place(key));
        let (extra_en, extra_zh) = (extra.prose("en", 8000), extra.prose("zh", 8000));
        reader.close(extra);
        let of_extra = if extra_en.is_empty() { of_zh } else { of_en };
        let content = Content { language, system, turn, board, history, extra_en, extra_zh };
        if reader.problems.is_empty() {
            for (place, problem) in [of_system, of_turn, of_history, of_extra].iter().zip(content.problems()) {
                if let Some(problem) = problem {
                    reader.problem(place, problem);
                }
            }
        }
        reader.finish()?;
        Ok(content)
    }

    /// What does not fit together, for `system`, `turn`, `history` and `extra`.
    fn problems(&self) -> [Option<&'static str>; 4] {
        let retells = self.turn.contains(&Section::History);
        let speaks = !self.extra_en.is_empty() || !self.extra_zh.is_empty();
        let both = self.extra_en.is_empty() == self.extra_zh.is_empty();
        let extra = if speaks && !self.system.contains(&Part::Extra) {
            Some("there are words in `extra`, but `system` has no section \"extra\"")
        } else if !both && self.language.is_none() {
            Some("`extra` must have words in both languages, or `language` must be the one that has")
        } else {
            None
        };
        [
            self.system.is_empty().then_some("`system` must have a section"),
            self.turn.is_empty().then_some("`turn` must have a section"),
            match (retells, self.history) {
                (true, 0) => Some("`history` must be 1 or more: `turn` has the section \"history\""),
                (false, 1..) => Some("`history` must be 0, or `turn` must have the section \"history\""),
                _ => None,
            },
            extra,
        ]
    }
}

/// What a model is told before the first turn, and how much of it is the same for every seat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SystemPrompt {
    text: String,
    /// Where what is told to one seat begins.
    shared: Option<usize>,
}

impl SystemPrompt {
    /// A text that is the same for every seat.
    pub fn shared(text: impl Into<String>) -> SystemPrompt {
        SystemPrompt { text: text.into(), shared: None }
    }

    /// All of it.
    pub fn whole(&self) -> &str {
        &self.text
    }

    /// What is the same for every seat and what follows, without what is empty. The pieces make up the whole.
    pub fn parts(&self) -> Vec<&str> {
        let (shared, own) = self.text.split_at(self.shared.unwrap_or(self.text.len()));
        [shared, own].into_iter().filter(|part| !part.is_empty()).collect()
    }
}

/// Who the model is at the table.
fn role(ruleset: &Ruleset, seats: usize, seat: Seat, book: &Book) -> String {
    let others: Vec<Seat> = Seat::first(seats).filter(|&other| other != seat).collect();
    let talk = ruleset.speech != Speech::Off;
    let context =
        json!({ "name": ruleset.name, "seat": seat, "alone": others.is_empty(), "others": others, "talk": talk });
    book.render("role.md", context)
}

/// The file of a built-in variant.
pub fn variant_file(name: &str) -> Option<&'static str> {
    BUILT_IN.iter().find(|(other, _)| *other == name).map(|(_, text)| *text)
}

fn names() -> String {
    variants().collect::<Vec<_>>().join(", ")
}
