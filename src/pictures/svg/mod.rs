//! A picture as a drawing: one SVG file with nothing outside itself, for light and dark pages.

pub(super) mod board;
mod literal;

use std::fmt::Write as _;

use self::board::{SQUARE, draw_board};
pub(super) use self::literal::literal;
use super::arrow;
use super::colour::{SEAT_COLOURS, light, seat_rgb};
use super::picture::{Picture, PictureNote, Voice};
use super::text::{columns, cut, wrap};
use crate::briefs::markup;
use crate::games::scene::{Origin, Shares, Standing};
use crate::games::seat::Seat;

const MARGIN: usize = 26;
/// Room for the numbers of rows and columns.
const AXIS: usize = 22;
const GAP: usize = 34;
const SIDE: usize = 350;
const PLAYER: usize = 54;
/// A taller panel than this many players is a table, not a picture.
const MOST_PLAYERS: usize = 16;
const NOTE_COLUMNS: usize = 44;
const NOTE_LINE: usize = 19;
/// The longest name that is shown in full.
const NAME: usize = 30;

/// The width and height of a card, as link previews have them.
pub(super) const CARD: (u32, u32) = (1200, 630);
const CARD_MARGIN: f64 = 28.0;
/// A card's foot, with the name of the house.
const FOOT: f64 = 26.0;

/// The picture as an SVG document.
pub fn render_svg(picture: &Picture) -> String {
    let (width, height, drawn) = draw(picture);
    let (inner, high) = (width - 1, height - 1);
    let page = format!("<rect class=\"page\" x=\".5\" y=\".5\" width=\"{inner}\" height=\"{high}\" rx=\"14\"/>\n");
    document(picture, width, height, &format!("{page}{drawn}"))
}

/// The picture without its notes as a card, to be shown where a link to the match is.
pub fn render_card(picture: &Picture) -> String {
    let picture = &Picture { notes: Vec::new(), ..picture.clone() };
    let (width, height, drawn) = draw(picture);
    let size = |length: usize| f64::from(u32::try_from(length).unwrap_or(u32::MAX));
    let (wide, high) = (f64::from(CARD.0), f64::from(CARD.1));
    let room = (wide - 2.0 * CARD_MARGIN, high - CARD_MARGIN - FOOT);
    let scale = (room.0 / size(width)).min(room.1 / size(height));
    let (x, y) = ((wide - scale * size(width)) / 2.0, (high - FOOT - scale * size(height)) / 2.0);
    let card = format!(
        "<rect class=\"page\" stroke=\"none\" width=\"{wide}\" height=\"{high}\"/>\n\
         <g transform=\"translate({x:.2} {y:.2}) scale({scale:.4})\">{drawn}</g>\n\
         <text class=\"end muted bold\" x=\"{}\" y=\"{}\" font-size=\"22\">Standoff</text>\n",
        wide - CARD_MARGIN - 8.0,
        high - 22.0,
    );
    let (wide, high) = CARD;
    document(picture, wide as usize, high as usize, &card)
}

/// A drawing of this size.
fn document(picture: &Picture, width: usize, height: usize, drawn: &str) -> String {
    let title = markup(&caption(picture));
    literal(&format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" role=\"img\">\n<title>{title}</title>\n<style>{}</style>\n{drawn}</svg>\n",
        literal::dark(),
    ))
}

/// The board and the panel beside it, with the room that they take.
fn draw(picture: &Picture) -> (usize, usize, String) {
    let board = &picture.scene.board;
    let (wide, high) = (board.cols() * SQUARE, board.rows() * SQUARE);
    let left = MARGIN + AXIS;
    let top = MARGIN + if board.origin == Origin::TopLeft { AXIS } else { 0 };
    let side_start = left + wide + GAP;
    let mut panel = String::new();
    let side_end = Side { x: side_start, y: MARGIN }.draw(picture, &mut panel);
    let width = side_start + SIDE + MARGIN;
    let height = (MARGIN + AXIS + high).max(side_end) + MARGIN;
    let mut svg = format!("<g transform=\"translate({left} {top})\">");
    draw_board(board, &mut svg);
    let _ = write!(svg, "</g>\n{panel}");
    (width, height, svg)
}

/// What a reader who cannot see it hears.
fn caption(picture: &Picture) -> String {
    let status = picture.status().join(", ");
    let standings = picture.scene.standings.iter();
    let players = standings.map(|one| format!("{} {} {}", one.seat, picture.name(one.seat), one.meter.value));
    let players = players.collect::<Vec<_>>().join(", ");
    format!("{}, {status}: {players}", picture.title())
}

/// The number of a seat's colour.
pub(super) fn hue(seat: Seat) -> usize {
    seat.index() % SEAT_COLOURS
}

/// The class of what can be read on a seat's colour.
pub(super) fn on(seat: Seat) -> &'static str {
    if light(seat_rgb(seat)) { "dark" } else { "light" }
}

/// Smaller letters where there are more of them.
pub(super) fn letter_size(letters: &str, one: usize) -> usize {
    match letters.len() {
        1 => one,
        2 => one * 3 / 4,
        _ => one / 2,
    }
}

/// What is said about somebody in small.
fn facts(picture: &Picture, one: &Standing) -> String {
    let facing = one.facing.map(|direction| arrow(direction).to_string());
    facing.into_iter().chain(picture.facts(one)).collect::<Vec<_>>().join(" · ")
}

/// The panel beside the board, drawn from the top down.
struct Side {
    x: usize,
    y: usize,
}

impl Side {
    /// Draws everything and tells how far down it reaches.
    fn draw(mut self, picture: &Picture, svg: &mut String) -> usize {
        let x = self.x;
        self.y += 16;
        let title = markup(&cut(&picture.title(), 32));
        let _ = writeln!(svg, "<text class=\"bold\" x=\"{x}\" y=\"{}\" font-size=\"22\">{title}</text>", self.y);
        self.y += 24;
        let status = markup(&cut(&picture.status().join(" · "), 48));
        let _ = writeln!(svg, "<text class=\"muted\" x=\"{x}\" y=\"{}\" font-size=\"14\">{status}</text>", self.y);
        if let Some(result) = picture.result() {
            for line in wrap(&result, 36, 0) {
                self.y += 23;
                let line = markup(&line);
                let _ = writeln!(svg, "<text class=\"bold\" x=\"{x}\" y=\"{}\" font-size=\"15\">{line}</text>", self.y);
            }
        }
        if let Some(shares) = &picture.scene.shares {
            self.shares(shares, svg);
        }
        self.y += 22;
        let facts = picture.scene.standings.iter().map(|one| columns(&facts(picture, one))).max().unwrap_or(0);
        let bar = SIDE.saturating_sub(92 + 7 * facts).clamp(60, 150);
        for one in picture.scene.standings.iter().take(MOST_PLAYERS) {
            self.player(picture, one, bar, svg);
        }
        if let Some(more) = picture.scene.standings.len().checked_sub(MOST_PLAYERS).filter(|&more| more > 0) {
            let more = picture.language.more(more);
            let _ =
                writeln!(svg, "<text class=\"muted\" x=\"{x}\" y=\"{}\" font-size=\"13\">{more}</text>", self.y + 12);
            self.y += 24;
        }
        for note in &picture.notes {
            self.note(note, svg);
        }
        self.y
    }

    fn shares(&mut self, shares: &Shares, svg: &mut String) {
        self.y += 16;
        let (x, y) = (self.x, self.y);
        let of = shares.of.max(1) as usize;
        let _ = write!(svg, "<rect class=\"track\" x=\"{x}\" y=\"{y}\" width=\"{SIDE}\" height=\"16\" rx=\"3\"/>");
        let mut sum = 0;
        for &(seat, part) in &shares.seats {
            let start = sum * SIDE / of;
            sum += part as usize;
            let wide = (sum * SIDE / of).min(SIDE).saturating_sub(start);
            let _ = write!(
                svg,
                "<rect class=\"f{}\" x=\"{}\" y=\"{y}\" width=\"{wide}\" height=\"16\"/>",
                hue(seat),
                x + start
            );
            if wide > 14 {
                let _ = write!(
                    svg,
                    "<text class=\"mid bold {}\" x=\"{}\" y=\"{}\" font-size=\"12\">{seat}</text>",
                    on(seat),
                    x + start + wide / 2,
                    y + 12
                );
            }
        }
        svg.push('\n');
        self.y += 18;
    }

    /// A chip, the name, a bar and the rest in small.
    fn player(&mut self, picture: &Picture, one: &Standing, bar: usize, svg: &mut String) {
        let (x, y) = (self.x, self.y);
        let letters = one.seat.to_string();
        let fade = if one.alive || one.place == Some(1) { "" } else { " opacity=\".55\"" };
        let _ = write!(svg, "<g{fade}>");
        if one.to_act {
            let _ = write!(
                svg,
                "<path class=\"muted\" d=\"M{} {}l7 5l-7 5z\"/><circle class=\"f{} glow\" cx=\"{}\" cy=\"{}\" r=\"21\"/>",
                x - 12,
                y + 14,
                hue(one.seat),
                x + 16,
                y + 19
            );
        }
        let size = letter_size(&letters, 16);
        let _ = write!(
            svg,
            "<circle class=\"piece f{}\" cx=\"{}\" cy=\"{}\" r=\"15\"/>\
             <text class=\"mid bold {}\" x=\"{}\" y=\"{}\" font-size=\"{size}\">{letters}</text>",
            hue(one.seat),
            x + 16,
            y + 19,
            on(one.seat),
            x + 16,
            y + 19 + size * 7 / 20
        );
        let name = markup(&cut(&picture.name(one.seat), if one.place.is_some() { NAME - 8 } else { NAME }));
        let _ = write!(svg, "<text class=\"bold\" x=\"{}\" y=\"{}\" font-size=\"15\">{name}</text>", x + 42, y + 15);
        if let Some(place) = picture.place(one) {
            let place = markup(&place);
            let _ = write!(
                svg,
                "<text class=\"end muted\" x=\"{}\" y=\"{}\" font-size=\"13\">{place}</text>",
                x + SIDE,
                y + 15
            );
        }
        let _ = write!(
            svg,
            "<rect class=\"track\" x=\"{0}\" y=\"{1}\" width=\"{bar}\" height=\"9\" rx=\"4.5\"/>\
             <rect class=\"f{2}\" x=\"{0}\" y=\"{1}\" width=\"{3}\" height=\"9\" rx=\"4.5\"/>\
             <text class=\"bold\" x=\"{4}\" y=\"{5}\" font-size=\"14\">{6}</text>",
            x + 42,
            y + 25,
            hue(one.seat),
            one.meter.filled(bar),
            x + 42 + bar + 10,
            y + 34,
            one.meter.value
        );
        let facts = markup(&facts(picture, one));
        let _ = writeln!(
            svg,
            "<text class=\"end muted\" x=\"{}\" y=\"{}\" font-size=\"13\">{facts}</text></g>",
            x + SIDE,
            y + 34
        );
        self.y += PLAYER;
    }

    fn note(&mut self, note: &PictureNote, svg: &mut String) {
        self.y += 6;
        let indent = note.seat.map_or(0, |seat| {
            let letters = seat.to_string();
            let _ = write!(
                svg,
                "<rect class=\"f{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"17\" rx=\"4\"/>\
                 <text class=\"mid bold {}\" x=\"{}\" y=\"{}\" font-size=\"12\">{letters}</text>",
                hue(seat),
                self.x,
                self.y,
                8 + 9 * letters.len(),
                on(seat),
                self.x + 4 + 9 * letters.len() / 2,
                self.y + 13
            );
            16 + 9 * letters.len()
        });
        let class = match note.voice {
            Voice::Narrator => "",
            Voice::Speech => "bold",
            Voice::Thought => "muted italic",
        };
        let text = match note.voice {
            Voice::Speech => format!("“{}”", note.text()),
            Voice::Narrator | Voice::Thought => note.text().to_owned(),
        };
        for line in wrap(&text, NOTE_COLUMNS.saturating_sub(indent / 8), 0) {
            let line = markup(&line);
            let _ = writeln!(
                svg,
                "<text class=\"{class}\" x=\"{}\" y=\"{}\" font-size=\"13.5\">{line}</text>",
                self.x + indent,
                self.y + 13
            );
            self.y += NOTE_LINE;
        }
    }
}
