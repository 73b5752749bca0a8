//! Draws for simulations and resampling, from the dice that everything else uses.

use crate::games::Dice;

/// A number from 0 to just below 1.
#[expect(clippy::cast_precision_loss, reason = "53 bits are exact")]
pub(super) fn unit(dice: &mut Dice) -> f64 {
    (dice.bits() >> 11) as f64 / (1_u64 << 53) as f64
}

/// Puts things in any order (Fisher and Yates).
pub(crate) fn shuffle<T>(items: &mut [T], dice: &mut Dice) {
    for last in (1..items.len()).rev() {
        let other = dice.below(u32::try_from(last + 1).expect("few things are shuffled")) as usize;
        items.swap(last, other);
    }
}

/// A number from the normal distribution with mean 0 and variance 1 (Box and Muller).
pub(super) fn normal(dice: &mut Dice) -> f64 {
    let radius = (-2.0 * (1.0 - unit(dice)).ln()).sqrt();
    radius * (std::f64::consts::TAU * unit(dice)).cos()
}

/// How often a block is drawn when as many are drawn as there are: numbers from the Poisson distribution with mean 1.
#[derive(Clone, Debug)]
pub(super) struct TimesDrawn {
    /// How likely it is to be drawn at most 0 times, once, twice, …
    at_most: [f64; 16],
}

impl TimesDrawn {
    pub(super) fn new() -> TimesDrawn {
        let (mut chance, mut sum) = ((-1.0_f64).exp(), 0.0);
        let at_most = std::array::from_fn(|times| {
            if times > 0 {
                chance /= super::score::count(times);
            }
            sum += chance;
            sum
        });
        TimesDrawn { at_most }
    }

    /// How often so many blocks that ended alike are drawn.
    pub(super) fn of(&self, blocks: f64, dice: &mut Dice) -> f64 {
        if blocks > 32.0 {
            // Near enough to the normal distribution.
            return (blocks + blocks.sqrt() * normal(dice)).max(0.0);
        }
        let (mut left, mut times) = (blocks, 0.0);
        while left > 0.5 {
            times += self.draw(dice);
            left -= 1.0;
        }
        times
    }

    pub(super) fn draw(&self, dice: &mut Dice) -> f64 {
        let throw = unit(dice);
        let mut times = 0.0;
        for bound in self.at_most {
            if throw < bound {
                break;
            }
            times += 1.0;
        }
        times
    }
}

/// A block score of 0, ½ or 1 with so much above ½ in the mean, and so much variance as can be had with it.
pub(super) fn block_score(lead: f64, variance: f64, dice: &mut Dice) -> f64 {
    let decided = (4.0 * (variance + lead * lead)).clamp((2.0 * lead).abs(), 1.0);
    let won = f64::midpoint(decided, 2.0 * lead);
    let throw = unit(dice);
    if throw < won {
        1.0
    } else if throw < decided {
        0.0
    } else {
        0.5
    }
}
