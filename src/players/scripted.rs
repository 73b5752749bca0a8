//! `scripted:FILE`: a player that does what a file says, faults included, for tests and demos.
//!
//! A script is plain text. Each line is what the player does when it is asked once more: an action in notation or JSON,
//! good or bad, or a word with an exclamation mark. Empty lines and lines that begin with `#` are skipped.
//!
//! | line | what the player does |
//! |---|---|
//! | `move up` | answers with this |
//! | `!silent` | never answers: the clock decides |
//! | `!truncated TEXT` | answers, but is cut off |
//! | `!declined TEXT` | declines to answer |
//! | `!nothing TEXT` | answers without an action |
//! | `!crash WHY` | breaks down for this turn |
//! | `!backend WHY` | cannot be reached, by nobody's fault: the match is suspended |
//! | `!resign` | gives up |
//! | `!leave` | leaves as a person leaves the terminal |
//!
//! Three more stand before such a line and belong to it: `!wait SECONDS`, `!say TEXT` and `!reason TEXT`. The last line
//! may say what comes when the script is used up: `!first`, the first legal action, which is also what happens where
//! nothing is said; `!random`, any legal action; `!repeat`, the script again.

use std::time::Duration;

use futures_util::future::{BoxFuture, pending};

use super::player::{Answer, Ask, Player, PlayerError};
use super::turn::TurnLog;
use crate::games::dice::Seed;
use crate::matches::{Attempt, Problem};
use crate::settings::shorten;

/// A script that was read and found sound.
#[derive(Clone, Debug, PartialEq)]
pub struct Script {
    deeds: Vec<ScriptedTurn>,
    after: After,
}

/// What the player does when it is asked once.
#[derive(Clone, Debug, PartialEq)]
struct ScriptedTurn {
    manner: Delivery,
    act: ScriptedAct,
}

/// What goes with an answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Delivery {
    wait: Duration,
    say: Option<String>,
    reasoning: Option<String>,
}

#[derive(Clone, Debug, PartialEq)]
enum ScriptedAct {
    /// Never answers, so that the clock runs out.
    Silent,
    Answer(String),
    Fail(PlayerError),
}

/// What comes when the script is used up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum After {
    First,
    Random,
    Repeat,
}

/// A script that cannot be played. Every flaw is named, a line each.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", flaws.iter().map(|(line, flaw)| format!("{source_name}:{line}: {flaw}")).collect::<Vec<_>>().join("\n"))]
pub struct ScriptError {
    /// Where the script was read from.
    pub source_name: String,
    /// Line numbers from 1 and what is wrong there; never empty.
    pub flaws: Vec<(usize, Flaw)>,
}

/// What is wrong with a line of a script.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Flaw {
    /// No such word.
    #[error("no `{}`; available: {WORDS}", shorten(.0))]
    Unknown(String),
    /// A word that needs something after it.
    #[error("`{0}` needs a text after it")]
    NeedsText(String),
    /// A word that takes nothing after it.
    #[error("`{word}` stands alone, without `{}`", shorten(text))]
    StandsAlone {
        /// The word that takes no text.
        word: String,
        /// What follows it.
        text: String,
    },
    /// A time that is none.
    #[error("`{}` is no time to wait: write seconds from 0 to 86400, like `!wait 5` or `!wait 0.5`", shorten(.0))]
    BadTime(String),
    /// A word that belongs to an answer that does not come.
    #[error("`{0}` belongs to the answer below it, and there is none")]
    Dangling(String),
    /// `!repeat` in a script without an answer.
    #[error("`!repeat` has nothing to repeat")]
    NothingToRepeat,
    /// A line below the one that says what comes at the end.
    #[error("this is never reached: `{0}` above is the end of the script")]
    Unreachable(&'static str),
}

const WORDS: &str = "!wait, !say, !reason, !silent, !truncated, !declined, !nothing, !crash, !backend, !resign, !leave, \
                     and for the end !first, !random, !repeat";

impl Script {
    /// Reads a script; `source` is what messages call it.
    ///
    /// # Errors
    /// With everything that is wrong with it, line by line.
    pub fn read(source: &str, text: &str) -> Result<Script, ScriptError> {
        let mut reader = ScriptReader::default();
        for (index, line) in text.lines().enumerate() {
            let line = line.trim();
            if !line.is_empty() && !line.starts_with('#') {
                reader.number = index + 1;
                if let Err(flaw) = reader.line(line) {
                    reader.flaws.push((reader.number, flaw));
                }
            }
        }
        reader.finish().map_err(|flaws| ScriptError { source_name: source.to_owned(), flaws })
    }

    /// A player that plays it. The seed is for what it draws when the script is used up.
    pub fn player(&self, seed: Seed) -> Box<dyn Player> {
        Box::new(Scripted { script: self.clone(), next: 0, seed })
    }
}

/// A script half read.
#[derive(Default)]
struct ScriptReader {
    number: usize,
    deeds: Vec<ScriptedTurn>,
    /// What was said about the answer that is still to come, and the last word that said it.
    coming: Delivery,
    modifier: Option<(usize, String)>,
    after: Option<(&'static str, After)>,
    flaws: Vec<(usize, Flaw)>,
}

impl ScriptReader {
    fn line(&mut self, line: &str) -> Result<(), Flaw> {
        if let Some((word, _)) = self.after {
            return Err(Flaw::Unreachable(word));
        }
        if !line.starts_with('!') {
            self.act(ScriptedAct::Answer(line.to_owned()));
            return Ok(());
        }
        let (word, text) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let text = text.trim();
        let some = || if text.is_empty() { Err(Flaw::NeedsText(word.to_owned())) } else { Ok(text.to_owned()) };
        let alone = || match text {
            "" => Ok(()),
            _ => Err(Flaw::StandsAlone { word: word.to_owned(), text: text.to_owned() }),
        };
        let why = || if text.is_empty() { "the script says so".to_owned() } else { text.to_owned() };
        let no_action = |problem| PlayerError::NoAction(Attempt { text: text.to_owned(), problem });
        let modifier = Some((self.number, word.to_owned()));
        match word {
            "!wait" => (self.coming.wait, self.modifier) = (seconds(&some()?)?, modifier),
            "!say" => (self.coming.say, self.modifier) = (Some(some()?), modifier),
            "!reason" => (self.coming.reasoning, self.modifier) = (Some(some()?), modifier),
            "!silent" => alone().map(|()| self.act(ScriptedAct::Silent))?,
            "!truncated" => self.act(ScriptedAct::Fail(no_action(Problem::Truncated))),
            "!declined" => self.act(ScriptedAct::Fail(no_action(Problem::Declined))),
            "!nothing" => self.act(ScriptedAct::Fail(no_action(Problem::Nothing))),
            "!crash" => self.act(ScriptedAct::Fail(PlayerError::Crashed(why()))),
            "!backend" => self.act(ScriptedAct::Fail(PlayerError::Backend(why()))),
            "!resign" => alone().map(|()| self.act(ScriptedAct::Fail(PlayerError::Resigned)))?,
            "!leave" => alone().map(|()| self.act(ScriptedAct::Fail(PlayerError::Left)))?,
            "!first" => alone().map(|()| self.after = Some(("!first", After::First)))?,
            "!random" => alone().map(|()| self.after = Some(("!random", After::Random)))?,
            "!repeat" if self.deeds.is_empty() => return Err(Flaw::NothingToRepeat),
            "!repeat" => alone().map(|()| self.after = Some(("!repeat", After::Repeat)))?,
            _ => return Err(Flaw::Unknown(word.to_owned())),
        }
        Ok(())
    }

    fn act(&mut self, act: ScriptedAct) {
        self.deeds.push(ScriptedTurn { manner: std::mem::take(&mut self.coming), act });
        self.modifier = None;
    }

    fn finish(mut self) -> Result<Script, Vec<(usize, Flaw)>> {
        if let Some((number, word)) = self.modifier {
            self.flaws.push((number, Flaw::Dangling(word)));
        }
        if self.flaws.is_empty() {
            Ok(Script { deeds: self.deeds, after: self.after.map_or(After::First, |(_, after)| after) })
        } else {
            Err(self.flaws)
        }
    }
}

fn seconds(text: &str) -> Result<Duration, Flaw> {
    text.parse()
        .ok()
        .filter(|seconds| (0.0..=86_400.0).contains(seconds))
        .map(Duration::from_secs_f64)
        .ok_or_else(|| Flaw::BadTime(text.to_owned()))
}

/// Somebody who plays a script.
#[derive(Debug)]
struct Scripted {
    script: Script,
    next: usize,
    seed: Seed,
}

impl Scripted {
    /// What to do now. It is used up, whether or not the clock lets it come to its end.
    fn deed(&mut self, ask: &Ask) -> ScriptedTurn {
        let Script { deeds, after } = &self.script;
        if self.next == deeds.len() && *after == After::Repeat {
            self.next = 0;
        }
        if let Some(deed) = deeds.get(self.next) {
            self.next += 1;
            return deed.clone();
        }
        let drawn = || ask.view.random_legal(ask.seat, &mut self.seed.turn(ask.view.turn().into())).to_string();
        let action = match after {
            After::Random => drawn(),
            After::First | After::Repeat => ask.view.legal(ask.seat).into_iter().next().unwrap_or_else(drawn),
        };
        ScriptedTurn { manner: Delivery::default(), act: ScriptedAct::Answer(action) }
    }
}

impl Player for Scripted {
    fn is_timed(&self) -> bool {
        false
    }

    fn act<'a>(&'a mut self, ask: &'a Ask, _log: &'a TurnLog) -> BoxFuture<'a, Result<Answer, PlayerError>> {
        let ScriptedTurn { manner: Delivery { wait, say, reasoning }, act } = self.deed(ask);
        Box::pin(async move {
            tokio::time::sleep(wait).await;
            match act {
                ScriptedAct::Silent => pending().await,
                ScriptedAct::Answer(action) => Ok(ask.answer(&action)?.with(say, reasoning.as_deref())),
                ScriptedAct::Fail(error) => Err(error),
            }
        })
    }
}
