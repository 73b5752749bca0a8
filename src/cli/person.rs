//! A person at the keyboard.

use std::io::{self, BufRead, Read, Write};

use super::error::Failure;
use crate::briefs::{self, Language};
use crate::rules::refusal::Refusal;
use crate::rules::seat::Seat;
use crate::rules::speech::Speech;
use crate::rules::table::Table;

/// What a person typed.
pub(super) enum Word {
    /// Something that may be an action.
    Action(String),
    /// A message beside the action, where talk is free.
    Say(String),
    /// Giving up.
    Resign,
    /// Leaving the match as it is, or the end of the input.
    Leave,
}

/// Reads lines and answers questions about the game.
pub(super) struct Person<R> {
    input: R,
    language: Language,
}

impl<R: BufRead> Person<R> {
    pub(super) fn new(input: R, language: Language) -> Person<R> {
        Person { input, language }
    }

    /// Asks for a seat's action. Questions are answered on the way; an empty line asks again.
    pub(super) fn ask(&mut self, table: &Table, seat: Seat, out: &mut impl Write) -> Result<Word, Failure> {
        loop {
            write!(out, "{seat}{}", self.language.pick(", your action (? for help): ", "，请行动（输入 ? 看帮助）："))?;
            out.flush()?;
            let mut bytes = Vec::new();
            let read = (&mut self.input).take(64 * 1024).read_until(b'\n', &mut bytes);
            if read.map_err(|error| Failure::work(format!("cannot read the input: {error}")))? == 0 {
                writeln!(out)?;
                return Ok(Word::Leave);
            }
            let line = String::from_utf8_lossy(&bytes);
            let line = line.trim();
            let (verb, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
            match verb.to_lowercase().as_str() {
                "" => {}
                "?" | "help" | "h" | "帮助" => self.help(table, out)?,
                "legal" | "list" | "行动" => {
                    let actions = table.legal(seat);
                    writeln!(out, "  {}", actions.join(self.language.pick(", ", "，")))?;
                }
                "rules" | "规则" => {
                    writeln!(out, "{}", briefs::brief(table.ruleset(), table.seats(), self.language))?;
                }
                "resign" | "认输" => return Ok(Word::Resign),
                "quit" | "exit" | "q" | "退出" => return Ok(Word::Leave),
                "say" | "speak" | "说" if table.ruleset().speech != Speech::Turn => {
                    return Ok(Word::Say(rest.trim().to_owned()));
                }
                _ => return Ok(Word::Action(line.to_owned())),
            }
        }
    }

    /// Says which rule an answer breaks.
    pub(super) fn refused(
        &self,
        table: &Table,
        seat: Seat,
        raw: &str,
        refusal: &Refusal,
        out: &mut impl Write,
    ) -> io::Result<()> {
        writeln!(out, "  {}", briefs::refusal(table, seat, raw, refusal, self.language))
    }

    fn help(&self, table: &Table, out: &mut impl Write) -> io::Result<()> {
        let example = table.to_act().iter().next().and_then(|seat| table.legal(seat).into_iter().next());
        let example = example.unwrap_or_default();
        writeln!(out, "{} {example}", self.language.pick("  an action, like:", "  输入行动，例如："))?;
        writeln!(
            out,
            "{}",
            self.language.pick(
                "  legal   what you may do now\n  rules   the rules in full\n  resign  give up\n  quit    leave; the match stays unfinished",
                "  行动    列出现在能做的行动\n  规则    完整规则\n  认输    放弃这一局\n  退出    离开，对局不算完",
            )
        )?;
        if table.ruleset().speech == Speech::Free {
            writeln!(out, "{}", self.language.pick("  say TEXT  talk to the others", "  说 文字  对其他人说话"))?;
        }
        Ok(())
    }
}
