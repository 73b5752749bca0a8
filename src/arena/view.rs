//! What can be seen of a match, and by whom.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use crate::games;
use crate::games::seat::{Seat, Seats};
use crate::games::table::{Event, Table};
use crate::games::view::Viewer;
use crate::matches::{Call, Fault, SeatInfo, Turn};
use crate::referee::Clock;

/// How far a match is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Seats are still open.
    Gathering,
    /// It is played.
    Playing,
    /// A player of the house cannot be reached; nobody has lost.
    Suspended(String),
    /// It has ended.
    Over,
}

/// A turn that was played and the position that it led to.
#[derive(Clone, Debug)]
pub struct Moment {
    /// What was done and what came of it, as the record has it.
    pub turn: Arc<Turn>,
    /// The position before it.
    pub before: Arc<Table>,
    /// The position after it.
    pub table: Arc<Table>,
}

impl Moment {
    /// As much of the turn as somebody may know while the match is played.
    pub fn told(&self, viewer: Viewer) -> Arc<Turn> {
        self.turn.told(&self.before, &self.table, viewer)
    }
}

/// Who sits on a seat, and how it went for them so far.
#[derive(Clone, Debug, PartialEq)]
pub struct SeatStatus {
    /// The seat, and the name that the record has.
    pub info: SeatInfo,
    /// Who answers for it.
    pub kind: HolderKind,
    /// How often the referee acted for it.
    pub lapses: u32,
    /// How often of those because no answer came in time.
    pub timeouts: u32,
    /// What its player asked of a model so far.
    pub spent: Spent,
}

/// Who answers for a seat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HolderKind {
    /// A player of the house.
    House,
    /// A registered player, by its id.
    Player(Arc<str>),
    /// Whoever has the seat's key.
    Key,
    /// The person who sits with whoever has this seat.
    Beside(Seat),
    /// Nobody yet: whoever joins takes it.
    Open,
}

/// What a player asked of a model.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spent {
    /// How many requests.
    pub calls: u64,
    /// Tokens that the model read.
    pub input_tokens: u64,
    /// Tokens that the model wrote.
    pub output_tokens: u64,
    /// What the answers in the record cost; none where nobody knows it of all of them.
    pub usd: Option<f64>,
}

/// As much of a [`MatchView`] as shows whether it is still the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Glance {
    /// Goes up with every change that everybody may see; who has acted in the turn at hand is none of these.
    pub version: u64,
    /// Whether the seat is awaited.
    pub your_turn: bool,
    /// How far the match is.
    pub stage: Stage,
    /// Turns that were played.
    pub turn: u32,
    /// Whether the seat has given up.
    pub resigned: bool,
}

/// A match as one seat, or a spectator, sees it at one moment. Cheap: what is large is shared.
///
/// Of what others have sealed it has [`MatchView::submitted`] and nothing else.
#[derive(Clone, Debug)]
pub struct MatchView {
    /// The match's name.
    pub match_id: Arc<str>,
    /// Whose view; none for a spectator.
    pub seat: Option<Seat>,
    /// How far the match is.
    pub stage: Stage,
    /// What is seen of the position.
    pub seen: games::View,
    /// Whether this seat is awaited.
    pub your_turn: bool,
    /// Whether this seat has given up.
    pub resigned: bool,
    /// What this seat has sealed for the turn at hand, in notation; nobody else's view has it.
    pub sealed: Option<String>,
    /// The seats elsewhere that have sealed an action for the turn at hand. Players of the house are never among them.
    pub submitted: Seats,
    /// The clocks of the turn at hand, once its players are asked.
    pub clock: Option<Arc<Clock>>,
    /// As much as it may know of the turns since this seat's last one, that one included; for a spectator, of the last turn. Whoever is out of the
    /// match for long finds the latest only.
    pub recent: Vec<Arc<Turn>>,
    /// Who sits where.
    pub seats: Arc<[SeatStatus]>,
    /// The seats that nobody has taken yet.
    pub open: Vec<Seat>,
    /// Goes up with every change that everybody may see; who has acted in the turn at hand is none of these.
    pub version: u64,
}

impl MatchView {
    /// Who is awaited, as everybody may know.
    pub fn to_act(&self) -> Seats {
        self.seen.to_act()
    }

    /// Whether this seat has acted in the turn at hand.
    pub fn acted(&self) -> bool {
        self.sealed.is_some()
    }

    /// What happened since this seat's last turn, that turn included; for a spectator, in the last turn.
    pub fn since(&self) -> Vec<Event> {
        self.recent.iter().flat_map(|turn| turn.events.iter().cloned()).collect()
    }

    /// What the others said in that time.
    pub fn said(&self) -> Vec<(Seat, String)> {
        let said = self.recent.iter().flat_map(|turn| &turn.said).filter(|(who, _)| Some(**who) != self.seat);
        said.map(|(&who, text)| (who, text.clone())).collect()
    }

    /// When the turn at hand ends for this seat; for a spectator, for the last of those who are awaited. None where
    /// nothing is limited or nobody has been asked yet.
    pub fn deadline(&self) -> Option<Instant> {
        let clock = self.clock.as_ref()?;
        match self.seat.and_then(|seat| clock.until.iter().find(|(other, _)| *other == seat)) {
            Some((_, until)) => *until,
            None => clock.until.iter().map(|(_, until)| *until).collect::<Option<Vec<_>>>()?.into_iter().max(),
        }
    }

    /// What a seat has left for the whole match, where that is limited. It runs while the seat is awaited and has not
    /// acted.
    pub fn time_left(&self, seat: Seat, now: Instant) -> Option<Duration> {
        let clock = self.clock.as_ref()?;
        let left = *clock.left.as_ref()?.get(seat)?;
        let thinks = clock.until.iter().any(|(other, _)| *other == seat) && !self.submitted.contains(seat);
        Some(if thinks { left.saturating_sub(now.saturating_duration_since(clock.begun)) } else { left })
    }
}

impl SeatStatus {
    pub(super) fn new(info: SeatInfo, kind: HolderKind) -> SeatStatus {
        SeatStatus { info, kind, lapses: 0, timeouts: 0, spent: Spent::default() }
    }

    /// Takes a turn into account.
    pub(super) fn count(&mut self, turn: &Turn) {
        let lapse = turn.lapses.get(&self.info.seat);
        let calls = turn.calls.get(&self.info.seat).map_or(&[][..], Vec::as_slice);
        self.lapses += u32::from(lapse.is_some());
        self.timeouts += u32::from(lapse.is_some_and(|lapse| lapse.fault == Fault::TooSlow));
        for call in calls {
            self.spent.add(call);
        }
    }
}

impl Spent {
    fn add(&mut self, call: &Call) {
        // One that nobody knows the price of leaves the sum unknown.
        self.usd = if self.calls == 0 { call.usd } else { self.usd.zip(call.usd).map(|(sum, usd)| sum + usd) };
        self.calls += 1;
        self.input_tokens = self.input_tokens.saturating_add(call.input_tokens);
        self.output_tokens = self.output_tokens.saturating_add(call.output_tokens);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_without_a_price_leaves_the_cost_unknown() {
        let call = |usd| Call { usd, input_tokens: 10, ..Call::default() };
        let sum = |costs: &[Option<f64>]| {
            let mut spent = Spent::default();
            for usd in costs {
                spent.add(&call(*usd));
            }
            spent.usd
        };
        assert_eq!(sum(&[]), None);
        assert_eq!(sum(&[Some(0.5), Some(0.25)]), Some(0.75));
        assert_eq!(sum(&[Some(0.5), None, Some(0.25)]), None);
        assert_eq!(sum(&[None, Some(0.25)]), None);
    }
}
