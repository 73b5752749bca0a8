//! A command line, taken apart as a shell would, without a shell.

use super::ProcessError;

/// The words of a command line. White space parts them; quotes, backslashes and `#` mean what they mean to a shell.
/// Nothing else does: `$`, `*`, `|` and `~` are ordinary characters.
pub(in crate::players) fn words(command: &str) -> Result<Vec<String>, ProcessError> {
    let words = shell_words::split(command).map_err(|_| ProcessError::Unfinished { command: command.to_owned() })?;
    if words.first().is_none_or(String::is_empty) { Err(ProcessError::NoCommand) } else { Ok(words) }
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
            (r"a b\\ # but not this", &["a", r"b\"]),
            ("机器人 '甲 乙'", &["机器人", "甲 乙"]),
        ] {
            assert_eq!(words(command).expect(command), expected, "{command}");
        }
    }

    #[test]
    fn what_is_no_command_is_refused() {
        for open in ["a 'b", "a \"b", "\"a\\"] {
            assert!(matches!(words(open), Err(ProcessError::Unfinished { .. })), "{open}");
        }
        for empty in ["", "  ", "''", "'' a", "# a"] {
            assert!(matches!(words(empty), Err(ProcessError::NoCommand)), "{empty}");
        }
    }
}
