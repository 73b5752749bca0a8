//! Other people's words in a grid of columns: made harmless, measured, cut and wrapped.

use unicode_width::UnicodeWidthChar;

/// More marks than this on one letter only serve to scribble over the neighbours.
const MAX_MARKS: usize = 2;

/// The text on one line, without anything that could move the cursor, hide text or turn its direction round.
pub(crate) fn clean(text: &str) -> String {
    let mut cleaned = String::with_capacity(text.len());
    let mut marks = 0;
    for c in text.chars() {
        if c.is_whitespace() {
            marks = 0;
            cleaned.push(' ');
        } else if invisible(c) {
            // Dropped rather than replaced: they are at home in emoji and in right-to-left text.
        } else if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') {
            marks = 0;
            cleaned.push(char::REPLACEMENT_CHARACTER);
        } else if columns_of(c) > 0 {
            marks = 0;
            cleaned.push(c);
        } else if marks < MAX_MARKS && !cleaned.is_empty() {
            marks += 1;
            cleaned.push(c);
        }
    }
    cleaned
}

/// Characters that are not seen themselves but change how others are shown, or how wide they are.
fn invisible(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
        | '\u{e0000}'..='\u{e0fff}')
}

/// How many columns a text takes in a terminal.
pub(crate) fn columns(text: &str) -> usize {
    text.chars().map(columns_of).sum()
}

/// How many columns a character takes in a terminal.
pub(crate) fn columns_of(c: char) -> usize {
    c.width().unwrap_or(0)
}

/// The text, cut with an ellipsis where it is wider than `width` columns.
pub(crate) fn cut(text: &str, width: usize) -> String {
    if columns(text) <= width {
        return text.to_owned();
    }
    let mut kept = String::new();
    let mut room = width.saturating_sub(1);
    for c in text.chars() {
        if columns_of(c) > room {
            break;
        }
        room -= columns_of(c);
        kept.push(c);
    }
    if width > 0 {
        kept.push('…');
    }
    kept
}

/// The text in lines of at most `width` columns, broken at spaces where there are any and between wide characters
/// where there are none. Later lines begin with `indent` spaces.
pub(crate) fn wrap(text: &str, width: usize, indent: usize) -> Vec<String> {
    // A character can be two columns wide; narrower than that nothing would ever fit.
    let width = width.max(indent + 2);
    let mut lines = Vec::new();
    let mut line = String::new();
    let mut used = 0;
    for word in pieces(text) {
        let wide = columns(word.trim_end());
        if used > indent && used + wide > width {
            lines.push(std::mem::replace(&mut line, " ".repeat(indent)).trim_end().to_owned());
            used = indent;
        }
        for c in word.chars() {
            if used + columns_of(c) > width {
                if c == ' ' {
                    continue;
                }
                lines.push(std::mem::replace(&mut line, " ".repeat(indent)).trim_end().to_owned());
                used = indent;
            }
            line.push(c);
            used += columns_of(c);
        }
    }
    if !line.trim().is_empty() || lines.is_empty() {
        lines.push(line.trim_end().to_owned());
    }
    lines
}

/// What must stay together in a line: words with the space after them, and single wide characters.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let mut before = None;
        let end = rest.char_indices().find_map(|(at, c)| {
            let breaks = before.is_some_and(|before| (before == ' ' && c != ' ') || columns_of(before) > 1);
            before = Some(c);
            // A mark belongs to the letter before it.
            (breaks && columns_of(c) > 0).then_some(at)
        });
        let (piece, after) = rest.split_at(end.unwrap_or(rest.len()));
        rest = after;
        (!piece.is_empty()).then_some(piece)
    })
}
