//! Registered players: names, tokens, and the seats that they took.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio::time::Instant;
use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;
use unicode_security::GeneralSecurityProfile as _;

use super::answers::{IdempotencyKey, KeySource, Question, source};
use super::archive;
use super::live::Live;
use super::view::Stage;
use super::{Arena, ArenaError, SeatHandle, key};
use crate::matches::Identity;
use crate::store::{
    Change, Filter, KeyHash, LadderPlace, MatchStatus, NameLooks, PlayerInfo, StoreError, StoredAnswer,
};

/// The longest name.
const NAME: usize = 40;

/// So long a token is believed without asking the store again: another process on the same store may have changed it.
const BELIEVED: Duration = Duration::from_secs(30);

/// So many live matches are looked through for those of a player.
const LOOKED_THROUGH: u32 = 2_000;

/// So many tokens are remembered at the most.
const MOST_KNOWN: usize = 100_000;

/// What a name may have beside letters and digits.
const MARKS: &str = " -_.'";

/// So many combining characters stand on one letter at the most.
const MOST_ON_TOP: usize = 3;

/// Kinds of questions.
const REGISTER: &str = "register";
const RENEW: &str = "renew";

/// Names that would be taken for something else.
const RESERVED: [&str; 5] = ["open", "house", "admin", "standoff", "referee"];

/// Names that stand for whoever is meant: guests may have them, and no registered player.
const PLACEHOLDERS: [&str; 6] = ["me", "you", "human", "player", "assistant", "guest"];

/// How the ids of players begin, and those of assistants that came without an account.
const PLAYER: char = 'u';
const ASSISTANT: char = 'w';

/// Whether this is the id of an assistant that came without an account.
pub(super) fn is_assistant(id: &str) -> bool {
    id.starts_with(ASSISTANT)
}

/// A registered player.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Registered {
    /// Its own name in the store, never changed.
    pub id: Arc<str>,
    /// What people call it.
    pub name: Arc<str>,
}

impl Registered {
    /// Who that is.
    pub fn identity(&self) -> Identity {
        Identity::Registered(self.id.to_string())
    }
}

/// The secret that says who a player is.
#[derive(Clone, PartialEq, Eq)]
pub struct PlayerToken(String);

impl PlayerToken {
    /// What somebody says is a token.
    pub fn claimed(text: &str) -> PlayerToken {
        PlayerToken(text.trim().to_owned())
    }

    /// The token itself, for the one who is to hold it.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    fn hash(&self) -> KeyHash {
        KeyHash::of(&self.0)
    }
}

/// Never shows the token.
impl fmt::Debug for PlayerToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PlayerToken(…)")
    }
}

/// What is kept of a token that was given out: not the token, which is made again.
#[derive(Debug, Serialize, Deserialize)]
struct TokenAnswer {
    player: String,
    name: String,
    salt: String,
}

impl TokenAnswer {
    /// The same answer once more.
    fn again(self, question: Option<&Question<'_>>) -> Result<(Registered, PlayerToken), ArenaError> {
        let token = source(question, &self.salt).player_token()?;
        Ok((Registered { id: self.player.into(), name: self.name.into() }, token))
    }
}

/// The tokens that were shown lately, and when the store last knew them.
#[derive(Default)]
pub(super) struct TokenCache(HashMap<KeyHash, (Registered, Instant)>);

impl TokenCache {
    fn find(&self, hash: &KeyHash) -> Option<Registered> {
        let (kept, (player, seen)) = self.0.get_key_value(hash)?;
        (kept.is(hash) && seen.elapsed() < BELIEVED).then(|| player.clone())
    }

    fn keep(&mut self, hash: KeyHash, player: Registered) {
        if self.0.len() >= MOST_KNOWN {
            self.0.clear();
        }
        self.0.insert(hash, (player, Instant::now()));
    }

    fn forget(&mut self, player: &str) {
        self.0.retain(|_, (known, _)| *known.id != *player);
    }
}

impl From<PlayerInfo> for Registered {
    fn from(info: PlayerInfo) -> Registered {
        Registered { id: info.id.into(), name: info.name.into() }
    }
}

impl Arena {
    /// Registers a player under a name that nobody has. The token is shown this once.
    ///
    /// # Errors
    /// If the name is none, is taken, or the arena keeps nothing.
    pub async fn register(&self, name: &str) -> Result<(Registered, PlayerToken), ArenaError> {
        self.register_once(name, None).await
    }

    /// The same with a key with which the answer can be asked for again: the same player with the same token.
    ///
    /// # Errors
    /// Likewise, and if the key came with another name.
    pub async fn register_once(
        &self,
        name: &str,
        key: Option<&IdempotencyKey>,
    ) -> Result<(Registered, PlayerToken), ArenaError> {
        let (arena, name, key) = (self.clone(), name.to_owned(), key.cloned());
        self.shielded(async move {
            let question = key.as_ref().map(|key| Question::new(key, REGISTER, &name));
            if let Some(answer) = arena.answered::<TokenAnswer>(question.as_ref()).await? {
                return answer.again(question.as_ref());
            }
            let salt = key::digits::<26>()?;
            let token = source(question.as_ref(), &salt).player_token()?;
            let answer = |player: &PlayerInfo| {
                let (player, name, salt) = (player.id.clone(), player.name.clone(), salt.clone());
                question.as_ref().map(|question| question.answered(&TokenAnswer { player, name, salt }))
            };
            match arena.register_with(PLAYER, &name, token.clone(), answer).await {
                Ok(player) => Ok((player, token)),
                // Perhaps the same came twice at once, and this one was the second.
                Err(error) => match arena.answered::<TokenAnswer>(question.as_ref()).await? {
                    Some(answer) => answer.again(question.as_ref()),
                    None => Err(error),
                },
            }
        })
        .await
    }

    /// Whether somebody was registered by this very request before.
    ///
    /// # Errors
    /// If the key came with another request, or the store fails.
    pub async fn was_registered(&self, name: &str, key: Option<&IdempotencyKey>) -> Result<bool, ArenaError> {
        let question = key.map(|key| Question::new(key, REGISTER, name));
        Ok(self.answered::<TokenAnswer>(question.as_ref()).await?.is_some())
    }

    /// The same for an assistant that looks for opponents and has no account: its place in the queue is worth something only
    /// as long as it asks for it.
    ///
    /// # Errors
    /// Likewise.
    pub async fn register_assistant(&self, name: &str) -> Result<(Registered, PlayerToken), ArenaError> {
        let token = KeySource::Chance.player_token()?;
        let player = self.register_with(ASSISTANT, name, token.clone(), |_| None).await?;
        Ok((player, token))
    }

    async fn register_with(
        &self,
        kind: char,
        name: &str,
        token: PlayerToken,
        answer: impl FnOnce(&PlayerInfo) -> Option<StoredAnswer>,
    ) -> Result<Registered, ArenaError> {
        let store = self.store()?;
        let name = self.checked_name(name)?;
        let looks = NameLooks::of(&name);
        if PLACEHOLDERS.iter().any(|other| NameLooks::of(other).resemble(&looks)) {
            return Err(ArenaError::BadName(format!("`{name}` could be anybody: choose a name of your own")));
        }
        let id = format!("{kind}{}", key::digits::<10>()?);
        let info = PlayerInfo { id, name, token: token.hash(), created: 0 };
        let register = Change::Register(info.clone());
        let changes = std::iter::once(register).chain(answer(&info).map(Change::Answer)).collect();
        store.write(changes).await.map_err(|error| match error {
            StoreError::NameTaken(name) => ArenaError::NameTaken(name),
            other => other.into(),
        })?;
        let player = Registered::from(info);
        self.known().keep(token.hash(), player.clone());
        Ok(player)
    }

    /// The player whom an external issuer knows by this subject; registered when it comes for the first time, under its own
    /// name if that can be had. It has no token of this arena: nothing that can be shown here has its form.
    ///
    /// # Errors
    /// If it cannot be kept.
    pub async fn external_player(&self, issuer: &str, subject: &str, name: &str) -> Result<Registered, ArenaError> {
        let token = PlayerToken(format!("issuer {issuer} {subject}"));
        match self.player(&token).await {
            Err(ArenaError::NoPlayer) => {}
            found => return found,
        }
        let short: String = name.chars().take(NAME - 8).collect();
        let numbered = format!("{short} {}", key::digits::<6>()?);
        let mut failed = ArenaError::NoPlayer;
        for name in [name, &numbered, &format!("player {}", key::digits::<6>()?)] {
            match self.register_with(PLAYER, name, token.clone(), |_| None).await {
                Ok(player) => return Ok(player),
                Err(error @ (ArenaError::BadName(_) | ArenaError::NameTaken(_))) => failed = error,
                // Perhaps another request of the same subject came first.
                Err(error) => return self.player(&token).await.map_err(|_| error),
            }
        }
        Err(failed)
    }

    /// The player whose token this is.
    ///
    /// # Errors
    /// If it is nobody's.
    pub async fn player(&self, token: &PlayerToken) -> Result<Registered, ArenaError> {
        let hash = token.hash();
        if let Some(player) = self.known().find(&hash) {
            return Ok(player);
        }
        let info = self.store()?.player_of(hash).await?;
        let info = info.filter(|info| info.token.is(&hash)).ok_or(ArenaError::NoPlayer)?;
        let player = Registered::from(info);
        self.known().keep(hash, player.clone());
        Ok(player)
    }

    /// Gives a player a new token; the one before is worth nothing from now on, but for asking again with the same key,
    /// which goes with it.
    ///
    /// # Errors
    /// If it cannot be kept.
    pub async fn renew_token_once(
        &self,
        player: &Registered,
        key: Option<&IdempotencyKey>,
    ) -> Result<PlayerToken, ArenaError> {
        let (arena, player, key) = (self.clone(), player.clone(), key.cloned());
        self.shielded(async move {
            let question = key.as_ref().map(|key| Question::new(key, RENEW, ""));
            let salt = key::digits::<26>()?;
            let token = source(question.as_ref(), &salt).player_token()?;
            let change = Change::Token { player: player.id.to_string(), token: token.hash() };
            let answer = TokenAnswer { player: player.id.to_string(), name: player.name.to_string(), salt };
            let answer = question.as_ref().map(|question| Change::Answer(question.answered(&answer)));
            let written = arena.store()?.write(std::iter::once(change).chain(answer).collect()).await;
            if let Err(error) = written {
                // Perhaps the same came twice at once, and this one was the second.
                let before = match &key {
                    Some(key) => arena.renewed_before(key).await?,
                    None => None,
                };
                return before.map(|(_, token)| token).ok_or(error.into());
            }
            let mut known = arena.known();
            known.forget(&player.id);
            known.keep(token.hash(), player.clone());
            drop(known);
            Ok(token)
        })
        .await
    }

    /// The token that was given for another by this very request before, as long as it has not been replaced in its turn.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn renewed_before(&self, key: &IdempotencyKey) -> Result<Option<(Registered, PlayerToken)>, ArenaError> {
        let question = Question::new(key, RENEW, "");
        let Some(answer) = self.answered::<TokenAnswer>(Some(&question)).await? else { return Ok(None) };
        let (_, token) = answer.again(Some(&question))?;
        match self.player(&token).await {
            Ok(player) => Ok(Some((player, token))),
            Err(ArenaError::NoPlayer) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Where a player stands on every ladder.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn ratings(&self, player: &Registered) -> Result<Vec<LadderPlace>, ArenaError> {
        Ok(self.store()?.ratings(&player.identity()).await?)
    }

    /// The ladder of a ruleset, or of each, the best first. Players of the house are on it too.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn ladder(&self, ruleset: Option<&str>) -> Result<Vec<LadderPlace>, ArenaError> {
        Ok(self.store()?.ladder(ruleset).await?)
    }

    /// The seat that a player took in a match; of several, one that is awaited.
    ///
    /// # Errors
    /// If there is no such match, or the player has no seat in it.
    pub async fn seat_of_player(&self, match_id: &str, player: &Registered) -> Result<SeatHandle, ArenaError> {
        let live = self.watch(match_id).await?;
        let seats = live.seats_of(&player.id);
        let awaited = seats.iter().find(|seat| live.glance(Some(**seat)).your_turn);
        let seat = *awaited.or(seats.first()).ok_or(ArenaError::NotSeated)?;
        Ok(SeatHandle { arena: self.clone(), live, seat })
    }

    /// The matches of a player that are not over.
    pub fn matches_of(&self, player: &Registered) -> Vec<Arc<Live>> {
        let theirs = self.index().players.get(&player.id).cloned().unwrap_or_default();
        theirs.into_iter().filter(|live| live.stage() != Stage::Over).collect()
    }

    /// The names of a player's matches that are not over, whichever process plays them, the newest first.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn unfinished_of(&self, player: &Registered) -> Result<Vec<String>, ArenaError> {
        let filter = Filter { status: Some(MatchStatus::Live), limit: Some(LOOKED_THROUGH), ..Filter::default() };
        let mut live = self.store()?.matches(&filter).await?;
        live.retain(|info| archive::seats_player(info, &player.id));
        Ok(live.into_iter().map(|info| info.id).collect())
    }

    /// Whether a player may have one more match.
    pub(super) fn check_room_for(&self, player: &Registered) -> Result<(), ArenaError> {
        let most = self.inner.limits.matches_a_player;
        if self.matches_of(player).len() < most { Ok(()) } else { Err(ArenaError::TooMany(most)) }
    }

    /// The name that a guest may be shown under: well formed, and nobody else's.
    ///
    /// # Errors
    /// If it is none, or would be taken for a bot, a configured player or a registered one.
    pub async fn guest_name(&self, name: &str) -> Result<String, ArenaError> {
        let name = self.checked_name(name)?;
        match &self.inner.context.archive {
            Some(archive) if archive.store().name_holder(&name).await?.is_some() => Err(ArenaError::NameTaken(name)),
            _ => Ok(name),
        }
    }

    /// A name that can be anybody's.
    fn checked_name(&self, name: &str) -> Result<String, ArenaError> {
        let name: String = name.trim().nfc().collect();
        well_formed(&name).map_err(ArenaError::BadName)?;
        let looks = [NameLooks::of(&name), NameLooks::of(bare(&name).trim_matches(char::is_numeric))];
        let house = self.guests();
        let reserved = RESERVED.iter().copied().chain(house.iter().map(String::as_str));
        let mut reserved = reserved.flat_map(|other| [NameLooks::of(other), NameLooks::of(&bare(other))]);
        if reserved.any(|other| looks.iter().any(|looks| other.resemble(looks))) {
            return Err(ArenaError::BadName(format!("`{name}` would be taken for somebody else: that is the house's")));
        }
        Ok(name)
    }

    fn known(&self) -> std::sync::MutexGuard<'_, TokenCache> {
        self.inner.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A name without marks. Where a number before or after it is left out too, `search 2000` is a bot of the house.
fn bare(name: &str) -> String {
    name.chars().filter(|c| !MARKS.contains(*c)).collect()
}

/// Whether a name can be read by people: of the letters and digits that identifiers are made of (Unicode Technical
/// Standard 39), single spaces and a few marks, in the form that everybody types.
fn well_formed(name: &str) -> Result<(), String> {
    let length = name.chars().count();
    if length == 0 || length > NAME {
        return Err(format!("a name has 1 to {NAME} characters, not {length}"));
    }
    let plain: String = name.nfkc().collect();
    if plain != name {
        return Err(format!("write it in ordinary letters: `{plain}`"));
    }
    // A colon makes a bot of another strength.
    let is_allowed = |c: char| c != ':' && (c.identifier_allowed() || MARKS.contains(c));
    if let Some(odd) = name.chars().find(|c| !is_allowed(*c)) {
        return Err(format!("a name has letters, digits, spaces and any of - _ . \', not U+{:04X}", u32::from(odd)));
    }
    let on_top: Vec<bool> = name.chars().map(is_combining_mark).collect();
    if on_top.windows(MOST_ON_TOP + 1).any(|marks| !marks.contains(&false)) {
        return Err("a name has no more accents on one letter than any script has".to_owned());
    }
    if name.contains("  ") || !name.chars().any(char::is_alphanumeric) {
        return Err("a name has a letter or a digit, and no two spaces in a row".to_owned());
    }
    Ok(())
}
