//! Records as hash-chained JSON lines.

use std::fmt;
use std::io::{self, Write};
use std::str::FromStr;

use sha2::{Digest as _, Sha256};

use super::record::Record;
use crate::games::Hex;

/// The running hash of a record: the first 16 bytes of the SHA-256 of the hash before and of the line without its own
/// `hash` field. It starts with zeros.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub struct Chain([u8; 16]);

impl Chain {
    /// The hash after one more line, given without its closing `,"hash":…}`.
    #[must_use]
    pub fn after(self, line: &[u8]) -> Chain {
        let digest = Sha256::new().chain_update(self.0).chain_update(line).finalize();
        Chain(digest[..16].try_into().expect("a digest has 32 bytes"))
    }

    /// The hash after one more line as it is written, without its end. None if the line's own hash is another one.
    #[must_use]
    pub fn follow(self, line: &str) -> Option<Chain> {
        let (body, written) = split(line)?;
        let next = self.after(body.as_bytes());
        (next.to_string() == written && !line.contains('\n')).then_some(next)
    }
}

impl FromStr for Chain {
    type Err = ();

    fn from_str(text: &str) -> Result<Chain, ()> {
        let number = (text.len() == 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit()))
            .then(|| u128::from_str_radix(text, 16).ok());
        number.flatten().map(|number| Chain(number.to_be_bytes())).ok_or(())
    }
}

impl fmt::Display for Chain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(Hex::new(self.0).as_str())
    }
}

impl fmt::Debug for Chain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// What stands between a line and its hash.
const SEAM: &str = ",\"hash\":\"";

/// Writes records as lines, each with a hash that hangs on all lines before it.
#[derive(Debug)]
pub struct Log<W> {
    out: W,
    chain: Chain,
    line: Vec<u8>,
}

impl<W: Write> Log<W> {
    /// A log that begins with the next record.
    pub fn new(out: W) -> Log<W> {
        Log { out, chain: Chain::default(), line: Vec::with_capacity(1024) }
    }

    /// A log that goes on after lines that were written before.
    pub fn after(out: W, chain: Chain) -> Log<W> {
        Log { chain, ..Log::new(out) }
    }

    /// Writes one line, in one piece.
    ///
    /// # Errors
    /// If the line cannot be written.
    pub fn write(&mut self, record: &Record) -> io::Result<()> {
        self.chain = put_line(&mut self.line, record, self.chain)?;
        self.out.write_all(&self.line)
    }

    /// What it writes to.
    pub fn get_mut(&mut self) -> &mut W {
        &mut self.out
    }

    /// What it writes to.
    pub fn get_ref(&self) -> &W {
        &self.out
    }

    /// Gives back what it wrote to.
    pub fn into_inner(self) -> W {
        self.out
    }
}

/// Puts a record's line with its end where the last one was. The same code wherever it goes.
fn put_line(line: &mut Vec<u8>, record: &Record, before: Chain) -> io::Result<Chain> {
    line.clear();
    serde_json::to_writer(&mut *line, record)?;
    // The closing brace gives way to the hash.
    line.pop();
    let chain = before.after(line);
    for part in [SEAM, Hex::new(chain.0).as_str(), "\"}\n"] {
        line.extend_from_slice(part.as_bytes());
    }
    Ok(chain)
}

/// A line in two: what was hashed, and its hash as written.
pub(super) fn split(line: &str) -> Option<(&str, &str)> {
    let (body, rest) = line.rsplit_once(SEAM)?;
    Some((body, rest.strip_suffix("\"}")?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chain_follows_one_line_with_its_own_hash_and_nothing_else() {
        let body = r#"{"type":"turn","turn":1"#;
        let next = Chain::default().after(body.as_bytes());
        let line = format!("{body},\"hash\":\"{next}\"}}");
        assert_eq!(Chain::default().follow(&line), Some(next));
        assert_eq!(next.follow(&line), None, "the hash hangs on the lines before");
        assert_eq!(Chain::default().follow(&line.replace("\"turn\":1", "\"turn\":2")), None);
        assert_eq!(Chain::default().follow(body), None, "no hash at all");
        let two = format!("{body}\n{body}");
        let after_two = Chain::default().after(two.as_bytes());
        assert_eq!(
            Chain::default().follow(&format!("{two},\"hash\":\"{after_two}\"}}")),
            None,
            "two lines are not one"
        );
    }
}
