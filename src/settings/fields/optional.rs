//! What files of settings have beyond a ruleset: fields that may be left out, decimals, and tables that the user names.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use serde_json::{Map, Value as Json};

use super::{Fields, Node, Reader, Value};

/// A field that is switched or counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlagOrInt<T> {
    /// True or false.
    Flag(bool),
    /// A whole number.
    Int(T),
}

impl Reader {
    /// Where the fields stand as a whole.
    pub fn whole(&self) -> super::Place {
        self.fields.place.clone()
    }

    /// Reads fields whose messages name them under a path, like `players.local.`.
    pub fn within(path: String, fields: Fields) -> Reader {
        Reader { path, ..Reader::new(fields) }
    }

    /// A field that may be left out.
    pub fn optional<T>(&mut self, key: &'static str, read: impl FnOnce(&mut Reader, &'static str) -> T) -> Option<T> {
        if self.fields.has(key) {
            return Some(read(self, key));
        }
        self.known.push(key);
        None
    }

    /// A number within limits, with a fraction or without.
    pub fn decimal(&mut self, key: &'static str, range: RangeInclusive<f64>) -> f64 {
        let wanted = format!("a number from {} to {}", range.start(), range.end());
        let Some(node) = self.take(key, &wanted) else { return *range.start() };
        let number = match node.value {
            #[expect(clippy::cast_precision_loss, reason = "no field has limits beyond the exact whole numbers")]
            Value::Int(number) => number as f64,
            Value::Float(number) => number,
            _ => {
                self.wrong(key, &node, &wanted);
                return *range.start();
            }
        };
        if range.contains(&number) {
            return number;
        }
        let message = format!("`{}{key}` must be {wanted}, not {number}", self.path);
        self.problem(&node.place, message);
        *range.start()
    }

    /// True or false.
    pub fn flag(&mut self, key: &'static str) -> bool {
        let wanted = "true or false";
        match self.take(key, wanted) {
            Some(Node { value: Value::Bool(yes), .. }) => yes,
            Some(node) => {
                self.wrong(key, &node, wanted);
                false
            }
            None => false,
        }
    }

    /// The fields of a table that may be left out.
    pub fn section(&mut self, key: &'static str) -> Fields {
        self.optional(key, |reader, key| reader.table(key).fields).unwrap_or_else(|| self.nothing())
    }

    /// The tables of a section, each under the name that the user gave it, in the order of the file.
    pub fn tables(&mut self, key: &'static str) -> Vec<(String, Fields)> {
        let mut tables = Vec::new();
        for (name, node) in self.section(key).nodes {
            match node {
                Node { value: Value::Table(fields), place } => tables.push((name, Fields { place, ..fields })),
                node => self.wrong(&format!("{key}.{}", crate::settings::shorten(&name)), &node, "a table"),
            }
        }
        tables.sort_by_key(|(_, fields)| fields.place.at);
        tables
    }

    /// A list of texts, each with its place, none twice.
    pub fn texts(&mut self, key: &'static str) -> Vec<(String, super::Place)> {
        let wanted = "a list of texts";
        let mut texts: Vec<(String, super::Place)> = Vec::new();
        match self.take(key, wanted) {
            Some(Node { value: Value::List(items), .. }) => {
                for item in items {
                    match item.value {
                        Value::Text(text) if texts.iter().any(|(other, _)| *other == text) => {
                            let message = format!("`{}{key}` has \"{text}\" twice", self.path);
                            self.problem(&item.place, message);
                        }
                        Value::Text(text) => texts.push((text, item.place)),
                        _ => self.wrong(key, &item, wanted),
                    }
                }
            }
            Some(node) => self.wrong(key, &node, wanted),
            None => {}
        }
        texts
    }

    /// Numbers under names that the user chose, in the order of the file.
    pub fn numbers(&mut self, key: &'static str) -> Vec<(String, f64, super::Place)> {
        let mut numbers = Vec::new();
        for (name, node) in self.section(key).nodes {
            match node.value {
                #[expect(clippy::cast_precision_loss, reason = "nobody means more digits")]
                Value::Int(number) => numbers.push((name, number as f64, node.place)),
                Value::Float(number) if number.is_finite() => numbers.push((name, number, node.place)),
                _ => self.wrong(&format!("{key}.{}", crate::settings::shorten(&name)), &node, "a number"),
            }
        }
        numbers.sort_by_key(|(_, _, place)| place.at);
        numbers
    }

    /// Texts under names that the user chose, in the order of the file. What is wrong with one is said without it.
    pub fn texts_by_name(&mut self, key: &'static str) -> Vec<(String, String, super::Place)> {
        let mut texts = Vec::new();
        for (name, node) in self.section(key).nodes {
            match node {
                Node { value: Value::Text(text), place } => texts.push((name, text, place)),
                node => self.wrong(&format!("{key}.{}", crate::settings::shorten(&name)), &node, "a text"),
            }
        }
        texts.sort_by_key(|(_, _, place)| place.at);
        texts
    }

    /// True or false, or else a whole number within limits.
    pub fn flag_or_int<T: TryFrom<i64>>(&mut self, key: &'static str, range: RangeInclusive<i64>) -> FlagOrInt<T> {
        match self.fields.nodes.get(key).map(|node| &node.value) {
            Some(Value::Bool(_)) => return FlagOrInt::Flag(self.flag(key)),
            Some(Value::Int(_)) => return FlagOrInt::Int(self.int(key, range)),
            _ => {}
        }
        let wanted = format!("true, false or a whole number from {} to {}", range.start(), range.end());
        if let Some(node) = self.take(key, &wanted) {
            self.wrong(key, &node, &wanted);
        }
        FlagOrInt::Flag(false)
    }

    /// A table of anything that JSON can say, as JSON.
    pub fn json(&mut self, key: &'static str) -> Map<String, Json> {
        let nodes = self.section(key).nodes;
        let mut object = Map::new();
        for (name, node) in nodes {
            if let Some(value) = self.json_of(&format!("{key}.{name}"), node) {
                object.insert(name, value);
            }
        }
        object
    }

    fn json_of(&mut self, path: &str, node: Node) -> Option<Json> {
        match node.value {
            Value::Bool(yes) => Some(Json::Bool(yes)),
            Value::Int(number) => Some(number.into()),
            Value::Float(number) if number.is_finite() => Some(number.into()),
            Value::Text(text) => Some(Json::String(text)),
            Value::List(items) => {
                let items = items.into_iter().map(|item| self.json_of(path, item));
                items.collect::<Vec<_>>().into_iter().collect::<Option<_>>().map(Json::Array)
            }
            Value::Table(fields) => {
                let fields = fields.nodes.into_iter().map(|(name, node)| {
                    let value = self.json_of(&format!("{path}.{name}"), node);
                    value.map(|value| (name, value))
                });
                fields.collect::<Vec<_>>().into_iter().collect::<Option<_>>().map(Json::Object)
            }
            Value::Float(_) | Value::Other(_) => {
                self.wrong(&crate::settings::shorten(path), &node, "something that JSON can say");
                None
            }
        }
    }

    /// Whether a field is there. Before it is taken.
    pub fn has(&self, key: &str) -> bool {
        self.fields.has(key)
    }

    /// Notes a problem if a field is there that must not be. It is not listed among those that are allowed.
    pub fn refuse(&mut self, key: &str, message: &str) {
        if let Some(node) = self.fields.nodes.remove(key) {
            let message = format!("`{}{key}`: {message}", self.path);
            self.problem(&node.place, message);
        }
    }

    /// Takes a table's problems over, but for those in a layer below it that was read before.
    pub fn close_layered(&mut self, table: Reader) {
        let before = self.problems.len();
        self.close(table);
        let new = self.problems.split_off(before);
        let is_new = |problem: &super::FileProblem| self.problems.iter().all(|old| old.place != problem.place);
        let new: Vec<_> = new.into_iter().filter(is_new).collect();
        self.problems.extend(new);
    }

    fn nothing(&self) -> Fields {
        Fields { place: self.fields.place.clone(), nodes: BTreeMap::new() }
    }
}
