//! The board in characters: each square two columns wide, so that it looks square.

use super::colour::Ink;
use crate::games::scene::{Beam, Board, Effect, End, Ground, Item, Origin, Piece, Point, Square};
use crate::games::seat::Seat;
use crate::pictures::arrow;
use crate::pictures::text::columns;

/// How characters look.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct TextStyle {
    pub(super) ink: Option<Ink>,
    pub(super) ground: Option<Ink>,
    pub(super) bold: bool,
    pub(super) dim: bool,
}

impl TextStyle {
    pub(super) const BOLD: TextStyle = TextStyle { ink: None, ground: None, bold: true, dim: false };
    pub(super) const DIM: TextStyle = TextStyle { ink: None, ground: None, bold: false, dim: true };
    pub(super) const NORMAL: TextStyle = TextStyle { ink: None, ground: None, bold: false, dim: false };

    pub(super) fn on(ink: Ink, ground: Ink) -> TextStyle {
        TextStyle { ink: Some(ink), ground: Some(ground), ..TextStyle::NORMAL }
    }

    pub(super) fn bold(self) -> TextStyle {
        TextStyle { bold: true, ..self }
    }

    /// A letter on its seat's colour.
    pub(super) fn chip(seat: Seat) -> TextStyle {
        TextStyle::on(Ink::OnSeat(seat), Ink::Seat(seat)).bold()
    }
}

/// A line of styled text. What is put in must be clean.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct StyledLine {
    pub(super) spans: Vec<(String, TextStyle)>,
}

impl StyledLine {
    pub(super) fn new(text: impl Into<String>, style: TextStyle) -> StyledLine {
        StyledLine { spans: vec![(text.into(), style)] }
    }

    pub(super) fn push(&mut self, text: impl Into<String>, style: TextStyle) {
        self.spans.push((text.into(), style));
    }

    pub(super) fn append(&mut self, other: StyledLine) {
        self.spans.extend(other.spans);
    }

    pub(super) fn width(&self) -> usize {
        self.spans.iter().map(|(text, _)| columns(text)).sum()
    }

    /// Fills the line with spaces.
    pub(super) fn pad(&mut self, width: usize) {
        let missing = width.saturating_sub(self.width());
        if missing > 0 {
            self.push(" ".repeat(missing), TextStyle::NORMAL);
        }
    }
}

/// The board with its axes, all lines of one width.
pub(super) fn board(board: &Board) -> Vec<StyledLine> {
    let label = board.row_labels.iter().map(String::len).max().unwrap_or(0);
    let width = square_width(board);
    let exits = exits(board);
    let mut lines: Vec<StyledLine> = Vec::new();
    for (row, name) in board.row_labels.iter().enumerate() {
        let mut line = StyledLine::new(format!("{name:>label$} "), TextStyle::DIM);
        for col in 0..board.cols() {
            let at = Point { row, col };
            square(board, at, exits[row * board.cols() + col], width, &mut line);
        }
        lines.push(line);
    }
    let axis = axis(board, label + 1, width);
    match board.origin {
        Origin::TopLeft => lines.insert(0, axis),
        Origin::BottomLeft => lines.push(axis),
    }
    lines
}

/// The names of the columns, as many as stand apart from each other.
fn axis(board: &Board, left: usize, width: usize) -> StyledLine {
    let mut axis = " ".repeat(left);
    for (col, name) in board.col_labels.iter().enumerate() {
        let start = left + col * width;
        if axis.len() < start || col == 0 {
            axis.push_str(&" ".repeat(start - axis.len()));
            axis.push_str(name);
        }
    }
    StyledLine::new(format!("{axis:<0$}", left + board.cols() * width), TextStyle::DIM)
}

/// The longest seat's letters and one column for what is beside them.
fn square_width(board: &Board) -> usize {
    let letters = board.pieces.iter().map(|piece| piece.seat.to_string().len()).max().unwrap_or(1);
    let numbers = board.col_labels.last().map_or(1, String::len);
    (letters + 1).max(numbers).max(2)
}

/// The ways out of a square that shots take, a bit each, clockwise from straight up, and whose shot it was.
#[derive(Clone, Copy, Default)]
struct Exits {
    ways: u8,
    seat: Option<Seat>,
}

const UP: u8 = 1;
const UP_RIGHT: u8 = 2;
const RIGHT: u8 = 4;
const DOWN_RIGHT: u8 = 8;
const DOWN: u8 = 16;
const DOWN_LEFT: u8 = 32;
const LEFT: u8 = 64;
const UP_LEFT: u8 = 128;

fn exits(board: &Board) -> Vec<Exits> {
    let mut exits = vec![Exits::default(); board.rows() * board.cols()];
    for beam in &board.traces.beams {
        let Some((ahead, back)) = ways(beam) else { continue };
        for at in squares_of(beam).filter(|at| board.square(*at).is_some()) {
            let exit = &mut exits[at.row * board.cols() + at.col];
            exit.seat = Some(beam.seat);
            if at != beam.from {
                exit.ways |= back;
            }
            if at != beam.to || beam.end == End::Through {
                exit.ways |= ahead;
            }
        }
    }
    exits
}

/// The squares of a beam, the first and the last included.
fn squares_of(beam: &Beam) -> impl Iterator<Item = Point> {
    let (from, to) = (beam.from, beam.to);
    let length = from.row.abs_diff(to.row).max(from.col.abs_diff(to.col));
    let walk = |from: usize, to: usize, step: usize| {
        if to >= from { (from + step).min(to) } else { from.saturating_sub(step).max(to) }
    };
    (0..=length).map(move |step| Point { row: walk(from.row, to.row, step), col: walk(from.col, to.col, step) })
}

/// The way ahead and the way back.
fn ways(beam: &Beam) -> Option<(u8, u8)> {
    use std::cmp::Ordering::{Equal, Greater, Less};
    let ahead = match (beam.to.row.cmp(&beam.from.row), beam.to.col.cmp(&beam.from.col)) {
        (Equal, Equal) => return None,
        (Less, Equal) => UP,
        (Less, Greater) => UP_RIGHT,
        (Equal, Greater) => RIGHT,
        (Greater, Greater) => DOWN_RIGHT,
        (Greater, Equal) => DOWN,
        (Greater, Less) => DOWN_LEFT,
        (Equal, Less) => LEFT,
        (Less, Less) => UP_LEFT,
    };
    Some((ahead, ahead.rotate_left(4)))
}

/// The line that joins these ways out; a straight one hides a slanting one.
fn line_glyph(ways: u8) -> char {
    /// By the ways up, right, down and left, a bit each.
    const STRAIGHT: [char; 16] = [' ', '╵', '╶', '└', '╷', '│', '┌', '├', '╴', '┘', '─', '┴', '┐', '┤', '┬', '┼'];
    let index = [UP, RIGHT, DOWN, LEFT].iter().rev().fold(0, |bits, way| bits * 2 + usize::from(ways & way > 0));
    let rising = ways & (UP_RIGHT | DOWN_LEFT) > 0;
    let falling = ways & (UP_LEFT | DOWN_RIGHT) > 0;
    match (index, rising, falling) {
        (0, true, true) => '╳',
        (0, true, false) => '╱',
        (0, false, true) => '╲',
        _ => STRAIGHT[index],
    }
}

/// One square: its content in all columns but the last, and what is beside it in the last.
fn square(board: &Board, at: Point, exits: Exits, width: usize, line: &mut StyledLine) {
    let Some(here) = board.square(at) else { return };
    let wide = width - 1;
    let floor = match here {
        Square { fog: true, .. } => Ink::Fog,
        Square { outside: true, .. } => Ink::Outside,
        _ => Ink::Floor,
    };
    let beam = exits.seat.map(|seat| TextStyle::on(Ink::Seat(seat), floor).bold());
    let effect = board.effect(at);
    let piece = board.piece(at);
    if let Some(piece) = piece.filter(|piece| piece.alive) {
        let style = TextStyle::chip(piece.seat);
        line.push(format!("{:<wide$}", piece.seat.to_string()), style);
        let (beside, style) = beside_piece(piece, effect, style);
        return line.push(beside, style);
    }
    match here.ground {
        Ground::Wall => return line.push("█".repeat(width), TextStyle::on(Ink::Wall, Ink::Wall)),
        Ground::Block { hp } => {
            let style = TextStyle::on(Ink::Black, Ink::Block(hp)).bold();
            let hit = effect.is_some();
            let number = number(hp, width - usize::from(hit));
            line.push(format!("{number:<0$}", width - usize::from(hit)), style);
            if hit {
                line.push("*", TextStyle::on(Ink::White, Ink::Alarm).bold());
            }
            return;
        }
        Ground::Owned { seat } => {
            let style = TextStyle::on(Ink::White, Ink::Owned(seat));
            line.push(format!("{:<wide$}", seat.to_string().to_lowercase()), style);
            let left = board.traces.steps.iter().any(|step| step.from == at);
            let beside = exits.seat.map_or(if left { '◦' } else { ' ' }, |_| line_glyph(exits.ways));
            return line.push(beside, style.bold());
        }
        Ground::Empty => {}
    }
    let beside = match beam {
        Some(style) if exits.ways & RIGHT > 0 => ('─', style),
        _ if here.outside => ('░', TextStyle::on(Ink::OutsideDots, floor)),
        _ => (' ', TextStyle::on(Ink::Dots, floor)),
    };
    let (main, main_style) = match (piece, effect, beam) {
        (Some(body), ..) => {
            let style = TextStyle::on(Ink::Seat(body.seat), floor);
            line.push(format!("{:<wide$}", body.seat.to_string().to_lowercase()), style);
            let mark =
                if effect == Some(Effect::Killed) { TextStyle::on(Ink::White, Ink::Alarm).bold() } else { style };
            return line.push('†', mark);
        }
        (None, Some(effect), _) => (mark_glyph(effect), TextStyle::on(Ink::White, Ink::Alarm).bold()),
        (None, None, Some(style)) if here.item.is_none() => (line_glyph(exits.ways), style),
        (None, None, _) => ground_glyph(board, at, here, floor),
    };
    line.push(main, main_style);
    line.push(beside.0.to_string().repeat(wide), beside.1);
}

/// What lies on empty ground, or where somebody came from.
fn ground_glyph(board: &Board, at: Point, here: Square, floor: Ink) -> (char, TextStyle) {
    let came = board.traces.steps.iter().find(|step| step.from == at);
    match (here.item, came) {
        (Some(Item::Health), _) => ('+', TextStyle::on(Ink::Health, floor).bold()),
        (Some(Item::Boost), _) => ('$', TextStyle::on(Ink::Boost, floor).bold()),
        (None, Some(step)) => ('◦', TextStyle::on(Ink::Seat(step.seat), floor)),
        (None, None) if here.fog => ('?', TextStyle::on(Ink::Dots, floor)),
        (None, None) if here.outside => ('░', TextStyle::on(Ink::OutsideDots, floor)),
        (None, None) => ('·', TextStyle::on(Ink::Dots, floor)),
    }
}

fn beside_piece(piece: &Piece, effect: Option<Effect>, chip: TextStyle) -> (char, TextStyle) {
    match (effect, piece.facing, piece.meter) {
        (Some(effect @ (Effect::Scorched | Effect::Hit | Effect::Killed)), ..) => {
            (mark_glyph(effect), TextStyle::on(Ink::White, Ink::Alarm).bold())
        }
        (Some(effect @ Effect::Blocked), ..) => (mark_glyph(effect), TextStyle::on(Ink::Black, Ink::White).bold()),
        (Some(effect @ Effect::Bounced), ..) => (mark_glyph(effect), chip),
        // There is one column: where somebody faces outweighs what it has left, which the table tells.
        (None, Some(direction), _) => (arrow(direction), chip),
        (None, None, Some(meter)) => (char::from_digit(meter.value, 10).unwrap_or('+'), chip),
        (None, None, None) => (' ', chip),
    }
}

fn mark_glyph(effect: Effect) -> char {
    match effect {
        Effect::Bounced => '~',
        Effect::Scorched => '!',
        Effect::Blocked => '⊘',
        Effect::Hit => '*',
        Effect::Killed => '†',
    }
}

/// A number in so many columns, or as many plus signs where it is too long.
fn number(number: u16, width: usize) -> String {
    let text = number.to_string();
    if text.len() > width { "+".repeat(width) } else { text }
}
