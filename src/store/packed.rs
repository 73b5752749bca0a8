//! Long texts, made small.
//!
//! Records of one tournament are alike: those that go to the store together are packed together. So are the requests that
//! a model gets in one seat, most of which is the same rules; but each has to be on the disk before the next is sent, so
//! a request is packed against the first of its kind, its dictionary, which is kept once. What comes out is what went in,
//! byte for byte; a checksum in each packed text sees to it.

use std::borrow::Cow;
use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::io::{self, Read as _};
use std::sync::{Arc, Mutex, PoisonError};

use sha2::{Digest as _, Sha256};
use zstd::bulk::Compressor;
use zstd::stream::read::Decoder;
use zstd::zstd_safe::{CParameter, compress_bound};

use crate::games::Hex;

/// The fastest level that makes hashes, which are like nothing else, shorter too.
const LEVEL: i32 = 1;

/// What is shorter is not worth it.
const SHORT: usize = 256;

/// How much of a text others are packed against, and how many such texts a packer remembers.
const DICTIONARY: usize = 64 * 1024;
const KINDS: usize = 64;

/// How many packs a reader remembers: the threads that play fill one each.
const PACKS: usize = 8;

/// A text as it is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packed {
    pub(super) bytes: Vec<u8>,
    /// How long it is; none where these are its bytes themselves.
    pub(super) size: Option<u64>,
    pub(super) dictionary: Option<Arc<Dictionary>>,
}

/// A text that others are packed against.
#[derive(PartialEq, Eq)]
pub(super) struct Dictionary {
    /// By which it is found.
    pub(super) hash: Arc<str>,
    pub(super) bytes: Vec<u8>,
}

impl Dictionary {
    fn new(bytes: Vec<u8>) -> Dictionary {
        let digest: [u8; 32] = Sha256::digest(&bytes).into();
        let (halves, _) = digest.as_chunks::<16>();
        Dictionary { hash: Hex::new(halves[0]).as_str().into(), bytes }
    }

    /// One that comes out of a store.
    pub(super) fn kept(hash: &str, bytes: &[u8]) -> Dictionary {
        Dictionary { hash: hash.into(), bytes: bytes.to_vec() }
    }
}

impl fmt::Debug for Dictionary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Dictionary").field(&self.hash).finish()
    }
}

impl Packed {
    /// A text as it is.
    pub fn plain(text: impl Into<Vec<u8>>) -> Packed {
        Packed { bytes: text.into(), size: None, dictionary: None }
    }

    /// The text as it was before it was packed.
    ///
    /// # Errors
    /// If it is damaged.
    pub fn text(&self) -> io::Result<Cow<'_, [u8]>> {
        let dictionary = self.dictionary.as_ref().map_or(&[][..], |dictionary| &dictionary.bytes);
        unpacked(&self.bytes, self.size, dictionary)
    }
}

/// A text from how it is kept. A damaged one is an error, never a text of another length.
pub(super) fn unpacked<'a>(bytes: &'a [u8], size: Option<u64>, dictionary: &[u8]) -> io::Result<Cow<'a, [u8]>> {
    let Some(size) = size else { return Ok(bytes.into()) };
    let mut text = Vec::new();
    Decoder::with_dictionary(bytes, dictionary)?.take(size.saturating_add(1)).read_to_end(&mut text)?;
    if text.len() as u64 == size {
        Ok(text.into())
    } else {
        Err(io::Error::new(io::ErrorKind::InvalidData, "a packed text has not its length"))
    }
}

/// Makes texts small.
#[derive(Default)]
pub struct Packer {
    alone: Option<Compressor<'static>>,
    kinds: HashMap<String, DictionaryCompressor>,
    /// Room to work in.
    room: Vec<u8>,
}

struct DictionaryCompressor {
    dictionary: Arc<Dictionary>,
    compressor: Compressor<'static>,
}

impl Packer {
    /// Packs a text.
    pub fn pack(&mut self, text: &[u8]) -> Packed {
        self.packed(text, None).unwrap_or_else(|_| Packed::plain(text))
    }

    /// Packs a text against the first of its kind. Those of a kind should have much in common.
    pub fn pack_alike(&mut self, kind: &str, text: &[u8]) -> Packed {
        let packed = if self.kinds.contains_key(kind) || self.kinds.len() >= KINDS {
            self.packed(text, Some(kind))
        } else {
            self.packed(text, None).and_then(|packed| {
                let dictionary = Arc::new(Dictionary::new(text[..text.len().min(DICTIONARY)].to_vec()));
                let compressor = compressor(&dictionary.bytes)?;
                self.kinds.insert(kind.to_owned(), DictionaryCompressor { dictionary, compressor });
                Ok(packed)
            })
        };
        // Without room to work in it takes more room on the disk.
        packed.unwrap_or_else(|_| Packed::plain(text))
    }

    fn packed(&mut self, text: &[u8], kind: Option<&str>) -> io::Result<Packed> {
        if text.len() < SHORT {
            return Ok(Packed::plain(text));
        }
        let kind = kind.and_then(|kind| self.kinds.get_mut(kind));
        let (compressor, dictionary) = match (kind, &mut self.alone) {
            (Some(DictionaryCompressor { dictionary, compressor }), _) => (compressor, Some(dictionary.clone())),
            (None, Some(alone)) => (alone, None),
            (None, alone) => (alone.insert(compressor(&[])?), None),
        };
        self.room.clear();
        self.room.reserve(compress_bound(text.len()));
        compressor.compress_to_buffer(text, &mut self.room)?;
        Ok(Packed { bytes: self.room.as_slice().to_vec(), size: Some(text.len() as u64), dictionary })
    }
}

impl fmt::Debug for Packer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.kinds.keys()).finish()
    }
}

fn compressor(dictionary: &[u8]) -> io::Result<Compressor<'static>> {
    let mut compressor = Compressor::with_dictionary(LEVEL, dictionary)?;
    compressor.set_parameter(CParameter::ChecksumFlag(true))?;
    Ok(compressor)
}

/// Texts that were unpacked lately, by the number of their pack.
#[derive(Clone, Debug, Default)]
pub(super) struct Packs(Arc<Mutex<VecDeque<Unpacked>>>);

type Unpacked = (i64, Arc<[u8]>);

impl Packs {
    pub(super) fn find(&self, number: i64) -> Option<Arc<[u8]>> {
        let packs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        packs.iter().find(|(known, _)| *known == number).map(|(_, pack)| pack.clone())
    }

    pub(super) fn remember(&self, number: i64, pack: Arc<[u8]>) {
        let mut packs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        packs.truncate(PACKS - 1);
        packs.push_front((number, pack));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Texts of one kind, each with something of its own.
    fn text(number: u32) -> Vec<u8> {
        let lines = (0..60).map(|line| format!("{{\"turn\":{line},\"hash\":\"{:x}\"}}\n", (number + line) * 2_654_435));
        lines.collect::<String>().into_bytes()
    }

    #[test]
    fn texts_come_back_as_they_were_and_those_of_a_kind_get_small() {
        let mut packer = Packer::default();
        let packed: Vec<Packed> = (0..20).map(|number| packer.pack_alike("kind", &text(number))).collect();
        for (number, packed) in (0..).zip(&packed) {
            assert_eq!(*packed.text().expect("sound"), text(number));
        }
        assert_eq!(packed[0].dictionary, None);
        assert_eq!(packed[1].dictionary, packed[19].dictionary);
        assert!(
            packed[1].bytes.len() * 3 < packed[0].bytes.len(),
            "{} {}",
            packed[1].bytes.len(),
            packed[0].bytes.len()
        );
        assert_eq!(packer.pack_alike("kind", b"short"), Packed::plain("short"));
        assert_eq!(packer.pack_alike("other", &text(1)).dictionary, None);
    }

    #[test]
    fn a_packer_remembers_only_so_many_kinds() {
        let mut packer = Packer::default();
        for kind in 0..200 {
            for number in 0..2 {
                let packed = packer.pack_alike(&kind.to_string(), &text(number));
                assert_eq!(packed.dictionary.is_some(), number == 1 && kind < KINDS);
                assert_eq!(*packed.text().expect("sound"), text(number));
            }
        }
    }

    #[test]
    fn what_is_damaged_is_an_error() {
        let mut packer = Packer::default();
        packer.pack_alike("kind", &text(0));
        let sound = packer.pack_alike("kind", &text(1));
        let with = |change: &dyn Fn(&mut Packed)| {
            let mut packed = sound.clone();
            change(&mut packed);
            packed.text().map(Cow::into_owned)
        };
        assert_eq!(with(&|_| {}).expect("sound"), text(1));
        for place in 0..sound.bytes.len() {
            assert!(with(&|packed| packed.bytes[place] ^= 0x55).is_err(), "byte {place}");
        }
        assert!(with(&|packed| packed.bytes.truncate(40)).is_err());
        assert!(with(&|packed| packed.dictionary = None).is_err());
        assert!(with(&|packed| packed.dictionary = Some(Arc::new(Dictionary::new(text(9))))).is_err());
        for size in [0, 7, u64::MAX] {
            assert!(with(&|packed| packed.size = Some(size)).is_err(), "{size}");
        }
    }
}
