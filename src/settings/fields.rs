//! Reading the fields of a ruleset or another file, from TOML or JSON, so that every problem is found at once and named
//! with its place.

mod optional;
mod problem;
mod reader;
mod source;

pub use self::optional::FlagOrInt;
pub use self::problem::{BadFile, BadRuleset, FileProblem, Place};
pub use self::reader::Reader;

use std::collections::BTreeMap;

/// A value and where it was written.
#[derive(Clone, Debug)]
struct Node {
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

/// A map as a ruleset gives it.
#[derive(Debug)]
pub enum MapField {
    /// By a name, which stands there.
    Named(String, Place),
    /// Row by row, with the place of each.
    Drawn(Vec<(String, Place)>),
}
