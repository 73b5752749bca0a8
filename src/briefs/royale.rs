//! Grid Royale in words: its arena, and the examples of its brief, played on the engine.

use serde_json::{Map as JsonMap, Value as Json, json};

use super::book::Book;
use super::language::Language;
use super::sketch::sketch;
use super::style::{Line, line};
use super::turn::{View, event_sentence};
use crate::games::dice::Seed;
use crate::games::game::Game;
use crate::games::joint::{Joint, Order};
use crate::games::royale::{Action, BotState, Direction, Kind, Point, Position, Rules, State, Step, Terms, Tile, Zone};
use crate::games::seat::Seat;
use crate::games::table;

/// The position, drawn and listed.
pub(super) fn view(position: &Position, you: Option<Seat>, book: &Book) -> View {
    let state = position.state("");
    let bots = state.bots.iter().map(|bot| {
        let mut context = json!(bot);
        context["you"] = json!(you == Some(bot.id));
        context["outside"] = json!(!state.zone.contains(bot.position.tile()));
        book.render("board.royale.player", context)
    });
    let status = json!({
        "tick": state.tick.min(position.terms().max_ticks),
        "max_ticks": position.terms().max_ticks,
        "zone": state.zone,
        "shrinks_after": shrinks_after(position),
    });
    View { status: book.render("board.royale.status", status), grid: draw(position), players: bots.collect() }
}

/// The position as a list of what is where.
pub(super) fn listed(position: &Position) -> Vec<Line> {
    let (width, height) = position.size();
    let tiles = (0..height).flat_map(|y| (0..width).map(move |x| Tile { x, y }));
    let walls: Vec<String> = tiles.filter(|&at| position.wall(at)).map(|at| at.to_string()).collect();
    let living = Seat::first(position.seats()).filter(|&seat| position.alive(seat));
    let bots: Vec<String> = living.map(|seat| format!("{seat} {}", position.at(seat))).collect();
    let lying = |kind: Kind| -> Vec<String> {
        let powerups = position.powerups().iter().filter(move |powerup| powerup.kind == kind);
        powerups.map(|powerup| powerup.at.to_string()).collect()
    };
    let things = [
        line("walls", &walls),
        line("players", &bots),
        line("health", &lying(Kind::Health)),
        line("damage", &lying(Kind::Damage)),
    ];
    let mut lines = vec![("tiles", json!({ "last_x": width - 1, "last_y": height - 1 }))];
    lines.extend(things.into_iter().flatten());
    lines.push(("zone", json!({ "zone": position.zone() })));
    lines
}

/// The last tick of the zone that is now, if there is a smaller one to come.
fn shrinks_after(position: &Position) -> Option<u32> {
    let Terms { zone_every, max_ticks, .. } = *position.terms();
    let last = (position.tick().saturating_sub(1) / zone_every).saturating_add(1).saturating_mul(zone_every);
    (last < max_ticks && position.zone_at(last + 1) != position.zone()).then_some(last)
}

/// The arena, north on top.
fn draw(position: &Position) -> String {
    let (width, height) = position.size();
    let zone = position.zone();
    let symbol = |at: Tile| {
        let bot = Seat::first(position.seats()).find(|&seat| position.alive(seat) && position.at(seat) == at);
        let powerup = position.powerups().iter().find(|powerup| powerup.at == at);
        match (bot, powerup.map(|powerup| powerup.kind)) {
            (Some(seat), _) => seat.to_string(),
            (None, _) if position.wall(at) => "#".to_owned(),
            (None, Some(Kind::Health)) => "+".to_owned(),
            (None, Some(Kind::Damage)) => "*".to_owned(),
            (None, None) => if zone.contains(at) { "." } else { "~" }.to_owned(),
        }
    };
    let rows = (0..height).rev().map(|y| (usize::from(y), (0..width).map(|x| symbol(Tile { x, y })).collect()));
    sketch(&rows.collect::<Vec<(usize, Vec<String>)>>())
}

/// What the brief shows beside the fields of the ruleset.
pub(super) fn examples(rules: &Rules, seats: usize, language: Language) -> JsonMap<String, Json> {
    let go = |step: Step| Action { step, shoot: None };
    let fire = |step: Step| Action { step, shoot: Some(Direction::East) };
    let range = Range::new(rules, language);
    let scenes = [
        ("late", range.scene(&[(1, 0), (2, 0)], &[fire(Step::Stay), go(Step::North)])),
        ("lead", range.scene(&[(1, 0), (2, 0)], &[fire(Step::North), go(Step::North)])),
        ("bump", range.scene(&[(1, 0), (3, 0)], &[go(Step::East), go(Step::West)])),
        ("swap", range.scene(&[(1, 0), (2, 0)], &[go(Step::East), go(Step::West)])),
        ("queue", range.scene(&[(1, 0), (2, 0), (3, 0)], &[go(Step::East), go(Step::East), go(Step::Stay)])),
    ];
    let mut examples: JsonMap<String, Json> =
        scenes.into_iter().map(|(name, scene)| (name.to_owned(), scene)).collect();
    examples.insert("zones".into(), zones(&range.rules));
    examples.insert("sides".into(), sides(rules, seats));
    examples
}

/// The seats of each team; none where everybody plays alone.
fn sides(rules: &Rules, seats: usize) -> Json {
    let teams = usize::from(rules.terms.teams);
    let members = |team: usize| Seat::first(seats).skip(team).step_by(teams).collect::<Vec<_>>();
    (0..teams).map(|team| json!(members(team))).collect()
}

/// The zones of a match in order, each with its first and last tick.
fn zones(rules: &Rules) -> Json {
    let Ok(position) = Position::open(rules, rules.spawns.len(), &mut Seed(0).opening()) else { return json!([]) };
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
    language: Language,
}

impl Range {
    const WIDTH: u8 = 5;
    const HEIGHT: u8 = 2;

    /// The same rules without teams and power-ups: they are told of, not shown.
    fn new(rules: &Rules, language: Language) -> Range {
        let mut rules = rules.clone();
        rules.terms.teams = 0;
        rules.terms.powerups.every = 0;
        Range { rules, language }
    }

    /// One tick: the arena before it, what everybody does, and what comes of it.
    fn scene(&self, bots: &[(u8, u8)], actions: &[Action]) -> Json {
        let mut position = self.place(bots);
        let board = draw(&position);
        let joint: Joint<Action> =
            actions.iter().enumerate().map(|(index, &action)| (Seat::new(index), Order::Play(action))).collect();
        let events = position.play(&joint, &mut Seed(0).turn(0)).expect("every action is legal");
        let tell = |event| event_sentence(&table::Event::Royale(event), self.language);
        let orders = joint.iter().filter_map(|(seat, order)| {
            order.action().map(|action| json!({ "seat": seat, "action": action.to_string() }))
        });
        json!({
            "board": board,
            "orders": orders.collect::<Vec<_>>(),
            "events": events.into_iter().map(tell).collect::<Vec<_>>(),
        })
    }

    fn place(&self, bots: &[(u8, u8)]) -> Position {
        let bot = |(index, &(x, y)): (usize, &(u8, u8))| BotState {
            id: Seat::new(index),
            position: Point { x, y },
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
        };
        Position::from_state(&self.rules, &state).expect("an example is a sound position")
    }
}
