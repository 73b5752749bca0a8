//! `standoff completions` and `standoff man`: what shells and manuals want to know of the command line.

use std::io::Write;

use clap::Args;
use clap_complete::Shell;

use super::error::Failure;
use super::help;
use crate::briefs::Language;

/// Print completions for a shell.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  standoff completions bash > ~/.local/share/bash-completion/completions/standoff
  standoff completions zsh > ~/.zfunc/_standoff
  standoff completions fish > ~/.config/fish/completions/standoff.fish")]
pub(crate) struct CompletionsCommand {
    /// The shell
    shell: Shell,
}

impl CompletionsCommand {
    /// Prints the completions of a shell.
    ///
    /// # Errors
    /// If the output cannot be written.
    pub(crate) fn run(self, out: &mut impl Write) -> Result<(), Failure> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut help::command(Language::En), "standoff", &mut script);
        Ok(out.write_all(&script)?)
    }
}

/// Print the manual page, of the program or of one command.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  standoff man | man -l -                    read it
  standoff man tournament | man -l -         the page of one command
  standoff man > /usr/local/share/man/man1/standoff.1")]
pub(crate) struct ManCommand {
    /// The command whose page it is
    command: Option<String>,
}

impl ManCommand {
    /// Prints the manual page of a command.
    ///
    /// # Errors
    /// If there is no such command, or the output cannot be written.
    pub(crate) fn run(self, out: &mut impl Write, language: Language) -> Result<(), Failure> {
        let mut program = help::command(language);
        program.build();
        let page = match &self.command {
            None => program,
            Some(name) => {
                let command = program.find_subcommand(name).cloned();
                command.ok_or_else(|| {
                    Failure::call(format!("no command `{name}`")).hint("`standoff --help` lists the commands")
                })?
            }
        };
        let mut text = Vec::new();
        clap_mangen::Man::new(page).render(&mut text)?;
        if language == Language::Zh {
            text = in_chinese(&String::from_utf8_lossy(&text)).into_bytes();
        }
        Ok(out.write_all(&text)?)
    }
}

/// What the headings of a manual page are in Chinese.
const HEADINGS: [(&str, &str); 7] = [
    ("NAME", "名称"),
    ("SYNOPSIS", "概要"),
    ("DESCRIPTION", "说明"),
    ("OPTIONS", "选项"),
    ("SUBCOMMANDS", "命令"),
    ("EXTRA", "补充"),
    ("VERSION", "版本"),
];

/// A page with its headings in Chinese.
fn in_chinese(page: &str) -> String {
    let line = |line: &str| {
        let heading = line.strip_prefix(".SH ").map(|heading| heading.trim().trim_matches('"'));
        let named = HEADINGS.iter().find(|(own, _)| heading == Some(*own));
        let line = named.map_or_else(|| line.to_owned(), |(_, chinese)| format!(".SH {chinese}"));
        line.replace("<\\fIsubcommands\\fR>", "<\\fI命令\\fR>") + "\n"
    };
    page.lines().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shell_gets_the_commands_and_their_flags() {
        for shell in [Shell::Bash, Shell::Zsh, Shell::Fish, Shell::PowerShell, Shell::Elvish] {
            let mut script = Vec::new();
            CompletionsCommand { shell }.run(&mut script).expect("written");
            let script = String::from_utf8(script).expect("text");
            assert!(script.contains("tournament") && script.contains("max-usd"), "{shell}");
        }
    }

    #[test]
    fn a_manual_page_has_its_options_and_an_unknown_command_is_named() {
        let page = |command: Option<&str>| {
            let mut page = Vec::new();
            ManCommand { command: command.map(str::to_owned) }
                .run(&mut page, Language::En)
                .map(|()| String::from_utf8(page).expect("text"))
        };
        assert!(page(None).expect("there").contains(".TH standoff 1"));
        assert!(page(Some("play")).expect("there").contains("\\-\\-players"));
        assert_eq!(page(Some("plya")).expect_err("none").cause(), "no command `plya`");
    }

    #[test]
    fn a_manual_page_is_in_the_language_of_the_call() {
        for command in [None, Some("play"), Some("bank"), Some("replay")] {
            let mut page = Vec::new();
            ManCommand { command: command.map(str::to_owned) }.run(&mut page, Language::Zh).expect("there");
            let page = String::from_utf8(page).expect("text");
            let headings: Vec<&str> = page.lines().filter(|line| line.starts_with(".SH")).collect();
            assert!(headings.contains(&".SH 概要") && headings.contains(&".SH 选项"), "{command:?}: {headings:?}");
            assert!(headings.iter().all(|line| !line[3..].contains(|c: char| c.is_ascii_alphabetic())), "{headings:?}");
            assert!(page.contains("显示帮助") && !page.contains("Print help"), "{page}");
        }
    }
}
