//! Taking fields out one by one.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use super::{BadFile, Fields, FileProblem, MapField, Node, Place, Value};
use crate::settings::{did_you_mean, shorten};

/// Takes fields out one by one and gathers what is wrong. Each read gives some value, so that reading goes on to the
/// next problem; [`Reader::finish`] tells whether the values are worth anything.
#[derive(Debug)]
pub struct Reader {
    pub(super) fields: Fields,
    /// What stands before a key in messages: empty, or `policy.`.
    pub(super) path: String,
    pub(super) known: Vec<&'static str>,
    /// What was found wrong so far.
    pub problems: Vec<FileProblem>,
}

impl Reader {
    /// Begins to take out these fields.
    pub fn new(fields: Fields) -> Reader {
        Reader { fields, path: String::new(), known: Vec::new(), problems: Vec::new() }
    }

    /// Notes a problem with a field that was read, or with the whole where the field is missing.
    pub fn problem(&mut self, place: &Place, message: impl Into<String>) {
        self.problems.push(FileProblem { place: place.clone(), message: message.into() });
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

    pub(super) fn take(&mut self, key: &'static str, wanted: &str) -> Option<Node> {
        self.known.push(key);
        let node = self.fields.nodes.remove(key);
        if node.is_none() {
            let place = self.fields.place.clone();
            self.problem(&place, format!("`{}{key}` is missing; it must be {wanted}", self.path));
        }
        node
    }

    pub(super) fn wrong(&mut self, key: &str, node: &Node, wanted: &str) {
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
        self.text_up_to(key, 200)
    }

    /// A text of one line with at most so many characters.
    pub fn text_up_to(&mut self, key: &'static str, most: usize) -> String {
        match self.take(key, "a text") {
            Some(Node { value: Value::Text(text), place }) => {
                if text.is_empty() || text.chars().count() > most || text.chars().any(char::is_control) {
                    let message = format!("`{}{key}` must be a text of 1 to {most} characters on one line", self.path);
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
            let meant = did_you_mean(&key, self.known.iter().copied());
            let known = self.known.join(", ");
            let message = format!("unknown key `{}{}`; allowed here: {known}{meant}", self.path, shorten(&key));
            self.problem(&node.place, message);
        }
    }

    /// Whether all was well.
    pub fn finish(mut self) -> Result<(), BadFile> {
        self.unknown_keys();
        if self.problems.is_empty() { Ok(()) } else { Err(BadFile { problems: self.problems }) }
    }
}

fn one_of<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<String> = names.map(|name| format!("\"{name}\"")).collect();
    match names.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
        None => String::new(),
    }
}
