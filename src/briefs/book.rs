//! The templates and terms of one language.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{LazyLock, Mutex, PoisonError};

use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment, Error, ErrorKind, State, UndefinedBehavior, Value, context};
use serde_json::{Map as JsonMap, Value as Json, json};

use super::language::Language;
use super::quoted::quoted;
use crate::games::any::{GameId, each_type};
use crate::games::seat::Seat;
use crate::games::words::{Term, Words};

/// Files under `prompts/en` and `prompts/zh`, embedded.
macro_rules! common {
    ($($name:literal),+) => {
        &[$(
            (concat!("en/", $name), include_str!(concat!("../../prompts/en/", $name))),
            (concat!("zh/", $name), include_str!(concat!("../../prompts/zh/", $name))),
        )+]
    };
}

/// What all games have in common.
const COMMON: &[(&str, &str)] = common!(
    "answer.md",
    "bots.toml",
    "brief.md",
    "opening.md",
    "quiz.toml",
    "refused.md",
    "role.md",
    "scene.toml",
    "terms.toml",
    "tools.toml",
    "turn.md"
);

static EN: LazyLock<Book> = LazyLock::new(|| Book::built_in(Language::En));
static ZH: LazyLock<Book> = LazyLock::new(|| Book::built_in(Language::Zh));

/// Every prompt file by its path, like `en/turn.md`: the common ones, and those of each game.
pub(super) fn files() -> impl Iterator<Item = (&'static str, &'static str)> {
    let games = GameId::NAMES.iter().flat_map(|(_, game)| each_type!(*game, G => <G as Words>::PROMPTS));
    COMMON.iter().chain(games).copied()
}

/// Files that stand in for built-in ones, by their paths.
pub(super) type Replaced = BTreeMap<String, String>;

/// What is wrong with a file that was to replace a built-in one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct BadPrompt {
    /// The path below the variant's folder.
    pub(super) file: String,
    pub(super) why: String,
}

/// The words of a language as JSON: directions, actions, reasons, headings, and those of each game under its name. Those
/// with braces are templates of whole sentences.
pub fn terms(language: Language) -> &'static Json {
    &Book::of(language).terms
}

/// All that can be said in one language.
pub(super) struct Book {
    pub(super) language: Language,
    pub(super) terms: Json,
    pub(super) templates: Environment<'static>,
    built_in: bool,
    /// Templates of a variant that could not be filled in.
    problems: Mutex<Vec<BadPrompt>>,
}

impl fmt::Debug for Book {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Book").field("language", &self.language).finish_non_exhaustive()
    }
}

impl Book {
    pub(super) fn of(language: Language) -> &'static Book {
        match language {
            Language::En => &EN,
            Language::Zh => &ZH,
        }
    }

    fn built_in(language: Language) -> Book {
        let mut book = Book::new(language, &Replaced::new()).expect("embedded templates are checked by tests");
        book.built_in = true;
        book
    }

    /// The words of a language, some of the files replaced. A file of terms need not have all of them: what it leaves out
    /// stays as it is.
    ///
    /// # Errors
    /// With the first template that cannot be read, or term that nobody would use.
    pub(super) fn new(language: Language, replaced: &Replaced) -> Result<Book, BadPrompt> {
        let mut terms = JsonMap::new();
        let mut templates = Environment::new();
        templates.set_auto_escape_callback(|_| AutoEscape::None);
        let syntax = SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build();
        templates.set_syntax(syntax.expect("the usual delimiters"));
        for (path, text) in files() {
            let Some(name) = path.strip_prefix(&format!("{language}/")) else { continue };
            let own = replaced.get(path);
            let bad = |why: String| BadPrompt { file: path.to_owned(), why };
            if let Some(stem) = name.strip_suffix(".toml") {
                let mut table: Json = toml::from_str(text).expect("embedded terms are TOML");
                if let Some(own) = own {
                    let own: Json = toml::from_str(own).map_err(|error| bad(error.to_string()))?;
                    overlay(&mut table, own, "").map_err(bad)?;
                }
                if GameId::NAMES.iter().any(|(game, _)| *game == stem) {
                    terms.insert(stem.to_owned(), table);
                } else {
                    terms.extend(table.as_object().cloned().unwrap_or_default());
                }
            } else {
                let text = own.map_or(text, String::as_str);
                let added = templates.add_template_owned(name, text.to_owned());
                added.map_err(|error| bad(reason(&error)))?;
            }
        }
        let terms = Json::Object(terms);
        for (name, text) in leaves(&terms) {
            let bad = |error: &Error| BadPrompt { file: format!("{language}: `{name}`"), why: reason(error) };
            templates.add_template_owned(name.clone(), text).map_err(|error| bad(&error))?;
        }
        set_up(&mut templates, language, &terms);
        Ok(Book { language, terms, templates, built_in: false, problems: Mutex::default() })
    }

    /// A template or a common term, filled in. No more than one empty line stands together.
    ///
    /// A variant's templates are tried out before they are used; should one fail all the same, the built-in one is told.
    pub(super) fn render(&self, name: &str, context: Json) -> String {
        let template = self.templates.get_template(name).expect("a name from this module");
        let text = match template.render(Serde(&context)) {
            Ok(text) => text,
            Err(error) if self.built_in => unreachable!("embedded templates are checked by tests: {error:#}"),
            Err(error) => {
                let problem = BadPrompt { file: format!("{}: `{name}`", self.language), why: reason(&error) };
                let mut problems = self.problems.lock().unwrap_or_else(PoisonError::into_inner);
                if !problems.contains(&problem) && problems.len() < 20 {
                    problems.push(problem);
                }
                return Book::of(self.language).render(name, context);
            }
        };
        let mut lines: Vec<&str> = Vec::new();
        for line in text.lines().map(str::trim_end) {
            if !line.is_empty() || lines.last().is_some_and(|last| !last.is_empty()) {
                lines.push(line);
            }
        }
        lines.join("\n").trim_end().to_owned()
    }

    /// What could not be filled in so far.
    pub(super) fn problems(&self) -> Vec<BadPrompt> {
        self.problems.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.templates.get_template(name).is_ok()
    }

    /// A game's sentence: in its own words, or else in the common ones; nothing where there are neither.
    pub(super) fn tell(&self, game: &str, term: &Term) -> Option<String> {
        let own = format!("{game}.{}", term.name);
        let name = if self.has(&own) { &own } else { &term.name };
        let mut context = term.context.clone();
        if let Some(fields) = context.as_object_mut() {
            fields.insert("game".to_owned(), json!(game));
        }
        self.has(name).then(|| self.render(name, context))
    }

    /// A term of any game, for what is called the same wherever it stands.
    pub(super) fn find(&self, term: &str) -> Option<String> {
        let names = GameId::NAMES.iter().map(|(game, _)| format!("{game}.{term}"));
        std::iter::once(term.to_owned()).chain(names).find(|name| self.has(name))
    }

    /// Fields and their values, for what nobody has found words for.
    pub(super) fn facts(&self, fields: &JsonMap<String, Json>) -> Vec<String> {
        let value = |value: &Json| value.as_str().map_or_else(|| value.to_string(), ToOwned::to_owned);
        let facts = fields.iter().filter(|(_, value)| !value.is_null());
        facts.map(|(name, it)| self.render("fact", json!({ "name": name, "value": value(it) }))).collect()
    }
}

/// What a template is filled in with, and how.
fn set_up(templates: &mut Environment<'static>, language: Language, terms: &Json) {
    templates.set_undefined_behavior(UndefinedBehavior::Strict);
    templates.add_filter("at", at);
    templates.add_filter("s", |count: i64| if count == 1 { "" } else { "s" });
    templates.add_filter("ranked", ranked);
    templates.add_filter("quoted", move |text: String| quoted(&text, language));
    templates.add_filter("played", played);
    templates.add_filter("list", move |items: Vec<String>| list(language, &items));
    let words = terms.clone();
    templates.add_filter("word", move |state: &State<'_, '_>, key: String, path: String| {
        term(state, &words, &format!("{path}.{key}"))
    });
    let words = terms.clone();
    templates.add_filter("term", move |state: &State<'_, '_>, key: String| term(state, &words, &key));
}

/// A plain term of the game that the template is about, or else a common one.
fn term(state: &State<'_, '_>, terms: &Json, path: &str) -> Result<String, Error> {
    let game = state.lookup("game").and_then(|game| game.as_str().map(ToOwned::to_owned));
    let own = game.and_then(|game| lookup(&terms[game.as_str()], path));
    let word = own.or_else(|| lookup(terms, path)).map(ToOwned::to_owned);
    word.ok_or_else(|| Error::new(ErrorKind::InvalidOperation, format!("no term `{path}`")))
}

/// An error of a template in one line.
fn reason(error: &Error) -> String {
    let place = error.line().map(|line| format!("line {line}: ")).unwrap_or_default();
    let detail = error.detail().map(|detail| format!(": {detail}")).unwrap_or_default();
    format!("{place}{}{detail}", error.kind())
}

/// Puts terms over others that have the same names.
fn overlay(below: &mut Json, over: Json, path: &str) -> Result<(), String> {
    match (below, over) {
        (Json::Object(below), Json::Object(over)) => over.into_iter().try_for_each(|(key, value)| {
            let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
            let below = below.get_mut(&key).ok_or_else(|| format!("unknown term `{path}`"))?;
            overlay(below, value, &path)
        }),
        (below @ Json::String(_), over @ Json::String(_)) => {
            *below = over;
            Ok(())
        }
        (Json::String(_), _) => Err(format!("`{path}` must be a text")),
        _ => Err(format!("`{path}` must be a table")),
    }
}

/// All texts of the terms with their dotted names.
pub(super) fn leaves(terms: &Json) -> Vec<(String, String)> {
    match terms {
        Json::Object(fields) => fields
            .iter()
            .flat_map(|(key, value)| {
                leaves(value).into_iter().map(move |(path, text)| match path.as_str() {
                    "" => (key.clone(), text),
                    _ => (format!("{key}.{path}"), text),
                })
            })
            .collect(),
        Json::String(text) => vec![(String::new(), text.clone())],
        _ => Vec::new(),
    }
}

fn lookup<'a>(terms: &'a Json, path: &str) -> Option<&'a str> {
    path.split('.').try_fold(terms, |terms, key| terms.get(key))?.as_str()
}

/// A cell, written by its two numbers.
fn at(cell: &Value) -> Result<String, Error> {
    Ok(format!("({}, {})", cell.get_item_by_index(0)?, cell.get_item_by_index(1)?))
}

/// What was played, in a sentence: by one, or by all at once.
fn played(state: &State<'_, '_>, actions: &Value) -> Result<String, Error> {
    let alone = actions.len() == Some(1);
    let context = if alone {
        actions.get_item_by_index(0)?
    } else {
        context! { actions }
    };
    let name = if alone { "quiz.one_played" } else { "quiz.all_played" };
    state.env().get_template(name)?.render(context)
}

/// Names in a row, as the language writes it.
fn list(language: Language, items: &[String]) -> String {
    match (language, items.split_last()) {
        (Language::En, Some((last, others))) if !others.is_empty() => format!("{} and {last}", others.join(", ")),
        (Language::En, _) => items.concat(),
        (Language::Zh, _) => items.join("、"),
    }
}

/// The seats of an outcome with their places, the best first.
fn ranked(places: &Value) -> Result<Vec<Value>, Error> {
    let mut ranked: Vec<(i64, Option<Seat>, Value)> = Vec::new();
    for seat in places.try_iter()? {
        ranked.push((i64::try_from(places.get_item(&seat)?)?, seat.to_string().parse().ok(), seat));
    }
    ranked.sort_by_key(|&(place, seat, _)| (place, seat));
    Ok(ranked.into_iter().map(|(place, _, seat)| context! { seat, place }).collect())
}
