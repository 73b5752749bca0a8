//! The one reader of what a model writes in words.
//!
//! An answer stands on the last line of a text, behind a label that the prompt asks for: `ACTION: move down`. Thoughts are
//! no part of a text, and no other line is looked at for an answer, so nothing is recorded that a model only considered.
//! What cannot be read is unreadable: the model is told the form and asked again.

use std::borrow::Cow;

/// What stands before an action, in either language.
pub(super) const ACTION: &[&str] = &["action", "动作"];

/// What stands before the answer to a question, in either language.
const ANSWER: &[&str] = &["answer", "答案"];

/// What stands before a message to the others, and before a note to oneself.
const SAY: &[&str] = &["say"];
const NOTES: &[&str] = &["notes"];

/// What a text gives on its last lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Given<'a> {
    /// What stands behind the label of the last line.
    pub(super) value: &'a str,
    /// What stands behind `SAY:` right above it.
    pub(super) say: Option<&'a str>,
    /// What stands behind `NOTES:` right above it.
    pub(super) notes: Option<&'a str>,
    /// All that stands above these.
    pub(super) above: &'a str,
}

/// Why nothing is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Missing<'a> {
    /// There are no words but thoughts.
    Words,
    /// The last line, which this is, does not have the label and something behind it.
    Label(&'a str),
    /// The label stands on the last line more than once, or one of those above it does.
    Choice(&'a str),
}

/// What a text without thoughts gives behind one of these labels on its last line.
///
/// # Errors
/// If the last line does not have this form.
pub(super) fn read<'a>(text: &'a str, labels: &[&str]) -> Result<Given<'a>, Missing<'a>> {
    let (mut above, last) = last_line(text).ok_or(Missing::Words)?;
    let value = labelled(last, labels).ok_or(Missing::Label(last))?;
    if has_label(value, labels) {
        return Err(Missing::Choice(last));
    }
    let (mut say, mut notes) = (None, None);
    while let Some((rest, line)) = last_line(above) {
        let (place, words) = match (labelled(line, SAY), labelled(line, NOTES)) {
            (Some(words), _) => (&mut say, words),
            (None, Some(words)) => (&mut notes, words),
            (None, None) => break,
        };
        if place.replace(words).is_some() {
            return Err(Missing::Choice(line));
        }
        above = rest;
    }
    Ok(Given { value, say, notes, above: above.trim() })
}

/// The last line of a text, and what stands above it. A line of nothing but ornaments, like the end of a fence, is as good
/// as empty, and an empty one is none.
fn last_line(mut text: &str) -> Option<(&str, &str)> {
    while !text.is_empty() {
        let (above, line) = text.rsplit_once('\n').unwrap_or(("", text));
        if !line.trim().chars().all(|c| matches!(c, '`' | '*')) {
            return Some((above, line.trim()));
        }
        text = above;
    }
    None
}

/// What a text gives as the answer to a question, behind `ANSWER:` on its last line.
pub fn answer_in(text: &str) -> Option<String> {
    read(&spoken(text), ANSWER).ok().map(|given| given.value.to_owned())
}

/// What stands behind a label at the beginning of a line, ornaments aside; nothing where that is nothing.
fn labelled<'a>(line: &'a str, labels: &[&str]) -> Option<&'a str> {
    let line = bare(line);
    let begin = line.trim_start_matches(['*', '_', '`']);
    let ornament: String = line[..line.len() - begin.len()].chars().rev().collect();
    let rest = labels.iter().find_map(|label| behind(begin, label))?.trim_start();
    let rest = rest.strip_prefix(&*ornament).unwrap_or(rest).trim_start();
    let rest = rest.strip_prefix([':', '：'])?.trim_start();
    let rest = rest.strip_prefix(&*ornament).unwrap_or(rest);
    Some(bare(rest)).filter(|rest| !rest.is_empty())
}

/// Whether a label stands anywhere in a text.
fn has_label(text: &str, labels: &[&str]) -> bool {
    let is_label = |at: usize| {
        if text[..at].ends_with(|c: char| c.is_ascii_alphanumeric()) {
            return false;
        }
        let rest = labels.iter().find_map(|label| behind(&text[at..], label));
        rest.is_some_and(|rest| rest.trim_start_matches(['*', '_', '`', ' ']).starts_with([':', '：']))
    };
    text.char_indices().any(|(at, _)| is_label(at))
}

/// What follows a label, in whichever case and width it is written.
fn behind<'a>(text: &'a str, label: &str) -> Option<&'a str> {
    let mut rest = text.chars();
    for wanted in label.chars() {
        let c = rest.next()?;
        // The full-width letters mirror ASCII.
        let narrow = u32::from(c).checked_sub(0xfee0).and_then(char::from_u32).filter(char::is_ascii_graphic);
        if narrow.unwrap_or(c).to_ascii_lowercase() != wanted {
            return None;
        }
    }
    Some(rest.as_str())
}

/// What ornaments open and close with. None of them can change what stands between: what strikes out can.
const ORNAMENTS: [(&str, &str); 17] = [
    ("**", "**"),
    ("__", "__"),
    ("*", "*"),
    ("_", "_"),
    ("`", "`"),
    ("\"", "\""),
    ("'", "'"),
    ("“", "”"),
    ("‘", "’"),
    ("「", "」"),
    ("『", "』"),
    ("«", "»"),
    ("$", "$"),
    ("\\(", "\\)"),
    ("\\[", "\\]"),
    ("\\boxed{", "}"),
    ("\\text{", "}"),
];

/// A text without the ornaments around it, and without a full stop behind them.
fn bare(text: &str) -> &str {
    let text = text.trim();
    let stopless = text.strip_suffix(['.', '。']).map_or(text, str::trim_end);
    let inner = |text| ORNAMENTS.iter().find_map(|pair| within(text, pair));
    inner(text).or_else(|| inner(stopless)).map_or(text, bare)
}

/// What stands in a pair of ornaments that belong together.
fn within<'a>(text: &'a str, (open, close): &(&str, &str)) -> Option<&'a str> {
    let inner = text.strip_prefix(open)?.strip_suffix(close)?;
    // A brace may close one that was opened in between.
    let closes =
        if *close == "}" { inner.matches('}').count() != inner.matches('{').count() } else { inner.contains(close) };
    (!inner.contains(open) && !closes).then_some(inner)
}

/// The elements that models and servers put thoughts into.
const THOUGHTS: [&str; 7] = ["think", "thinking", "thought", "thoughts", "reasoning", "reflection", "scratchpad"];

/// Other marks around thoughts, in small letters.
const MARKS: [(&str, ThoughtMark); 13] = [
    ("[think]", ThoughtMark::Open),
    ("[/think]", ThoughtMark::Close),
    ("◁think▷", ThoughtMark::Open),
    ("◁/think▷", ThoughtMark::Close),
    ("<|channel|>analysis<|message|>", ThoughtMark::Open),
    ("<|channel|>commentary<|message|>", ThoughtMark::Open),
    ("<|channel|>final<|message|>", ThoughtMark::Close),
    ("<|end|>", ThoughtMark::End),
    ("<|begin_of_thought|>", ThoughtMark::Open),
    ("<|end_of_thought|>", ThoughtMark::Close),
    ("<|start_thinking|>", ThoughtMark::Open),
    ("<|end_thinking|>", ThoughtMark::Close),
    ("<|thinking|>", ThoughtMark::Open),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ThoughtMark {
    /// A thought begins.
    Open,
    /// A thought ends. Where none has begun, all before it was one: servers swallow the beginning.
    Close,
    /// Whatever has begun ends, thought or not.
    End,
}

/// A text without the thoughts in it. A thought that does not end goes to the end of the text.
pub(super) fn spoken(text: &str) -> Cow<'_, str> {
    let mut rest = text;
    let (mut spoken, mut depth, mut found) = (String::new(), 0_usize, false);
    while let Some(at) = rest.find(['<', '[', '◁']) {
        let (before, from) = rest.split_at(at);
        if depth == 0 {
            spoken.push_str(before);
        }
        let Some((mark, length)) = mark(from) else {
            let first = from.chars().next().map_or(1, char::len_utf8);
            if depth == 0 {
                spoken.push_str(&from[..first]);
            }
            rest = &from[first..];
            continue;
        };
        found = true;
        rest = &from[length..];
        match (mark, depth) {
            (ThoughtMark::Open, _) => depth += 1,
            (ThoughtMark::Close, 0) => spoken.clear(),
            (ThoughtMark::Close | ThoughtMark::End, 1..) => depth -= 1,
            (ThoughtMark::End, 0) => spoken.push_str(&from[..length]),
        }
        // What stands on both sides of a thought does not become one line.
        spoken.push('\n');
    }
    if !found {
        return Cow::Borrowed(text);
    }
    if depth == 0 {
        spoken.push_str(rest);
    }
    Cow::Owned(spoken)
}

/// The mark that a text begins with, and how long it is.
fn mark(text: &str) -> Option<(ThoughtMark, usize)> {
    let starts = |mark: &str| text.get(..mark.len()).is_some_and(|head| head.eq_ignore_ascii_case(mark));
    if let Some((mark, kind)) = MARKS.iter().find(|(mark, _)| starts(mark)) {
        return Some((*kind, mark.len()));
    }
    let tag = text.strip_prefix('<')?;
    let (kind, name) = tag.strip_prefix('/').map_or((ThoughtMark::Open, tag), |name| (ThoughtMark::Close, name));
    let end = name.find(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, ':' | '_'))?;
    // Some put a namespace before it.
    let local = name[..end].rsplit(':').next().unwrap_or_default();
    let is_thought = THOUGHTS.iter().any(|thought| local.eq_ignore_ascii_case(thought));
    // An element may have attributes, on the same line.
    let close = name[end..].find(['>', '<', '\n']).filter(|at| name[end + at..].starts_with('>'))?;
    is_thought.then(|| (kind, text.len() - name.len() + end + close + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Option<String> {
        read(&spoken(text), ACTION).ok().map(|given| given.value.to_owned())
    }

    #[test]
    fn ornaments_come_off_and_nothing_else() {
        for text in [
            "ACTION: move down",
            "action： move down",
            "**ACTION:** move down",
            "**ACTION**: `move down`",
            "***ACTION: move down***",
            "`ACTION: move down`.",
            "**ACTION: move down",
            "_Action_: “move down”。",
            "'ACTION: \"move down\"'",
            "\\[ \\boxed{\\text{ACTION: move down}} \\]",
            "ACTION: $\\boxed{move down}$.",
            "动作：「move down」",
        ] {
            assert_eq!(value(text).as_deref(), Some("move down"), "{text}");
        }
        for (text, left) in [
            ("ACTION: speak \"hi\"", "speak \"hi\""),
            ("ACTION: speak Hello.", "speak Hello."),
            ("ACTION: speak the transaction: done", "speak the transaction: done"),
            ("ACTION: ~~move down~~", "~~move down~~"),
            ("ACTION: *move* or *stay*", "*move* or *stay*"),
        ] {
            assert_eq!(value(text).as_deref(), Some(left), "{text}");
        }
    }

    #[test]
    fn a_last_line_in_another_form_gives_nothing() {
        for text in [
            "",
            "```\n**\n",
            "move down",
            "ACTION move down",
            "ACTION:",
            "ACTION: **",
            "ACTIONS: move down",
            "My ACTION: move down",
            "> ACTION: move down",
            "- ACTION: move down",
            "1. ACTION: move down",
            "~~ACTION: move down~~",
            "ACTION: move down\nI am sure.",
            "ACTION: move up, ACTION: move down",
            "动作：move up 动作：move down",
            "SAY: a\nSAY: b\nACTION: move down",
        ] {
            assert_eq!(value(text), None, "{text}");
        }
    }

    #[test]
    fn words_beside_the_action_stand_right_above_it() {
        let text = "SAY: too early\nHm.\n\n**SAY:** hello\n\nNOTES: go on\nACTION: move down\n";
        let given = read(text, ACTION).expect("it is in the form");
        assert_eq!((given.value, given.say, given.notes), ("move down", Some("hello"), Some("go on")));
        assert_eq!(given.above, "SAY: too early\nHm.");
    }

    #[test]
    fn thoughts_are_left_out_wherever_they_stand() {
        for (text, left) in [
            ("a <b> [c] d", "a <b> [c] d"),
            ("<think>a</think>b", "\n\nb"),
            ("a<THINK>b", "a\n"),
            ("a</think>b", "\nb"),
            ("a<think>b<think>c</think>d</think>e", "a\n\n\n\ne"),
            ("<thinking mode=\"x\">a</thinking >b", "\n\nb"),
            ("<thinker>a</thinker>", "<thinker>a</thinker>"),
            ("<think\n>a", "<think\n>a"),
            ("[THINK]a[/THINK]b", "\n\nb"),
            ("<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>final<|message|>b", "\nb"),
            ("a<|end|>", "a<|end|>\n"),
            ("◁think▷a◁/think▷b", "\n\nb"),
            ("<seed:think>a</seed:think>b", "\n\nb"),
            ("<x:thinking>a</x:thinking>b", "\n\nb"),
            ("<rethink>a</rethink>b", "<rethink>a</rethink>b"),
        ] {
            assert_eq!(spoken(text), left, "{text}");
        }
    }

    #[test]
    fn long_and_deep_texts_are_read_in_no_time() {
        for text in
            ["<think>".repeat(100_000), "\\boxed{".repeat(100_000) + &"}".repeat(100_000), "<".repeat(1_000_000)]
        {
            assert_eq!(value(&text), None);
        }
        assert_eq!(
            value(&format!("{}\nACTION: move down", "thinking ".repeat(1_000_000))).as_deref(),
            Some("move down")
        );
    }
}
