//! Draws for simulations and resampling, from the dice that everything else uses.

use crate::rules::Dice;

/// A number from 0 to just below 1.
#[expect(clippy::cast_precision_loss, reason = "53 bits are exact")]
pub(super) fn unit(dice: &mut Dice) -> f64 {
    (dice.bits() >> 11) as f64 / (1_u64 << 53) as f64
}

/// A number from 0 to `n` − 1.
#[expect(clippy::cast_possible_truncation, reason = "the result is below `n`")]
pub(super) fn below(n: usize, dice: &mut Dice) -> usize {
    ((u128::from(dice.bits()) * n as u128) >> 64) as usize
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
