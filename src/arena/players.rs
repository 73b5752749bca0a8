//! Registered players: names, tokens, and the seats that they took.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use super::live::Live;
use super::view::Stage;
use super::{Arena, ArenaError, SeatHandle, key};
use crate::store::{Change, KeyHash, LadderPlace, PlayerInfo, Rival, StoreError};

/// The longest name.
const NAME: usize = 40;

/// So long a token is believed without asking the store again: another process on the same store may have changed it.
const BELIEVED: Duration = Duration::from_secs(30);

/// So many tokens are remembered at the most.
const MOST_KNOWN: usize = 100_000;

/// Names that would be taken for something else.
const RESERVED: [&str; 8] = ["open", "me", "you", "human", "house", "admin", "standoff", "referee"];

/// A registered player.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Registered {
    /// Its own name in the store, never changed.
    pub id: Arc<str>,
    /// What people call it.
    pub name: Arc<str>,
}

/// The secret that says who a player is.
#[derive(Clone, PartialEq, Eq)]
pub struct PlayerToken(String);

impl PlayerToken {
    fn random() -> Result<PlayerToken, ArenaError> {
        key::digits::<32>().map(|digits| PlayerToken(format!("p{digits}")))
    }

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
        let store = self.store()?;
        let name = self.checked_name(name)?;
        let token = PlayerToken::random()?;
        let id = format!("u{}", key::digits::<10>()?);
        let info = PlayerInfo { id, name, token: token.hash(), created: 0 };
        store.write(vec![Change::Register(info.clone())]).await.map_err(|error| match error {
            StoreError::NameTaken(name) => ArenaError::NameTaken(name),
            other => other.into(),
        })?;
        let player = Registered::from(info);
        self.known().keep(token.hash(), player.clone());
        Ok((player, token))
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

    /// Gives a player a new token; the one before is worth nothing from now on.
    ///
    /// # Errors
    /// If it cannot be kept.
    pub async fn renew_token(&self, player: &Registered) -> Result<PlayerToken, ArenaError> {
        let token = PlayerToken::random()?;
        let change = Change::Token { player: player.id.to_string(), token: token.hash() };
        self.store()?.write(vec![change]).await?;
        let mut known = self.known();
        known.forget(&player.id);
        known.keep(token.hash(), player.clone());
        drop(known);
        Ok(token)
    }

    /// Where a player stands on every ladder.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn ratings(&self, player: &Registered) -> Result<Vec<LadderPlace>, ArenaError> {
        Ok(self.store()?.ratings(&Rival::Player(player.id.to_string())).await?)
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

    /// Whether a player may have one more match.
    pub(super) fn check_room_for(&self, player: &Registered) -> Result<(), ArenaError> {
        let most = self.inner.limits.matches_a_player;
        if self.matches_of(player).len() < most { Ok(()) } else { Err(ArenaError::TooMany(most)) }
    }

    /// A name that can be anybody's.
    fn checked_name(&self, name: &str) -> Result<String, ArenaError> {
        let name = name.trim();
        let length = name.chars().count();
        if length == 0 || length > NAME {
            return Err(ArenaError::BadName(format!("a name has 1 to {NAME} characters, not {length}")));
        }
        if name.chars().any(is_invisible) {
            return Err(ArenaError::BadName(
                "a name has no control characters and nothing that cannot be seen".to_owned(),
            ));
        }
        let folded = name.to_lowercase();
        // `search:2000` is the house's `search`.
        let first = folded.split(':').next().unwrap_or(&folded).trim();
        let house = self.guests().into_iter().any(|guest| guest.to_lowercase() == first);
        if house || RESERVED.contains(&first) {
            return Err(ArenaError::BadName(format!("`{name}` would be taken for somebody else: that is the house's")));
        }
        Ok(name.to_owned())
    }

    fn known(&self) -> std::sync::MutexGuard<'_, TokenCache> {
        self.inner.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether a character is a control or only changes how others are shown.
fn is_invisible(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}
