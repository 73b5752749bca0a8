//! Drawings as pixels.

use resvg::tiny_skia::{Pixmap, PixmapMut, Transform};
use resvg::usvg::{Options, Tree};

use super::fonts;
use super::picture::Picture;
use super::svg::{CARD, render_card};

/// Why there is no picture.
#[derive(Debug, thiserror::Error)]
pub enum PictureError {
    /// The drawing cannot be read: a fault of ours.
    #[error("the drawing cannot be read: {0}")]
    Drawing(#[from] resvg::usvg::Error),
    /// The board is larger than a picture can be.
    #[error("a picture of {0} × {1} pixels is too large")]
    Size(u32, u32),
    /// The pixels could not be written.
    #[error("the picture cannot be written: {0}")]
    Writing(String),
    /// There is nothing in the span of turns that was asked for.
    #[error("there are no such turns: the match has turns 0 to {0}")]
    NoTurns(usize),
}

/// A card of 1200 × 630 pixels, the form that link previews have, as a PNG file.
///
/// # Errors
/// If it cannot be drawn.
pub fn render_png(picture: &Picture) -> Result<Vec<u8>, PictureError> {
    let (width, height) = CARD;
    let pixels = rasterize(&render_card(picture), width, height)?;
    pixels.encode_png().map_err(|error| PictureError::Writing(error.to_string()))
}

/// A drawing in so many pixels.
pub(super) fn rasterize(svg: &str, width: u32, height: u32) -> Result<Pixmap, PictureError> {
    let mut pixels = blank(width, height)?;
    Painter::new().draw(svg, Transform::identity(), &mut pixels.as_mut())?;
    Ok(pixels)
}

pub(super) fn blank(width: u32, height: u32) -> Result<Pixmap, PictureError> {
    Pixmap::new(width, height).ok_or(PictureError::Size(width, height))
}

/// Paints drawings, reading the fonts once.
pub(super) struct Painter {
    options: Options<'static>,
}

impl Painter {
    pub(super) fn new() -> Painter {
        Painter { options: fonts::options() }
    }

    /// Draws over what is there.
    pub(super) fn draw(&self, svg: &str, place: Transform, onto: &mut PixmapMut<'_>) -> Result<(), PictureError> {
        resvg::render(&Tree::from_str(svg, &self.options)?, place, onto);
        Ok(())
    }
}
