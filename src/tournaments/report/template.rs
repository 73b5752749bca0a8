//! The templates of a report.

use std::sync::LazyLock;

use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment, Error, Output, State, UndefinedBehavior, Value, escape_formatter};
use serde::Serialize;

use crate::briefs::markup;

static TEMPLATES: LazyLock<Environment<'static>> = LazyLock::new(|| {
    let mut templates = Environment::new();
    templates.set_undefined_behavior(UndefinedBehavior::Strict);
    templates.set_formatter(escaped);

    let syntax = SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).keep_trailing_newline(true).build();
    templates.set_syntax(syntax.expect("the usual delimiters"));
    templates.add_filter("plain", |text: String| plain(&text));
    templates.add_filter("indented", |text: String| indented(&text));
    for (name, text) in [("page.html", include_str!("page.html")), ("page.md", include_str!("page.md"))] {
        templates.add_template(name, text).expect("embedded templates are checked by tests");
    }
    templates
});

/// A template, filled in.
pub(super) fn render(name: &str, page: &impl Serialize) -> String {
    let template = TEMPLATES.get_template(name).expect("a name from this module");
    template.render(Serde(page)).expect("embedded templates are checked by tests")
}

/// Texts in HTML are escaped as everywhere else.
fn escaped(out: &mut Output<'_>, state: &mut State<'_, '_>, value: &Value) -> Result<(), Error> {
    match value.as_str() {
        Some(text) if !value.is_safe() && matches!(state.auto_escape(), AutoEscape::Html) => {
            Ok(out.write_str(&markup(text))?)
        }
        _ => escape_formatter(out, state, value),
    }
}

/// Text on one line of Markdown that starts no table and no tag.
fn plain(text: &str) -> String {
    text.replace('\n', " ").replace('|', "\\|").replace('<', "&lt;")
}

/// Lines of code within a list.
fn indented(text: &str) -> String {
    let lines: Vec<String> = text.replace("```", "'''").lines().map(|line| format!("  {line}")).collect();
    lines.join("\n")
}
