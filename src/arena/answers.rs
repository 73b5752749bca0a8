//! Answers that can be asked for again: whoever lost one sends the same request with the same key.
//!
//! What was answered is written with what it is about, in the same transaction, and outlives the process. Secrets are not
//! kept: the keys of seats are made from the caller's own key and a salt, so that they come out the same again.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::{Arena, ArenaError, PlayerToken, SeatKey, key};
use crate::games::seat::Seat;
use crate::store::{Change, KeyHash, StoredAnswer};

/// The longest key.
const LONGEST: usize = 200;

/// What somebody sends with a request so that, sent again, it gets the same answer and changes nothing.
#[derive(Clone)]
pub struct IdempotencyKey {
    whose: String,
    key: String,
}

/// Never shows the key, which the keys of seats are made of.
impl std::fmt::Debug for IdempotencyKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("IdempotencyKey(…)")
    }
}

impl IdempotencyKey {
    /// The key that a caller sends. Different callers may send the same one.
    ///
    /// # Errors
    /// If it is empty, too long, or has characters that cannot be seen.
    pub fn new(whose: impl Into<String>, key: &str) -> Result<IdempotencyKey, ArenaError> {
        let key = key.trim();
        let is_good = (1..=LONGEST).contains(&key.len()) && key.bytes().all(|byte| byte.is_ascii_graphic());
        if is_good { Ok(IdempotencyKey { whose: whose.into(), key: key.to_owned() }) } else { Err(ArenaError::BadKey) }
    }

    /// By which an answer is found again: one for each caller, key and kind of request.
    fn hash(&self, kind: &str) -> KeyHash {
        KeyHash::of(&format!("{kind}\n{}\n{}", self.whose, self.key))
    }
}

/// What the secrets of a new match, seat or player are made of.
pub(super) enum KeySource<'a> {
    Chance,
    /// A caller's key and a salt.
    Request(&'a IdempotencyKey, &'a str),
}

impl KeySource<'_> {
    pub(super) fn seat_key(&self, seat: Option<Seat>) -> Result<SeatKey, ArenaError> {
        match self {
            KeySource::Chance => SeatKey::random(),
            KeySource::Request(..) => {
                let seat = seat.map_or("any".to_owned(), |seat| seat.to_string());
                Ok(SeatKey::claimed(&format!("k{}", self.made(&seat, 26)?)))
            }
        }
    }

    pub(super) fn invite(&self) -> Result<String, ArenaError> {
        Ok(format!("i{}", self.made("invite", 14)?))
    }

    pub(super) fn player_token(&self) -> Result<PlayerToken, ArenaError> {
        Ok(PlayerToken::claimed(&format!("p{}", self.made("token", 32)?)))
    }

    /// So many digits that belong to this name.
    fn made(&self, name: &str, digits: usize) -> Result<String, ArenaError> {
        match self {
            KeySource::Chance => Ok(key::digits::<32>()?[..digits].to_owned()),
            KeySource::Request(request, salt) => {
                let text = format!("{salt}\n{}\n{}\n{name}", request.whose, request.key);
                let digest: [u8; 32] = Sha256::digest(text.as_bytes()).into();
                Ok(key::spelled(&digest)[..digits].to_owned())
            }
        }
    }
}

/// A question that may have been answered before.
pub(super) struct Question<'a> {
    pub(super) key: &'a IdempotencyKey,
    hash: KeyHash,
    request: String,
}

impl<'a> Question<'a> {
    /// Of this kind, with all that makes it what it is.
    pub(super) fn new(key: &'a IdempotencyKey, kind: &str, request: &str) -> Question<'a> {
        Question { key, hash: key.hash(kind), request: KeyHash::of(request).to_hex() }
    }

    /// What keeps the answer.
    pub(super) fn answered(&self, answer: &impl Serialize) -> StoredAnswer {
        let answer = serde_json::to_string(answer).expect("plain fields");
        StoredAnswer { hash: self.hash, request: self.request.clone(), answer }
    }
}

/// What the secrets of an answer are made of.
pub(super) fn source<'a>(question: Option<&Question<'a>>, salt: &'a str) -> KeySource<'a> {
    question.map_or(KeySource::Chance, |question| KeySource::Request(question.key, salt))
}

/// What is kept of a match that was opened, or a seat that was taken.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct SeatedAnswer {
    pub(super) match_id: String,
    /// The seat that was taken; none where the match was opened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) seat: Option<Seat>,
    pub(super) salt: String,
}

/// Answers of an arena that keeps nothing.
#[derive(Default)]
pub(super) struct AnswerCache(Mutex<HashMap<KeyHash, StoredAnswer>>);

/// So many are remembered.
const REMEMBERED: usize = 10_000;

impl AnswerCache {
    fn find(&self, hash: &KeyHash) -> Option<StoredAnswer> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(hash).cloned()
    }

    fn keep(&self, answer: StoredAnswer) {
        let mut answers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if answers.len() >= REMEMBERED {
            answers.clear();
        }
        answers.insert(answer.hash, answer);
    }
}

impl Arena {
    /// What was answered to a question, if it was.
    ///
    /// # Errors
    /// If the same key came with another question, or the store fails.
    pub(super) async fn answered<T: DeserializeOwned>(
        &self,
        question: Option<&Question<'_>>,
    ) -> Result<Option<T>, ArenaError> {
        let Some(question) = question else { return Ok(None) };
        let answer = match &self.inner.context.archive {
            Some(archive) => archive.store().answer(question.hash).await?,
            None => self.inner.answers.find(&question.hash),
        };
        match answer {
            None => Ok(None),
            Some(answer) if answer.request != question.request => Err(ArenaError::KeyReused),
            Some(answer) => Ok(serde_json::from_str(&answer.answer).ok()),
        }
    }

    /// What keeps an answer with what it is about; an arena without a store remembers it.
    pub(super) fn keep_answer(&self, answer: Option<StoredAnswer>) -> Option<Change> {
        let answer = answer?;
        if self.inner.context.archive.is_some() {
            return Some(Change::Answer(answer));
        }
        self.inner.answers.keep(answer);
        None
    }
}
