//! Colours that the colour-blind can tell apart as well: the palette of Okabe and Ito for the seats.

use crate::games::seat::Seat;

/// Red, green, blue.
pub(crate) type Rgb = [u8; 3];

const SEATS: [Rgb; 8] = [
    [0xe6, 0x9f, 0x00], // orange
    [0x56, 0xb4, 0xe9], // sky blue
    [0x00, 0x9e, 0x73], // bluish green
    [0xcc, 0x79, 0xa7], // reddish purple
    [0xf0, 0xe4, 0x42], // yellow
    [0x00, 0x72, 0xb2], // blue
    [0xd5, 0x5e, 0x00], // vermillion
    [0x9a, 0x9a, 0x9a], // grey
];

/// How many seats have a colour of their own; the letters tell the others apart.
pub(crate) const SEAT_COLOURS: usize = SEATS.len();

/// A seat's colour.
pub(crate) fn seat_rgb(seat: Seat) -> Rgb {
    SEATS[seat.index() % SEAT_COLOURS]
}

/// Whether black is easier to read on it than white.
pub(crate) fn light([red, green, blue]: Rgb) -> bool {
    299 * u32::from(red) + 587 * u32::from(green) + 114 * u32::from(blue) > 100_000
}
