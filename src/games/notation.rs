//! Reading actions forgivingly: case, spaces, short forms, full-width letters, Chinese words.

use smallvec::SmallVec;

/// The words of an action.
pub(crate) type Words = SmallVec<[Word; 8]>;

/// One thing that an action can say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Word {
    Move,
    Shield,
    Shoot,
    Stay,
    Up,
    Down,
    Left,
    Right,
    North,
    South,
    East,
    West,
}

/// Words of the Latin alphabet stand between spaces or punctuation. Empty: a word without weight.
fn latin(word: &[u8]) -> Option<&'static [Word]> {
    use Word::{Down, East, Left, Move, North, Right, Shield, Shoot, South, Stay, Up, West};
    Some(match word {
        b"move" | b"m" | b"mv" | b"go" | b"walk" => &[Move],
        b"shield" | b"sh" | b"guard" => &[Shield],
        b"shoot" | b"fire" | b"f" => &[Shoot],
        b"stay" | b"hold" => &[Stay],
        b"up" | b"u" => &[Up],
        b"down" | b"d" => &[Down],
        b"left" | b"l" => &[Left],
        b"right" | b"r" => &[Right],
        b"north" | b"n" => &[North],
        b"south" | b"s" => &[South],
        b"east" | b"e" => &[East],
        b"west" | b"w" => &[West],
        b"northeast" | b"ne" => &[North, East],
        b"southeast" | b"se" => &[South, East],
        b"southwest" | b"sw" => &[South, West],
        b"northwest" | b"nw" => &[North, West],
        b"and" => &[],
        _ => return None,
    })
}

/// Chinese words stand next to each other; of two that fit, the longer comes first. Empty: a particle without weight.
const CHINESE: &[(&str, &[Word])] = {
    use Word::{Down, East, Left, Move, North, Right, Shield, Shoot, South, Stay, Up, West};
    &[
        ("原地不动", &[Stay]),
        ("不动", &[Stay]),
        ("停留", &[Stay]),
        ("原地", &[Stay]),
        ("移动", &[Move]),
        ("走", &[Move]),
        ("移", &[Move]),
        ("护盾", &[Shield]),
        ("举盾", &[Shield]),
        ("转盾", &[Shield]),
        ("盾", &[Shield]),
        ("射击", &[Shoot]),
        ("开枪", &[Shoot]),
        ("开火", &[Shoot]),
        ("射", &[Shoot]),
        ("东北", &[North, East]),
        ("东南", &[South, East]),
        ("西南", &[South, West]),
        ("西北", &[North, West]),
        ("上", &[Up]),
        ("下", &[Down]),
        ("左", &[Left]),
        ("右", &[Right]),
        ("北", &[North]),
        ("南", &[South]),
        ("东", &[East]),
        ("西", &[West]),
        ("朝向", &[]),
        ("向", &[]),
        ("往", &[]),
        ("朝", &[]),
        ("方", &[]),
        ("边", &[]),
        ("面", &[]),
        ("并", &[]),
    ]
};

/// The words of a whole text, or nothing if any of it is something else: nothing is rescued from prose.
pub(crate) fn words(text: &str) -> Option<Words> {
    // The longest readable action is far shorter; a longer text is not worth the work.
    if text.len() > 200 {
        return None;
    }
    if let Some(found) = canonical(text) {
        return Some(found);
    }
    let mut found = Words::new();
    let text: String = text.chars().map(narrow).flat_map(char::to_lowercase).collect();
    let mut rest = text.trim().trim_end_matches(['.', '!', '。', ';']);
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, ',' | '-' | '_' | '+' | '、' | ':'));
        let Some(first) = rest.chars().next() else { return Some(found) };
        let (meaning, length) = if first.is_ascii_alphabetic() {
            let end = rest.bytes().position(|byte| !byte.is_ascii_alphabetic()).unwrap_or(rest.len());
            (latin(&rest.as_bytes()[..end])?, end)
        } else {
            let (word, meaning) = CHINESE.iter().find(|(word, _)| rest.starts_with(word))?;
            (*meaning, word.len())
        };
        found.extend_from_slice(meaning);
        rest = &rest[length..];
    }
}

/// Words as programs write them: known ones in small letters between plain separators.
fn canonical(text: &str) -> Option<Words> {
    let mut found = Words::new();
    let words = text.as_bytes().split(|byte| matches!(byte, b' ' | b',' | b'-'));
    for word in words.filter(|word| !word.is_empty()) {
        for &meant in latin(word)? {
            found.push(meant);
        }
    }
    Some(found)
}

/// The ASCII twin of a full-width letter or sign.
pub(crate) fn narrow(c: char) -> char {
    match c {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(c) - 0xfee0).expect("the full-width block mirrors ASCII"),
        '\u{3000}' => ' ',
        _ => c,
    }
}

/// What follows the word for speaking, if the text begins with it. The rest is the player's own, up to trimming.
pub(crate) fn spoken(text: &str) -> Option<&str> {
    const VERBS: [&str; 8] = ["speak", "say", "chat", "说话", "发言", "喊话", "说", "喊"];
    let text = text.trim();
    VERBS.iter().find_map(|verb| {
        let head = text.get(..verb.len())?;
        let rest = &text[verb.len()..];
        let ends = !verb.is_ascii() || rest.is_empty() || rest.starts_with(|c: char| !c.is_ascii_alphanumeric());
        // A colon belongs to the verb only when it touches it: `speak :)` says `:)`.
        (ends && head.eq_ignore_ascii_case(verb)).then(|| rest.strip_prefix([':', '：']).unwrap_or(rest).trim())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reading_is_forgiving() {
        use Word::{East, Left, Move, North, Shoot, Up};
        for (text, expected) in [
            ("move up", &[Move, Up][..]),
            ("  MOVE   Up. ", &[Move, Up]),
            ("m u", &[Move, Up]),
            ("ｍｏｖｅ　ｕｐ", &[Move, Up]),
            ("向上移动", &[Up, Move]),
            ("射击 左", &[Shoot, Left]),
            ("往左边射击。", &[Left, Shoot]),
            ("move north-east", &[Move, North, East]),
            ("move NE", &[Move, North, East]),
            ("移动 东北", &[Move, North, East]),
            ("move north，shoot east", &[Move, North, Shoot, East]),
            ("", &[]),
        ] {
            assert_eq!(words(text).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn prose_is_not_rescued() {
        for text in ["I would move up", "move up because B is there", "moveup", "move 1", "上策是移动", "🤠"] {
            assert_eq!(words(text), None, "{text}");
        }
        assert_eq!(words(&"up ".repeat(1000)), None);
    }

    #[test]
    fn speech_keeps_its_text() {
        for (text, said) in [
            ("speak hello", Some("hello")),
            ("SAY: hello ", Some("hello")),
            ("speak :)", Some(":)")),
            ("说：你好", Some("你好")),
            ("说 你好", Some("你好")),
            ("speak", Some("")),
            ("speakeasy", None),
            ("move up", None),
        ] {
            assert_eq!(spoken(text), said, "{text}");
        }
    }
}
