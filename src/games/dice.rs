//! Chance, handed in. The algorithm is part of the record's format: a later version must draw the same numbers.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::{Digest, Sha256};

/// Where a stream of chance begins. Children are derived one way: who sees a child learns nothing of its parent.
///
/// In JSON a number, or `"0x…"` where a browser would lose digits of it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Seed(pub u64);

impl Seed {
    /// The largest whole number that every JSON reader keeps exactly.
    const SAFE: u64 = (1 << 53) - 1;

    /// The seed of a named part of whatever this seed is for.
    #[must_use]
    pub fn child(self, label: &str, n: u64) -> Seed {
        let mut hash = Sha256::new();
        hash.update(self.0.to_le_bytes());
        hash.update(n.to_le_bytes());
        hash.update(label.as_bytes());
        let digest = hash.finalize();
        Seed(u64::from_le_bytes(digest[..8].try_into().expect("a digest has 32 bytes")))
    }

    /// The dice that this seed throws.
    pub fn dice(self) -> Dice {
        Dice { state: self.0 }
    }

    /// The dice of the match's set-up.
    pub fn set_up(self) -> Dice {
        self.child("open", 0).dice()
    }

    /// The dice of the match's opening.
    pub fn opening(self) -> Dice {
        self.child("opening", 0).dice()
    }

    /// The dice of the turn that follows `turn` applied ones.
    pub fn turn(self, turn: u64) -> Dice {
        self.child("turn", turn).dice()
    }

    /// A seed that is short enough to type again, out of any number.
    #[must_use]
    pub fn short(self) -> Seed {
        Seed(self.0 % 1_000_000_000)
    }
}

impl fmt::Display for Seed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 <= Seed::SAFE { write!(f, "{}", self.0) } else { write!(f, "{:#018x}", self.0) }
    }
}

/// A text that is no seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a seed is a whole number from 0 to 18446744073709551615, or hexadecimal like 0x1f")]
pub struct ParseSeedError;

impl FromStr for Seed {
    type Err = ParseSeedError;

    fn from_str(text: &str) -> Result<Seed, ParseSeedError> {
        match text.strip_prefix("0x") {
            Some(digits) if !digits.starts_with('+') => u64::from_str_radix(digits, 16),
            Some(_) => return Err(ParseSeedError),
            None => text.parse(),
        }
        .map(Seed)
        .map_err(|_| ParseSeedError)
    }
}

impl Serialize for Seed {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0 <= Seed::SAFE { serializer.serialize_u64(self.0) } else { serializer.collect_str(self) }
    }
}

impl<'de> Deserialize<'de> for Seed {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Seed, D::Error> {
        struct Visitor;
        impl serde::de::Visitor<'_> for Visitor {
            type Value = Seed;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{ParseSeedError}")
            }

            fn visit_u64<E: serde::de::Error>(self, number: u64) -> Result<Seed, E> {
                Ok(Seed(number))
            }

            fn visit_i64<E: serde::de::Error>(self, number: i64) -> Result<Seed, E> {
                u64::try_from(number).map(Seed).map_err(|_| E::custom(ParseSeedError))
            }

            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Seed, E> {
                text.parse().map_err(E::custom)
            }
        }
        deserializer.deserialize_any(Visitor).map_err(D::Error::custom)
    }
}

impl JsonSchema for Seed {
    fn schema_name() -> Cow<'static, str> {
        "Seed".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": ["integer", "string"], "description": "a whole number, or hexadecimal like 0x1f" })
    }

    fn inline_schema() -> bool {
        true
    }
}

/// A stream of throws (`SplitMix64`). Fast enough to be thrown at every step of a search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Dice {
    state: u64,
}

impl Dice {
    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number from 0 to `n` − 1, each exactly as likely as the others.
    ///
    /// # Panics
    /// If `n` is 0.
    pub fn below(&mut self, n: u32) -> u32 {
        assert!(n > 0, "a die has at least one side");
        // Multiply and shift; the few draws that would make some numbers likelier are thrown again.
        loop {
            let product = (self.bits() >> 32) * u64::from(n);
            #[expect(clippy::cast_possible_truncation, reason = "the low half is meant")]
            let low = product as u32;
            if low >= n || low >= n.wrapping_neg() % n {
                return (product >> 32) as u32;
            }
        }
    }

    /// One of these, or nothing where there are none.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        let count = u32::try_from(items.len()).ok().filter(|&count| count > 0)?;
        items.get(self.below(count) as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Stored records hang on these numbers. If this test fails, the code is wrong, not the test.
    #[test]
    fn the_first_numbers_are_pinned() {
        let mut dice = Seed(7).dice();
        // SplitMix64 from state 7.
        assert_eq!([dice.bits(), dice.bits()], [7_191_089_600_892_374_487, 309_689_372_594_955_804]);
        let mut dice = Seed(7).turn(3);
        let throws: Vec<u32> = (0..12).map(|_| dice.below(6)).collect();
        assert_eq!(throws, [0, 3, 5, 0, 0, 0, 4, 5, 5, 1, 1, 1]);
        assert_eq!(Seed(7).child("turn", 3), Seed(658_394_336_464_752_095));
        assert_eq!(Seed(7).child("fixture", 1), Seed(7_395_087_130_085_126_686));
    }

    #[test]
    fn every_side_comes_up_as_often() {
        let mut dice = Seed(1).dice();
        let mut counts = [0_u32; 7];
        for _ in 0..70_000 {
            counts[dice.below(7) as usize] += 1;
        }
        for count in counts {
            assert!((9_600..10_400).contains(&count), "{counts:?}");
        }
    }

    /// A die whose next 64 bits are these: `bits` undone, step by step.
    fn about_to_show(bits: u64) -> Dice {
        let unshift = |z: u64, by: u32| z ^ (z >> by) ^ (z >> (2 * by));
        // Newton's method: five steps give the inverse of an odd number in 64 bits.
        let inverse = |n: u64| (0..5).fold(n, |guess, _| guess.wrapping_mul(2_u64.wrapping_sub(n.wrapping_mul(guess))));
        let z = unshift(bits, 31).wrapping_mul(inverse(0x94d0_49bb_1331_11eb));
        let z = unshift(z, 27).wrapping_mul(inverse(0xbf58_476d_1ce4_e5b9));
        Dice { state: unshift(z, 30).wrapping_sub(0x9e37_79b9_7f4a_7c15) }
    }

    #[test]
    fn a_die_can_be_loaded_by_a_test() {
        for bits in [0, 1, 1 << 32, 7_191_089_600_892_374_487, u64::MAX] {
            assert_eq!(about_to_show(bits).bits(), bits);
        }
    }

    /// Of the 2^32 draws there can be, each number has exactly ⌊2^32 / n⌋: the remainder is thrown again.
    #[test]
    fn a_draw_beyond_the_last_fair_one_is_thrown_again() {
        for n in [3_u32, 7, 11, 1_000_003, (1 << 31) + 1, u32::MAX] {
            let unfair = (1_u64 << 32) % u64::from(n);
            // n is odd: for every low half of the product there is one draw that gives it.
            let inverse = (0..5).fold(n, |guess, _| guess.wrapping_mul(2_u32.wrapping_sub(n.wrapping_mul(guess))));
            for low in [0, 1, unfair - 1, unfair, unfair + 1, u64::from(n) - 1, u64::from(n), u64::from(u32::MAX)] {
                let draw = u64::from(inverse.wrapping_mul(u32::try_from(low).expect("half of a product")));
                let mut dice = about_to_show(draw << 32);
                let mut once = dice.clone();
                once.bits();
                let thrown = dice.below(n);
                let product = draw * u64::from(n);
                assert_eq!(product & 0xffff_ffff, low);
                if low < unfair {
                    assert_ne!(dice, once, "{draw} of a die with {n} sides makes {} likelier", product >> 32);
                } else {
                    assert_eq!((dice, u64::from(thrown)), (once, product >> 32), "{draw} of a die with {n} sides");
                }
            }
        }
    }

    #[test]
    fn a_die_with_very_many_sides_is_fair_too() {
        // Without a second throw every third number would come up twice as often as its neighbours.
        let mut dice = Seed(1).dice();
        let mut counts = [0_u32; 3];
        for _ in 0..30_000 {
            counts[(dice.below(3 << 30) % 3) as usize] += 1;
        }
        assert!(counts.iter().all(|count| (9_600..10_400).contains(count)), "{counts:?}");
        // One draw in four is thrown again: the ninth gives the sixth number.
        let mut dice = Seed(7).dice();
        let throws: Vec<u32> = (0..6).map(|_| dice.below(3 << 30)).collect();
        assert_eq!(throws, [54_078_881, 1_457_417_356, 803_475_172, 1_507_382_136, 1_056_809_148, 432_476_251]);
    }

    #[test]
    fn a_seed_reads_back_from_text_and_json() {
        for seed in [0, 7, (1 << 53) - 1, 1 << 53, u64::MAX].map(Seed) {
            assert_eq!(seed.to_string().parse(), Ok(seed));
            let json = serde_json::to_string(&seed).expect("a seed serialises");
            assert_eq!(serde_json::from_str::<Seed>(&json).expect("and back"), seed);
        }
        for bad in ["", "-1", "1.5", "0x", "0x+1", "18446744073709551616"] {
            assert!(bad.parse::<Seed>().is_err(), "{bad}");
        }
    }
}
