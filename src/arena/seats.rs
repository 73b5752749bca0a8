//! The seats of a match and who answers for them.

use std::sync::Arc;

use super::ActError;
use super::live::{Live, LiveState};
use super::remote::Mailbox;
use super::view::{HolderKind, SeatStatus, Spent};
use crate::games::seat::Seat;
use crate::games::table::Table;
use crate::matches::{Identity, SeatInfo};
use crate::store::{Change, KeyHash};

/// A seat of a match, and who may sit there.
#[derive(Debug)]
pub(super) struct Chair {
    pub(super) info: SeatInfo,
    pub(super) holder: Holder,
    pub(super) mail: Mailbox,
}

/// Who answers for a seat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Holder {
    /// A player of the house, by the name in the seat's info.
    House,
    /// Whoever has the key, and the registered player who took the seat, if one did.
    Key(KeyHash, Option<Arc<str>>),
    /// The person who sits with whoever has this seat.
    With(Seat),
    /// Nobody yet: whoever joins takes it.
    Open,
}

impl Holder {
    /// Who that is, if it is not a player of the house: whose name says which.
    fn identity(&self) -> Identity {
        match self {
            Holder::Key(_, Some(player)) => Identity::Registered(player.to_string()),
            Holder::House | Holder::Key(_, None) | Holder::With(_) | Holder::Open => Identity::Guest,
        }
    }

    /// What the record says of whoever takes a seat.
    pub(super) fn info(&self, seat: Seat, name: &str) -> SeatInfo {
        SeatInfo { identity: Some(self.identity()), ..SeatInfo::guest(seat, name) }
    }

    pub(super) fn kind(&self) -> HolderKind {
        match self {
            Holder::House => HolderKind::House,
            Holder::Key(_, Some(player)) => HolderKind::Player(player.clone()),
            Holder::Key(_, None) => HolderKind::Key,
            Holder::With(seat) => HolderKind::Beside(*seat),
            Holder::Open => HolderKind::Open,
        }
    }
}

impl Live {
    /// The seat that a key opens.
    pub(super) fn seat_of(&self, key: &KeyHash) -> Option<Seat> {
        let opens = |holder: &Holder| matches!(holder, Holder::Key(hash, _) if hash.is(key));
        self.state().chairs.iter().find(|chair| opens(&chair.holder)).map(|chair| chair.info.seat)
    }

    /// The seats that a registered player took.
    pub(super) fn seats_of(&self, player: &str) -> Vec<Seat> {
        let theirs = |holder: &Holder| matches!(holder, Holder::Key(_, Some(holder)) if **holder == *player);
        let state = self.state();
        state.chairs.iter().filter(|chair| theirs(&chair.holder)).map(|chair| chair.info.seat).collect()
    }

    /// The registered player who took a seat, by its id.
    pub(super) fn player_on(&self, seat: Seat) -> Option<Arc<str>> {
        match &self.state().chairs[seat.index()].holder {
            Holder::Key(_, player) => player.clone(),
            Holder::House | Holder::With(_) | Holder::Open => None,
        }
    }

    /// The seat of the person who sits with whoever has this one.
    pub(super) fn person_with(&self, seat: Seat) -> Option<Seat> {
        let state = self.state();
        state.chairs.iter().find(|chair| chair.holder == Holder::With(seat)).map(|chair| chair.info.seat)
    }

    /// The open seat that somebody gets who wants this one, or any.
    ///
    /// # Errors
    /// If it is not open, or none is.
    pub(super) fn open_seat(&self, wanted: Option<Seat>) -> Result<Seat, ActError> {
        let open = self.state().open();
        match wanted {
            Some(seat) if open.contains(&seat) => Ok(seat),
            Some(seat) => Err(ActError::Taken { seat, open }),
            None => open.first().copied().ok_or(ActError::Full),
        }
    }

    /// Gives a seat to somebody.
    pub(super) fn take_seat(&self, seat: Seat, holder: Holder, name: &str) {
        let mut state = self.state();
        let chair = &mut state.chairs[seat.index()];
        chair.info = holder.info(seat, name);
        chair.holder = holder;
        let status = SeatStatus::new(chair.info.clone(), chair.holder.kind());
        Arc::make_mut(&mut state.seats)[seat.index()] = status;
        drop(state);
        self.tell();
    }

    pub(super) fn is_full(&self) -> bool {
        self.state().chairs.iter().all(|chair| chair.holder != Holder::Open)
    }

    /// Who sits where.
    pub(super) fn chairs(&self) -> Vec<(SeatInfo, Holder)> {
        self.state().chairs.iter().map(|chair| (chair.info.clone(), chair.holder.clone())).collect()
    }

    /// Who came in where, once the match is over and if it counts.
    pub(super) fn rating(&self, table: &Table) -> Option<Change> {
        let outcome = table.outcome().filter(|_| self.rated)?;
        let state = self.state();
        let places = state.chairs.iter().filter_map(|chair| {
            let identity = match &chair.holder {
                Holder::House => chair.info.identity(),
                other => other.identity(),
            };
            // A guest is in the match and on no ladder.
            identity.is_rated().then_some((identity, *outcome.places.get(&chair.info.seat)?))
        });
        let places = places.collect();
        Some(Change::Rate { match_id: self.id.to_string(), ruleset: self.ruleset.name.clone(), places })
    }
}

impl LiveState {
    pub(super) fn open(&self) -> Vec<Seat> {
        let open = self.chairs.iter().filter(|chair| chair.holder == Holder::Open);
        open.map(|chair| chair.info.seat).collect()
    }

    /// Who sits where. What players spend tells how much they see, where something is hidden.
    pub(super) fn seats_shown(&self) -> Arc<[SeatStatus]> {
        if !self.table.hides() {
            return self.seats.clone();
        }
        self.seats.iter().map(|seat| SeatStatus { spent: Spent::default(), ..seat.clone() }).collect()
    }
}
