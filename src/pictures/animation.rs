//! A match as an animation: sprites drawn once, put together turn by turn, and of every frame only what changed.

mod palette;

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fmt::Write as _;
use std::ops::RangeInclusive;

use gif::{DisposalMethod, Encoder, Repeat};
use resvg::tiny_skia::{Pixmap, Transform};

use self::palette::{Change, Histogram, TRANSPARENT};
use super::Show;
use super::colour::{Rgb, seat_rgb};
use super::frames::Frame;
use super::picture::Picture;
use super::raster::{Painter, PictureError, blank};
use super::svg::board::{SQUARE, axes, draw_square, figure, figures, impacts, look, tracks};
use super::svg::{hue, letter_size, literal, on};
use super::text::{cut, wrap};
use crate::briefs::markup;
use crate::games::scene::{Area, Board, Origin, Point, Square, Standing};

/// So many turns in one animation at the most; of longer matches the last ones.
pub const MOST_TURNS: usize = 300;

/// The board is about so many pixels wide and high.
const BOARD: u32 = 400;
const EDGE: u32 = 10;
const GAP: u32 = 18;
const PANEL: u32 = 226;
const HEAD: u32 = 66;
const ROW: u32 = 40;
const BAR: u32 = 140;
/// Where the bar of a row begins, from its corner.
const BAR_AT: (u32, u32) = (34, 22);
const MOST_PLAYERS: usize = 16;
/// An empty bar, as the style of drawings has it.
const TRACK: Rgb = [0xe6, 0xe0, 0xd3];
/// Hundredths of a second: a turn, one with shots, and the end.
const BEATS: [u16; 3] = [45, 75, 320];

/// The turns of a match as a GIF that repeats.
///
/// # Errors
/// If there are no such turns, or it cannot be drawn.
pub fn render_gif(show: &Show, frames: &[Frame], turns: &RangeInclusive<usize>) -> Result<Vec<u8>, PictureError> {
    let last = frames.len().saturating_sub(1);
    let end = (*turns.end()).min(last);
    let start = (*turns.start()).max((end + 1).saturating_sub(MOST_TURNS + 1));
    let shown = frames.get(start..=end).filter(|shown| !shown.is_empty()).ok_or(PictureError::NoTurns(last))?;
    let picture = |frame: &Frame| show.picture(&frame.state, &frame.events);
    let mut stage = Stage::new(&picture(&shown[0]))?;
    let mut histogram = Histogram::default();
    let mut changes: Vec<(Change, u16)> = Vec::with_capacity(shown.len());
    let mut before: Option<Pixmap> = None;
    for (at, frame) in shown.iter().enumerate() {
        let picture = picture(frame);
        let now = stage.frame(&picture)?;
        let has_beams = !picture.scene.board.traces.beams.is_empty();
        let beat = if at + 1 == shown.len() { 2 } else { usize::from(has_beams) };
        changes.push((histogram.change(before.as_ref(), &now), BEATS[beat]));
        before = Some(now);
    }
    let (palette, indices) = histogram.palette();
    let failed = |error: gif::EncodingError| PictureError::Writing(error.to_string());
    let size = |length: u32| u16::try_from(length).map_err(|_| PictureError::Size(stage.width, stage.height));
    let mut encoder = Encoder::new(Vec::new(), size(stage.width)?, size(stage.height)?, &palette).map_err(failed)?;
    encoder.set_repeat(Repeat::Infinite).map_err(failed)?;
    for (change, delay) in changes {
        let frame = gif::Frame {
            delay,
            dispose: DisposalMethod::Keep,
            transparent: Some(TRANSPARENT),
            left: size(change.left)?,
            top: size(change.top)?,
            width: size(change.width)?,
            height: size(change.height)?,
            buffer: change.indexed(&indices).into(),
            ..gif::Frame::default()
        };
        encoder.write_frame(&frame).map_err(failed)?;
    }
    encoder.into_inner().map_err(failed)
}

/// The same frame as one drawing: what a test compares an animation with.
#[cfg(test)]
pub(super) fn frame_svg(picture: &Picture) -> Result<(u32, u32, String), PictureError> {
    let stage = Stage::new(picture)?;
    let board = &picture.scene.board;
    let mut svg = stage.backdrop(picture);
    let _ = write!(svg, "<g transform=\"translate({} {}) scale({})\">", stage.origin.0, stage.origin.1, stage.scale());
    super::svg::board::draw_ground(board, &mut svg);
    tracks(board, &mut svg);
    for piece in figures(board) {
        figure(board, piece, &mut svg);
    }
    impacts(board, &mut svg);
    svg.push_str("</g>");
    let mut cell = |x: u32, y: u32, drawn: &str| {
        let _ = write!(svg, "<g transform=\"translate({x} {y})\">{drawn}</g>");
    };
    cell(stage.panel, EDGE, &head(picture));
    for (index, one) in picture.scene.standings.iter().take(MOST_PLAYERS).enumerate() {
        let y = EDGE + HEAD + ROW * u32::try_from(index).unwrap_or(0);
        cell(stage.panel, y, &row(picture, one));
        let filled = one.meter.filled(BAR as usize);
        let bar = format!("<rect class=\"f{}\" width=\"{filled}\" height=\"8\"/>", hue(one.seat));
        cell(stage.panel + BAR_AT.0, y + BAR_AT.1, &bar);
        cell(stage.panel + BAR_AT.0 + BAR, y + BAR_AT.1 - 4, &amount(one));
    }
    Ok((stage.width, stage.height, document(stage.width, stage.height, &svg)))
}

fn document(width: u32, height: u32, drawn: &str) -> String {
    literal(&format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\">{drawn}</svg>"
    ))
}

/// The title, how far it is or how it ended.
fn head(picture: &Picture) -> String {
    let mut drawn = format!(
        "<rect class=\"page\" stroke=\"none\" width=\"{PANEL}\" height=\"{HEAD}\"/>\
         <text class=\"bold\" x=\"0\" y=\"18\" font-size=\"17\">{}</text>",
        markup(&cut(&picture.title(), 22))
    );
    let told = picture.result().unwrap_or_else(|| picture.status().join(" · "));
    for (line, y) in wrap(&told, 32, 0).iter().zip([37, 53]) {
        let _ = write!(drawn, "<text class=\"muted\" x=\"0\" y=\"{y}\" font-size=\"12.5\">{}</text>", markup(line));
    }
    drawn
}

/// Who plays, without what changes from turn to turn.
fn row(picture: &Picture, one: &Standing) -> String {
    let letters = one.seat.to_string();
    let size = letter_size(&letters, 13);
    let (hue, fade) = (hue(one.seat), if one.alive || one.place == Some(1) { "" } else { " opacity=\".5\"" });
    let glow = if one.to_act {
        format!("<circle class=\"glow f{hue}\" cx=\"13\" cy=\"18\" r=\"13\"/>")
    } else {
        String::new()
    };
    let name = markup(&cut(&picture.name(one.seat), 22));
    let place = picture.place(one).map(|place| markup(&place)).unwrap_or_default();
    format!(
        "<rect class=\"page\" stroke=\"none\" width=\"{PANEL}\" height=\"{ROW}\"/><g{fade}>{glow}\
         <circle class=\"piece f{hue}\" cx=\"13\" cy=\"18\" r=\"10\"/>\
         <text class=\"mid bold {}\" x=\"13\" y=\"{}\" font-size=\"{size}\">{letters}</text>\
         <text class=\"bold\" x=\"{}\" y=\"15\" font-size=\"13.5\">{name}</text>\
         <text class=\"end muted\" x=\"{}\" y=\"15\" font-size=\"12\">{place}</text>\
         <rect class=\"track\" x=\"{}\" y=\"{}\" width=\"{BAR}\" height=\"8\"/></g>",
        on(one.seat),
        18 + size * 7 / 20,
        BAR_AT.0,
        PANEL - 4,
        BAR_AT.0,
        BAR_AT.1,
    )
}

/// How much somebody has.
fn amount(one: &Standing) -> String {
    let page = format!("<rect class=\"page\" stroke=\"none\" width=\"{}\" height=\"16\"/>", PANEL - BAR_AT.0 - BAR);
    format!("{page}<text class=\"bold\" x=\"8\" y=\"13\" font-size=\"13\">{}</text>", one.meter.value)
}

/// What stays from frame to frame, and the sprites that were drawn.
struct Stage {
    painter: Painter,
    sprites: HashMap<String, Pixmap>,
    /// The picture without what moves.
    base: Pixmap,
    squares: Vec<(Point, Square, bool)>,
    forecast: Option<Area>,
    cells: HashMap<(u32, u32), String>,
    width: u32,
    height: u32,
    /// How many pixels a square has.
    tile: u32,
    /// Where the board is.
    origin: (u32, u32),
    panel: u32,
}

impl Stage {
    fn new(picture: &Picture) -> Result<Stage, PictureError> {
        let board = &picture.scene.board;
        let size = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        let (rows, cols) = (size(board.rows()), size(board.cols()));
        let tile = (BOARD / rows.max(cols).max(1)).clamp(8, 36);
        let axis = tile / 2;
        let top = if board.origin == Origin::TopLeft { axis } else { 0 };
        let origin = (EDGE + axis, EDGE + top);
        let panel = origin.0 + cols.saturating_mul(tile) + GAP;
        let players = size(picture.scene.standings.len().min(MOST_PLAYERS));
        let high = (axis + rows.saturating_mul(tile)).max(HEAD + players * ROW);
        let (width, height) = (panel + PANEL + EDGE, high + 2 * EDGE);
        let mut stage = Stage {
            painter: Painter::new(),
            sprites: HashMap::new(),
            base: blank(width, height)?,
            squares: Vec::new(),
            forecast: None,
            cells: HashMap::new(),
            width,
            height,
            tile,
            origin,
            panel,
        };
        let backdrop = document(width, height, &stage.backdrop(picture));
        stage.painter.draw(&backdrop, Transform::identity(), &mut stage.base.as_mut())?;
        Ok(stage)
    }

    fn scale(&self) -> f32 {
        // Both are small.
        f32::from(u16::try_from(self.tile).unwrap_or(1)) / f32::from(u16::try_from(SQUARE).unwrap_or(1))
    }

    /// What never changes: the page and the numbers of rows and columns.
    fn backdrop(&self, picture: &Picture) -> String {
        let mut drawn =
            format!("<rect class=\"page\" stroke=\"none\" width=\"{}\" height=\"{}\"/>", self.width, self.height);
        let _ =
            write!(drawn, "<g transform=\"translate({} {}) scale({})\">", self.origin.0, self.origin.1, self.scale());
        axes(&picture.scene.board, &mut drawn);
        drawn.push_str("</g>");
        drawn
    }

    /// The picture of a position.
    fn frame(&mut self, picture: &Picture) -> Result<Pixmap, PictureError> {
        let board = &picture.scene.board;
        self.lay(board)?;
        self.list(picture)?;
        let mut frame = self.base.clone();
        self.scribble(board, tracks, &mut frame)?;
        for piece in figures(board) {
            let key = format!(
                "{:?}{:?}{:?}{:?}{}{:?}",
                piece.seat,
                piece.alive,
                piece.facing,
                piece.meter,
                piece.to_act,
                board.effect(piece.at)
            );
            let tile = self.tile;
            let (x, y) = self.corner(piece.at);
            let place = self.at_square(piece.at);
            let sprite = self.sprite(key, (tile, tile), place, |svg| figure(board, piece, svg))?;
            blend(&mut frame, sprite, (x, y));
        }
        self.scribble(board, impacts, &mut frame)?;
        Ok(frame)
    }

    /// Lays the squares that look different from before.
    fn lay(&mut self, board: &Board) -> Result<(), PictureError> {
        let squares: Vec<_> = board.iter().map(|(at, square)| (at, square, board.piece(at).is_none())).collect();
        // A zone that closes changes the sides of squares that stay as they are.
        let closes = squares.iter().zip(&self.squares).any(|(now, was)| now.1.outside != was.1.outside)
            || board.forecast != self.forecast;
        for (index, square) in squares.iter().enumerate() {
            if !closes && self.squares.get(index) == Some(square) {
                continue;
            }
            let &(at, square, _) = square;
            let (tile, place, corner) = (self.tile, self.at_square(at), self.corner(at));
            let sprite = self
                .sprite(look(board, at, square), (tile, tile), place, |svg| draw_square(board, at, square, svg))?
                .clone();
            put(&mut self.base, &sprite, corner);
        }
        self.squares = squares;
        self.forecast = board.forecast;
        Ok(())
    }

    /// Writes down who has how much, where it differs from before.
    fn list(&mut self, picture: &Picture) -> Result<(), PictureError> {
        self.cell((self.panel, EDGE), (PANEL, HEAD), head(picture))?;
        for (y, one) in (EDGE + HEAD..).step_by(ROW as usize).zip(picture.scene.standings.iter().take(MOST_PLAYERS)) {
            let is_new = self.cell((self.panel, y), (PANEL, ROW), row(picture, one))?;
            let corner = (self.panel + BAR_AT.0, y + BAR_AT.1);
            let filled = u32::try_from(one.meter.filled(BAR as usize)).unwrap_or(BAR);
            for (rgb, from, to) in [(TRACK, filled, BAR), (seat_rgb(one.seat), 0, filled)] {
                fill(&mut self.base, (corner.0 + from, corner.1), (to - from, 8), rgb);
            }
            let place = (corner.0 + BAR, corner.1 - 4);
            if is_new {
                self.cells.remove(&place);
            }
            self.cell(place, (PANEL - BAR_AT.0 - BAR, 16), amount(one))?;
        }
        Ok(())
    }

    /// Puts a drawing where it is not yet; whether it was new there.
    fn cell(&mut self, corner: (u32, u32), size: (u32, u32), drawn: String) -> Result<bool, PictureError> {
        if self.cells.get(&corner) == Some(&drawn) {
            return Ok(false);
        }
        let sprite = self.sprite(drawn.clone(), size, Transform::identity(), |svg| svg.push_str(&drawn))?.clone();
        put(&mut self.base, &sprite, corner);
        self.cells.insert(corner, drawn);
        Ok(true)
    }

    /// A drawing of this size, drawn once.
    fn sprite(
        &mut self,
        key: String,
        (width, height): (u32, u32),
        place: Transform,
        draw: impl FnOnce(&mut String),
    ) -> Result<&Pixmap, PictureError> {
        match self.sprites.entry(key) {
            Entry::Occupied(drawn) => Ok(drawn.into_mut()),
            Entry::Vacant(free) => {
                let mut svg = String::new();
                draw(&mut svg);
                let mut pixels = blank(width, height)?;
                self.painter.draw(&document(self.width, self.height, &svg), place, &mut pixels.as_mut())?;
                Ok(free.insert(pixels))
            }
        }
    }

    /// Draws what is different in every frame.
    fn scribble(
        &self,
        board: &Board,
        draw: impl Fn(&Board, &mut String),
        onto: &mut Pixmap,
    ) -> Result<(), PictureError> {
        let mut svg = String::new();
        draw(board, &mut svg);
        if svg.trim().is_empty() {
            return Ok(());
        }
        let scale = self.scale();
        let place = Transform::from_row(scale, 0.0, 0.0, scale, real(self.origin.0), real(self.origin.1));
        self.painter.draw(&document(self.width, self.height, &svg), place, &mut onto.as_mut())
    }

    /// Where a square is in the picture.
    fn corner(&self, at: Point) -> (u32, u32) {
        let along = |index: usize| u32::try_from(index).unwrap_or(0) * self.tile;
        (self.origin.0 + along(at.col), self.origin.1 + along(at.row))
    }

    /// Brings a square of the drawn board to the corner of a sprite.
    fn at_square(&self, at: Point) -> Transform {
        let scale = self.scale();
        let along = |index: usize| -real(u32::try_from(index).unwrap_or(0) * self.tile);
        Transform::from_row(scale, 0.0, 0.0, scale, along(at.col), along(at.row))
    }
}

/// Copies a sprite whole.
fn put(onto: &mut Pixmap, sprite: &Pixmap, (x, y): (u32, u32)) {
    let stride = onto.width() as usize * 4;
    let wide = (sprite.width().min(onto.width().saturating_sub(x))) as usize * 4;
    for (row, line) in sprite.data().chunks_exact(sprite.width() as usize * 4).enumerate() {
        let start = (y as usize + row) * stride + x as usize * 4;
        if let Some(target) = onto.data_mut().get_mut(start..start + wide) {
            target.copy_from_slice(&line[..wide]);
        }
    }
}

/// Lays a sprite over what is there.
fn blend(onto: &mut Pixmap, sprite: &Pixmap, (x, y): (u32, u32)) {
    let stride = onto.width() as usize * 4;
    for (row, line) in sprite.data().chunks_exact(sprite.width() as usize * 4).enumerate() {
        let start = (y as usize + row) * stride + x as usize * 4;
        let Some(target) = onto.data_mut().get_mut(start..start + line.len()) else { continue };
        for (under, over) in target.chunks_exact_mut(4).zip(line.chunks_exact(4)).filter(|(_, over)| over[3] > 0) {
            let left = 255 - u16::from(over[3]);
            for (under, over) in under.iter_mut().zip(over) {
                // Colours are kept multiplied with how much they cover.
                let sum = u16::from(*over) + (u16::from(*under) * left + 127) / 255;
                *under = u8::try_from(sum).unwrap_or(u8::MAX);
            }
        }
    }
}

/// Fills a rectangle with a colour.
fn fill(onto: &mut Pixmap, (x, y): (u32, u32), (width, height): (u32, u32), rgb: Rgb) {
    let stride = onto.width() as usize * 4;
    for row in y..y + height {
        let start = row as usize * stride + x as usize * 4;
        let line = onto.data_mut().get_mut(start..start + width as usize * 4).unwrap_or_default();
        for pixel in line.chunks_exact_mut(4) {
            pixel.copy_from_slice(&[rgb[0], rgb[1], rgb[2], u8::MAX]);
        }
    }
}

fn real(length: u32) -> f32 {
    f32::from(u16::try_from(length).unwrap_or(u16::MAX))
}
