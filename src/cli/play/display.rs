//! What a match looks like in the terminal while it is played.

use std::io::{self, IsTerminal, Write};
use std::time::Duration;

use tokio::task::AbortHandle;
use tokio::time::{Instant, interval_at};

use crate::briefs::{Language, opening_sentence};
use crate::cli::draw::{render_ansi, render_screen};
use crate::cli::screen;
use crate::games::outcome::Outcome;
use crate::games::seat::{Seat, Seats};
use crate::games::table::Event;
use crate::games::view::Viewer;
use crate::matches::{Match, Turn};
use crate::pictures::{PictureNote, Show, TurnDigest};

/// What is shown of a match, and how fast.
pub(super) struct Display {
    show: Show,
    mode: DisplayMode,
    /// Who looks at the terminal: the one person who plays at it, or everybody.
    pub(super) viewer: Viewer,
    pub(super) delay: Duration,
    /// Who plays at this keyboard.
    people: Seats,
    /// What happened since whoever looks on last acted, turn by turn.
    log: Vec<Vec<PictureNote>>,
    /// Counts the seconds while somebody thinks.
    thinking: Option<AbortHandle>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum DisplayMode {
    /// The board is redrawn in place.
    Screen,
    /// What happens is told line by line, with the board at the start and at the end.
    Lines,
    /// Nothing is shown.
    Nothing,
}

impl Display {
    pub(super) fn new(silent: bool, delay: Option<u64>, show: Show, viewer: Viewer, people: Seats) -> Display {
        let mode = match (silent, io::stdout().is_terminal()) {
            (true, _) => DisplayMode::Nothing,
            (false, true) => DisplayMode::Screen,
            (false, false) => DisplayMode::Lines,
        };
        let usual = if mode == DisplayMode::Screen { 350 } else { 0 };
        let delay = Duration::from_millis(delay.unwrap_or(usual));
        Display { show, mode, viewer, delay, people, log: Vec::new(), thinking: None }
    }

    /// Shows the position that the match starts from.
    pub(super) fn opening(&mut self, game: &Match, out: &mut impl Write) -> io::Result<()> {
        if self.mode == DisplayMode::Nothing {
            return Ok(());
        }
        let mut notes = Vec::new();
        if game.table().ruleset().opening > 0 {
            notes.push(PictureNote::told(&opening_sentence(self.show.language)));
        }
        if self.mode == DisplayMode::Screen && !self.people.is_empty() {
            notes.push(PictureNote::told(self.show.language.pick(
                "Type an action, or ? for help. Stronger opponents: --players human,search",
                "输入动作，或输入 ? 看帮助。更强的对手：--players human,search",
            )));
        }
        self.log.push(notes);
        self.board(game, &[], out)
    }

    /// Shows what a turn brought.
    pub(super) fn turn(&mut self, game: &Match, turn: &Turn, events: &[Event], out: &mut impl Write) -> io::Result<()> {
        let Turn { refused, lapses, said, reasoning, .. } = turn;
        // What was tried tells where somebody is, and so do thoughts: where something is hidden they wait for the end.
        let refused = if game.table().hides() { &[] } else { refused.as_slice() };
        let mut notes = TurnDigest { events, refused, lapses, said, reasoning }.notes(self.show.language);
        // Whoever plays does not read the others' thoughts.
        notes.retain(|note| !((!self.people.is_empty() || game.table().hides()) && note.is_thought()));
        match self.mode {
            DisplayMode::Nothing => {}
            DisplayMode::Screen => {
                self.keep(turn, notes);
                self.board(game, events, out)?;
            }
            DisplayMode::Lines => {
                for note in notes {
                    match note.seat {
                        Some(seat) if note.is_thought() => {
                            writeln!(out, "{:>4}  {seat} … {}", game.table().turn(), note.text())?;
                        }
                        Some(seat) => writeln!(out, "{:>4}  {seat}: «{}»", game.table().turn(), note.text())?,
                        None => writeln!(out, "{:>4}  {}", game.table().turn(), note.text())?,
                    }
                }
                out.flush()?;
            }
        }
        Ok(())
    }

    /// Keeps what is to be read beside the board: for whoever plays all since their own last action, that action
    /// included; for spectators the last action of everybody.
    fn keep(&mut self, turn: &Turn, notes: Vec<PictureNote>) {
        match self.viewer {
            Viewer::Seat(seat) if turn.actions.contains_key(&seat) => self.log.clear(),
            Viewer::Seat(_) => {}
            _ => {
                let kept = if turn.actions.len() > 1 { 0 } else { self.show.names.len().saturating_sub(1) };
                let old = self.log.len().saturating_sub(kept);
                self.log.drain(..old);
            }
        }
        self.log.push(notes);
    }

    /// Shows how it ended.
    pub(super) fn ending(&mut self, game: &Match, out: &mut impl Write) -> io::Result<()> {
        match self.mode {
            DisplayMode::Nothing => Ok(()),
            DisplayMode::Lines => {
                self.log.clear();
                self.board(game, &[], out)
            }
            DisplayMode::Screen => {
                if let (Viewer::Seat(seat), Some(outcome)) = (self.viewer, game.table().outcome()) {
                    writeln!(out, "{}", own_result(&outcome, seat, self.show.language))?;
                }
                out.flush()
            }
        }
    }

    /// Whether the seconds of a thinking player are counted on the screen.
    pub(super) fn shows_thinking(&self) -> bool {
        self.mode == DisplayMode::Screen
    }

    /// Counts the seconds that these seats think, with the money spent so far, unless a person is among them: then the
    /// line is theirs.
    pub(super) fn thinking(&mut self, asked: &[Seat], usd: Option<f64>) {
        self.stop_thinking();
        if asked.iter().any(|seat| self.people.contains(*seat)) {
            return;
        }
        let names: Vec<String> = asked
            .iter()
            .map(|seat| {
                self.show.names.get(seat.index()).map_or_else(|| seat.to_string(), |name| format!("{seat} {name}"))
            })
            .collect();
        let (who, language) = (names.join(", "), self.show.language);
        let money = usd.filter(|usd| *usd > 0.0).map_or_else(String::new, |usd| format!(", ${usd:.4}"));
        let begun = Instant::now();
        let counting = tokio::spawn(async move {
            let second = Duration::from_secs(1);
            let mut ticks = interval_at(begun + second, second);
            loop {
                ticks.tick().await;
                let seconds = begun.elapsed().as_secs();
                let line = match language {
                    Language::En => format!("{who}: thinking {seconds} s{money}"),
                    Language::Zh => format!("{who}：思考中，{seconds} 秒{money}"),
                };
                let mut out = io::stdout();
                let _ = write!(out, "\r\x1b[2K{line}").and_then(|()| out.flush());
            }
        });
        self.thinking = Some(counting.abort_handle());
    }

    /// Stops counting the seconds of whoever thinks.
    pub(super) fn stop_thinking(&mut self) {
        if let Some(counting) = self.thinking.take() {
            counting.abort();
        }
    }

    fn board(&self, game: &Match, events: &[Event], out: &mut impl Write) -> io::Result<()> {
        let mut picture = self.show.picture(&game.table().view(self.viewer).state(), events);
        picture.notes = self.log.concat();
        if self.mode == DisplayMode::Screen {
            write!(out, "\x1b[2J\x1b[H")?;
            out.write_all(render_screen(&picture, &screen::options(), screen::rows()).as_bytes())?;
        } else {
            out.write_all(render_ansi(&picture, &screen::options()).as_bytes())?;
        }
        out.flush()
    }
}

/// How it ended for one seat.
fn own_result(outcome: &Outcome, seat: Seat, language: Language) -> String {
    let place = outcome.places.get(&seat).copied().unwrap_or_default();
    match (place, outcome.winner()) {
        (1, Some(_)) => language
            .pick("You won. Stronger opponents: --players human,search", "你赢了。更强的对手：--players human,search"),
        (1, None) => language.pick("It is a draw.", "平局。"),
        _ => language.pick("You lost. Play again: standoff play", "你输了。再来一局：standoff play"),
    }
    .to_owned()
}
