//! Seats: the chairs at a table, lettered `A`, `B`, … `Z`, `AA`, …

use std::borrow::Cow;
use std::fmt;
use std::ops::{Index, IndexMut};
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// One chair at the table. Written `A` … `Z`, `AA`, `AB`, …
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Seat(u16);

impl Seat {
    /// No table has more seats than this.
    pub const MAX: usize = 4096;

    /// The seat with this index, counted from 0.
    ///
    /// # Panics
    /// If the index is [`Seat::MAX`] or more.
    #[inline]
    pub const fn new(index: usize) -> Seat {
        assert!(index < Seat::MAX, "a table has at most 4096 seats");
        #[expect(clippy::cast_possible_truncation, reason = "checked above")]
        Seat(index as u16)
    }

    /// Counted from 0.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The first `count` seats in order.
    pub fn first(count: usize) -> impl DoubleEndedIterator<Item = Seat> + ExactSizeIterator + Clone {
        (0..count).map(Seat::new)
    }

    /// The seat as it is written.
    fn letters(self, space: &mut [u8; 4]) -> &str {
        // Bijective base 26: there is no digit zero, so Z is followed by AA.
        let mut at = space.len();
        let mut rest = self.index() + 1;
        while rest > 0 {
            rest -= 1;
            at -= 1;
            space[at] = b'A' + u8::try_from(rest % 26).expect("less than 26");
            rest /= 26;
        }
        std::str::from_utf8(&space[at..]).expect("ASCII letters")
    }
}

impl fmt::Display for Seat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.letters(&mut [0; 4]))
    }
}

impl fmt::Debug for Seat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A text that names no seat.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a seat; seats are A, B, C, …")]
pub struct ParseSeatError(String);

impl FromStr for Seat {
    type Err = ParseSeatError;

    fn from_str(text: &str) -> Result<Seat, ParseSeatError> {
        let bad = || ParseSeatError(text.chars().take(20).collect());
        let mut number = 0_usize;
        for letter in text.bytes() {
            if !letter.is_ascii_alphabetic() || number > Seat::MAX {
                return Err(bad());
            }
            number = number * 26 + usize::from(letter.to_ascii_uppercase() - b'A') + 1;
        }
        if number == 0 || number > Seat::MAX {
            return Err(bad());
        }
        Ok(Seat::new(number - 1))
    }
}

impl Serialize for Seat {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.letters(&mut [0; 4]))
    }
}

impl<'de> Deserialize<'de> for Seat {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Seat, D::Error> {
        let text = Cow::<'de, str>::deserialize(deserializer)?;
        text.parse().map_err(D::Error::custom)
    }
}

impl JsonSchema for Seat {
    fn schema_name() -> Cow<'static, str> {
        "Seat".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "pattern": "^[A-Z]+$", "description": "a seat: A, B, C, …" })
    }

    fn inline_schema() -> bool {
        true
    }
}

/// A set of seats. Iterates in seat order; up to 64 seats cost no allocation.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Seats {
    low: u64,
    /// Seats 64 and up. Never ends in a zero word, so that `==` compares sets.
    high: Vec<u64>,
}

impl Seats {
    /// The empty set.
    pub const fn none() -> Seats {
        Seats { low: 0, high: Vec::new() }
    }

    /// Some of the first 64 seats, a bit each.
    pub(super) const fn from_bits(low: u64) -> Seats {
        Seats { low, high: Vec::new() }
    }

    /// This seat alone.
    pub fn one(seat: Seat) -> Seats {
        if seat.index() < 64 {
            return Seats { low: 1 << seat.index(), high: Vec::new() };
        }
        let mut seats = Seats::none();
        seats.insert(seat);
        seats
    }

    /// Adds a seat.
    #[inline]
    pub fn insert(&mut self, seat: Seat) {
        let (word, bit) = (seat.index() / 64, 1_u64 << (seat.index() % 64));
        if word == 0 {
            self.low |= bit;
        } else {
            if self.high.len() < word {
                self.high.resize(word, 0);
            }
            self.high[word - 1] |= bit;
        }
    }

    /// Takes a seat out.
    pub fn remove(&mut self, seat: Seat) {
        let (word, bit) = (seat.index() / 64, 1_u64 << (seat.index() % 64));
        if word == 0 {
            self.low &= !bit;
        } else if let Some(high) = self.high.get_mut(word - 1) {
            *high &= !bit;
            while self.high.last() == Some(&0) {
                self.high.pop();
            }
        }
    }

    /// Whether the seat is in the set.
    pub fn contains(&self, seat: Seat) -> bool {
        let (word, bit) = (seat.index() / 64, 1_u64 << (seat.index() % 64));
        if word == 0 { self.low & bit != 0 } else { self.high.get(word - 1).is_some_and(|high| high & bit != 0) }
    }

    /// How many seats there are in the set.
    pub fn len(&self) -> usize {
        (self.low.count_ones() + self.high.iter().map(|word| word.count_ones()).sum::<u32>()) as usize
    }

    /// Whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.low == 0 && self.high.is_empty()
    }

    /// The seats in order.
    #[inline]
    pub fn iter(&self) -> Iter<'_> {
        Iter { bits: self.low, word: 0, rest: &self.high }
    }
}

/// The seats of a set in order.
#[derive(Clone, Debug)]
pub struct Iter<'a> {
    /// What is left of the word at hand.
    bits: u64,
    word: usize,
    rest: &'a [u64],
}

impl Iterator for Iter<'_> {
    type Item = Seat;

    #[inline]
    fn next(&mut self) -> Option<Seat> {
        while self.bits == 0 {
            let (&bits, rest) = self.rest.split_first()?;
            (self.bits, self.rest) = (bits, rest);
            self.word += 1;
        }
        let bit = self.bits.trailing_zeros() as usize;
        self.bits &= self.bits - 1;
        Some(Seat::new(self.word * 64 + bit))
    }
}

impl<'a> IntoIterator for &'a Seats {
    type Item = Seat;
    type IntoIter = Iter<'a>;

    fn into_iter(self) -> Iter<'a> {
        self.iter()
    }
}

impl FromIterator<Seat> for Seats {
    fn from_iter<I: IntoIterator<Item = Seat>>(iter: I) -> Seats {
        let mut seats = Seats::none();
        for seat in iter {
            seats.insert(seat);
        }
        seats
    }
}

impl fmt::Debug for Seats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

impl fmt::Display for Seats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, seat) in self.iter().enumerate() {
            if index > 0 {
                f.write_str(", ")?;
            }
            write!(f, "{seat}")?;
        }
        Ok(())
    }
}

impl Serialize for Seats {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

impl<'de> Deserialize<'de> for Seats {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Seats, D::Error> {
        Ok(Vec::<Seat>::deserialize(deserializer)?.into_iter().collect())
    }
}

impl JsonSchema for Seats {
    fn schema_name() -> Cow<'static, str> {
        "Seats".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "array", "items": generator.subschema_for::<Seat>() })
    }

    fn inline_schema() -> bool {
        true
    }
}

/// Something for every seat of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BySeat<T>(Vec<T>);

impl<T> BySeat<T> {
    /// One value for each of the first `count` seats.
    pub fn from_fn(count: usize, make: impl FnMut(Seat) -> T) -> BySeat<T> {
        BySeat(Seat::first(count).map(make).collect())
    }

    /// How many seats there are.
    #[expect(clippy::len_without_is_empty, reason = "a table without seats does not exist")]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// The values with their seats, in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (Seat, &T)> + ExactSizeIterator {
        self.0.iter().enumerate().map(|(index, value)| (Seat::new(index), value))
    }

    /// The values with their seats, in order, to be changed.
    pub fn iter_mut(&mut self) -> impl DoubleEndedIterator<Item = (Seat, &mut T)> + ExactSizeIterator {
        self.0.iter_mut().enumerate().map(|(index, value)| (Seat::new(index), value))
    }

    /// The value of a seat, if there is such a seat.
    pub fn get(&self, seat: Seat) -> Option<&T> {
        self.0.get(seat.index())
    }

    /// Another table of the same size.
    pub fn map<U>(&self, mut make: impl FnMut(Seat, &T) -> U) -> BySeat<U> {
        BySeat(self.iter().map(|(seat, value)| make(seat, value)).collect())
    }
}

impl<T> FromIterator<T> for BySeat<T> {
    fn from_iter<I: IntoIterator<Item = T>>(iter: I) -> BySeat<T> {
        BySeat(iter.into_iter().collect())
    }
}

impl<T> Index<Seat> for BySeat<T> {
    type Output = T;

    fn index(&self, seat: Seat) -> &T {
        &self.0[seat.index()]
    }
}

impl<T> IndexMut<Seat> for BySeat<T> {
    fn index_mut(&mut self, seat: Seat) -> &mut T {
        &mut self.0[seat.index()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seats_are_lettered_like_columns_of_a_sheet() {
        for (index, letters) in
            [(0, "A"), (25, "Z"), (26, "AA"), (51, "AZ"), (52, "BA"), (701, "ZZ"), (702, "AAA"), (4095, "FAN")]
        {
            assert_eq!(Seat::new(index).to_string(), letters);
            assert_eq!(letters.parse::<Seat>(), Ok(Seat::new(index)));
        }
    }

    #[test]
    fn what_is_no_seat_is_refused() {
        for text in ["", "1", "A1", "FAO", "ZZZZZZZZZZZZZZZZZZZZZZ", "甲", " A"] {
            assert!(text.parse::<Seat>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_set_compares_and_iterates_whatever_its_history() {
        let mut seats: Seats = [3, 70, 4000].map(Seat::new).into_iter().collect();
        assert_eq!(seats.iter().map(Seat::index).collect::<Vec<_>>(), [3, 70, 4000]);
        seats.remove(Seat::new(4000));
        seats.remove(Seat::new(70));
        assert_eq!(seats, Seats::one(Seat::new(3)));
        assert_eq!(seats.len(), 1);
        assert!(!seats.contains(Seat::new(70)));
        seats.remove(Seat::new(3));
        assert!(seats.is_empty());
    }
}
