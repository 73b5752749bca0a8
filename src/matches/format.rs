//! The form of a match record: its version, its minors, and who can read what.
//!
//! The first line of a record says `"version":1,"minor":1`; an absent minor is 0.
//!
//! - The **version** goes up when an older reader would misread a newer record. A reader refuses every version but its
//!   own, and says which one the record has and which one it reads.
//! - The **minor** goes up when something is added. A reader reads every minor of its version, later ones included: fields
//!   that it does not know are kept, and an absent field has the value that everything had before the field was added.
//!   Whoever adds a field to a ruleset therefore reads it as optional, with that value.
//! - **Verification** alone is strict. It writes every line again in the record's own minor and compares byte for byte;
//!   a minor that came later than this program cannot be verified by it.
//! - A match in play **goes on** in the minor of its header, whatever the program writes otherwise.
//!
//! | minor | what it added |
//! |---|---|
//! | 0 | the first form; which game it is follows from the header's ruleset |
//! | 1 | states and turn lines say their `game` |
//!
//! The fault of a player who declined to answer is written `refused`, as it was from the first: another word would make
//! verification fail for every record of minor 0 and 1 that has one, and is not worth a minor of its own. Readers take
//! `declined` for the same.
//!
//! The rules have versions of their own (`ruleset.version`). Where a record's ruleset has a version or a field that the
//! program does not know, nobody can say which positions it led to: a [`Transcript`](super::Transcript) still has
//! players, actions, events and result.

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

/// The version of the records that this program reads and writes.
pub const VERSION: u32 = 1;

/// How much a record of [`VERSION`] says. The default is that of records that do not name one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Minor(pub u32);

impl Minor {
    /// What new records are written in, and the last one that can be verified here.
    pub const CURRENT: Minor = Minor(1);

    /// Whether lines of this minor can be written, and so verified, by this program.
    pub fn is_known(self) -> bool {
        self <= Minor::CURRENT
    }

    /// Whether states and turn lines say their game.
    pub(super) fn says_game(self) -> bool {
        self >= Minor(1)
    }
}

/// Whether what is written is right as far as both sides know: a field that only one of them has decides nothing.
pub(super) fn agrees(written: &Json, right: &Json) -> bool {
    match (written, right) {
        (Json::Object(written), Json::Object(right)) => {
            written.iter().all(|(key, value)| right.get(key).is_none_or(|right| agrees(value, right)))
        }
        (Json::Array(written), Json::Array(right)) => {
            written.len() == right.len() && written.iter().zip(right).all(|(written, right)| agrees(written, right))
        }
        _ => written == right,
    }
}

/// The path of the first written field that is not among those that are known.
pub(super) fn unknown(written: &Json, known: &Json) -> Option<String> {
    match (written, known) {
        (Json::Object(written), Json::Object(known)) => written.iter().find_map(|(key, value)| match known.get(key) {
            None => Some(key.clone()),
            Some(known) => unknown(value, known).map(|path| format!("{key}.{path}")),
        }),
        (Json::Array(written), Json::Array(known)) => {
            let mut pairs = written.iter().zip(known).enumerate();
            let inside = pairs.find_map(|(at, (written, known))| Some(format!("{at}.{}", unknown(written, known)?)));
            inside.or_else(|| (written.len() > known.len()).then(|| known.len().to_string()))
        }
        _ => None,
    }
}

/// A value with the fields that were written beside what is known of it.
pub(super) fn with_unknown(written: &Json, known: Json) -> Json {
    match (written, known) {
        (Json::Object(written), Json::Object(mut known)) => {
            for (key, value) in written {
                let value = match known.remove(key) {
                    None => value.clone(),
                    Some(known) => with_unknown(value, known),
                };
                known.insert(key.clone(), value);
            }
            Json::Object(known)
        }
        (Json::Array(written), Json::Array(known)) if written.len() == known.len() => {
            written.iter().zip(known).map(|(written, known)| with_unknown(written, known)).collect()
        }
        (_, known) => known,
    }
}

/// Of a value, the fields that were written.
pub(super) fn only_written(written: &Json, known: Json) -> Json {
    match (written, known) {
        (Json::Object(written), Json::Object(known)) => {
            let kept = known.into_iter().filter_map(|(key, known)| {
                let value = only_written(written.get(&key)?, known);
                Some((key, value))
            });
            Json::Object(kept.collect())
        }
        (_, known) => known,
    }
}
