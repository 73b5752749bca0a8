//! Other people's words, quoted so that they stay words.

use unicode_width::UnicodeWidthChar as _;

use super::language::Language;
use crate::games::speech::MAX_MESSAGE;

/// Somebody's words as data: in quotation marks, on one line, at most [`MAX_MESSAGE`] characters. Nothing in them closes
/// the quotation, opens a section, stands for a marker of a chat format, or is there without being seen.
pub fn quoted(text: &str, language: Language) -> String {
    let words = plain(text, MAX_MESSAGE);
    match language {
        Language::En => format!("\"{words}\""),
        Language::Zh => format!("“{words}”"),
    }
}

/// A text as it stands within an element or attribute of HTML or SVG.
pub fn markup(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            // XML has no place for them.
            c if c.is_control() && c != '\n' => escaped.push(' '),
            c => escaped.push(c),
        }
    }
    escaped
}

/// A text without anything that could be taken for more than a text, cut to so many characters.
pub(super) fn plain(text: &str, most: usize) -> String {
    let mut plain = String::new();
    let mut length = 0;
    let mut marks = 0;
    for c in text.chars().filter_map(harmless) {
        // Marks that stand on the letter before: two are enough for any script, a tower of them is a prank.
        marks = if c.width() == Some(0) { marks + 1 } else { 0 };
        if marks > 2 || (c == ' ' && (plain.is_empty() || plain.ends_with(' '))) {
            continue;
        }
        if length == most {
            // There is more: the last character makes room for the sign that says so.
            plain.pop();
            plain.push('…');
            return plain;
        }
        plain.push(c);
        length += 1;
    }
    plain.truncate(plain.trim_end().len());
    plain
}

/// What closes a quotation, or looks like it; and what opens code.
const QUOTES: &str = "\"“”„‟″‶〃〝〞〟＂ʺ˝ˮ״❝❞⹂\u{1f676}\u{1f677}\u{1f678}`｀";

/// What a character is in a quotation; nothing where it would not be seen.
fn harmless(c: char) -> Option<char> {
    Some(match c {
        _ if unseen(c) => return None,
        // Line breaks of every kind, and blanks of every width.
        _ if c.is_whitespace() || c == '\u{2800}' => ' ',
        _ if c.is_control() => return None,
        _ if QUOTES.contains(c) => '\'',
        // What sections, tags and the markers of chat formats are made of.
        '<' | '＜' => '‹',
        '>' | '＞' => '›',
        '[' | '［' => '(',
        ']' | '］' => ')',
        _ => c,
    })
}

/// Characters that show nothing: they turn the direction of writing, join or part letters, choose a glyph, fill a place,
/// tag, or have no meaning that is known here.
fn unseen(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}'
        | '\u{e000}'..='\u{f8ff}' | '\u{fdd0}'..='\u{fdef}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}'
        | '\u{fff0}'..='\u{fffb}' | '\u{fffe}' | '\u{ffff}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..)
}
