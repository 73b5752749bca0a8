//! What changed from frame to frame, in the 255 colours that are seen most.

use resvg::tiny_skia::Pixmap;

/// The index of what stays as it was.
pub(super) const TRANSPARENT: u8 = 255;

/// Colours that differ in less than the lowest three bits are taken for the same.
const SHADES: usize = 1 << 15;
const SAME: u16 = u16::MAX;

/// The part of a frame in which something changed.
#[derive(Debug)]
pub(super) struct Change {
    pub(super) left: u32,
    pub(super) top: u32,
    pub(super) width: u32,
    pub(super) height: u32,
    /// The shade of each pixel, or [`SAME`].
    shades: Vec<u16>,
}

impl Change {
    /// The pixels as numbers of colours.
    pub(super) fn indexed(&self, indices: &[u8]) -> Vec<u8> {
        let index = |shade: &u16| indices.get(usize::from(*shade)).copied().unwrap_or(TRANSPARENT);
        self.shades.iter().map(index).collect()
    }
}

/// How often each shade was seen, and the sum of its colours.
#[derive(Debug)]
pub(super) struct Histogram {
    seen: Vec<[u32; 4]>,
}

impl Default for Histogram {
    fn default() -> Histogram {
        Histogram { seen: vec![[0; 4]; SHADES] }
    }
}

impl Histogram {
    /// What is different now; everything where there was nothing before.
    pub(super) fn change(&mut self, before: Option<&Pixmap>, now: &Pixmap) -> Change {
        let stride = now.width() as usize * 4;
        let was = before.map_or(&[][..], Pixmap::data);
        let rows = || now.data().chunks_exact(stride).enumerate();
        let old = |row: usize| was.get(row * stride..(row + 1) * stride).unwrap_or_default();
        let (mut top, mut bottom, mut left, mut right) = (usize::MAX, 0, usize::MAX, 0);
        for (row, line) in rows().filter(|(row, line)| *line != old(*row)) {
            (top, bottom) = (top.min(row), row);
            let differs = |at: &usize| old(row).get(at * 4..at * 4 + 4) != Some(&line[at * 4..at * 4 + 4]);
            let wide = stride / 4;
            left = left.min((0..wide).find(differs).unwrap_or(wide));
            right = right.max((0..wide).rev().find(differs).unwrap_or(0));
        }
        if top == usize::MAX {
            return Change { left: 0, top: 0, width: 1, height: 1, shades: vec![SAME] };
        }
        let mut shades = Vec::with_capacity((right + 1 - left) * (bottom + 1 - top));
        for (row, line) in rows().skip(top).take(bottom + 1 - top) {
            let old = old(row);
            for at in left..=right {
                let pixel = &line[at * 4..at * 4 + 4];
                if old.get(at * 4..at * 4 + 4) == Some(pixel) {
                    shades.push(SAME);
                    continue;
                }
                let shade = pixel[..3].iter().fold(0_u16, |shade, part| shade << 5 | u16::from(part >> 3));
                let seen = &mut self.seen[usize::from(shade)];
                for (sum, part) in seen.iter_mut().zip([1, pixel[0], pixel[1], pixel[2]]) {
                    *sum = sum.saturating_add(part.into());
                }
                shades.push(shade);
            }
        }
        let size = |length: usize| u32::try_from(length).unwrap_or(u32::MAX);
        Change {
            left: size(left),
            top: size(top),
            width: size(right + 1 - left),
            height: size(bottom + 1 - top),
            shades,
        }
    }

    /// The palette, and for every shade the nearest colour in it.
    pub(super) fn palette(&self) -> (Vec<u8>, Vec<u8>) {
        let mut used: Vec<usize> = (0..SHADES).filter(|&shade| self.seen[shade][0] > 0).collect();
        used.sort_by_key(|&shade| std::cmp::Reverse(self.seen[shade][0]));
        let colour = |shade: usize| {
            let [count, sums @ ..] = self.seen[shade];
            sums.map(|sum| u8::try_from(sum / count.max(1)).unwrap_or(u8::MAX))
        };
        let colours: Vec<[u8; 3]> = used.iter().take(usize::from(TRANSPARENT)).map(|&shade| colour(shade)).collect();
        let off = |one: [u8; 3], other: [u8; 3]| -> u32 {
            one.iter().zip(other).map(|(a, b)| u32::from(a.abs_diff(b)).pow(2)).sum()
        };
        let mut indices = vec![0; SHADES];
        for (at, &shade) in used.iter().enumerate() {
            let own = u8::try_from(at).ok().filter(|&at| at < TRANSPARENT);
            let nearest =
                || (0..).zip(&colours).min_by_key(|&(_, &other)| off(colour(shade), other)).map_or(0, |(at, _)| at);
            indices[shade] = own.unwrap_or_else(nearest);
        }
        let mut palette: Vec<u8> = colours.into_iter().flatten().collect();
        palette.resize(256 * 3, 0);
        (palette, indices)
    }
}
