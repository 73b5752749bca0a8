//! The board of a drawing: floor, walls, crates, shots, pieces, in the order in which they lie on each other.

use std::fmt::Write as _;

use super::{hue, letter_size, on};
use crate::briefs::markup;
use crate::games::grid::Direction;
use crate::games::scene::{Beam, Board, Effect, End, Ground, Item, Meter, Origin, Piece, Point, Square};
use crate::games::seat::Seat;

/// The side of a square.
pub(in crate::pictures) const SQUARE: usize = 44;
const HALF: usize = SQUARE / 2;
const PIECE: f64 = 15.0;
const SHIELD: f64 = 19.5;
/// How far from the middle a shot flies where there are others.
const LANE: f64 = 4.0;

/// Everything on the board, with its top left corner at the origin.
pub(super) fn draw_board(board: &Board, svg: &mut String) {
    draw_ground(board, svg);
    tracks(board, svg);
    for piece in figures(board) {
        figure(board, piece, svg);
    }
    impacts(board, svg);
    axes(board, svg);
}

/// The board without whoever stands on it and what flew over it.
pub(in crate::pictures) fn draw_ground(board: &Board, svg: &mut String) {
    floor(board, svg);
    for (at, square) in board.iter() {
        ground(board, at, square, svg);
    }
    fog(board, svg);
    forecast(board, svg);
    zone(board, svg);
}

/// A square by itself, without whoever stands on it and what flew over it.
pub(in crate::pictures) fn draw_square(board: &Board, at: Point, square: Square, svg: &mut String) {
    let (x, y) = (at.col * SQUARE, at.row * SQUARE);
    let _ = write!(svg, "<rect class=\"floor\" x=\"{x}\" y=\"{y}\" width=\"{SQUARE}\" height=\"{SQUARE}\"/>");
    if square.outside {
        outside(at, svg);
    }
    let mut rules = String::new();
    for (row, is_inner) in [(at.row, at.row > 0), (at.row + 1, at.row + 1 < board.rows())] {
        if is_inner {
            let _ = write!(rules, "M{x} {}h{SQUARE}", row * SQUARE);
        }
    }
    for (col, is_inner) in [(at.col, at.col > 0), (at.col + 1, at.col + 1 < board.cols())] {
        if is_inner {
            let _ = write!(rules, "M{} {y}v{SQUARE}", col * SQUARE);
        }
    }
    if !rules.is_empty() {
        let _ = write!(svg, "<path class=\"rule\" d=\"{rules}\"/>");
    }
    ground(board, at, square, svg);
    if is_dark(square) {
        dark(at, svg);
    }
    if is_forecast(board, at) {
        soon(at, svg);
    }
    let edges = zone_around(board, at);
    if !edges.is_empty() {
        let _ = write!(svg, "<path class=\"zone\" d=\"{edges}\"/>");
    }
}

/// Everything by which two squares can look different.
pub(in crate::pictures) fn look(board: &Board, at: Point, square: Square) -> String {
    let edges = [at.row == 0, at.col == 0, at.row + 1 == board.rows(), at.col + 1 == board.cols()];
    // Where the line of the zone runs, seen from the square.
    let is_outside = |row: usize, col: usize| board.square(Point { row, col }).is_some_and(|other| other.outside);
    let beside = [
        is_outside(at.row.wrapping_sub(1), at.col),
        is_outside(at.row + 1, at.col),
        is_outside(at.row, at.col.wrapping_sub(1)),
        is_outside(at.row, at.col + 1),
    ];
    let is_bare = board.piece(at).is_none();
    format!("{square:?}{edges:?}{beside:?}{is_bare}{}", is_forecast(board, at))
}

/// What moved and flew, below the pieces.
pub(in crate::pictures) fn tracks(board: &Board, svg: &mut String) {
    steps(board, svg);
    shots(board, svg);
}

/// Whoever is on the board, the fallen first.
pub(in crate::pictures) fn figures(board: &Board) -> impl Iterator<Item = &Piece> {
    let fallen = board.pieces.iter().filter(|piece| !piece.alive);
    fallen.chain(board.pieces.iter().filter(|piece| piece.alive))
}

/// Somebody on the board, or what is left of it.
pub(in crate::pictures) fn figure(board: &Board, piece: &Piece, svg: &mut String) {
    if piece.alive {
        self::piece(piece, board.effect(piece.at), svg);
    } else {
        body(piece, svg);
    }
}

fn ground(board: &Board, at: Point, square: Square, svg: &mut String) {
    match square.ground {
        Ground::Empty => {}
        Ground::Wall => wall(at, svg),
        Ground::Block { hp } => block(at, hp, svg),
        Ground::Owned { seat } => owned(board, at, seat, svg),
    }
    if let Some(item) = square.item {
        self::item(at, item, svg);
    }
}

fn floor(board: &Board, svg: &mut String) {
    let (wide, high) = (board.cols() * SQUARE, board.rows() * SQUARE);
    let _ = write!(svg, "<rect class=\"floor\" width=\"{wide}\" height=\"{high}\" rx=\"4\"/>");
    for (at, _) in board.iter().filter(|(_, square)| square.outside) {
        outside(at, svg);
    }
    let mut rules = String::new();
    for row in 1..board.rows() {
        let _ = write!(rules, "M0 {}h{wide}", row * SQUARE);
    }
    for col in 1..board.cols() {
        let _ = write!(rules, "M{} 0v{high}", col * SQUARE);
    }
    let _ = writeln!(svg, "<path class=\"rule\" d=\"{rules}\"/>");
}

fn outside(at: Point, svg: &mut String) {
    let (x, y) = (at.col * SQUARE, at.row * SQUARE);
    let _ = write!(
        svg,
        "<rect class=\"outside\" x=\"{x}\" y=\"{y}\" width=\"{SQUARE}\" height=\"{SQUARE}\"/>\
         <path class=\"outside-rule\" d=\"M{x} {0}l{HALF} -{HALF}M{x} {1}l{SQUARE} -{SQUARE}M{2} {1}l{HALF} -{HALF}\"/>",
        y + HALF,
        y + SQUARE,
        x + HALF
    );
}

/// What is out of sight lies in the dark; walls are known.
fn fog(board: &Board, svg: &mut String) {
    for (at, _) in board.iter().filter(|(_, square)| is_dark(*square)) {
        dark(at, svg);
    }
}

fn is_dark(square: Square) -> bool {
    square.fog && square.ground != Ground::Wall
}

fn dark(at: Point, svg: &mut String) {
    let (x, y) = (at.col * SQUARE, at.row * SQUARE);
    let _ = write!(svg, "<rect class=\"fog\" x=\"{x}\" y=\"{y}\" width=\"{SQUARE}\" height=\"{SQUARE}\"/>");
}

pub(in crate::pictures) fn axes(board: &Board, svg: &mut String) {
    let y = match board.origin {
        Origin::TopLeft => -8,
        Origin::BottomLeft => 15 + i64::try_from(board.rows() * SQUARE).unwrap_or(0),
    };
    for (col, name) in board.col_labels.iter().enumerate() {
        let (x, name) = (col * SQUARE + HALF, markup(name));
        let _ = write!(svg, "<text class=\"mid muted mono\" x=\"{x}\" y=\"{y}\" font-size=\"12\">{name}</text>");
    }
    for (row, name) in board.row_labels.iter().enumerate() {
        let (y, name) = (row * SQUARE + HALF + 4, markup(name));
        let _ = write!(svg, "<text class=\"end muted mono\" x=\"-8\" y=\"{y}\" font-size=\"12\">{name}</text>");
    }
    svg.push('\n');
}

fn wall(at: Point, svg: &mut String) {
    let (x, y) = (at.col * SQUARE, at.row * SQUARE);
    let _ = write!(
        svg,
        "<rect class=\"wall\" x=\"{x}\" y=\"{y}\" width=\"{SQUARE}\" height=\"{SQUARE}\"/>\
         <rect class=\"lit\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"3\"/>",
        x + 2,
        y + 2,
        SQUARE - 4,
        SQUARE - 8
    );
}

/// A crate that is darker the more it takes.
fn block(at: Point, hp: u16, svg: &mut String) {
    let (x, y) = (at.col * SQUARE, at.row * SQUARE);
    let number = hp.to_string();
    let size = letter_size(&number, 18);
    let _ = writeln!(
        svg,
        "<rect class=\"crate b{}\" x=\"{}\" y=\"{}\" width=\"{side}\" height=\"{side}\" rx=\"4\"/>\
         <path class=\"plank\" d=\"M{plank} {}h28M{plank} {}h28\"/>\
         <text class=\"mid hp\" x=\"{}\" y=\"{}\" font-size=\"{size}\">{number}</text>",
        hp.clamp(1, 4),
        x + 4,
        y + 4,
        y + 12,
        y + SQUARE - 12,
        x + HALF,
        y + HALF + size * 7 / 20,
        side = SQUARE - 8,
        plank = x + 8,
    );
}

/// A seat's colour and, where nobody hides it, its letter.
fn owned(board: &Board, at: Point, seat: Seat, svg: &mut String) {
    let (x, y) = (at.col * SQUARE, at.row * SQUARE);
    let side = SQUARE - 2;
    let _ = write!(
        svg,
        "<rect class=\"owned f{}\" x=\"{}\" y=\"{}\" width=\"{side}\" height=\"{side}\" rx=\"3\"/>",
        hue(seat),
        x + 1,
        y + 1,
    );
    if board.piece(at).is_none() {
        let letters = seat.to_string().to_lowercase();
        let _ = writeln!(svg, "<text x=\"{}\" y=\"{}\" font-size=\"11\">{letters}</text>", x + 5, y + 13);
    }
}

fn item(at: Point, item: Item, svg: &mut String) {
    let (x, y) = centre(at);
    let _ = match item {
        Item::Health => {
            writeln!(svg, "<path class=\"piece f2\" d=\"M{} {}h6v8h8v6h-8v8h-6v-8h-8v-6h8z\"/>", x - 3.0, y - 11.0)
        }
        Item::Boost => {
            writeln!(svg, "<path class=\"piece f4\" d=\"M{} {}l-10 14h7l-3 11l11 -15h-7l4 -10z\"/>", x + 2.0, y - 13.0)
        }
    };
}

/// A dot in the corner of every square where it will hurt before long.
fn forecast(board: &Board, svg: &mut String) {
    for (at, _) in board.iter().filter(|(at, _)| is_forecast(board, *at)) {
        soon(at, svg);
    }
}

fn is_forecast(board: &Board, at: Point) -> bool {
    let is_free = board.square(at).is_some_and(|square| !square.outside && square.ground != Ground::Wall);
    is_free && board.forecast.is_some_and(|area| !area.contains(at))
}

fn soon(at: Point, svg: &mut String) {
    let (x, y) = (at.col * SQUARE + 7, at.row * SQUARE + 7);
    let _ = write!(svg, "<circle class=\"soon\" cx=\"{x}\" cy=\"{y}\" r=\"3\"/>");
}

/// The line between where it hurts and where it does not.
fn zone(board: &Board, svg: &mut String) {
    let path: String = board.iter().map(|(at, _)| zone_edges(board, at)).collect();
    if !path.is_empty() {
        let _ = writeln!(svg, "<path class=\"zone\" d=\"{path}\"/>");
    }
}

/// The part of that line on the sides of a square inside.
fn zone_edges(board: &Board, at: Point) -> String {
    let mut path = String::new();
    let outside = |row: usize, col: usize| board.square(Point { row, col }).is_some_and(|square| square.outside);
    if board.square(at).is_none() || outside(at.row, at.col) {
        return path;
    }
    let (x, y) = (at.col * SQUARE, at.row * SQUARE);
    if at.row > 0 && outside(at.row - 1, at.col) {
        let _ = write!(path, "M{x} {y}h{SQUARE}");
    }
    if outside(at.row + 1, at.col) {
        let _ = write!(path, "M{x} {}h{SQUARE}", y + SQUARE);
    }
    if at.col > 0 && outside(at.row, at.col - 1) {
        let _ = write!(path, "M{x} {y}v{SQUARE}");
    }
    if outside(at.row, at.col + 1) {
        let _ = write!(path, "M{} {y}v{SQUARE}", x + SQUARE);
    }
    path
}

/// The part of that line that can be seen on a square: its own sides, and its neighbours'.
fn zone_around(board: &Board, at: Point) -> String {
    let (row, col) = (at.row, at.col);
    let near = [(row, col), (row.wrapping_sub(1), col), (row + 1, col), (row, col.wrapping_sub(1)), (row, col + 1)];
    near.into_iter().map(|(row, col)| zone_edges(board, Point { row, col })).collect()
}

fn steps(board: &Board, svg: &mut String) {
    for step in &board.traces.steps {
        let ((x, y), (to_x, to_y)) = (centre(step.from), centre(step.to));
        let _ = writeln!(
            svg,
            "<circle class=\"step l{0}\" cx=\"{x}\" cy=\"{y}\" r=\"8\"/>\
             <path class=\"step l{0}\" d=\"M{x} {y}L{to_x} {to_y}\"/>",
            hue(step.seat)
        );
    }
}

/// All shots: a halo, a dark edge, and the beam in the shooter's colour, one path each so that they join.
fn shots(board: &Board, svg: &mut String) {
    let mut seats: Vec<Seat> = board.traces.beams.iter().map(|beam| beam.seat).collect();
    seats.sort_unstable();
    seats.dedup();
    for seat in seats {
        let mut path = String::new();
        for beam in board.traces.beams.iter().filter(|beam| beam.seat == seat) {
            let [(x, y), (to_x, to_y)] = line(board, beam);
            let _ = write!(path, "M{x:.1} {y:.1}L{to_x:.1} {to_y:.1}");
        }
        let hue = hue(seat);
        let _ = writeln!(
            svg,
            "<path class=\"halo l{hue}\" d=\"{path}\"/><path class=\"casing\" d=\"{path}\"/>\
             <path class=\"beam l{hue}\" d=\"{path}\"/>"
        );
    }
}

/// From the middle of a shot's first square to the face of what it met, the middle of its last square or the far side
/// of it. Where several shoot at once each keeps to the right, so that two who shoot at each other can both be seen.
fn line(board: &Board, beam: &Beam) -> [(f64, f64); 2] {
    let ((from_x, from_y), (x, y)) = (centre(beam.from), centre(beam.to));
    let length = (x - from_x).hypot(y - from_y);
    if length == 0.0 {
        return [(x, y); 2];
    }
    let (ahead_x, ahead_y) = ((x - from_x) / length, (y - from_y) / length);
    // A square is longer from corner to corner than from side to side.
    let straight = beam.from.row == beam.to.row || beam.from.col == beam.to.col;
    let half = centre(Point { row: 0, col: 0 }).0 * if straight { 1.0 } else { std::f64::consts::SQRT_2 };
    let further = match (beam.end, board.piece(beam.to).filter(|piece| piece.alive)) {
        (End::Spent, _) => 0.0,
        (End::Through, _) => half,
        (End::Face, None) => -half,
        (End::Face, Some(_)) if board.effect(beam.to) == Some(Effect::Blocked) => -SHIELD,
        (End::Face, Some(_)) => -PIECE,
    };
    let crowded = board.traces.beams.iter().any(|other| other.seat != beam.seat);
    let aside = if crowded { LANE } else { 0.0 };
    let (aside_x, aside_y) = (-ahead_y * aside, ahead_x * aside);
    [(from_x + aside_x, from_y + aside_y), (x + ahead_x * further + aside_x, y + ahead_y * further + aside_y)]
}

/// Stars where shots struck, arcs where a shield threw them back.
pub(in crate::pictures) fn impacts(board: &Board, svg: &mut String) {
    for beam in &board.traces.beams {
        let [_, (x, y)] = line(board, beam);
        match board.effect(beam.to) {
            Some(Effect::Blocked) if beam.end == End::Face => {
                let (cx, cy) = centre(beam.to);
                let angle = (y - cy).atan2(x - cx);
                for (radius, width) in [(SHIELD + 6.0, 3.0), (SHIELD + 11.0, 2.0)] {
                    let arc = arc(cx, cy, radius, angle, 0.62);
                    let _ = write!(svg, "<path class=\"ring\" stroke-width=\"{width}\" d=\"{arc}\"/>");
                }
            }
            Some(Effect::Hit | Effect::Killed) if beam.from != beam.to => {
                let (outer, inner) = (star(x, y, 12.0, 5.5), star(x, y, 5.5, 2.5));
                let _ = write!(svg, "<path class=\"burst\" d=\"{outer}\"/><path class=\"core\" d=\"{inner}\"/>");
            }
            _ => {}
        }
    }
    for mark in board.traces.marks.iter().filter(|mark| mark.effect == Effect::Scorched) {
        let (x, y) = centre(mark.at);
        let star = star(x + 13.0, y - 13.0, 8.5, 6.0);
        let _ = write!(
            svg,
            "<path class=\"burst\" d=\"{star}\"/><text class=\"mid bold light\" x=\"{}\" y=\"{}\" font-size=\"11\">!</text>",
            x + 13.0,
            y - 9.0
        );
    }
    svg.push('\n');
}

fn piece(piece: &Piece, effect: Option<Effect>, svg: &mut String) {
    let (x, y) = centre(piece.at);
    let letters = piece.seat.to_string();
    let size = letter_size(&letters, 19);
    if piece.to_act {
        let _ = write!(svg, "<circle class=\"glow f{}\" cx=\"{x}\" cy=\"{y}\" r=\"21\"/>", hue(piece.seat));
    }
    let _ = write!(
        svg,
        "<circle class=\"piece f{}\" cx=\"{x}\" cy=\"{y}\" r=\"{PIECE}\"/>\
         <text class=\"mid bold {}\" x=\"{x}\" y=\"{}\" font-size=\"{size}\">{letters}</text>",
        hue(piece.seat),
        on(piece.seat),
        piece.at.row * SQUARE + HALF + size * 7 / 20,
    );
    match (piece.facing, piece.meter) {
        (Some(direction), _) => {
            let _ = write!(svg, "<path class=\"shield\" d=\"{}\"/>", arc(x, y, SHIELD, angle(direction), 0.85));
        }
        (None, Some(meter)) => pips(x, y, meter, piece.seat, svg),
        (None, None) => {}
    }
    if effect == Some(Effect::Bounced) {
        let _ = write!(svg, "<path class=\"bounce\" d=\"M{} {}l4 5l4 -5l4 5l4 -5\"/>", x - 8.0, y - 19.0);
    }
    svg.push('\n');
}

/// Hit points as dots under the piece, as long as they can be counted at a glance.
fn pips(x: f64, y: f64, meter: Meter, seat: Seat, svg: &mut String) {
    let (hp, of) = (meter.value, meter.of.max(meter.value));
    if of > 5 {
        let _ = write!(svg, "<text class=\"mid bold\" x=\"{x}\" y=\"{}\" font-size=\"10\">{hp}</text>", y + 20.0);
        return;
    }
    for at in 0..of {
        let cx = x + 8.0 * (f64::from(at) - f64::from(of - 1) / 2.0);
        let class = if at < hp { format!("f{}", hue(seat)) } else { "off".to_owned() };
        let _ = write!(svg, "<circle class=\"pip {class}\" cx=\"{cx}\" cy=\"{}\" r=\"3.6\"/>", y + 17.0);
    }
}

/// What is left of somebody: a dashed ring, the small letter, a cross.
fn body(piece: &Piece, svg: &mut String) {
    let (x, y) = centre(piece.at);
    let letters = piece.seat.to_string().to_lowercase();
    let _ = writeln!(
        svg,
        "<circle class=\"body\" cx=\"{x}\" cy=\"{y}\" r=\"{PIECE}\"/>\
         <text class=\"mid muted bold\" x=\"{}\" y=\"{}\" font-size=\"15\">{letters}</text>\
         <text class=\"mid muted\" x=\"{}\" y=\"{1}\" font-size=\"15\">†</text>",
        x - 4.0,
        y + 5.0,
        x + 6.0,
    );
}

/// The middle of a square.
fn centre(at: Point) -> (f64, f64) {
    let middle = |index: usize| f64::from(u32::try_from(index * SQUARE + HALF).unwrap_or(u32::MAX));
    (middle(at.col), middle(at.row))
}

/// An angle on the page, clockwise from the right.
fn angle(direction: Direction) -> f64 {
    let (down, right) = direction.offset();
    f64::from(down).atan2(right.into())
}

/// A part of a circle around a point, so far to both sides of an angle.
fn arc(x: f64, y: f64, radius: f64, angle: f64, spread: f64) -> String {
    let (start, stop) = (angle - spread, angle + spread);
    format!(
        "M{:.1} {:.1}A{radius} {radius} 0 0 1 {:.1} {:.1}",
        x + radius * start.cos(),
        y + radius * start.sin(),
        x + radius * stop.cos(),
        y + radius * stop.sin()
    )
}

/// A star of eight points.
fn star(x: f64, y: f64, outer: f64, inner: f64) -> String {
    let mut path = String::new();
    for point in 0..16 {
        let angle = f64::from(point) * std::f64::consts::PI / 8.0;
        let radius = if point % 2 == 0 { outer } else { inner };
        let verb = if point == 0 { 'M' } else { 'L' };
        let _ = write!(path, "{verb}{:.1} {:.1}", x + radius * angle.cos(), y + radius * angle.sin());
    }
    path.push('z');
    path
}
