//! A command line, taken apart as a shell would, without a shell.

use std::iter::Peekable;
use std::str::Chars;

use super::ProcessError;

/// The words of a command line. White space parts them; quotes and backslashes mean what they mean to a shell. Nothing
/// else does: `$`, `*`, `|` and `~` are letters like others.
pub(super) fn words(command: &str) -> Result<Vec<String>, ProcessError> {
    let unfinished = || ProcessError::Unfinished { command: command.to_owned() };
    let mut words = Vec::new();
    let mut letters = command.chars().peekable();
    loop {
        while letters.next_if(|letter| letter.is_whitespace()).is_some() {}
        if letters.peek().is_none() {
            break;
        }
        words.push(word(&mut letters).ok_or_else(unfinished)?);
    }
    if words.first().is_none_or(String::is_empty) { Err(ProcessError::NoCommand) } else { Ok(words) }
}

/// One word up to white space; none if a quote or a backslash is left open.
fn word(letters: &mut Peekable<Chars<'_>>) -> Option<String> {
    let mut word = String::new();
    while let Some(letter) = letters.next_if(|letter| !letter.is_whitespace()) {
        match letter {
            '\\' => word.push(letters.next()?),
            '\'' => loop {
                match letters.next()? {
                    '\'' => break,
                    other => word.push(other),
                }
            },
            '"' => loop {
                match letters.next()? {
                    '"' => break,
                    '\\' => match letters.next()? {
                        escaped @ ('"' | '\\' | '$' | '`') => word.push(escaped),
                        other => word.extend(['\\', other]),
                    },
                    other => word.push(other),
                }
            },
            other => word.push(other),
        }
    }
    Some(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_split_as_a_shell_would() {
        for (command, expected) in [
            ("python3 bot.py", &["python3", "bot.py"][..]),
            ("  a\t b\n", &["a", "b"]),
            ("'my bot' \"it's\" a\\ b", &["my bot", "it's", "a b"]),
            (r#"a "" '' "x\"y\\z\n""#, &["a", "", "", r#"x"y\z\n"#]),
            ("a'b'\"c\"d $HOME | *", &["abcd", "$HOME", "|", "*"]),
            ("机器人 '甲 乙'", &["机器人", "甲 乙"]),
        ] {
            assert_eq!(words(command).expect(command), expected, "{command}");
        }
    }

    #[test]
    fn what_is_no_command_is_refused() {
        for open in ["a 'b", "a \"b", "a \\", "\"a\\"] {
            assert!(matches!(words(open), Err(ProcessError::Unfinished { .. })), "{open}");
        }
        for empty in ["", "  ", "''", "'' a"] {
            assert!(matches!(words(empty), Err(ProcessError::NoCommand)), "{empty}");
        }
    }
}
