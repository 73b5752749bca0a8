//! Seat keys and names of matches.

use std::fmt;

use super::{Arena, ArenaError};
use crate::store::KeyHash;

/// Digits that nobody mixes up when reading aloud: no 0, 1, l or o.
const DIGITS: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";

/// The secret that a seat belongs to: whoever holds it may act for the seat, from wherever.
#[derive(Clone, PartialEq, Eq)]
pub struct SeatKey(String);

impl SeatKey {
    /// A new one, of 130 random bits.
    ///
    /// # Errors
    /// If the system gives no random numbers.
    pub fn random() -> Result<SeatKey, ArenaError> {
        Ok(SeatKey(format!("k{}", digits::<26>()?)))
    }

    /// What somebody says is a key.
    pub fn claimed(text: &str) -> SeatKey {
        SeatKey(text.trim().to_owned())
    }

    /// Its fingerprint, which is all that is ever kept of it.
    pub fn hash(&self) -> KeyHash {
        KeyHash::of(&self.0)
    }

    /// The key itself, for the one who is to hold it.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

/// Never shows the key.
impl fmt::Debug for SeatKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SeatKey(…)")
    }
}

/// A name for a match. Every answer of every turn carries it, so it is made of decimal digits: models read three of them as
/// one token, and every name takes as many.
pub(super) fn match_id() -> Result<String, ArenaError> {
    let mut bytes = [0; 8];
    getrandom::fill(&mut bytes).map_err(|error| ArenaError::NoChance(error.to_string()))?;
    Ok(format!("{}{:015}", Arena::PREFIX, u64::from_le_bytes(bytes) % 1_000_000_000_000_000))
}

impl Arena {
    /// Whether a match of an arena can be called so.
    pub fn is_match_name(name: &str) -> bool {
        let digits = name.strip_prefix(Arena::PREFIX);
        digits.is_some_and(|digits| digits.len() == 15 && digits.bytes().all(|byte| byte.is_ascii_digit()))
    }
}

/// Bytes as digits of five bits each, one for each byte.
pub(super) fn spelled(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| char::from(DIGITS[usize::from(byte % 32)])).collect()
}

/// So many random digits of five bits each.
pub(super) fn digits<const N: usize>() -> Result<String, ArenaError> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(|error| ArenaError::NoChance(error.to_string()))?;
    Ok(spelled(&bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_keys_are_the_same_and_none_is_shown() {
        let (one, other) = (SeatKey::random().expect("chance"), SeatKey::random().expect("chance"));
        assert!(!one.hash().is(&other.hash()));
        assert!(one.hash().is(&SeatKey::claimed(&format!(" {} ", one.reveal())).hash()));
        assert!(!format!("{one:?}").contains(one.reveal()));
    }
}
