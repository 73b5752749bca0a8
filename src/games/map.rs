//! Maps: boards that a person can draw with a text editor.
//!
//! A row of the board is a line. Lines that begin with `;` are comments, empty lines at the end do not count. A cell is
//! one character; where a line has spaces, cells are the words between them, so that a block can have more than nine
//! hit points. Each game has its own legend.

use std::borrow::Cow;

use super::library;
use crate::settings::fields::{FileProblem, MapField, Place, Reader};
use crate::settings::{did_you_mean, shorten};

/// No side of a board is longer than this.
pub const MAX_SIDE: usize = 64;

/// Gives the text of a map that is named in a ruleset and is not one of the built-in ones.
pub type ReadFile<'a> = &'a dyn Fn(&str) -> Result<String, String>;

/// A drawn board, cell by cell from the top left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drawing<T> {
    /// How many rows.
    pub rows: usize,
    /// How many columns.
    pub cols: usize,
    /// Row after row.
    pub cells: Vec<T>,
}

impl<T: Clone> Drawing<T> {
    /// A board of one kind of cell.
    pub fn plain(rows: usize, cols: usize, cell: T) -> Drawing<T> {
        Drawing { rows, cols, cells: vec![cell; rows * cols] }
    }

    /// The cell at a row and column of the board.
    pub fn at(&self, row: usize, col: usize) -> &T {
        &self.cells[row * self.cols + col]
    }

    /// The rows as text, each cell written as the map would.
    pub fn lines(&self, write: impl Fn(&T) -> Cow<'static, str>) -> Vec<String> {
        self.cells
            .chunks(self.cols)
            .map(|row| {
                let mut line = String::with_capacity(row.len());
                let mut narrow = true;
                for cell in row {
                    let word = write(cell);
                    narrow &= word.len() == 1 || word.chars().count() == 1;
                    line.push_str(&word);
                }
                // Words of several characters stand apart.
                if narrow { line } else { row.iter().map(&write).collect::<Vec<_>>().join(" ") }
            })
            .collect()
    }
}

/// A drawn board and where its cells were written, for problems that only show later.
#[derive(Debug)]
pub(crate) struct Drawn<T> {
    pub(crate) drawing: Drawing<T>,
    pub(crate) places: Vec<Place>,
}

/// Reads the field `map` and, where it is `"none"`, the size fields.
///
/// `legend` gives the meaning of a cell's text or nothing, `allowed` says in words what it takes.
pub(crate) fn read<T: Clone>(
    reader: &mut Reader,
    [rows_key, cols_key]: [&'static str; 2],
    plain: T,
    legend: impl Fn(&str) -> Option<T>,
    allowed: &str,
    builtin: impl Fn(&str) -> Option<&'static str>,
    read_file: ReadFile<'_>,
) -> Option<Drawn<T>> {
    let size_place = reader.place(rows_key);
    let limit = i64::try_from(MAX_SIDE).expect("a small number");
    // 0 stands for «as the map has it».
    let rows: usize = reader.int(rows_key, 0..=limit);
    let cols: usize = reader.int(cols_key, 0..=limit);
    let lines: Vec<(String, Place)> = match reader.map("map")? {
        MapField::Named(name, place) if name == "none" => {
            if rows == 0 || cols == 0 {
                reader.problem(
                    &place,
                    format!("map \"none\" needs `{rows_key}` and `{cols_key}`, each from 1 to {limit}"),
                );
                return None;
            }
            let places = vec![place; rows * cols];
            return Some(Drawn { drawing: Drawing::plain(rows, cols, plain), places });
        }
        MapField::Named(name, place) => {
            let text = match builtin(&name).map(ToOwned::to_owned).map_or_else(|| read_file(&name), Ok) {
                Ok(text) => text,
                Err(why) => {
                    let names: Vec<_> = library::maps().collect();
                    let meant = did_you_mean(&name, names.iter().copied());
                    let message = format!("no map `{}`: {why}; built in: {}{meant}", shorten(&name), names.join(", "));
                    reader.problem(&place, message);
                    return None;
                }
            };
            let source: std::sync::Arc<str> = name.into();
            let mut lines: Vec<_> = text
                .lines()
                .enumerate()
                .filter(|(_, line)| !line.starts_with(';'))
                .map(|(at, line)| (line.trim_end().to_owned(), Place { source: source.clone(), at: Some((at + 1, 1)) }))
                .collect();
            while lines.last().is_some_and(|(line, _)| line.is_empty()) {
                lines.pop();
            }
            lines
        }
        // A row within a TOML file stands somewhere in it; one from JSON has only its number.
        MapField::Drawn(lines) => lines
            .into_iter()
            .enumerate()
            .map(|(row, (line, place))| {
                let at = place.at.map_or((row + 1, 1), |(line, column)| (line, column + 1));
                (line, Place { at: Some(at), ..place })
            })
            .collect(),
    };
    let drawn = draw(reader, &lines, legend, allowed)?;
    let (has_rows, has_cols) = (drawn.drawing.rows, drawn.drawing.cols);
    if (rows != 0 && rows != has_rows) || (cols != 0 && cols != has_cols) {
        reader.problem(
            &size_place,
            format!(
                "the map is {has_rows} × {has_cols}; leave `{rows_key}` and `{cols_key}` at 0, or set map = \"none\" for an empty board"
            ),
        );
    }
    Some(drawn)
}

fn draw<T: Clone>(
    reader: &mut Reader,
    lines: &[(String, Place)],
    legend: impl Fn(&str) -> Option<T>,
    allowed: &str,
) -> Option<Drawn<T>> {
    let before = reader.problems.len();
    let (mut cells, mut places) = (Vec::new(), Vec::new());
    let mut cols = 0;
    // What is far too large is told so, and not cell by cell what else is wrong with it.
    let widest = lines.iter().map(|(line, _)| cells_of(line).take(MAX_SIDE + 1).count()).max();
    if lines.len() > MAX_SIDE || widest > Some(MAX_SIDE) {
        reader.problem(&lines[0].1, format!("the map is larger than {MAX_SIDE} × {MAX_SIDE}"));
        return None;
    }
    for (row, (line, place)) in lines.iter().enumerate() {
        let words: Vec<_> = cells_of(line).collect();
        if row == 0 {
            cols = words.len();
        }
        if words.len() != cols {
            let at = place.at.map(|(line, start)| (line, start + words.last().map_or(0, |(column, _)| column - 1)));
            reader.problems.push(FileProblem {
                place: Place { source: place.source.clone(), at },
                message: format!("this row has {} cells, the first one has {cols}", words.len()),
            });
        }
        for (column, word) in words {
            let place =
                Place { source: place.source.clone(), at: place.at.map(|(line, start)| (line, start + column - 1)) };
            match legend(word) {
                Some(cell) => cells.push(cell),
                None => {
                    reader.problem(&place, format!("`{}` is no cell of this game's maps; {allowed}", shorten(word)));
                }
            }
            places.push(place);
        }
    }
    let place = lines.first().map_or_else(|| reader.place("map"), |(_, place)| place.clone());
    if lines.is_empty() || cols == 0 {
        reader.problem(&place, "the map has no cells");
    }
    (reader.problems.len() == before).then(|| Drawn { drawing: Drawing { rows: lines.len(), cols, cells }, places })
}

/// The cells of a line with their columns, from 1.
fn cells_of(line: &str) -> impl Iterator<Item = (usize, &str)> {
    let spaced = line.contains(char::is_whitespace);
    let mut rest = (1, line);
    std::iter::from_fn(move || {
        let (column, text) = rest;
        let trimmed = text.trim_start();
        let column = column + text[..text.len() - trimmed.len()].chars().count();
        let end = if spaced {
            trimmed.find(char::is_whitespace).unwrap_or(trimmed.len())
        } else {
            trimmed.chars().next()?.len_utf8()
        };
        let (word, after) = trimmed.split_at(end);
        rest = (column + word.chars().count(), after);
        (!word.is_empty()).then_some((column, word))
    })
}

#[cfg(test)]
mod tests;
