//! Reading the fields of a ruleset or another file, from TOML or JSON, so that every problem is found at once and named
//! with its place.

mod optional;

pub use self::optional::FlagOrInt;

use std::collections::BTreeMap;
use std::fmt;
use std::ops::RangeInclusive;
use std::sync::Arc;

use serde_json::Value as Json;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Where a value was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// A file, or what stands for one.
    pub source: Arc<str>,
    /// Line and column, from 1, where the source has lines.
    pub at: Option<(usize, usize)>,
}

impl Place {
    /// A source as a whole.
    pub fn whole(source: impl Into<Arc<str>>) -> Place {
        Place { source: source.into(), at: None }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.source)?;
        if let Some((line, column)) = self.at {
            write!(f, ":{line}:{column}")?;
        }
        Ok(())
    }
}

/// One thing that is wrong with a ruleset, a map or another file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Where it is written.
    pub place: Place,
    /// What, and what is allowed.
    pub message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.message)
    }
}

/// A ruleset that cannot be played.
pub type BadRuleset = BadFile;

/// A file that cannot be used. Every problem is named, a line each.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", lines(problems))]
pub struct BadFile {
    /// All of them, in the order of the file; never empty.
    pub problems: Vec<Problem>,
}

impl BadFile {
    /// One problem alone.
    pub fn new(place: Place, message: impl Into<String>) -> BadFile {
        BadFile { problems: vec![Problem { place, message: message.into() }] }
    }
}

fn lines(problems: &[Problem]) -> String {
    problems.iter().map(Problem::to_string).collect::<Vec<_>>().join("\n")
}

/// A value and where it was written.
#[derive(Clone, Debug)]
pub struct Node {
    value: Value,
    place: Place,
}

#[derive(Clone, Debug)]
enum Value {
    Bool(bool),
    Int(i64),
    Float(f64),
    Text(String),
    List(Vec<Node>),
    Table(Fields),
    Other(&'static str),
}

const RANGE: &str = "a number out of range";
const BOOL: &str = "true or false";

impl Value {
    fn kind(&self) -> &'static str {
        match self {
            Value::Int(_) => "a whole number",
            Value::Float(_) => "a number with a fraction or too many digits",
            Value::Text(_) => "a text",
            Value::List(_) => "a list",
            Value::Table(_) => "a table",
            Value::Bool(_) => BOOL,
            Value::Other(kind) => kind,
        }
    }
}

/// Named values of one or several layers, the later ones on top.
#[derive(Clone, Debug)]
pub struct Fields {
    place: Place,
    nodes: BTreeMap<String, Node>,
}

impl Fields {
    /// No field at all.
    pub fn none(source: &str) -> Fields {
        Fields { place: Place::whole(source), nodes: BTreeMap::new() }
    }

    /// The fields of a TOML text.
    ///
    /// # Errors
    /// With every syntax error.
    pub fn from_toml(source: &str, text: &str) -> Result<Fields, BadFile> {
        let source: Arc<str> = source.into();
        let (table, errors) = DeTable::parse_recoverable(text);
        let spot = Spot::new(&source, text);
        if !errors.is_empty() {
            let problems = errors.iter().map(|error| Problem {
                place: spot.place(error.span().map_or(0, |span| span.start)),
                message: error.message().to_owned(),
            });
            return Err(BadFile { problems: problems.collect() });
        }
        Ok(spot.fields(table.get_ref(), Place::whole(source.clone())))
    }

    /// The fields of a JSON object.
    ///
    /// # Errors
    /// If it is not an object.
    pub fn from_json(source: &str, json: &Json) -> Result<Fields, BadFile> {
        let place = Place::whole(source);
        match json_node(json, &place).value {
            Value::Table(fields) => Ok(fields),
            other => Err(BadFile::new(place, format!("a ruleset is a name or an object, not {}", other.kind()))),
        }
    }

    /// Puts another layer on top of this one. Tables are merged key by key, everything else is replaced.
    pub fn overlay(&mut self, over: Fields) {
        self.place = over.place;
        for (key, node) in over.nodes {
            match (self.nodes.get_mut(&key), node) {
                (Some(Node { value: Value::Table(below), .. }), Node { value: Value::Table(above), .. }) => {
                    below.overlay(above);
                }
                (_, node) => {
                    self.nodes.insert(key, node);
                }
            }
        }
    }

    /// Sets one field from its text, as given on a command line: a whole number or a text.
    pub fn set(&mut self, key: &str, text: &str) {
        let place = Place::whole(format!("{key}={text}"));
        let value = text.parse().map_or_else(|_| Value::Text(text.to_owned()), Value::Int);
        let mut node = Node { value, place: place.clone() };
        // No ruleset nests deeper; a key of a thousand dots is not worth a thousand tables.
        let keys: Vec<&str> = key.splitn(4, '.').collect();
        for key in keys[1..].iter().rev() {
            let nodes = BTreeMap::from([((*key).to_owned(), node)]);
            node = Node { value: Value::Table(Fields { place: place.clone(), nodes }), place: place.clone() };
        }
        let nodes = BTreeMap::from([(keys[0].to_owned(), node)]);
        self.overlay(Fields { place, nodes });
    }

    /// Takes out a text field, for the caller that needs it before the rest.
    pub fn take_text(&mut self, key: &str) -> Result<Option<(String, Place)>, BadFile> {
        match self.nodes.remove(key) {
            None => Ok(None),
            Some(Node { value: Value::Text(text), place }) => Ok(Some((text, place))),
            Some(Node { value, place }) => {
                Err(BadFile::new(place, format!("`{key}` must be a text, not {}", value.kind())))
            }
        }
    }

    /// Whether the field is there.
    pub fn has(&self, key: &str) -> bool {
        self.nodes.contains_key(key)
    }

    /// Whether the field is this text.
    pub fn is_text(&self, key: &str, text: &str) -> bool {
        matches!(self.nodes.get(key), Some(Node { value: Value::Text(other), .. }) if other == text)
    }

    /// Sets a whole number to 0, if it is there.
    pub fn zero(&mut self, key: &str) {
        if let Some(node) = self.nodes.get_mut(key) {
            node.value = Value::Int(0);
        }
    }

    /// Whether there is no field.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }
}

/// Turns byte offsets of a TOML text into places.
struct Spot<'a> {
    source: &'a Arc<str>,
    text: &'a str,
    /// Line and column at every so many bytes, so that finding a place takes no longer the farther down it is.
    marks: Vec<(usize, usize)>,
}

impl<'a> Spot<'a> {
    /// How many bytes are from one mark to the next.
    const STRIDE: usize = 256;

    fn new(source: &'a Arc<str>, text: &'a str) -> Spot<'a> {
        let mut spot = Spot { source, text, marks: vec![(1, 1)] };
        for end in (Spot::STRIDE..=text.len()).step_by(Spot::STRIDE) {
            spot.marks.push(spot.line_and_column(end));
        }
        spot
    }

    fn place(&self, offset: usize) -> Place {
        Place { source: self.source.clone(), at: Some(self.line_and_column(offset)) }
    }

    /// Counted on from the last mark before it.
    fn line_and_column(&self, offset: usize) -> (usize, usize) {
        let mark = (offset / Spot::STRIDE).min(self.marks.len() - 1);
        let [start, end] = [mark * Spot::STRIDE, offset].map(|at| self.text.floor_char_boundary(at));
        self.text[start..end].chars().fold(self.marks[mark], |(line, column), c| match c {
            '\n' => (line + 1, 1),
            _ => (line, column + 1),
        })
    }

    fn fields(&self, table: &DeTable<'_>, place: Place) -> Fields {
        let nodes = table.iter().map(|(key, value)| {
            let mut node = self.node(value);
            // A table is named where its key stands: its own span may begin elsewhere.
            if matches!(node.value, Value::Table(_)) {
                node.place = self.place(key.span().start);
            }
            (key.get_ref().to_string(), node)
        });
        Fields { place, nodes: nodes.collect() }
    }

    fn node(&self, value: &Spanned<DeValue<'_>>) -> Node {
        let place = self.place(value.span().start);
        let value = match value.get_ref() {
            DeValue::Integer(integer) => {
                i64::from_str_radix(integer.as_str(), integer.radix()).map_or(Value::Other(RANGE), Value::Int)
            }
            DeValue::Float(number) => number.as_str().parse().map_or(Value::Other(RANGE), Value::Float),
            DeValue::Boolean(yes) => Value::Bool(*yes),
            DeValue::String(text) => Value::Text(text.to_string()),
            DeValue::Array(list) => Value::List(list.iter().map(|item| self.node(item)).collect()),
            DeValue::Table(table) => Value::Table(self.fields(table, place.clone())),
            DeValue::Datetime(_) => Value::Other("a date"),
        };
        Node { value, place }
    }
}

fn json_node(json: &Json, place: &Place) -> Node {
    let value = match json {
        Json::Null => Value::Other("null"),
        Json::Bool(yes) => Value::Bool(*yes),
        Json::Number(number) => match (number.as_i64(), number.as_f64()) {
            (Some(whole), _) => Value::Int(whole),
            (None, Some(decimal)) => Value::Float(decimal),
            (None, None) => Value::Other(RANGE),
        },
        Json::String(text) => Value::Text(text.clone()),
        Json::Array(list) => Value::List(list.iter().map(|item| json_node(item, place)).collect()),
        Json::Object(object) => Value::Table(Fields {
            place: place.clone(),
            nodes: object.iter().map(|(key, value)| (key.clone(), json_node(value, place))).collect(),
        }),
    };
    Node { value, place: place.clone() }
}

/// Takes fields out one by one and gathers what is wrong. Each read gives some value, so that reading goes on to the
/// next problem; [`Reader::finish`] tells whether the values are worth anything.
#[derive(Debug)]
pub struct Reader {
    fields: Fields,
    /// What stands before a key in messages: empty, or `policy.`.
    path: String,
    known: Vec<&'static str>,
    /// What was found wrong so far.
    pub problems: Vec<Problem>,
}

impl Reader {
    /// Begins to take out these fields.
    pub fn new(fields: Fields) -> Reader {
        Reader { fields, path: String::new(), known: Vec::new(), problems: Vec::new() }
    }

    /// Notes a problem with a field that was read, or with the whole where the field is missing.
    pub fn problem(&mut self, place: &Place, message: impl Into<String>) {
        self.problems.push(Problem { place: place.clone(), message: message.into() });
    }

    /// Where a field stands, or else the whole. Before it is taken.
    pub fn place(&self, key: &str) -> Place {
        self.fields.nodes.get(key).map_or_else(|| self.fields.place.clone(), |node| node.place.clone())
    }

    /// A whole number of a table that is only read later, where it is there and is one.
    pub fn ahead(&self, table: &str, key: &str) -> Option<i64> {
        match &self.fields.nodes.get(table)?.value {
            Value::Table(fields) => match fields.nodes.get(key)?.value {
                Value::Int(number) => Some(number),
                _ => None,
            },
            _ => None,
        }
    }

    fn take(&mut self, key: &'static str, wanted: &str) -> Option<Node> {
        self.known.push(key);
        let node = self.fields.nodes.remove(key);
        if node.is_none() {
            let place = self.fields.place.clone();
            self.problem(&place, format!("`{}{key}` is missing; it must be {wanted}", self.path));
        }
        node
    }

    fn wrong(&mut self, key: &str, node: &Node, wanted: &str) {
        let message = format!("`{}{key}` must be {wanted}, not {}", self.path, node.value.kind());
        self.problem(&node.place, message);
    }

    /// A whole number within limits.
    pub fn int<T: TryFrom<i64>>(&mut self, key: &'static str, range: RangeInclusive<i64>) -> T {
        let wanted = format!("a whole number from {} to {}", range.start(), range.end());
        let number = match self.take(key, &wanted) {
            Some(Node { value: Value::Int(number), .. }) if range.contains(&number) => number,
            Some(Node { value: Value::Int(number), place }) => {
                let message = format!("`{}{key}` must be {wanted}, not {number}", self.path);
                self.problem(&place, message);
                *range.start()
            }
            Some(node) => {
                self.wrong(key, &node, &wanted);
                *range.start()
            }
            None => *range.start(),
        };
        T::try_from(number).unwrap_or_else(|_| unreachable!("the range of `{key}` fits its type"))
    }

    /// One of several names.
    pub fn choice<T: Copy>(&mut self, key: &'static str, choices: &[(&str, T)]) -> T {
        let wanted = one_of(choices.iter().map(|(name, _)| *name));
        if let Some(node) = self.take(key, &wanted) {
            if let Value::Text(text) = &node.value {
                if let Some((_, choice)) = choices.iter().find(|(name, _)| name == text) {
                    return *choice;
                }
                let message = format!("`{}{key}` must be {wanted}, not \"{text}\"", self.path);
                self.problem(&node.place, message);
            } else {
                self.wrong(key, &node, &wanted);
            }
        }
        choices[0].1
    }

    /// A list of names, each one of several, none twice.
    pub fn choices<T: Copy>(&mut self, key: &'static str, choices: &[(&str, T)]) -> Vec<T> {
        let wanted = format!("a list, each item {}", one_of(choices.iter().map(|(name, _)| *name)));
        let mut chosen = Vec::new();
        let mut names = Vec::new();
        match self.take(key, &wanted) {
            Some(Node { value: Value::List(items), .. }) => {
                for item in items {
                    let found = match &item.value {
                        Value::Text(text) => choices.iter().find(|(name, _)| name == text),
                        _ => None,
                    };
                    match found {
                        Some((name, _)) if names.contains(name) => {
                            let message = format!("`{}{key}` has \"{name}\" twice", self.path);
                            self.problem(&item.place, message);
                        }
                        Some((name, choice)) => {
                            names.push(*name);
                            chosen.push(*choice);
                        }
                        None => {
                            let message = format!("`{}{key}` must be {wanted}", self.path);
                            self.problem(&item.place, message);
                        }
                    }
                }
            }
            Some(node) => self.wrong(key, &node, &wanted),
            None => {}
        }
        chosen
    }

    /// A text of one line.
    pub fn text(&mut self, key: &'static str) -> String {
        match self.take(key, "a text") {
            Some(Node { value: Value::Text(text), place }) => {
                if text.is_empty() || text.chars().count() > 200 || text.chars().any(char::is_control) {
                    let message = format!("`{}{key}` must be a text of 1 to 200 characters on one line", self.path);
                    self.problem(&place, message);
                }
                text
            }
            Some(node) => {
                self.wrong(key, &node, "a text");
                String::new()
            }
            None => String::new(),
        }
    }

    /// A text of any number of lines, or none.
    pub fn prose(&mut self, key: &'static str, most: usize) -> String {
        let wanted = format!("a text of at most {most} characters");
        match self.take(key, &wanted) {
            Some(Node { value: Value::Text(text), place }) => {
                if text.chars().count() > most || text.chars().any(|c| c.is_control() && !matches!(c, '\n' | '\t')) {
                    let message = format!("`{}{key}` must be {wanted}, without control characters", self.path);
                    self.problem(&place, message);
                }
                text
            }
            Some(node) => {
                self.wrong(key, &node, &wanted);
                String::new()
            }
            None => String::new(),
        }
    }

    /// A map: its name, or its rows.
    pub fn map(&mut self, key: &'static str) -> Option<MapField> {
        let wanted = "the name of a map, the path of a map file, or a list of rows";
        let node = self.take(key, wanted)?;
        match node.value {
            Value::Text(name) => Some(MapField::Named(name, node.place)),
            Value::List(ref items) if !items.is_empty() => {
                let rows = items.iter().map(|item| match &item.value {
                    Value::Text(text) => Some((text.clone(), item.place.clone())),
                    _ => None,
                });
                let rows: Option<Vec<_>> = rows.collect();
                if rows.is_none() {
                    self.problem(&node.place, format!("`{}{key}` must be {wanted}", self.path));
                }
                rows.map(MapField::Drawn)
            }
            _ => {
                self.wrong(key, &node, wanted);
                None
            }
        }
    }

    /// A table of fields of its own. Give it back with [`Reader::close`].
    #[must_use]
    pub fn table(&mut self, key: &'static str) -> Reader {
        let node = self.take(key, "a table");
        let mut fields = Fields { place: self.fields.place.clone(), nodes: BTreeMap::new() };
        match node {
            Some(Node { value: Value::Table(inner), place }) => fields = Fields { place, ..inner },
            Some(node) => self.wrong(key, &node, "a table"),
            None => {}
        }
        Reader { fields, path: format!("{}{key}.", self.path), known: Vec::new(), problems: Vec::new() }
    }

    /// Takes a table's problems over.
    pub fn close(&mut self, mut table: Reader) {
        table.unknown_keys();
        self.problems.append(&mut table.problems);
    }

    fn unknown_keys(&mut self) {
        for (key, node) in std::mem::take(&mut self.fields.nodes) {
            let message = format!(
                "unknown key `{}{}`; allowed here: {}",
                self.path,
                crate::settings::shorten(&key),
                self.known.join(", ")
            );
            self.problem(&node.place, message);
        }
    }

    /// Whether all was well.
    pub fn finish(mut self) -> Result<(), BadFile> {
        self.unknown_keys();
        if self.problems.is_empty() { Ok(()) } else { Err(BadFile { problems: self.problems }) }
    }
}

/// A map as a ruleset gives it.
#[derive(Debug)]
pub enum MapField {
    /// By a name, which stands there.
    Named(String, Place),
    /// Row by row, with the place of each.
    Drawn(Vec<(String, Place)>),
}

fn one_of<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<String> = names.map(|name| format!("\"{name}\"")).collect();
    match names.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::growth::fourfold;

    #[test]
    fn a_place_is_right_however_far_down_it_is() {
        let text = "甲 = \"乙\"\nlong = \"😀\"\n".repeat(100) + &"é".repeat(1000);
        let source: Arc<str> = "own.toml".into();
        let spot = Spot::new(&source, &text);
        for offset in 0..=text.len() {
            let before = &text[..text.floor_char_boundary(offset)];
            let line = before.matches('\n').count() + 1;
            let column = before.chars().rev().take_while(|&c| c != '\n').count() + 1;
            assert_eq!(spot.place(offset).at, Some((line, column)), "{offset}");
        }
    }

    #[test]
    fn a_long_file_is_read_in_linear_time() {
        let growth = fourfold(5_000, |items| {
            let text = format!("list = [{}]", "1, ".repeat(items));
            Fields::from_toml("own.toml", &text).expect("it is TOML");
        });
        assert!(growth < 9.0, "four times as long a file takes {growth:.1} times as long");
    }
}
