//! A person at the keyboard.

use std::io::{self, BufRead, Read, Write};
use std::sync::Arc;

use futures_util::future::BoxFuture;
use tokio::sync::Mutex;

use super::screen;
use crate::briefs::{self, Language};
use crate::games::View;
use crate::games::seat::Seat;
use crate::games::speech::Speech;
use crate::pictures::text::wrap;
use crate::players::{Answer, Ask, Player, PlayerError, TurnLog};

/// The keyboard, which people pass on to each other.
#[derive(Clone, Debug, Default)]
pub(super) struct Keyboard(Arc<Mutex<()>>);

impl Keyboard {
    /// A person who uses it. What is typed is wiped off the screen where others are still to choose in secret.
    pub(super) fn person(&self, language: Language, shared: bool) -> Person {
        Person { keyboard: self.clone(), language, shared }
    }
}

/// A person at the keyboard.
#[derive(Debug)]
pub(super) struct Person {
    keyboard: Keyboard,
    language: Language,
    shared: bool,
}

impl Player for Person {
    fn act<'a>(&'a mut self, ask: &'a Ask, log: &'a TurnLog) -> BoxFuture<'a, Result<Answer, PlayerError>> {
        let form = PersonPrompt { language: self.language, hidden: self.shared && ask.view.to_act().len() > 1 };
        let (keyboard, ask) = (self.keyboard.clone(), ask.clone());
        Box::pin(async move {
            // While another person types, nobody's clock runs but theirs.
            let waiting = log.waiting();
            let turn = keyboard.0.lock_owned().await;
            drop(waiting);
            let asked = tokio::task::spawn_blocking(move || {
                let _turn = turn;
                form.ask(&ask, io::stdin().lock(), &mut io::stdout().lock())
            });
            asked.await.map_err(|error| PlayerError::Crashed(error.to_string()))?.unwrap_or(Err(PlayerError::Left))
        })
    }
}

/// How a person is asked.
#[derive(Clone, Copy)]
struct PersonPrompt {
    language: Language,
    hidden: bool,
}

impl PersonPrompt {
    fn pick(self, en: &'static str, zh: &'static str) -> &'static str {
        self.language.pick(en, zh)
    }

    /// Asks for an action. Questions are answered on the way; an empty line asks again.
    fn ask(self, ask: &Ask, mut input: impl BufRead, out: &mut impl Write) -> io::Result<Result<Answer, PlayerError>> {
        let (view, seat) = (&ask.view, ask.seat);
        let mut say = None;
        if self.hidden && view.position().is_none() {
            // The board that all look at shows nothing of what only this seat sees.
            writeln!(out, "{}", briefs::board(view, self.language))?;
        }
        loop {
            write!(out, "{seat}{}", self.pick(", your action (? for help): ", "，请输入动作（? 看帮助）："))?;
            out.flush()?;
            let mut bytes = Vec::new();
            if (&mut input).take(64 * 1024).read_until(b'\n', &mut bytes)? == 0 {
                writeln!(out)?;
                return Ok(Err(PlayerError::Left));
            }
            if self.hidden && screen::is_interactive() {
                write!(out, "\x1b[1A\x1b[2K")?;
            }
            let line = String::from_utf8_lossy(&bytes);
            let line = line.trim();
            let (verb, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
            match verb.to_lowercase().as_str() {
                "" => {}
                "?" | "help" | "h" | "帮助" => self.help(view, seat, out)?,
                "legal" | "list" | "动作" | "行动" => {
                    // An action is never broken in the middle.
                    let actions: Vec<String> =
                        view.legal(seat).iter().map(|action| action.replace(' ', "\u{a0}")).collect();
                    let listed = format!("  {}", actions.join(" · "));
                    for line in wrap(&listed, screen::options().width, 2) {
                        writeln!(out, "{}", line.replace('\u{a0}', " "))?;
                    }
                }
                "rules" | "规则" => {
                    writeln!(out, "{}", briefs::brief(view.ruleset(), view.seats(), self.language))?;
                }
                "resign" | "认输" => return Ok(Err(PlayerError::Resigned)),
                "quit" | "exit" | "q" | "退出" => return Ok(Err(PlayerError::Left)),
                "say" | "speak" | "说" if view.ruleset().speech != Speech::Turn => say = Some(rest.trim().to_owned()),
                // People are asked until the rules take what they want: only programs run out of attempts.
                _ => match view.accept(seat, line) {
                    Ok(action) => return Ok(Ok(Answer { action, say })),
                    Err(refusal) => {
                        writeln!(out, "  {}", briefs::refusal(view, seat, line, &refusal, self.language))?;
                    }
                },
            }
        }
    }

    fn help(self, view: &View, seat: Seat, out: &mut impl Write) -> io::Result<()> {
        let example = view.legal(seat).into_iter().next().unwrap_or_default();
        writeln!(out, "{} {example}", self.pick("  an action, like:", "  输入动作，例如："))?;
        let commands = self.pick(
            "  legal   what you may do now\n  rules   the rules in full\n  resign  give up\n  quit    leave; the match stays unfinished",
            "  动作    列出现在能做的动作\n  规则    完整规则\n  认输    放弃这一局\n  退出    离开，对局不算完",
        );
        writeln!(out, "{commands}")?;
        if view.ruleset().speech == Speech::Free {
            writeln!(out, "{}", self.pick("  say TEXT  talk to the others", "  说 文字  对其他人说话"))?;
        }
        Ok(())
    }
}
