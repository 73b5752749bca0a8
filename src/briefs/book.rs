//! The templates and terms of one language.

use std::sync::LazyLock;

use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment, Error, ErrorKind, State, UndefinedBehavior, Value, context};
use serde_json::Value as Json;

use super::language::Language;
use super::quoted::quoted;
use crate::games::seat::Seat;

/// The files of a folder under `prompts`, embedded.
macro_rules! folder {
    ($language:literal) => {
        Folder {
            terms: include_str!(concat!("../../prompts/", $language, "/terms.toml")),
            quiz: include_str!(concat!("../../prompts/", $language, "/quiz.toml")),
            scene: include_str!(concat!("../../prompts/", $language, "/scene.toml")),
            templates: [
                ("answer.md", include_str!(concat!("../../prompts/", $language, "/answer.md"))),
                ("brief-cowboy.md", include_str!(concat!("../../prompts/", $language, "/brief-cowboy.md"))),
                ("brief-paint.md", include_str!(concat!("../../prompts/", $language, "/brief-paint.md"))),
                ("brief-royale.md", include_str!(concat!("../../prompts/", $language, "/brief-royale.md"))),
                ("refused.md", include_str!(concat!("../../prompts/", $language, "/refused.md"))),
                ("role.md", include_str!(concat!("../../prompts/", $language, "/role.md"))),
                ("turn.md", include_str!(concat!("../../prompts/", $language, "/turn.md"))),
            ],
        }
    };
}

struct Folder {
    terms: &'static str,
    /// Questions and reviews, which no player of a match is told.
    quiz: &'static str,
    /// Words on pictures and buttons, which no player of a match is told.
    scene: &'static str,
    templates: [(&'static str, &'static str); 7],
}

const EN_FOLDER: Folder = folder!("en");
const ZH_FOLDER: Folder = folder!("zh");

static EN: LazyLock<Book> = LazyLock::new(|| Book::new(Language::En, &EN_FOLDER));
static ZH: LazyLock<Book> = LazyLock::new(|| Book::new(Language::Zh, &ZH_FOLDER));

/// The files that the words of a match come from, with their names.
pub(super) fn files(language: Language) -> impl Iterator<Item = (&'static str, &'static str)> {
    let folder = match language {
        Language::En => EN_FOLDER,
        Language::Zh => ZH_FOLDER,
    };
    folder.templates.into_iter().chain([("terms.toml", folder.terms)])
}

/// The words of a language as JSON, for pages and tables: directions, actions, reasons, headings. Those with braces are
/// templates of whole sentences.
pub fn terms(language: Language) -> &'static Json {
    &Book::of(language).terms
}

/// All that can be said in one language.
pub(super) struct Book {
    pub(super) terms: Json,
    pub(super) templates: Environment<'static>,
}

impl Book {
    pub(super) fn of(language: Language) -> &'static Book {
        match language {
            Language::En => &EN,
            Language::Zh => &ZH,
        }
    }

    fn new(language: Language, folder: &Folder) -> Book {
        let terms: Json = toml::from_str(folder.terms).expect("embedded terms are TOML");
        let mut templates = Environment::new();
        templates.set_undefined_behavior(UndefinedBehavior::Strict);
        templates.set_auto_escape_callback(|_| AutoEscape::None);
        let syntax = SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build();
        templates.set_syntax(syntax.expect("the usual delimiters"));
        templates.add_filter("at", at);
        templates.add_filter("s", |count: i64| if count == 1 { "" } else { "s" });
        templates.add_filter("ranked", ranked);
        templates.add_filter("quoted", move |text: String| quoted(&text, language));
        templates.add_filter("played", played);
        templates.add_filter("list", move |items: Vec<String>| list(language, &items));
        let words = terms.clone();
        templates.add_filter("word", move |key: String, path: String| {
            let word = find(&words, &format!("{path}.{key}")).map(ToOwned::to_owned);
            word.ok_or_else(|| Error::new(ErrorKind::InvalidOperation, format!("no term `{path}.{key}`")))
        });
        for (name, text) in folder.templates {
            templates.add_template(name, text).expect("embedded templates are checked by tests");
        }
        let quiz: Json = toml::from_str(folder.quiz).expect("embedded terms are TOML");
        let scene: Json = toml::from_str(folder.scene).expect("embedded terms are TOML");
        for (name, text) in leaves(&terms).into_iter().chain(leaves(&quiz)).chain(leaves(&scene)) {
            templates.add_template_owned(name, text).expect("embedded terms are checked by tests");
        }
        Book { terms, templates }
    }

    /// Whether there is a template or a term of this name.
    pub(super) fn has(&self, name: &str) -> bool {
        self.templates.get_template(name).is_ok()
    }

    /// A template or a term, filled in. No more than one empty line stands together.
    pub(super) fn render(&self, name: &str, context: Json) -> String {
        let template = self.templates.get_template(name).expect("a name from this module");
        let text = template.render(Serde(context)).expect("embedded templates are checked by tests");
        let mut lines: Vec<&str> = Vec::new();
        for line in text.lines().map(str::trim_end) {
            if !line.is_empty() || lines.last().is_some_and(|last| !last.is_empty()) {
                lines.push(line);
            }
        }
        lines.join("\n").trim_end().to_owned()
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

fn find<'a>(terms: &'a Json, path: &str) -> Option<&'a str> {
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
