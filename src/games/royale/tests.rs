//! The rules of Grid Royale, line by line. Boards are drawn top first; letters are bots, `#` is a wall.

mod actions;
mod deaths;
mod movement;
mod naive;
mod powerups;
mod rulesets;
mod shooting;
mod sight;
mod states;
mod teams;
mod zone;

use std::fmt::Display;

use serde_json::{Value as Json, json};

use super::*;
use crate::games::dice::Seed;
use crate::games::ruleset::{Rules as AnyRules, Ruleset};

/// The rules of `grid-royale` with some fields changed.
fn rules(mut over: Json) -> Rules {
    over["base"] = json!("grid-royale");
    let AnyRules::Royale(rules) = Ruleset::from_json(&over).expect("a good ruleset").rules else {
        panic!("a ruleset of another game");
    };
    rules
}

/// A position to play from.
struct Scene {
    rules: Rules,
    state: State,
}

/// Tick 1 on a drawn board, with 3 hit points for everybody.
fn scene(drawing: &str) -> Scene {
    scene_of(drawing, json!({}))
}

fn scene_of(drawing: &str, over: Json) -> Scene {
    let rows: Vec<&str> = drawing.split_whitespace().rev().collect();
    let mut bots = Vec::new();
    let mut walls = Vec::new();
    for (y, row) in rows.iter().enumerate() {
        for (x, c) in row.chars().enumerate() {
            let tile = Tile { x: narrow(x), y: narrow(y) };
            match c {
                '.' => {}
                '#' => walls.push(tile),
                letter => bots.push(bot(letter, tile)),
            }
        }
    }
    bots.sort_by_key(|bot| bot.id);
    let state = State {
        ruleset: "grid-royale".to_owned(),
        turn: 0,
        to_act: bots.iter().map(|bot| bot.id).collect(),
        outcome: None,
        tick: 1,
        zone: Zone::default(),
        width: narrow(rows[0].len()),
        height: narrow(rows.len()),
        walls,
        bots,
        teams: None,
        powerups: None,
        viewer: None,
    };
    Scene { rules: rules(over), state }
}

fn bot(letter: char, at: Tile) -> BotState {
    BotState {
        id: seat(letter),
        position: Some(Point { x: at.x, y: at.y }),
        hp: 3,
        kills: 0,
        alive: true,
        timeouts: 0,
        place: None,
        team: None,
        boost: None,
    }
}

fn seat(letter: char) -> Seat {
    letter.to_string().parse().expect("a seat")
}

impl Scene {
    fn tick(mut self, tick: u32) -> Scene {
        self.state.tick = tick;
        self
    }

    /// Changes a bot.
    fn with(mut self, letter: char, change: impl FnOnce(&mut BotState)) -> Scene {
        change(&mut self.state.bots[seat(letter).index()]);
        self.state.to_act = self.state.bots.iter().filter(|bot| bot.alive).map(|bot| bot.id).collect();
        self
    }

    fn hp(self, letter: char, hp: u16) -> Scene {
        self.with(letter, |bot| bot.hp = hp)
    }

    fn powerup(mut self, x: u8, y: u8, kind: PowerUpKind) -> Scene {
        self.state.powerups.get_or_insert_default().push(PowerUpState { x, y, kind });
        self
    }

    fn position(&self) -> Position {
        Position::from_state(&self.rules, &self.state).expect("a good position")
    }

    /// Plays a tick, like `A: move east; B: forfeit`. Who is not named stays; `late` before an action makes it a
    /// stand-in.
    fn play(self, orders: &str) -> Scene {
        let (mut position, joint) = (self.position(), joint(&self.state, orders));
        position.play(&joint, &mut Seed(7).dice()).expect("a good turn");
        Scene { state: position.state("grid-royale"), ..self }
    }

    /// What happens in a tick, one JSON object each.
    fn events(&self, orders: &str) -> Vec<Json> {
        let events = self.position().play(&joint(&self.state, orders), &mut Seed(7).dice()).expect("a good turn");
        events.iter().map(|event| serde_json::to_value(event).expect("events serialise")).collect()
    }

    /// The board with the living.
    fn drawing(&self) -> String {
        let state = &self.state;
        let tile = |tile: Tile| {
            let living = state.bots.iter().find(|bot| bot.alive && bot.position.map(Point::tile) == Some(tile));
            match living {
                Some(bot) => bot.id.to_string(),
                None if state.walls.contains(&tile) => "#".to_owned(),
                None => ".".to_owned(),
            }
        };
        let row = |y| (0..state.width).map(|x| tile(Tile { x, y })).collect::<String>();
        (0..state.height).rev().map(row).collect::<Vec<_>>().join(" ")
    }

    /// Hit points in seat order.
    fn hits(&self) -> Vec<u16> {
        self.state.bots.iter().map(|bot| bot.hp).collect()
    }

    fn kills(&self) -> Vec<u16> {
        self.state.bots.iter().map(|bot| bot.kills).collect()
    }

    /// Places in seat order, 0 where it is not settled.
    fn places(&self) -> Vec<u32> {
        self.state.bots.iter().map(|bot| bot.place.unwrap_or(0)).collect()
    }

    fn reason(&self) -> Option<Reason> {
        self.state.outcome.as_ref().map(|outcome| outcome.reason)
    }

    /// All that is wrong with it, as one text.
    fn problems(&self) -> String {
        Position::from_state(&self.rules, &self.state).expect_err("a bad position").to_string()
    }
}

fn joint(state: &State, orders: &str) -> Joint<Action> {
    let stay = Action { step: Step::Stay, shoot: None };
    let mut joint: Joint<Action> = state.to_act.iter().map(|seat| (seat, Order::Play(stay))).collect();
    for order in orders.split(';').map(str::trim).filter(|order| !order.is_empty()) {
        let (letter, order) = order.split_once(": ").expect("seat: order");
        let action = |text: &str| text.parse::<Action>().expect("an action");
        let order = match order {
            "pass" => Order::Pass,
            "forfeit" => Order::Forfeit,
            _ => match order.strip_prefix("late ") {
                Some(text) => Order::StandIn(action(text)),
                None => Order::Play(action(order)),
            },
        };
        joint.set(letter.parse().expect("a seat"), order);
    }
    joint
}

/// Plays a tick and compares the board.
fn check(before: &str, orders: &str, after: &str) {
    let after: Vec<&str> = after.split_whitespace().collect();
    assert_eq!(scene(before).play(orders).drawing(), after.join(" "), "{orders}");
}

/// Plays a tick from 3 hit points each and compares those that are left.
fn check_hits(before: &str, orders: &str, hits: &[u16]) {
    assert_eq!(scene(before).play(orders).hits(), hits, "{before} {orders}");
}

fn assert_has(text: &str, part: impl Display) {
    assert!(text.contains(&part.to_string()), "`{part}` is not in: {text}");
}
