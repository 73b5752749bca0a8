//! Grid Royale: everybody moves and shoots at once, on a grid whose safe zone shrinks.
//!
//! Each tick every living bot goes one tile or stays, and then shoots in one of the four directions or not. Both are
//! sealed until all have chosen. [`Position::resolve`](Game::resolve) is the tick, step by step; each step is a
//! function of its own below it. The last one alive wins, and after `max_ticks` ticks hit points and then kills
//! decide. With teams the same holds for teams: bullets pass through team-mates, and the members share a place.
//!
//! This file is the rulebook. `action` has the notation, `board` the arena, `lanes` how all bots are looked at at once,
//! `powerup` what lies about, `standing` the places, `event` and `state` the forms that leave the house, `sight` what is
//! seen of them, `rules` the fields of a ruleset.

mod action;
mod board;
mod event;
mod judge;
mod lanes;
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
use self::lanes::{Formation, Group, Steps};
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
    steps: Steps,
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

    /// Straight from the dice to the tick: a playout needs no orders.
    fn random_turn(&mut self, _: &mut Joint<Action>, dice: &mut Dice) -> bool {
        if self.over.is_some() {
            return false;
        }
        let mut tick = self.begin();
        for seat in (0..usize::from(self.seats)).filter(|&seat| self.bots[seat].alive) {
            tick.set(seat, Action::nth(dice.below(Action::COUNT)));
        }
        self.play_tick(&mut tick, dice, &mut ());
        true
    }

    fn resolve(&mut self, joint: &Joint<Action>, dice: &mut Dice, events: &mut impl Tell<Event>) {
        if self.over.is_some() {
            return;
        }
        let mut tick = self.hear(joint, events);
        self.play_tick(&mut tick, dice, events);
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
    /// A tick, in this order.
    #[inline]
    fn play_tick(&mut self, tick: &mut Tick, dice: &mut Dice, events: &mut impl Tell<Event>) {
        let formation = self.walk(tick.steps, events); // 1. Movement …
        self.pick_up(events); // … and what lies there.
        self.shoot(&formation, tick, events); // 2. Shooting.
        let wounded = self.wound(tick, events); // 3. Damage and kills.
        let burnt = self.burn(&formation, events); // 4. The zone.
        if wounded || burnt || tick.any_forfeit() {
            self.bury(tick, events); // 5. Deaths and forfeits.
        }
        self.turn += 1;
        self.tick += 1;
        // 6. The end; or else perhaps a new power-up.
        match self.verdict(tick) {
            Some(reason) => self.end(reason, events),
            None => self.supply(dice, events),
        }
    }

    /// A tick in which nobody does anything yet.
    #[inline]
    fn begin(&self) -> Tick {
        Tick {
            steps: Steps::default(),
            shots: [None; MAX_SEATS],
            forfeited: [false; MAX_SEATS],
            hp: self.bots.map(|bot| bot.hp),
            hits: [None; MAX_SEATS],
            damage: [0; MAX_SEATS],
            fallen: [false; MAX_SEATS],
        }
    }

    /// Before all: who does what. Who passes or gives up stays and does not shoot; a stand-in counts as a timeout.
    fn hear(&mut self, joint: &Joint<Action>, events: &mut impl Tell<Event>) -> Tick {
        let mut tick = self.begin();
        for (bot, order) in joint.iter() {
            let seat = bot.index();
            match order {
                Order::Play(action) => tick.set(seat, *action),
                Order::StandIn(action) => {
                    tick.set(seat, *action);
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
    #[inline]
    fn walk(&mut self, steps: Steps, events: &mut impl Tell<Event>) -> Formation {
        let before = Formation::of(self);
        let goals = before.after(steps);
        let wanting = steps.movers() & before.living;
        let mut shut = goals.off_grid(self.width, self.height);
        if self.walls.any() {
            for seat in (wanting & !shut).seats().filter(|&seat| self.wall(goals.at(seat))) {
                shut = shut | Group::one(seat);
            }
        }
        let tell = |who: Group, events: &mut _, event: fn(Seat, Tile, Direction) -> Event| {
            for seat in who.seats() {
                Tell::tell(events, || event(Seat::new(seat), before.at(seat), steps.heading(seat)));
            }
        };
        tell(wanting & shut, events, |bot, at, direction| Event::Blocked { bot, at, direction });
        let mut going = wanting & !shut;
        let after = loop {
            let after = before.with(going, &goals);
            let back = after.crowded(self.seats) & going;
            if back.is_empty() {
                break after;
            }
            going = going & !back;
            tell(back, events, |bot, at, direction| Event::Bounce { bot, at, direction });
        };
        for (seat, bot) in self.bots[..usize::from(self.seats)].iter_mut().enumerate() {
            bot.at = after.at(seat);
        }
        for seat in going.seats() {
            let (from, to) = (Some(before.at(seat)), Some(after.at(seat)));
            events.tell(|| Event::Move { bot: Seat::new(seat), from, to });
        }
        after
    }

    /// Step 2. All shots are seen on the same positions, and nobody dies before all have shot.
    #[inline]
    fn shoot(&mut self, formation: &Formation, tick: &mut Tick, events: &mut impl Tell<Event>) {
        for shooter in 0..usize::from(self.seats) {
            let Bot { at: from, boost, .. } = self.bots[shooter];
            let (bot, shot) = (Seat::new(shooter), tick.shots[shooter]);
            let hit = self.target(formation, bot, from, shot);
            if let Some(target) = hit {
                let extra = if boost > 0 { self.terms.powerups.damage } else { 0 };
                tick.hits[shooter] = hit;
                tick.damage[target.index()] += DAMAGE + extra;
            }
            if boost > 0 && shot.is_some() {
                self.bots[shooter].boost = boost - 1;
            }
            if let Some(direction) = shot {
                events.tell(|| {
                    let to = self.flown(from, direction, hit);
                    Event::Shot { bot: Some(bot), direction, from: Some(from), to: Some(to), hit }
                });
            }
        }
    }

    /// Step 3. Bullets take hit points, never below 0. Who is at 0 then is a kill for everybody whose bullet hit it.
    /// Whether anybody was hit.
    #[inline]
    fn wound(&mut self, tick: &Tick, events: &mut impl Tell<Event>) -> bool {
        if tick.damage == [0; MAX_SEATS] {
            return false;
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
        true
    }

    /// Step 4. Who has hit points left and stands outside the zone loses one; that is nobody's kill. Whether anybody does.
    #[inline]
    fn burn(&mut self, formation: &Formation, events: &mut impl Tell<Event>) -> bool {
        let burning = self.burning(formation);
        for seat in burning.seats() {
            if self.bots[seat].hp > 0 {
                self.hurt(Seat::new(seat), DAMAGE, Source::Zone, events);
            }
        }
        !burning.is_empty()
    }

    /// Who lives and stands outside the zone.
    #[inline]
    fn burning(&self, formation: &Formation) -> Group {
        // The zone is the whole grid at first: a search spends many ticks there.
        if self.tick <= self.terms.zone_every { Group::NOBODY } else { formation.outside(self.zone()) }
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
    /// Notes what a bot does that does nothing yet.
    #[inline]
    fn set(&mut self, seat: usize, Action { step, shoot }: Action) {
        self.steps.set(seat, step);
        self.shots[seat] = shoot;
    }

    fn any_forfeit(&self) -> bool {
        self.forfeited != [false; MAX_SEATS]
    }

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
