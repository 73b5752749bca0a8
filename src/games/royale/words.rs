//! Grid Royale for the words that players read: its arena, and the examples of its brief, played on the engine.

use std::borrow::Cow;

use serde_json::{Value as Json, json};

use super::Zone;
use super::{
    Action, BotState, Direction, Event, Point, Position, PowerUpKind, Rules, Sighted, Source, State, Step, Terms, Tile,
};
use crate::games::dice::Seed;
use crate::games::game::Game;
use crate::games::joint::{Joint, Order};
use crate::games::seat::Seat;
use crate::games::sketch::sketch;
use crate::games::view::{Partial as _, Seen};
use crate::games::words::{Example, Examples, PlayerTerms, PromptFiles, Term, Words, prompt_files};

impl Words for Position {
    const PROMPTS: PromptFiles = prompt_files!("grid-royale");
    const LISTED: bool = true;
    const TOLD_TWICE: &'static [&'static str] = &["list.players", "list.unseen", "list.zone"];
    const SAME_ACTIONS: bool = true;

    fn status(seen: &Seen<Position>) -> Json {
        let sighted = look(seen);
        let position = sighted.position();
        json!({
            "tick": position.tick().min(position.terms().max_ticks),
            "max_ticks": position.terms().max_ticks,
            "zone": position.zone(),
            "shrinks_after": shrinks_after(position),
        })
    }

    fn sketch(seen: &Seen<Position>) -> String {
        draw(&look(seen))
    }

    fn players(seen: &Seen<Position>) -> Vec<PlayerTerms> {
        let state = look(seen).state("");
        let bots = state.bots.iter().map(|bot| {
            let mut context = json!(bot);
            context["outside"] = json!(bot.position.is_some_and(|at| !state.zone.contains(at.tile())));
            PlayerTerms { seat: bot.id, context }
        });
        bots.collect()
    }

    fn listed(seen: &Seen<Position>) -> Option<Vec<Term>> {
        let sighted = look(seen);
        let position = sighted.position();
        let (width, height) = position.size();
        let tiles = (0..height).flat_map(|y| (0..width).map(move |x| Tile { x, y }));
        let walls: Vec<String> = tiles.filter(|&at| position.wall(at)).map(|at| at.to_string()).collect();
        let living = Seat::first(position.seats()).filter(|&seat| position.alive(seat));
        let bots: Vec<String> = living.filter_map(|seat| Some(format!("{seat} {}", sighted.at(seat)?))).collect();
        let lying = |kind: PowerUpKind| -> Vec<String> {
            let powerups = position.powerups().iter().filter(move |powerup| powerup.kind == kind);
            powerups.map(|powerup| powerup.at.to_string()).collect()
        };
        let things = [
            Term::things("walls", &walls),
            Term::things("players", &bots),
            Term::things("health", &lying(PowerUpKind::Health)),
            Term::things("damage", &lying(PowerUpKind::Damage)),
        ];
        let areas = sighted.areas();
        let tiles = json!({ "last_x": width - 1, "last_y": height - 1, "fog": areas.is_some() });
        let mut lines = vec![Term::line("tiles", tiles)];
        lines.extend(areas.into_iter().flatten().map(|area| Term::line("sight", json!({ "area": area }))));
        lines.extend(things.into_iter().flatten());
        lines.extend(Term::things("unseen", &sighted.unseen().map(|seat| seat.to_string()).collect::<Vec<_>>()));
        lines.push(Term::line("zone", json!({ "zone": position.zone() })));
        Some(lines)
    }

    fn examples(rules: &Rules, seats: usize) -> Examples<Position> {
        let go = |step: Step| Action { step, shoot: None };
        let fire = |step: Step| Action { step, shoot: Some(Direction::East) };
        let range = Range::new(rules);
        vec![
            ("late", range.scene(&[(1, 0), (2, 0)], &[fire(Step::Stay), go(Step::North)])),
            ("lead", range.scene(&[(1, 0), (2, 0)], &[fire(Step::North), go(Step::North)])),
            ("bump", range.scene(&[(1, 0), (3, 0)], &[go(Step::East), go(Step::West)])),
            ("swap", range.scene(&[(1, 0), (2, 0)], &[go(Step::East), go(Step::West)])),
            ("queue", range.scene(&[(1, 0), (2, 0), (3, 0)], &[go(Step::East), go(Step::East), go(Step::Stay)])),
            ("zones", Example::Plain(zones(&range.rules))),
            ("sides", Example::Plain(sides(rules, seats))),
        ]
    }

    fn is_own_doing(event: &Event, seat: Seat) -> bool {
        match event {
            Event::Blocked { bot, .. }
            | Event::Bounce { bot, .. }
            | Event::Move { bot, .. }
            | Event::Pickup { bot, .. } => *bot == seat,
            Event::Shot { bot, .. } => *bot == Some(seat),
            // The others stand still: every bullet is this seat's. The zone takes of them whatever it does.
            Event::Damage { bot, source, .. } => (*bot == seat) == (*source == Source::Zone),
            Event::Kill { by, .. } => by.contains(seat),
            _ => false,
        }
    }
}

/// The last tick of the zone that is now, if there is a smaller one to come.
fn shrinks_after(position: &Position) -> Option<u32> {
    let Terms { zone_every, max_ticks, .. } = *position.terms();
    let last = (position.tick().saturating_sub(1) / zone_every).saturating_add(1).saturating_mul(zone_every);
    (last < max_ticks && position.zone_at(last + 1) != position.zone()).then_some(last)
}

/// What is seen, all of it or a part.
fn look(seen: &Seen<Position>) -> Cow<'_, Sighted> {
    match seen {
        Seen::All(position) => Cow::Owned(Sighted::all(position)),
        Seen::Part(sighted) => Cow::Borrowed(sighted),
    }
}

/// The arena, north on top.
fn draw(sighted: &Sighted) -> String {
    let position = sighted.position();
    let (width, height) = position.size();
    let zone = position.zone();
    let symbol = |at: Tile| {
        let bot = Seat::first(position.seats()).find(|&seat| position.alive(seat) && sighted.at(seat) == Some(at));
        let powerup = position.powerups().iter().find(|powerup| powerup.at == at);
        match (bot, powerup.map(|powerup| powerup.kind)) {
            (Some(seat), _) => seat.to_string(),
            (None, _) if position.wall(at) => "#".to_owned(),
            (None, Some(PowerUpKind::Health)) => "+".to_owned(),
            (None, Some(PowerUpKind::Damage)) => "*".to_owned(),
            (None, None) if !sighted.sees(at) => "?".to_owned(),
            (None, None) => if zone.contains(at) { "." } else { "~" }.to_owned(),
        }
    };
    let rows = (0..height).rev().map(|y| (usize::from(y), (0..width).map(|x| symbol(Tile { x, y })).collect()));
    sketch(&rows.collect::<Vec<(usize, Vec<String>)>>())
}

/// The seats of each team; none where everybody plays alone.
fn sides(rules: &Rules, seats: usize) -> Json {
    let teams = usize::from(rules.terms.teams);
    let members = |team: usize| Seat::first(seats).skip(team).step_by(teams).collect::<Vec<_>>();
    (0..teams).map(|team| json!(members(team))).collect()
}

/// The zones of a match in order, each with its first and last tick.
fn zones(rules: &Rules) -> Json {
    let Ok(position) = Position::open(rules, rules.spawns.len(), &mut Seed(0).set_up()) else { return json!([]) };
    let mut zones: Vec<(Zone, u32, u32)> = Vec::new();
    for tick in 1..=rules.terms.max_ticks {
        let zone = position.zone_at(tick);
        match zones.last_mut() {
            Some((last, _, to)) if *last == zone => *to = tick,
            _ => zones.push((zone, tick, tick)),
        }
    }
    zones.into_iter().map(|(zone, from, to)| json!({ "zone": zone, "from": from, "to": to })).collect()
}

/// A small arena without walls to play single ticks on.
struct Range {
    rules: Rules,
}

impl Range {
    const WIDTH: u8 = 5;
    const HEIGHT: u8 = 2;

    /// The same rules without teams, power-ups and fog: they are told of, not shown.
    fn new(rules: &Rules) -> Range {
        let mut rules = rules.clone();
        rules.terms.teams = 0;
        rules.terms.powerups.every = 0;
        rules.terms.sight = 0;
        Range { rules }
    }

    /// One tick: the arena before it, what everybody does, and what comes of it.
    fn scene(&self, bots: &[(u8, u8)], actions: &[Action]) -> Example<Position> {
        let mut position = self.place(bots);
        let board = draw(&Sighted::all(&position));
        let joint: Joint<Action> =
            actions.iter().enumerate().map(|(index, &action)| (Seat::new(index), Order::Play(action))).collect();
        let events = position.play(&joint, &mut Seed(0).turn(0)).expect("every action is legal");
        let orders = joint.iter().filter_map(|(seat, order)| {
            order.action().map(|action| json!({ "seat": seat, "action": action.to_string() }))
        });
        Example::Group(vec![
            ("board", Example::Plain(json!(board))),
            ("orders", Example::Plain(orders.collect())),
            ("events", Example::Events(events)),
        ])
    }

    fn place(&self, bots: &[(u8, u8)]) -> Position {
        let bot = |(index, &(x, y)): (usize, &(u8, u8))| BotState {
            id: Seat::new(index),
            position: Some(Point { x, y }),
            hp: self.rules.hp,
            kills: 0,
            alive: true,
            timeouts: 0,
            place: None,
            team: None,
            boost: None,
        };
        let state = State {
            ruleset: String::new(),
            turn: 0,
            to_act: Seat::first(bots.len()).collect(),
            outcome: None,
            tick: 1,
            zone: Zone::default(),
            width: Range::WIDTH,
            height: Range::HEIGHT,
            walls: Vec::new(),
            bots: bots.iter().enumerate().map(bot).collect(),
            teams: None,
            powerups: None,
            viewer: None,
        };
        Position::from_state(&self.rules, &state).expect("an example is a sound position")
    }
}
