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
    pub(crate) fn run(self, out: &mut impl Write) -> Result<(), Failure> {
        let mut program = help::command(Language::En);
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
        Ok(clap_mangen::Man::new(page).render(out)?)
    }
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
                .run(&mut page)
                .map(|()| String::from_utf8(page).expect("text"))
        };
        assert!(page(None).expect("there").contains(".TH standoff 1"));
        assert!(page(Some("play")).expect("there").contains("\\-\\-players"));
        assert_eq!(page(Some("plya")).expect_err("none").cause(), "no command `plya`");
    }
}
