//! A picture as text for a terminal.

use std::fmt::Write as _;

use super::canvas::{self, StyledLine, TextStyle};
use super::colour::{Depth, Ink};
use super::legend;
use crate::games::scene::{Shares, Standing};
use crate::pictures::arrow;
use crate::pictures::picture::{Picture, PictureNote, Voice};
use crate::pictures::text::{columns, cut, wrap};

/// How a picture becomes text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AnsiOptions {
    /// How many colours there are; [`Depth::Plain`] where `NO_COLOR` is set or the text goes to a file.
    pub depth: Depth,
    /// How many columns there are. Where the board and the table of players do not fit side by side, the players
    /// stand below; a board is never cut.
    pub width: usize,
}

impl Default for AnsiOptions {
    /// No colour, 80 columns.
    fn default() -> AnsiOptions {
        AnsiOptions { depth: Depth::Plain, width: 80 }
    }
}

/// Columns between board and players.
const GAP: usize = 3;
/// The longest name that is shown in full.
const NAME: usize = 20;
const BAR: usize = 10;
/// Narrower than this a column of notes is no pleasure to read.
const SIDE: usize = 36;
/// A screen narrower than this has no room for such a column beside a large board.
const NARROW: usize = 70;
/// The least column of notes on such a screen, where they would not be seen at all otherwise.
const LEAST_SIDE: usize = 22;

/// The picture as lines of text, all as wide as the widest, each with a line break after it.
pub fn render_ansi(picture: &Picture, options: &AnsiOptions) -> String {
    let mut text = String::new();
    for line in lines(picture, options, usize::MAX) {
        text.push_str(&line);
        text.push('\n');
    }
    text
}

/// The picture for a screen of so many rows, with a legend where there is room for it. Where there is too little room,
/// first the legend goes, then blank lines, then the oldest notes; a board is never cut.
pub fn render_screen(picture: &Picture, options: &AnsiOptions, rows: usize) -> String {
    let roomy = Layout { legend: true, ..Layout::default() };
    let mut text = String::new();
    for line in fitted(picture, options.width, rows, &[roomy, Layout::default()]) {
        text.push_str(&styled(&line, options.depth));
        text.push('\n');
    }
    text
}

/// The first of these layouts that has no more lines than this; else one without blank lines and with as few notes left
/// out as possible. A narrow screen gives up the bars of the players before it gives up notes.
fn fitted(picture: &Picture, width: usize, rows: usize, layouts: &[Layout]) -> Vec<StyledLine> {
    let tight = (0..=picture.notes.len()).flat_map(|dropped| {
        let usual = Layout { tight: true, dropped, ..Layout::default() };
        let compact = (width < NARROW).then_some(Layout { compact: true, ..usual });
        std::iter::once(usual).chain(compact)
    });
    let mut lines = Vec::new();
    for how in layouts.iter().copied().chain(tight) {
        lines = layout(picture, width, how);
        if lines.len() <= rows {
            break;
        }
    }
    lines
}

/// The lines of the picture with their escape sequences, all of one width.
/// Where there are more than this, the oldest notes are left out.
pub(super) fn lines(picture: &Picture, options: &AnsiOptions, rows: usize) -> Vec<String> {
    let lines = fitted(picture, options.width, rows, &[Layout::default()]);
    let width = lines.iter().map(StyledLine::width).max().unwrap_or(0);
    lines
        .into_iter()
        .map(|mut line| {
            line.pad(width);
            styled(&line, options.depth)
        })
        .collect()
}

/// The least columns and lines that the board takes.
pub(super) fn least_size(picture: &Picture) -> (usize, usize) {
    let board = canvas::board(&picture.scene.board);
    (board.first().map_or(0, StyledLine::width), board.len())
}

/// How much is put on a screen.
#[derive(Clone, Copy, Default)]
struct Layout {
    /// With what the signs mean.
    legend: bool,
    /// Without blank lines.
    tight: bool,
    /// Without the bars of the players, and the notes in a narrow column.
    compact: bool,
    /// So many of the oldest notes are left out.
    dropped: usize,
}

/// Board and side text, beside each other or one below the other.
fn layout(picture: &Picture, width: usize, how: Layout) -> Vec<StyledLine> {
    let blank = || (!how.tight).then(StyledLine::default);
    let board = canvas::board(&picture.scene.board);
    let board_width = board.first().map_or(0, StyledLine::width);
    let beside = width.saturating_sub(board_width + GAP);
    let (least, bar) = if how.compact { (LEAST_SIDE, 0) } else { (SIDE, BAR) };
    let players = players(picture, if beside >= least { beside } else { width }, bar);
    let needed = players.iter().map(StyledLine::width).max().unwrap_or(0).max(least);
    let (apart, room) = if beside >= needed { (true, beside) } else { (false, width.max(SIDE)) };
    let mut side = heading(picture, room);
    side.extend(blank());
    side.extend(players);
    if !picture.notes.is_empty() {
        side.extend(blank());
        if how.dropped > 0 {
            side.push(StyledLine::new(picture.language.more(how.dropped), TextStyle::DIM));
        }
        side.extend(picture.notes.iter().skip(how.dropped).flat_map(|note| note_lines(note, room)));
    }
    if how.legend {
        let legend = legend::entries(&picture.scene.board, picture.language).join("  ");
        side.extend(blank());
        side.extend(wrap(&legend, room, 0).into_iter().map(|line| StyledLine::new(line, TextStyle::DIM)));
    }
    if !apart {
        return board.into_iter().chain(blank()).chain(side).collect();
    }
    let rows = board.len().max(side.len());
    let mut board = board.into_iter();
    let mut side = side.into_iter();
    (0..rows)
        .map(|_| {
            let mut line = board.next().unwrap_or_default();
            let right = side.next().unwrap_or_default();
            if !right.spans.is_empty() {
                line.pad(board_width + GAP);
                line.append(right);
            }
            line
        })
        .collect()
}

fn heading(picture: &Picture, room: usize) -> Vec<StyledLine> {
    let mut title = StyledLine::new(cut(&picture.title(), room), TextStyle::BOLD);
    let parts = picture.status();
    let status = parts.iter().fold(String::new(), |text, part| format!("{text}  ·  {part}"));
    let fits = title.width() + columns(&status) <= room;
    let mut lines = if fits {
        title.push(status, TextStyle::NORMAL);
        vec![title]
    } else {
        let status = parts.join(" · ");
        std::iter::once(title)
            .chain(wrap(&status, room, 0).into_iter().map(|line| StyledLine::new(line, TextStyle::NORMAL)))
            .collect()
    };
    if let Some(result) = picture.result() {
        lines.extend(wrap(&result, room, 0).into_iter().map(|line| StyledLine::new(line, TextStyle::BOLD)));
    }
    if let Some(shares) = &picture.scene.shares {
        lines.push(share_bar(shares, room.min(40)));
    }
    lines
}

/// Everybody's part of the board in one bar: letters, so that it can be read without colour.
fn share_bar(shares: &Shares, width: usize) -> StyledLine {
    let mut line = StyledLine::default();
    let of = u64::from(shares.of.max(1));
    let column = |part: u64| usize::try_from((part * width as u64 + of / 2) / of).unwrap_or(width).min(width);
    let (mut sum, mut used) = (0_u64, 0);
    for &(seat, part) in &shares.seats {
        sum += u64::from(part);
        let end = column(sum).max(used);
        let letter = seat.to_string().to_lowercase();
        line.push(letter.chars().cycle().take(end - used).collect::<String>(), TextStyle::chip(seat));
        used = end;
    }
    line.push("·".repeat(width - used), TextStyle::on(Ink::Dots, Ink::Floor));
    line
}

/// What is told about somebody in words: facts, and the place once it is settled.
type PlayerText = (Vec<String>, Option<String>);

/// One line each, in columns, with a bar of this many columns.
fn players(picture: &Picture, room: usize, bar: usize) -> Vec<StyledLine> {
    let all = &picture.scene.standings;
    let mut told: Vec<PlayerText> = all.iter().map(|one| (picture.facts(one), picture.place(one))).collect();
    let widest = |of: &dyn Fn(&Standing) -> usize| all.iter().map(of).max().unwrap_or(0);
    let seat = widest(&|one| one.seat.to_string().len());
    let value = widest(&|one| one.meter.value.to_string().len());
    let facing = if all.iter().any(|one| one.facing.is_some()) { 3 } else { 0 };
    let extra = |width: usize| if width == 0 { 0 } else { width + 2 };
    let most = |told: &[PlayerText], of: &dyn Fn(&PlayerText) -> usize| told.iter().map(of).max().unwrap_or(0);
    let place = most(&told, &|(_, place)| place.as_deref().map_or(0, columns));
    let widths = |told: &[PlayerText]| -> Vec<usize> {
        (0..most(told, &|(facts, _)| facts.len()))
            .map(|at| most(told, &|(facts, _)| facts.get(at).map_or(0, |fact| columns(fact))))
            .collect()
    };
    let extra_bar = if bar == 0 { 0 } else { bar + 1 };
    let least_name = if bar == 0 { 4 } else { 6 };
    let plain = 2 + seat + 2 + extra_bar + 1 + value + facing + extra(place);
    let with = |facts: &[usize]| plain + facts.iter().copied().map(extra).sum::<usize>();
    // Where there is no room even for a bar, facts give way to names.
    if bar == 0 && with(&widths(&told)) + 1 + least_name > room {
        for (facts, _) in &mut told {
            facts.clear();
        }
    }
    let facts = widths(&told);
    let rest = with(&facts);
    // A name gives way first, down to what still says who it is.
    let name =
        widest(&|one| columns(&picture.name(one.seat))).min(NAME).min(room.saturating_sub(rest + 1).max(least_name));
    all.iter()
        .zip(&told)
        .map(|(one, (own, settled))| {
            let style = if one.alive { TextStyle::NORMAL } else { TextStyle::DIM };
            let mut line = StyledLine::new(if one.to_act { "▸ " } else { "  " }, TextStyle::BOLD);
            line.push(format!("{:^1$}", one.seat.to_string(), seat + 2), TextStyle::chip(one.seat));
            if name > 0 {
                push_padded(&mut line, &format!(" {}", cut(&picture.name(one.seat), name)), name + 1, style);
            }
            if bar > 0 {
                line.push(" ", style);
                let filled = one.meter.filled(bar);
                line.push("█".repeat(filled), TextStyle::on(Ink::Seat(one.seat), Ink::Floor));
                line.push("░".repeat(bar - filled), TextStyle::on(Ink::Dots, Ink::Floor));
            }
            line.push(format!(" {:>value$}", one.meter.value), style);
            if facing > 0 {
                line.push(format!("  {}", one.facing.map_or(' ', arrow)), style);
            }
            for (at, &width) in facts.iter().enumerate() {
                push_padded(&mut line, &format!("  {}", own.get(at).map_or("", String::as_str)), width + 2, style);
            }
            if place > 0 {
                push_padded(&mut line, &format!("  {}", settled.as_deref().unwrap_or("")), place + 2, style);
            }
            line
        })
        .collect()
}

/// Padded by columns, not by characters: names can be wide.
fn push_padded(line: &mut StyledLine, text: &str, width: usize, style: TextStyle) {
    line.push(format!("{text}{}", " ".repeat(width.saturating_sub(columns(text)))), style);
}

fn note_lines(note: &PictureNote, room: usize) -> Vec<StyledLine> {
    let (lead, style) = match note.voice {
        Voice::Narrator => (String::new(), TextStyle::NORMAL),
        Voice::Speech => (": ".to_owned(), TextStyle::NORMAL),
        Voice::Thought => (" … ".to_owned(), TextStyle::DIM),
    };
    let Some(seat) = note.seat else {
        return wrap(note.text(), room, 2).into_iter().map(|line| StyledLine::new(line, style)).collect();
    };
    let chip = format!(" {seat} ");
    let indent = columns(&chip) + columns(&lead);
    wrap(&format!("{}{}", " ".repeat(indent), note.text()), room, indent)
        .into_iter()
        .enumerate()
        .map(|(at, line)| {
            if at > 0 {
                return StyledLine::new(line, style);
            }
            let mut first = StyledLine::new(chip.clone(), TextStyle::chip(seat));
            first.push(format!("{lead}{}", line.get(indent..).unwrap_or("")), style);
            first
        })
        .collect()
}

/// The line with its escape sequences; without colours there are none at all.
fn styled(line: &StyledLine, depth: Depth) -> String {
    let mut text = String::new();
    let mut last = TextStyle::NORMAL;
    for (span, style) in &line.spans {
        if depth != Depth::Plain && *style != last {
            text.push_str(&codes(*style, depth));
            last = *style;
        }
        text.push_str(span);
    }
    if last != TextStyle::NORMAL {
        text.push_str("\x1b[0m");
    }
    text
}

fn codes(style: TextStyle, depth: Depth) -> String {
    let mut codes = "\x1b[0".to_owned();
    if style.bold {
        codes.push_str(";1");
    }
    if style.dim {
        codes.push_str(";2");
    }
    for (what, ink) in [(38, style.ink), (48, style.ground)] {
        if let Some(code) = ink.and_then(|ink| ink.code(depth)) {
            let _ = write!(codes, ";{what};{code}");
        }
    }
    codes.push('m');
    codes
}
