//! From TOML and JSON to fields that know their places.

use std::sync::Arc;

use serde_json::Value as Json;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::{BadFile, Fields, FileProblem, Node, Place, Value};

const RANGE: &str = "a number out of range";

impl Fields {
    /// The fields of a TOML text.
    ///
    /// # Errors
    /// With every syntax error.
    pub fn from_toml(source: &str, text: &str) -> Result<Fields, BadFile> {
        let source: Arc<str> = source.into();
        let (table, errors) = DeTable::parse_recoverable(text);
        let index = LineIndex::new(&source, text);
        if !errors.is_empty() {
            let problems = errors.iter().map(|error| FileProblem {
                place: index.place(error.span().map_or(0, |span| span.start)),
                message: error.message().to_owned(),
            });
            return Err(BadFile { problems: problems.collect() });
        }
        Ok(index.fields(table.get_ref(), Place::whole(source.clone())))
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
}

/// Turns byte offsets of a TOML text into places.
struct LineIndex<'a> {
    source: &'a Arc<str>,
    text: &'a str,
    /// Line and column at every so many bytes, so that finding a place takes no longer the farther down it is.
    marks: Vec<(usize, usize)>,
}

impl<'a> LineIndex<'a> {
    /// How many bytes are from one mark to the next.
    const STRIDE: usize = 256;

    fn new(source: &'a Arc<str>, text: &'a str) -> LineIndex<'a> {
        let mut index = LineIndex { source, text, marks: vec![(1, 1)] };
        for end in (LineIndex::STRIDE..=text.len()).step_by(LineIndex::STRIDE) {
            index.marks.push(index.line_and_column(end));
        }
        index
    }

    fn place(&self, offset: usize) -> Place {
        Place { source: self.source.clone(), at: Some(self.line_and_column(offset)) }
    }

    /// Counted on from the last mark before it.
    fn line_and_column(&self, offset: usize) -> (usize, usize) {
        let mark = (offset / LineIndex::STRIDE).min(self.marks.len() - 1);
        let [start, end] = [mark * LineIndex::STRIDE, offset].map(|at| self.text.floor_char_boundary(at));
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::growth::fourfold;

    #[test]
    fn a_place_is_right_however_far_down_it_is() {
        let text = "甲 = \"乙\"\nlong = \"😀\"\n".repeat(100) + &"é".repeat(1000);
        let source: Arc<str> = "own.toml".into();
        let index = LineIndex::new(&source, &text);
        for offset in 0..=text.len() {
            let before = &text[..text.floor_char_boundary(offset)];
            let line = before.matches('\n').count() + 1;
            let column = before.chars().rev().take_while(|&c| c != '\n').count() + 1;
            assert_eq!(index.place(offset).at, Some((line, column)), "{offset}");
        }
    }

    #[test]
    fn a_long_file_is_read_in_linear_time() {
        let growth = fourfold(300, |items| {
            let text = format!("list = [{}]", "1, ".repeat(items));
            Fields::from_toml("own.toml", &text).expect("it is TOML");
        });
        assert!(growth < 9.0, "four times as long a file takes {growth:.1} times as long");
    }
}
