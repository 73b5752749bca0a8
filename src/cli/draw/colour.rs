//! The colours of a terminal.

use crate::games::seat::Seat;
use crate::pictures::colour::{Rgb, light, seat_rgb};

/// How many colours a terminal has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// None: every cue is a character.
    Plain,
    /// The 256 of the usual palette.
    Indexed,
    /// Any, 24 bits each.
    True,
}

const FLOOR: Rgb = [0x1f, 0x23, 0x2b];

/// What a colour is for. The board of a terminal is always dark, whatever its own background.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ink {
    Floor,
    Dots,
    Outside,
    OutsideDots,
    /// What is out of sight.
    Fog,
    Wall,
    /// A block, shaded by its hit points.
    Block(u16),
    /// A seat's own colour.
    Seat(Seat),
    /// What can be read on it.
    OnSeat(Seat),
    /// What belongs to a seat, without outshining its piece.
    Owned(Seat),
    Black,
    White,
    Alarm,
    Health,
    Boost,
}

impl Ink {
    fn rgb(self) -> Rgb {
        match self {
            Ink::Floor => FLOOR,
            Ink::Dots => [0x5a, 0x63, 0x72],
            Ink::Outside => [0x4a, 0x22, 0x2a],
            Ink::OutsideDots => [0xa0, 0x5a, 0x62],
            Ink::Fog => [0x0d, 0x0f, 0x13],
            Ink::Wall => [0x8b, 0x95, 0xa5],
            Ink::Block(hp) => mix([0xd9, 0xa8, 0x5f], FLOOR, 40 + 15 * hp.clamp(1, 4)),
            Ink::Seat(seat) => seat_rgb(seat),
            Ink::OnSeat(seat) if light(seat_rgb(seat)) => [0x10, 0x10, 0x10],
            Ink::OnSeat(_) | Ink::White => [0xff, 0xff, 0xff],
            Ink::Owned(seat) => mix(seat_rgb(seat), FLOOR, 60),
            Ink::Black => [0x10, 0x10, 0x10],
            Ink::Alarm => [0xd0, 0x1c, 0x38],
            Ink::Health => [0x7a, 0xe5, 0x82],
            Ink::Boost => [0xff, 0xd1, 0x66],
        }
    }

    /// The numbers that choose this colour, after the 38 or 48 that says what for.
    pub(super) fn code(self, depth: Depth) -> Option<String> {
        let [red, green, blue] = self.rgb();
        match depth {
            Depth::Plain => None,
            Depth::Indexed => Some(format!("5;{}", indexed(self.rgb()))),
            Depth::True => Some(format!("2;{red};{green};{blue}")),
        }
    }
}

/// So many hundredths of the one colour, the rest of the other.
fn mix(one: Rgb, other: Rgb, hundredths: u16) -> Rgb {
    std::array::from_fn(|at| {
        let sum = u16::from(one[at]) * hundredths + u16::from(other[at]) * (100 - hundredths);
        u8::try_from(sum / 100).expect("between the two")
    })
}

/// The nearest of the 6 × 6 × 6 colours and 24 greys of the usual palette.
fn indexed(rgb: Rgb) -> u8 {
    const STEPS: [u8; 6] = [0, 95, 135, 175, 215, 255];
    let nearest = |value: u8| (0..6_u8).min_by_key(|&at| STEPS[usize::from(at)].abs_diff(value)).unwrap_or(0);
    let cube = rgb.map(nearest);
    let average = rgb.iter().map(|&value| u16::from(value)).sum::<u16>() / 3;
    let grey = (0..24_u8).min_by_key(|&at| (u16::from(at) * 10 + 8).abs_diff(average)).unwrap_or(0);
    let off = |other: Rgb| -> u32 { (0..3).map(|at| u32::from(rgb[at].abs_diff(other[at])).pow(2)).sum() };
    if off([8 + 10 * grey; 3]) < off(cube.map(|at| STEPS[usize::from(at)])) {
        232 + grey
    } else {
        16 + 36 * cube[0] + 6 * cube[1] + cube[2]
    }
}
