use crate::pictures::text::{clean, columns, cut, wrap};

#[test]
fn other_peoples_words_cannot_move_the_cursor_or_hide_text() {
    for (raw, cleaned) in [
        ("plain", "plain"),
        ("\x1b[2Jgone", "�[2Jgone"),
        ("two\nlines\tand\r\u{85}more", "two lines and  more"),
        ("\u{202e}txt.exe\u{202c}", "txt.exe"),
        ("zero\u{200b}width\u{feff}", "zerowidth"),
        ("\u{9b}31mred\u{7}", "�31mred�"),
        ("e\u{301}\u{302}\u{303}\u{304}", "e\u{301}\u{302}"),
        ("\u{301}alone", "alone"),
        ("👩\u{200d}🚀\u{fe0f}", "👩🚀"),
        ("牛仔", "牛仔"),
        ("\u{ffff}\u{fffe}", "��"),
    ] {
        assert_eq!(clean(raw), cleaned, "{raw:?}");
    }
}

#[test]
fn a_cut_text_keeps_within_its_columns() {
    for (text, width, kept) in [
        ("greedy", 6, "greedy"),
        ("greedy", 5, "gree…"),
        ("牛仔对决", 5, "牛仔…"),
        ("牛仔对决", 4, "牛…"),
        ("a", 0, ""),
    ] {
        assert_eq!(cut(text, width), kept);
    }
}

#[test]
fn text_breaks_at_spaces_and_between_chinese_characters() {
    for (text, width, indent, lines) in [
        ("never hit what you aim at", 10, 0, vec!["never hit", "what you", "aim at"]),
        ("never hit what you aim at", 10, 2, vec!["never hit", "  what you", "  aim at"]),
        ("打不到我就是打不到", 8, 0, vec!["打不到我", "就是打不", "到"]),
        ("abcdefghijk", 4, 0, vec!["abcd", "efgh", "ijk"]),
        ("x", 0, 0, vec!["x"]),
        ("", 10, 0, vec![""]),
    ] {
        assert_eq!(wrap(text, width, indent), lines);
        assert!(lines.iter().all(|line| columns(line) <= width.max(indent + 2)));
    }
}
