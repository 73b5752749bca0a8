//! The banks that come with the program, packed.

use std::io;

use rust_embed::RustEmbed;

use super::{BadBank, Bank};
use crate::games::Ruleset;

/// How a packed bank's file ends.
pub const PACKED: &str = ".bank.zst";

/// Slow to pack, quick to read: a bank is built once.
const LEVEL: i32 = 19;

#[derive(RustEmbed)]
#[folder = "banks"]
struct BankFiles;

impl Bank {
    /// The bank that comes with the program for a ruleset, if its positions are those of this version of the rules.
    ///
    /// # Errors
    /// If it cannot be read, which tests rule out.
    pub fn built_in(ruleset: &Ruleset) -> Result<Option<Bank>, BadBank> {
        let Some(file) = BankFiles::get(&format!("{}{PACKED}", ruleset.name)) else { return Ok(None) };
        Ok(Some(Bank::unpack(&file.data)?).filter(|bank| bank.is_of(ruleset)))
    }

    /// The names of the rulesets that have one.
    pub fn built_in_names() -> Vec<String> {
        let names = BankFiles::iter().filter_map(|name| name.strip_suffix(PACKED).map(str::to_owned));
        names.collect()
    }

    /// Reads a bank from its packed form.
    ///
    /// # Errors
    /// If something of it is no good.
    pub fn unpack(packed: &[u8]) -> Result<Bank, BadBank> {
        let text = zstd::decode_all(packed)?;
        Bank::read(std::str::from_utf8(&text).map_err(io::Error::other)?)
    }

    /// The bank packed, about a twentieth of its text.
    ///
    /// # Errors
    /// If there is no memory for it.
    pub fn pack(&self) -> io::Result<Vec<u8>> {
        zstd::encode_all(serde_json::to_string(self).expect("plain data").as_bytes(), LEVEL)
    }
}
