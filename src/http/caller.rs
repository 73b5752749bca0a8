//! Who asks, by what they show.

use std::net::IpAddr;
use std::sync::Arc;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode, header};

use super::app::App;
use super::error::ApiError;
use super::forward::Forwarded;
use super::limit::Counted;
use super::oauth;
use crate::arena::{ArenaError, IdempotencyKey, Live, PlayerToken, Registered, SeatHandle, SeatKey};
use crate::games::view::Viewer;
use crate::store::KeyHash;

/// A key of somebody who shows nothing is at least so long.
const SHORTEST_KEY: usize = 16;

/// Where a request comes from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Peer(pub(super) IpAddr);

/// Who sent a request, and by what right.
#[derive(Clone, Debug)]
pub(super) struct Caller {
    /// Under what their requests are counted.
    pub(super) counted: Counted,
    /// Where they come from.
    pub(super) from: Counted,
    pub(super) who: Credential,
}

/// What a caller has shown.
#[derive(Clone, Debug)]
pub(super) enum Credential {
    /// No token and no key.
    Anybody,
    /// The server's own token.
    Owner,
    /// The key of a seat.
    Seat(Box<SeatHandle>),
    /// A player's token.
    Player(Registered),
}

impl Caller {
    /// Somebody who comes from there and has shown nothing.
    pub(super) fn nobody(from: Counted) -> Caller {
        Caller { counted: from, from, who: Credential::Anybody }
    }

    /// Finds out who asks, and counts the request.
    ///
    /// # Errors
    /// If the token is not known, or it is one request too many.
    pub(super) async fn find(
        app: &App,
        headers: &HeaderMap,
        Peer(from): Peer,
        forwarded: Option<Forwarded>,
    ) -> Result<Caller, ApiError> {
        let address = Counted::address(from);
        if forwarded.is_some_and(|forwarded| forwarded.is_owner) {
            app.toll.request(address)?;
            return Ok(Caller { counted: address, from: address, who: Credential::Owner });
        }
        let Some(shown) = shown(headers)? else {
            app.toll.request(address)?;
            return Ok(Caller::nobody(address));
        };
        if let Some(issuer) = app.issuer.as_ref().filter(|_| oauth::is_signed(shown)) {
            // Nobody may have many tokens looked at: until it is believed, it is counted by where it comes from.
            app.toll.request(address)?;
            let subject = issuer.verify(shown).await.map_err(|error| error.problem())?;
            let player = app.arena.external_player(&subject.iss, &subject.sub, subject.shown_name()).await?;
            let counted = Counted::player(&player.id);
            return Ok(Caller { counted, from: address, who: Credential::Player(player) });
        }
        let hash = KeyHash::of(shown);
        // A secret that has not been seen lately is paid for by where it comes from, so that nobody can try many.
        let known = app.toll.knows(&hash, address);
        app.toll.request(known.unwrap_or(address))?;
        if let (Some(Counted::Player(_)), true) = (known, app.is_open()) {
            // Where anybody can register, many tokens are not many callers.
            app.toll.request_from(address)?;
        }
        let who = if app.token.as_ref().is_some_and(|own| own.is(&hash)) {
            Credential::Owner
        } else if shown.starts_with('p') {
            // What a secret is for stands in its first letter: nobody is looked up in vain.
            Credential::Player(app.arena.player(&PlayerToken::claimed(shown)).await?)
        } else {
            Credential::Seat(Box::new(app.arena.seat(&SeatKey::claimed(shown)).await?))
        };
        // A match has many seats, and a seat has a key: whoever shows one counts as who they are.
        let whose = match &who {
            Credential::Owner => Some(Counted::Player(hash)),
            Credential::Player(player) => Some(Counted::player(&player.id)),
            Credential::Seat(seated) => seated.player().map(|player| Counted::player(&player)),
            Credential::Anybody => None,
        };
        if known.is_none() {
            app.toll.know(hash, whose);
        }
        Ok(Caller { counted: whose.unwrap_or(address), from: address, who })
    }

    /// The key with which the answer to a request can be asked for again, if it has one.
    ///
    /// # Errors
    /// If it can be none.
    pub(super) fn idempotency_key(&self, headers: &HeaderMap) -> Result<Option<IdempotencyKey>, ApiError> {
        let Some(key) = idempotency_key(headers)? else { return Ok(None) };
        let whose = match &self.who {
            Credential::Player(player) => format!("player {}", player.id),
            Credential::Owner => "owner".to_owned(),
            Credential::Seat(seated) => format!("seat {} {}", seated.live().id(), seated.seat()),
            Credential::Anybody if key.len() < SHORTEST_KEY => {
                return Err(ApiError::bad_request(format!(
                    "without a token an `Idempotency-Key` has at least {SHORTEST_KEY} characters, so that nobody else sends the same one: a random UUID is a good one"
                )));
            }
            // Behind a proxy that is still many; then the key alone tells them apart.
            Credential::Anybody => format!("address {}", self.from.name()),
        };
        Ok(Some(IdempotencyKey::new(whose, key)?))
    }

    /// The key with which the answer to a player's token being replaced can be asked for again. It goes with the token that
    /// was shown, which is worth nothing else by then.
    ///
    /// # Errors
    /// If it can be none.
    pub(super) fn renewal_key(headers: &HeaderMap) -> Result<Option<IdempotencyKey>, ApiError> {
        let (Some(key), Some(token)) = (idempotency_key(headers)?, shown(headers)?) else { return Ok(None) };
        Ok(Some(IdempotencyKey::new(format!("token {token}"), key)?))
    }

    /// Whether anything was shown.
    pub(super) fn is_anybody(&self) -> bool {
        matches!(self.who, Credential::Anybody)
    }

    /// The player who asks.
    ///
    /// # Errors
    /// If it is nobody who is registered.
    pub(super) fn player(&self) -> Result<&Registered, ApiError> {
        match &self.who {
            Credential::Player(player) => Ok(player),
            Credential::Anybody => {
                Err(ApiError::token_needed("this needs a player's token; POST /players registers one"))
            }
            Credential::Owner | Credential::Seat(_) => {
                let detail = "this is for registered players; POST /players registers one";
                Err(ApiError::new(StatusCode::FORBIDDEN, "not_a_player", detail))
            }
        }
    }

    /// The caller's seat in a match, if there is one.
    ///
    /// # Errors
    /// If the store fails.
    pub(super) async fn seat_in(&self, app: &App, live: &Arc<Live>) -> Result<Option<SeatHandle>, ApiError> {
        match &self.who {
            Credential::Seat(seated) if seated.live().id() == live.id() => Ok(Some((**seated).clone())),
            Credential::Player(player) => match app.arena.seat_of_player(live.id(), player).await {
                Ok(seated) => Ok(Some(seated)),
                Err(ArenaError::NotSeated) => Ok(None),
                Err(error) => Err(error.into()),
            },
            Credential::Anybody | Credential::Owner | Credential::Seat(_) => Ok(None),
        }
    }

    /// Whose eyes the caller sees a match with: those of its seat where something is hidden, else everybody's.
    ///
    /// # Errors
    /// If the store fails.
    pub(super) async fn viewer(&self, app: &App, live: &Arc<Live>) -> Result<Viewer, ApiError> {
        let seated = if live.hides() { self.seat_in(app, live).await? } else { None };
        Ok(Viewer::from(seated.map(|seated| seated.seat())))
    }

    /// The seat that this caller acts for in a match.
    ///
    /// # Errors
    /// If there is none.
    pub(super) async fn acting(&self, app: &App, match_id: &str) -> Result<SeatHandle, ApiError> {
        let live = app.arena.watch(match_id).await?;
        if self.is_anybody() {
            return Err(ApiError::token_needed(
                "this needs the key of a seat, or the token of the player who sits there",
            ));
        }
        self.seat_in(app, &live).await?.ok_or_else(|| ApiError::not_your_seat(live.id()))
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Caller {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Caller, ApiError> {
        // Put there at the entrance, which no request comes around.
        parts.extensions.get::<Caller>().cloned().ok_or_else(|| ApiError::internal(&"a request came in by no door"))
    }
}

/// What a request says so that, sent again, it gets the same answer.
///
/// # Errors
/// If it can be no key.
pub(super) fn idempotency_key(headers: &HeaderMap) -> Result<Option<&str>, ApiError> {
    headers.get("idempotency-key").map(|key| key.to_str().map_err(|_| ArenaError::BadKey.into())).transpose()
}

/// The token that a request shows.
fn shown(headers: &HeaderMap) -> Result<Option<&str>, ApiError> {
    let Some(value) = headers.get(header::AUTHORIZATION) else { return Ok(None) };
    let shown = value.to_str().ok().and_then(|value| value.trim().split_once(' '));
    match shown.filter(|(kind, _)| kind.eq_ignore_ascii_case("bearer")) {
        Some((_, token)) if !token.trim().is_empty() && (token.len() <= 200 || oauth::is_signed(token.trim())) => {
            Ok(Some(token.trim()))
        }
        _ => Err(ApiError::token_needed("`Authorization` must be `Bearer` and a token")),
    }
}
