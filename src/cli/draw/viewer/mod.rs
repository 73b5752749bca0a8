//! Turning over the pictures of a match: step, play, jump.
//!
//! [`ReplayViewer`] knows what each key does and what is to be seen, without a terminal; [`run()`] puts it on one. Where there
//! is none, [`print()`] writes the pictures one after another.

mod screen;

use std::io::{self, Write};
use std::time::Duration;

pub use self::screen::run;
use super::ansi::{self, AnsiOptions};
use super::render_ansi;
use crate::briefs::Language;
use crate::pictures::picture::Picture;
use crate::pictures::text::{columns, cut};
use crate::pictures::{Frame, Show};

/// What can be pressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    /// A key with a character of its own.
    Char(char),
    /// Arrow to the left.
    Left,
    /// Arrow to the right.
    Right,
    /// To the beginning.
    Home,
    /// To the end.
    End,
    /// Ten frames back.
    PageUp,
    /// Ten frames on.
    PageDown,
    /// Jumps to the number that was typed.
    Enter,
    /// Take back a digit.
    Backspace,
    /// Leave what is being typed, or leave.
    Escape,
    /// Ctrl-C: the program ends.
    Interrupt,
}

/// What is to be done after a key or a tick.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ViewerEffect {
    /// Nothing is different.
    Nothing,
    /// The screen is to be drawn again.
    Redraw,
    /// The viewer is to be left.
    Quit,
}

/// Frames a second, in quarters: from one in four seconds to sixteen.
const SPEEDS: [u32; 7] = [1, 2, 4, 8, 16, 32, 64];
/// An empty line, where the reader is, the keys.
const FOOT: usize = 3;
const LEAP: usize = 10;
/// More digits than any match has turns.
const MOST_DIGITS: usize = 9;

/// The frames of a match and where the reader is.
#[derive(Clone, Debug)]
pub struct ReplayViewer {
    show: Show,
    frames: Vec<Frame>,
    at: usize,
    playing: bool,
    speed: usize,
    /// The digits of a jump, while they are typed.
    typed: Option<String>,
}

impl ReplayViewer {
    /// Opens at the first frame, paused.
    pub fn new(show: Show, frames: Vec<Frame>) -> ReplayViewer {
        ReplayViewer { show, frames, at: 0, playing: false, speed: 2, typed: None }
    }

    /// The number of the frame to be seen, from 0.
    pub fn at(&self) -> usize {
        self.at
    }

    /// How long the frame stays while it plays.
    pub fn pause(&self) -> Option<Duration> {
        self.playing.then(|| Duration::from_secs(4) / SPEEDS[self.speed])
    }

    /// What a key does.
    pub fn on_key(&mut self, key: Key) -> ViewerEffect {
        if key == Key::Interrupt {
            return ViewerEffect::Quit;
        }
        if self.typed.is_some() {
            return self.on_typed(key);
        }
        match key {
            Key::Right | Key::Char('n' | 'l') => self.step_to(self.at + 1),
            Key::Left | Key::Char('p' | 'h') => self.step_to(self.at.saturating_sub(1)),
            Key::PageDown => self.step_to(self.at + LEAP),
            Key::PageUp => self.step_to(self.at.saturating_sub(LEAP)),
            Key::Home => self.step_to(0),
            Key::End => self.step_to(self.last()),
            Key::Char(' ' | 'k') => {
                // At the end there is nothing to play but all of it again.
                if !self.playing && self.at == self.last() {
                    self.at = 0;
                }
                self.playing = !self.playing && self.last() > 0;
                ViewerEffect::Redraw
            }
            Key::Char('+' | '=') => self.set_speed(self.speed + 1),
            Key::Char('-' | '_') => self.set_speed(self.speed.saturating_sub(1)),
            Key::Char('g' | ':') => {
                self.playing = false;
                self.typed = Some(String::new());
                ViewerEffect::Redraw
            }
            Key::Char('q') | Key::Escape => ViewerEffect::Quit,
            Key::Char(_) | Key::Enter | Key::Backspace | Key::Interrupt => ViewerEffect::Nothing,
        }
    }

    /// The time of a frame is up.
    pub fn on_tick(&mut self) -> ViewerEffect {
        if !self.playing {
            return ViewerEffect::Nothing;
        }
        self.at = (self.at + 1).min(self.last());
        self.playing = self.at < self.last();
        ViewerEffect::Redraw
    }

    fn on_typed(&mut self, key: Key) -> ViewerEffect {
        let typed = self.typed.get_or_insert_default();
        match key {
            Key::Char(digit) if digit.is_ascii_digit() && typed.len() < MOST_DIGITS => typed.push(digit),
            Key::Backspace => drop(typed.pop()),
            Key::Enter => {
                self.at = typed.parse().unwrap_or(self.at).min(self.last());
                self.typed = None;
            }
            Key::Escape => self.typed = None,
            _ => return ViewerEffect::Nothing,
        }
        ViewerEffect::Redraw
    }

    /// Whoever steps by hand wants to look: it no longer plays.
    fn step_to(&mut self, at: usize) -> ViewerEffect {
        self.playing = false;
        self.at = at.min(self.last());
        ViewerEffect::Redraw
    }

    fn set_speed(&mut self, speed: usize) -> ViewerEffect {
        self.speed = speed.min(SPEEDS.len() - 1);
        ViewerEffect::Redraw
    }

    fn last(&self) -> usize {
        self.frames.len().saturating_sub(1)
    }

    fn picture(&self, frame: &Frame) -> Picture {
        let mut picture = self.show.picture(&frame.state, &frame.events);
        picture.notes.extend(frame.notes.iter().cloned());
        picture
    }

    /// All lines of a screen of this size: the picture and, at the bottom, where the reader is and the keys.
    pub(super) fn lines(&self, width: usize, height: usize, options: AnsiOptions) -> Vec<String> {
        let Some(frame) = self.frames.get(self.at) else { return Vec::new() };
        let language = self.show.language;
        let picture = self.picture(frame);
        let (least_width, least_height) = ansi::least_size(&picture);
        let least_height = least_height + FOOT;
        if width < least_width || height < least_height {
            let mut lines = vec![cut(&too_small(language, least_width, least_height), width)];
            lines.resize(height, String::new());
            return lines;
        }
        let room = height - FOOT;
        let mut lines = ansi::lines(&picture, &AnsiOptions { width, ..options }, room);
        if lines.len() > room {
            let more = lines.len() - (room - 1);
            lines.truncate(room - 1);
            lines.push(cut(&language.more(more), width));
        }
        lines.resize(height - 2, String::new());
        lines.push(cut(&self.place(width), width));
        lines.push(cut(help(language), width));
        lines
    }

    /// Where the reader is, in a number and in a line.
    fn place(&self, width: usize) -> String {
        let language = self.show.language;
        if let Some(typed) = &self.typed {
            return format!("{} (0–{}): {typed}_", language.pick("go to turn", "跳到"), self.last());
        }
        let quarters = SPEEDS[self.speed];
        let speed = if quarters < 4 { format!("1/{}", 4 / quarters) } else { (quarters / 4).to_string() };
        let sign = if self.playing { "▶" } else { "‖" };
        let text = format!("{sign} {}/{}  {speed}×  ", self.at, self.last());
        let long = width.saturating_sub(columns(&text)).min(50);
        let done = if self.last() == 0 { long } else { self.at * long / self.last() };
        format!("{text}{}{}", "━".repeat(done), "─".repeat(long - done))
    }
}

/// Writes all pictures one after another, for pipes and files.
///
/// # Errors
/// If `out` cannot be written to.
pub fn print(viewer: &ReplayViewer, options: &AnsiOptions, out: &mut impl Write) -> io::Result<()> {
    for (at, frame) in viewer.frames.iter().enumerate() {
        if at > 0 {
            writeln!(out)?;
        }
        out.write_all(render_ansi(&viewer.picture(frame), options).as_bytes())?;
    }
    out.flush()
}

fn help(language: Language) -> &'static str {
    language.pick(
        "←/→ step · space play/pause · +/- speed · PgUp/PgDn ten · Home/End · g go to · q quit",
        "←/→ 单步 · 空格 播放/暂停 · +/- 速度 · PgUp/PgDn 十步 · Home/End 首尾 · g 跳转 · q 退出",
    )
}

fn too_small(language: Language, width: usize, height: usize) -> String {
    match language {
        Language::En => format!("too small: this board needs {width} × {height}"),
        Language::Zh => format!("窗口太小：至少需要 {width} × {height}"),
    }
}
