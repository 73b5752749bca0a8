//! Colours and fonts written out at every element, for whoever draws without style sheets; the classes stay for the dark.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::OnceLock;

const STYLE: &str = include_str!("style.css");

/// What a rule of the style sheet asks for.
struct Rule {
    /// The element, or all of these classes.
    element: Option<&'static str>,
    classes: Vec<&'static str>,
    declarations: Vec<(&'static str, &'static str)>,
}

/// The rules for light pages, and the part for dark ones as it stands.
struct Style {
    rules: Vec<Rule>,
    dark: &'static str,
}

fn style() -> &'static Style {
    static READ: OnceLock<Style> = OnceLock::new();
    READ.get_or_init(|| {
        let (light, dark) = STYLE.split_at(STYLE.find("@media").unwrap_or(STYLE.len()));
        let mut rules = Vec::new();
        for rule in light.split('}') {
            let Some((selectors, body)) = rule.split_once('{') else { continue };
            let declarations = body.split(';').filter_map(|one| one.split_once(':'));
            let declarations: Vec<_> = declarations.map(|(name, value)| (name.trim(), value.trim())).collect();
            for selector in selectors.split(',').map(str::trim) {
                let (element, classes) = match selector.split_once('.') {
                    Some((_, classes)) => (None, classes.split('.').collect()),
                    None => (Some(selector), Vec::new()),
                };
                rules.push(Rule { element, classes, declarations: declarations.clone() });
            }
        }
        Style { rules, dark: dark.trim_end() }
    })
}

/// What remains a style sheet: the colours of dark pages.
pub(super) fn dark() -> &'static str {
    style().dark
}

/// The drawing with what its classes ask for written out as attributes.
pub(in crate::pictures) fn literal(svg: &str) -> String {
    let mut out = String::with_capacity(svg.len() * 2);
    let mut rest = svg;
    while let Some(start) = rest.find('<') {
        let (text, tag) = rest.split_at(start);
        out.push_str(text);
        let end = tag.find('>').map_or(tag.len(), |end| end + 1);
        let (tag, after) = tag.split_at(end);
        write_tag(tag, &mut out);
        rest = after;
    }
    out.push_str(rest);
    out
}

fn write_tag(tag: &str, out: &mut String) {
    let name = tag[1..].split([' ', '>', '/']).next().unwrap_or_default();
    let classes = tag.split_once(" class=\"").and_then(|(_, rest)| rest.split_once('"')).map_or("", |(found, _)| found);
    let classes: Vec<&str> = classes.split_whitespace().collect();
    let is_asked = |rule: &&Rule| match rule.element {
        Some(element) => element == name,
        None => rule.classes.iter().all(|class| classes.contains(class)),
    };
    let mut attributes = BTreeMap::new();
    // What more is asked of wins, then what is asked for later.
    for more in 0..3 {
        for rule in style().rules.iter().filter(|rule| rule.classes.len() == more).filter(is_asked) {
            attributes.extend(rule.declarations.iter().copied());
        }
    }
    let own = |attribute: &str| tag.contains(&format!(" {attribute}=\""));
    attributes.retain(|attribute, _| !own(attribute));
    let (head, tail) = tag.split_at(1 + name.len());
    out.push_str(head);
    for (attribute, value) in attributes {
        let _ = write!(out, " {attribute}=\"{}\"", value.replace('"', "'"));
    }
    out.push_str(tail);
}
