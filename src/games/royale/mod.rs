//! Grid Royale: everybody moves and shoots at once, on a grid whose safe zone shrinks.
//!
//! Each tick every living bot goes one tile or stays, and then shoots in one of the four directions or not. Both are
//! sealed until all have chosen. [`Position::resolve`](Game::resolve) is the tick, step by step; each step is a
//! function of its own below it. The last one alive wins, and after `max_ticks` ticks hit points and then kills
//! decide. With teams the same holds for teams: bullets pass through team-mates, and the members share a place.
//!
//! This file is the rulebook. `action` has the notation, `board` the arena, `powerup` what lies about, `standing` the
//! places, `event` and `state` the forms that leave the house, `sight` what is seen of them, `rules` the fields of a ruleset.

mod action;
mod board;
mod event;
mod judge;
mod powerup;
mod quiz;
mod rules;
mod scene;
mod sight;
mod standing;
mod state;
#[cfg(test)]
mod tests;
mod words;

use smallvec::SmallVec;

pub use self::action::{Action, Direction, Step};
pub use self::board::{Flight, Tile, Zone};
pub use self::event::{Event, Illegal, Source};
pub use self::powerup::{MAX_POWERUPS, PowerUp, PowerUpKind, PowerUps};
pub use self::rules::{Rules, Terms};
pub use self::sight::Sighted;
pub use self::state::{BotState, Point, PowerUpState, State};

use self::board::Walls;
use super::dice::Dice;
use super::game::{Game, Tell};
use super::joint::{Joint, Order};
use super::outcome::{Outcome, Reason};
use super::refusal::BadState;
use super::seat::{Seat, Seats};
use super::view::{Seen, Viewer};

/// No ruleset of this game seats more.
pub const MAX_SEATS: usize = 8;

/// What a bullet takes of whom it hits, and the zone of who stands outside it.
const DAMAGE: u16 = 1;

/// A position of Grid Royale with its rules: small, without pointers for boards of up to 256 tiles, cheap to clone.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Position {
    bots: [Bot; MAX_SEATS],
    walls: Walls,
    powerups: SmallVec<[PowerUp; MAX_POWERUPS]>,
    terms: Terms,
    turn: u32,
    /// The tick that is about to be played, from 1.
    tick: u32,
    seats: u8,
    width: u8,
    height: u8,
    over: Option<Reason>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Bot {
    hp: u16,
    kills: u16,
    timeouts: u16,
    at: Tile,
    /// So many of its next shots do more damage.
    boost: u8,
    alive: bool,
    /// 0 until it is settled.
    place: u8,
}

/// What a tick knows beyond the position, by seat.
struct Tick {
    steps: [Step; MAX_SEATS],
    shots: [Option<Direction>; MAX_SEATS],
    forfeited: [bool; MAX_SEATS],
    /// Hit points when the tick began.
    hp: [u16; MAX_SEATS],
    /// Whom each one's bullet hit.
    hits: [Option<Seat>; MAX_SEATS],
    /// The damage of all bullets that hit a bot.
    damage: [u16; MAX_SEATS],
    /// Who is out with this tick.
    fallen: [bool; MAX_SEATS],
}

impl Game for Position {
    const NAME: &'static str = "grid-royale";
    type Partial = Sighted;
    type Rules = Rules;
    type Action = Action;
    type Illegal = Illegal;
    type Event = Event;
    type State = State;

    fn open(rules: &Rules, seats: usize, _: &mut Dice) -> Result<Position, BadState> {
        let most = rules.spawns.len();
        let mut problems = Vec::new();
        if !(2..=most).contains(&seats) {
            problems.push(format!("this ruleset seats 2 to {most} players, not {seats}"));
        }
        state::check_teams(&rules.terms, seats, &mut problems);
        BadState::check(problems)?;
        let mut bots = [Bot::NOBODY; MAX_SEATS];
        for (bot, &at) in bots.iter_mut().zip(&rules.spawns[..seats]) {
            *bot = Bot { hp: rules.hp, at, alive: true, ..Bot::NOBODY };
        }
        let (width, height) = (narrow(rules.map.cols), narrow(rules.map.rows));
        let whole = Zone { min_x: 0, max_x: width - 1, min_y: 0, max_y: height - 1 };
        // The first row of a drawing is the top, the highest y.
        let drawn = |tile: &Tile| *rules.map.at(usize::from(height - 1 - tile.y), usize::from(tile.x));
        Ok(Position {
            bots,
            walls: Walls::new(width, height, whole.tiles().filter(drawn)),
            powerups: SmallVec::new(),
            terms: rules.terms,
            turn: 0,
            tick: 1,
            seats: narrow(seats),
            width,
            height,
            over: None,
        })
    }

    fn from_state(rules: &Rules, state: &State) -> Result<Position, BadState> {
        state::check(rules, state)?;
        let mut bots = [Bot::NOBODY; MAX_SEATS];
        for bot in &state.bots {
            bots[bot.id.index()] = Bot {
                hp: bot.hp,
                kills: bot.kills,
                timeouts: bot.timeouts,
                at: bot.position.map_or(Bot::NOBODY.at, Point::tile),
                boost: bot.boost.flatten().unwrap_or(0),
                alive: bot.alive,
                place: bot.place.map_or(0, |place| u8::try_from(place).expect("checked: at most the seats")),
            };
        }
        let powerups = state.powerups.iter().flatten();
        Ok(Position {
            bots,
            walls: Walls::new(state.width, state.height, state.walls.iter().copied()),
            powerups: powerups.map(|powerup| PowerUp { at: powerup.tile(), kind: powerup.kind }).collect(),
            terms: rules.terms,
            turn: state.turn,
            tick: state.tick,
            seats: narrow(state.bots.len()),
            width: state.width,
            height: state.height,
            over: state.outcome.as_ref().map(|outcome| outcome.reason),
        })
    }

    fn state(&self, ruleset: &str) -> State {
        state::write(self, ruleset)
    }

    fn seats(&self) -> usize {
        usize::from(self.seats)
    }

    fn turn(&self) -> u32 {
        self.turn
    }

    fn to_act(&self) -> Seats {
        if self.over.is_some() {
            return Seats::none();
        }
        Seats::from_bits(self.living().fold(0, |bits, (seat, _)| bits | 1 << seat.index()))
    }

    fn legal_into(&self, _: Seat, actions: &mut Vec<Action>) {
        actions.extend(Action::all());
    }

    fn random_legal(&self, _: Seat, dice: &mut Dice) -> Action {
        Action::nth(dice.below(Action::COUNT))
    }

    /// A random move and no shot.
    fn stand_in(&self, _: Seat, dice: &mut Dice) -> Action {
        Action { step: *dice.pick(&Step::ALL).expect("there are five"), shoot: None }
    }

    fn check(&self, _: Seat, _: &Action) -> Result<(), Illegal> {
        Ok(())
    }

    /// A tick, in this order.
    fn resolve(&mut self, joint: &Joint<Action>, dice: &mut Dice, events: &mut impl Tell<Event>) {
        if self.over.is_some() {
            return;
        }
        let mut tick = self.hear(joint, events);
        self.walk(&tick, events); // 1. Movement …
        self.pick_up(events); // … and what lies there.
        self.shoot(&mut tick, events); // 2. Shooting.
        self.wound(&tick, events); // 3. Damage and kills.
        self.burn(events); // 4. The zone.
        self.bury(&mut tick, events); // 5. Deaths and forfeits.
        self.turn += 1;
        self.tick += 1;
        // 6. The end; or else perhaps a new power-up.
        match self.verdict(&tick) {
            Some(reason) => self.end(reason, events),
            None => self.supply(dice, events),
        }
    }

    fn hides(&self) -> bool {
        self.terms.sight > 0
    }

    fn view(&self, viewer: Viewer) -> Seen<Position> {
        Seen::Part(Sighted::new(self, viewer))
    }

    fn told(before: &Position, after: &Position, event: &Event, viewer: Viewer) -> Option<Event> {
        sight::told(before, after, event, viewer)
    }

    fn state_for(&self, ruleset: &str, viewer: Viewer) -> State {
        let signed = self.hides() && viewer != Viewer::After;
        State { viewer: signed.then(|| viewer.seat()), ..self.state(ruleset) }
    }

    fn outcome(&self) -> Option<Outcome> {
        self.over.map(|reason| self.result(reason))
    }

    fn encode(&self, bytes: &mut Vec<u8>) {
        bytes.extend([self.width, self.height, self.seats]);
        self.walls.encode(bytes);
        for (_, bot) in self.present() {
            for number in [bot.hp, bot.kills, bot.timeouts] {
                bytes.extend(number.to_le_bytes());
            }
            bytes.extend([bot.at.x, bot.at.y, bot.boost, bot.alive.into(), bot.place]);
        }
        bytes.push(narrow(self.powerups.len()));
        bytes.extend(self.powerups.iter().flat_map(|PowerUp { at, kind }| [at.x, at.y, *kind as u8]));
        bytes.extend(self.turn.to_le_bytes());
        bytes.extend(self.tick.to_le_bytes());
        bytes.extend(match self.over {
            None => [0, 0],
            Some(reason) => [1, reason as u8],
        });
    }

    fn set_up_like(&mut self, drawn: &Position) {
        for (bot, drawn) in self.bots.iter_mut().zip(drawn.bots) {
            bot.at = drawn.at;
        }
    }

    fn lift_limits(&mut self) {
        self.terms.max_ticks = u32::MAX;
        self.terms.zone_shrinks = 0;
        self.terms.powerups.every = 0;
    }

    fn is_harmed_since(&self, before: &Position) -> bool {
        self.bots.iter().zip(before.bots).any(|(bot, before)| bot.hp < before.hp)
    }
}

/// The steps of a tick. Steps 5 and 6 are in `standing`, those with power-ups in `powerup`.
impl Position {
    /// Before all: who does what. Who passes or gives up stays and does not shoot; a stand-in counts as a timeout.
    fn hear(&mut self, joint: &Joint<Action>, events: &mut impl Tell<Event>) -> Tick {
        let mut tick = Tick {
            steps: [Step::Stay; MAX_SEATS],
            shots: [None; MAX_SEATS],
            forfeited: [false; MAX_SEATS],
            hp: self.bots.map(|bot| bot.hp),
            hits: [None; MAX_SEATS],
            damage: [0; MAX_SEATS],
            fallen: [false; MAX_SEATS],
        };
        for (bot, order) in joint.iter() {
            let seat = bot.index();
            match order {
                Order::Play(action) => (tick.steps[seat], tick.shots[seat]) = (action.step, action.shoot),
                Order::StandIn(action) => {
                    (tick.steps[seat], tick.shots[seat]) = (action.step, action.shoot);
                    let timeouts = &mut self.bots[seat].timeouts;
                    *timeouts = timeouts.saturating_add(1);
                    events.tell(|| Event::StandIn { bot, timeouts: *timeouts });
                }
                Order::Pass => events.tell(|| Event::Passed { bot }),
                Order::Forfeit => {
                    tick.forfeited[seat] = true;
                    events.tell(|| Event::Forfeited { bot });
                }
            }
        }
        tick
    }

    /// Step 1. All go at once; off the grid or into a wall is a stay. Whoever would share a tile with another goes back,
    /// and whoever would then share a tile with one who went back, until nobody does. Swapping places is fine.
    fn walk(&mut self, tick: &Tick, events: &mut impl Tell<Event>) {
        let seats = usize::from(self.seats);
        let mut goals = self.bots.map(|bot| bot.at);
        let mut going = [None; MAX_SEATS];
        for (seat, bot) in self.living() {
            let Some(direction) = tick.steps[seat.index()].direction() else { continue };
            if let Some(goal) = self.neighbour(bot.at, direction) {
                goals[seat.index()] = goal;
                going[seat.index()] = Some(direction);
            } else {
                events.tell(|| Event::Blocked { bot: seat, at: bot.at, direction });
            }
        }
        loop {
            let mut back = [None; MAX_SEATS];
            for (one, goal) in goals[..seats].iter().enumerate() {
                for (other, _) in goals[..one].iter().enumerate().filter(|(_, other)| *other == goal) {
                    if self.bots[one].alive && self.bots[other].alive {
                        (back[one], back[other]) = (going[one], going[other]);
                    }
                }
            }
            if back == [None; MAX_SEATS] {
                break;
            }
            for (mover, direction) in back.into_iter().enumerate() {
                let Some(direction) = direction else { continue };
                let at = self.bots[mover].at;
                goals[mover] = at;
                going[mover] = None;
                events.tell(|| Event::Bounce { bot: Seat::new(mover), at, direction });
            }
        }
        for mover in (0..seats).filter(|&mover| going[mover].is_some()) {
            let from = std::mem::replace(&mut self.bots[mover].at, goals[mover]);
            events.tell(|| Event::Move { bot: Seat::new(mover), from: Some(from), to: Some(goals[mover]) });
        }
    }

    /// Step 2. All shots are seen on the same positions, and nobody dies before all have shot.
    fn shoot(&mut self, tick: &mut Tick, events: &mut impl Tell<Event>) {
        for shooter in 0..usize::from(self.seats) {
            let Bot { alive, at: from, boost, .. } = self.bots[shooter];
            let Some(direction) = tick.shots[shooter].filter(|_| alive) else { continue };
            let bot = Seat::new(shooter);
            let Flight { to, hit } = self.flight(bot, from, direction);
            let extra = if boost > 0 { self.terms.powerups.damage } else { 0 };
            self.bots[shooter].boost = boost.saturating_sub(1);
            if let Some(target) = hit {
                tick.hits[shooter] = hit;
                tick.damage[target.index()] += DAMAGE + extra;
            }
            events.tell(|| Event::Shot { bot: Some(bot), direction, from: Some(from), to: Some(to), hit });
        }
    }

    /// Step 3. Bullets take hit points, never below 0. Who is at 0 then is a kill for everybody whose bullet hit it.
    fn wound(&mut self, tick: &Tick, events: &mut impl Tell<Event>) {
        if tick.damage == [0; MAX_SEATS] {
            return;
        }
        for (target, &damage) in tick.damage.iter().enumerate().filter(|(_, damage)| **damage > 0) {
            let bot = Seat::new(target);
            self.hurt(bot, damage, Source::Bullet, events);
            if self.bots[target].hp == 0 {
                let by = || tick.hits.iter().enumerate().filter(|(_, hit)| **hit == Some(bot)).map(|(by, _)| by);
                for shooter in by() {
                    let kills = &mut self.bots[shooter].kills;
                    *kills = kills.saturating_add(1);
                }
                events.tell(|| Event::Kill { bot, by: by().map(Seat::new).collect() });
            }
        }
    }

    /// Step 4. Who has hit points left and stands outside the zone loses one; that is nobody's kill.
    fn burn(&mut self, events: &mut impl Tell<Event>) {
        let zone = self.zone();
        for seat in 0..usize::from(self.seats) {
            let Bot { alive, hp, at, .. } = self.bots[seat];
            if alive && hp > 0 && !zone.contains(at) {
                self.hurt(Seat::new(seat), DAMAGE, Source::Zone, events);
            }
        }
    }

    fn hurt(&mut self, bot: Seat, damage: u16, source: Source, events: &mut impl Tell<Event>) {
        let hp = &mut self.bots[bot.index()].hp;
        let amount = damage.min(*hp);
        *hp -= amount;
        events.tell(|| Event::Damage { bot, amount, source, hp: *hp });
    }

    fn result(&self, reason: Reason) -> Outcome {
        Outcome { places: self.present().map(|(seat, bot)| (seat, u32::from(bot.place))).collect(), reason }
    }
}

impl Tick {
    fn any_fallen(&self) -> bool {
        self.fallen != [false; MAX_SEATS]
    }

    /// Whether everybody who is out with this tick gave up.
    fn only_forfeits(&self) -> bool {
        self.fallen.iter().zip(self.forfeited).all(|(&fell, gave_up)| !fell || gave_up)
    }
}

impl Bot {
    /// Fills the chairs that a table does not have.
    const NOBODY: Bot = Bot { hp: 0, kills: 0, timeouts: 0, at: Tile { x: 0, y: 0 }, boost: 0, alive: false, place: 0 };
}

fn narrow(number: usize) -> u8 {
    u8::try_from(number).expect("grids have at most 64 tiles a side, tables of this game 8 seats")
}
