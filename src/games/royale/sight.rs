//! Sight: what a seat sees, where the ruleset lets bots see only so far.
//!
//! A side sees the tiles near its living bots, and itself. Of the others it always knows who lives and how they are
//! doing; where they are, and what lies about, only on tiles in sight. Everybody else sees no positions at all until
//! the match is over.

use smallvec::SmallVec;

use super::action::Action;
use super::board::{Tile, Zone};
use super::event::{Event, Illegal};
use super::powerup::{PowerUp, PowerUpKind};
use super::state::State;
use super::{Bot, MAX_SEATS, Position};
use crate::games::dice::Dice;
use crate::games::game::Game;
use crate::games::seat::{Seat, Seats};
use crate::games::view::{Partial, Viewer};

/// What a side sees: every tile at most so far from one of its eyes, along either axis.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Vision {
    eyes: SmallVec<[Tile; MAX_SEATS]>,
    reach: u8,
}

impl Vision {
    /// What somebody sees of a position.
    fn of(position: &Position, viewer: Viewer) -> Vision {
        let own = position.living().filter(|(seat, _)| position.is_own(viewer, *seat));
        Vision { eyes: own.map(|(_, bot)| bot.at).collect(), reach: position.terms.sight }
    }

    /// What somebody sees of a tick: with the eyes that it had when the tick began, before and after the moves.
    fn during(before: &Position, after: &Position, viewer: Viewer) -> Vision {
        let mut vision = Vision::of(before, viewer);
        let own = before.living().filter(|(seat, _)| before.is_own(viewer, *seat));
        vision.eyes.extend(own.map(|(seat, _)| after.at(seat)));
        vision
    }

    pub(super) fn sees(&self, tile: Tile) -> bool {
        let far = |eye: &Tile| eye.x.abs_diff(tile.x).max(eye.y.abs_diff(tile.y));
        self.eyes.iter().any(|eye| far(eye) <= self.reach)
    }

    /// The tile, if it is seen.
    fn seen(&self, tile: Option<Tile>) -> Option<Tile> {
        tile.filter(|tile| self.sees(*tile))
    }
}

/// A position as somebody sees it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sighted {
    viewer: Viewer,
    /// The position; what is hidden of it is blank.
    position: Position,
    /// Whose place and boost are known.
    known: [bool; MAX_SEATS],
    /// The tiles in sight; none where all are.
    vision: Option<Vision>,
}

impl Sighted {
    /// What a seat, or everybody, sees while the match is played.
    pub(super) fn new(whole: &Position, viewer: Viewer) -> Sighted {
        let vision = Vision::of(whole, viewer);
        let mut position = whole.clone();
        let mut known = [false; MAX_SEATS];
        for (seat, bot) in whole.present() {
            known[seat.index()] = whole.is_own(viewer, seat) || bot.alive && vision.sees(bot.at);
            if !known[seat.index()] {
                position.bots[seat.index()] = Bot { at: Bot::NOBODY.at, boost: 0, ..*bot };
            }
        }
        position.powerups.retain(|powerup| vision.sees(powerup.at));
        Sighted { viewer, position, known, vision: Some(vision) }
    }

    /// The view of somebody who sees everything.
    pub(super) fn all(position: &Position) -> Sighted {
        Sighted { viewer: Viewer::After, position: position.clone(), known: [true; MAX_SEATS], vision: None }
    }

    /// The position, of which only what is seen means anything.
    pub(super) fn position(&self) -> &Position {
        &self.position
    }

    /// Where a bot stands, or fell, if that is known.
    pub(super) fn at(&self, seat: Seat) -> Option<Tile> {
        self.known[seat.index()].then(|| self.position.at(seat))
    }

    /// Whether a tile is in sight.
    pub(super) fn sees(&self, tile: Tile) -> bool {
        self.vision.as_ref().is_none_or(|vision| vision.sees(tile))
    }

    /// The parts of the grid that are in sight; none where all of it is.
    pub(super) fn areas(&self) -> Option<Vec<Zone>> {
        let (width, height) = self.position.size();
        let Vision { eyes, reach } = self.vision.as_ref()?;
        let area = |eye: &Tile| Zone {
            min_x: eye.x.saturating_sub(*reach),
            max_x: eye.x.saturating_add(*reach).min(width - 1),
            min_y: eye.y.saturating_sub(*reach),
            max_y: eye.y.saturating_add(*reach).min(height - 1),
        };
        Some(eyes.iter().map(area).collect())
    }

    /// The living bots that could be anywhere out of sight.
    pub(super) fn unseen(&self) -> impl Iterator<Item = Seat> {
        self.position.living().map(|(seat, _)| seat).filter(|seat| !self.known[seat.index()])
    }
}

impl Partial<Position> for Sighted {
    fn state(&self, ruleset: &str) -> State {
        let mut state = self.position.state_for(ruleset, self.viewer);
        for bot in state.bots.iter_mut().filter(|bot| !self.known[bot.id.index()]) {
            bot.position = None;
            bot.boost = bot.boost.map(|_| None);
        }
        state
    }

    fn seats(&self) -> usize {
        self.position.seats()
    }

    fn turn(&self) -> u32 {
        self.position.turn()
    }

    fn to_act(&self) -> Seats {
        self.position.to_act()
    }

    fn legal(&self, seat: Seat) -> Vec<Action> {
        self.position.legal(seat)
    }

    fn check(&self, seat: Seat, action: &Action) -> Result<(), Illegal> {
        self.position.check(seat, action)
    }

    /// Who is not seen is not there.
    fn visible(&self) -> Position {
        let mut position = self.position.clone();
        for seat in self.unseen() {
            position.bots[seat.index()].alive = false;
        }
        position
    }

    fn certain(&self) -> Option<&Position> {
        let hidden = self.unseen().next().is_some() || self.position.terms.powerups.on();
        (!hidden).then_some(&self.position)
    }

    /// Puts everybody who is not seen on a tile out of sight, mostly where it is safe, and perhaps power-ups there.
    fn sample(&self, dice: &mut Dice) -> Position {
        let mut position = self.position.clone();
        let (width, height) = position.size();
        let grid = Zone { min_x: 0, max_x: width - 1, min_y: 0, max_y: height - 1 };
        // Whoever is seen stands in sight, so that all of these are free.
        let free = grid.tiles().filter(|&tile| !self.sees(tile) && !position.wall(tile));
        let (mut safe, mut other): (Vec<Tile>, Vec<Tile>) = free.partition(|&tile| position.zone().contains(tile));
        let rules = position.terms.powerups;
        let boosts = rules.on() && rules.kinds().any(|kind| kind == PowerUpKind::Damage);
        for seat in self.unseen() {
            let first = if dice.below(4) > 0 { &mut safe } else { &mut other };
            let at = draw(first, dice).or_else(|| draw(&mut safe, dice)).or_else(|| draw(&mut other, dice));
            let boost = if boosts && dice.below(4) == 0 { rules.damage_shots } else { 0 };
            let bot = &mut position.bots[seat.index()];
            *bot = Bot { at: at.unwrap_or(bot.at), boost, ..*bot };
        }
        if rules.on() {
            let appeared = (position.tick - 1) / rules.every;
            let lying = u32::try_from(position.powerups.len()).unwrap_or(u32::MAX);
            let kinds: SmallVec<[PowerUpKind; 2]> = rules.kinds().collect();
            for _ in 0..dice.below(appeared.min(u32::from(rules.most).saturating_sub(lying)) + 1) {
                let lies = draw(&mut safe, dice).zip(dice.pick(&kinds));
                position.powerups.extend(lies.map(|(at, &kind)| PowerUp { at, kind }));
            }
        }
        position
    }
}

/// Takes one of some tiles, each as likely as the others.
fn draw(tiles: &mut Vec<Tile>, dice: &mut Dice) -> Option<Tile> {
    let count = u32::try_from(tiles.len()).ok().filter(|&count| count > 0)?;
    Some(tiles.swap_remove(dice.below(count) as usize))
}

/// What somebody is told of an event of the tick between two positions.
pub(super) fn told(before: &Position, after: &Position, event: &Event, viewer: Viewer) -> Option<Event> {
    let vision = Vision::during(before, after, viewer);
    let own = |bot: Seat| before.is_own(viewer, bot);
    let whole = |is_told: bool| is_told.then(|| event.clone());
    match *event {
        Event::StandIn { .. }
        | Event::Passed { .. }
        | Event::Forfeited { .. }
        | Event::Damage { .. }
        | Event::Kill { .. }
        | Event::Eliminated { .. }
        | Event::Ended { .. } => whole(true),
        Event::Blocked { bot, at, .. } | Event::Bounce { bot, at, .. } | Event::Pickup { bot, at, .. } => {
            whole(own(bot) || vision.sees(at))
        }
        Event::Spawn { at, .. } => whole(vision.sees(at)),
        Event::Move { bot, from, to } => {
            if own(bot) {
                return whole(true);
            }
            let (from, to) = (vision.seen(from), vision.seen(to));
            from.or(to).map(|_| Event::Move { bot, from, to })
        }
        Event::Shot { bot, direction, from, to, hit } => {
            if bot.is_some_and(own) {
                return whole(true);
            }
            match (vision.seen(from), hit) {
                (Some(_), _) => Some(Event::Shot { bot, direction, from, to: vision.seen(to), hit }),
                // Who is hit knows from where, but not by whom.
                (None, Some(target)) if own(target) => Some(Event::Shot { bot: None, direction, from: None, to, hit }),
                (None, _) => None,
            }
        }
    }
}

impl Position {
    /// Whether a seat is on the side of whoever looks.
    fn is_own(&self, viewer: Viewer, seat: Seat) -> bool {
        viewer.seat().is_some_and(|viewer| viewer.index() < self.seats() && self.allies(viewer, seat))
    }
}
