//! The engine beside its naive twin, on positions that need not be reachable.

use serde_json::json;

use super::{Action, Direction, Event, Game, Joint, Order, Player, Position, Rules, Seat, Seats, Seed, State};
use super::{naive, rules_with, words};
use crate::games::Dice;
use crate::games::refusal::Illegal;

/// Every action but speech, and two things to say.
fn alphabet() -> Vec<Action> {
    let mut actions = Vec::new();
    for direction in Direction::ALL {
        actions.push(Action::Move { direction });
        actions.push(Action::Shield { direction });
        actions.push(Action::Shoot { direction });
    }
    actions.push(Action::Speak { text: "hello".into() });
    actions.push(Action::Speak { text: String::new() });
    actions
}

fn between(dice: &mut Dice, low: u32, high: u32) -> u32 {
    low + dice.below(high - low + 1)
}

fn chance(dice: &mut Dice, percent: u32) -> bool {
    dice.below(100) < percent
}

/// Any position that can be set up: any size, any clutter, players and bodies anywhere. `None` where too few live.
fn any_state(rules: &Rules, dice: &mut Dice) -> Option<State> {
    let (rows, cols) = (between(dice, 1, 12), between(dice, 1, 15));
    let clutter = [0, 5, 20, 60][dice.below(4) as usize];
    let mut grid = vec![vec![0_i16; cols as usize]; rows as usize];
    for cell in grid.iter_mut().flatten() {
        if chance(dice, clutter) {
            *cell = [-1, 1, 1, 2, 9, i16::MAX][dice.below(6) as usize];
        }
    }
    let mut players: Vec<Player> = Vec::new();
    let seats = between(dice, 1, 4) as usize;
    for seat in Seat::first(seats) {
        let (row, col) = (small(dice.below(rows)), small(dice.below(cols)));
        let taken = players.iter().any(|other| other.alive && (other.row, other.col) == (row, col));
        let alive = chance(dice, 75) && !taken;
        if alive {
            grid[usize::from(row)][usize::from(col)] = 0;
        }
        let hp = u16::from(small(between(dice, u32::from(alive), 3)));
        let kills = u16::from(small(dice.below(3)));
        let shield = *dice.pick(&Direction::ALL).expect("four");
        players.push(Player { seat, row, col, hp, shield, alive, kills, place: None });
    }
    let living: Vec<Seat> = players.iter().filter(|player| player.alive).map(|player| player.seat).collect();
    if living.len() < seats.min(2) {
        return None;
    }
    let mut place = u32::try_from(living.len()).expect("few") + 1;
    for player in players.iter_mut().filter(|player| !player.alive) {
        player.place = Some(place);
        place += u32::from(chance(dice, 70));
    }
    let to_act = Seats::one(*dice.pick(&living).expect("somebody lives"));
    let round = [1, rules.max_rounds - 1, rules.max_rounds][dice.below(3) as usize];
    Some(State { ruleset: "any".into(), turn: dice.below(1000), to_act, outcome: None, round, grid, players })
}

fn small(number: u32) -> u8 {
    u8::try_from(number).expect("a small number")
}

/// Compares what is legal, and what comes of everything that is.
fn compare(rules: &Rules, state: &State) {
    let position = Position::from_state(rules, state).unwrap_or_else(|bad| panic!("{bad}: {state:?}"));
    assert_eq!(position.state("any"), *state);
    let seat = state.to_act.iter().next().expect("somebody is to act");
    let mut legal = position.legal(seat);
    let mut orders = vec![Order::Pass, Order::Forfeit];
    for action in alphabet() {
        let refused = position.check(seat, &action).err().map(|illegal| illegal.code());
        assert_eq!(refused, naive::refusal(rules, state, seat, &action), "{action} of {seat} on {state:?}");
        if refused.is_none() {
            legal.retain(|other| *other != action);
            orders.push(Order::Play(action.clone()));
            orders.push(Order::StandIn(action));
        }
    }
    assert_eq!(legal, [], "listed, but not legal for {seat} on {state:?}");
    for order in orders {
        let mut played = position.clone();
        let joint = Joint::one(seat, order.clone());
        let events = played.play(&joint, &mut Seed(0).dice()).expect("legal orders play");
        let (expected, fallen) = naive::play(rules, state, seat, &order);
        assert_eq!(played.state("any"), expected, "{order:?} of {seat} on {state:?}");
        assert_eq!(played.outcome(), expected.outcome);
        let told = events.iter().filter_map(|event| match event {
            Event::Eliminated { seat, .. } => Some(*seat),
            _ => None,
        });
        assert_eq!(told.collect::<Vec<_>>(), fallen, "{order:?} of {seat} on {state:?}");
        let ended = events.iter().any(|event| matches!(event, Event::Ended { .. }));
        assert_eq!(ended, expected.outcome.is_some(), "{:?}", events.iter().map(words).collect::<Vec<_>>());
        assert_eq!(Position::from_state(rules, &expected).as_ref(), Ok(&played), "{order:?} of {seat} on {state:?}");
    }
}

#[test]
fn the_engine_agrees_with_its_naive_twin_on_any_position() {
    let mut all = Vec::new();
    for laser in ["tee", "straight"] {
        for bodies in ["block-moves", "vanish"] {
            for speech in ["turn", "free"] {
                all.push(rules_with(&json!({
                    "base": "cowboy", "laser": laser, "bodies": bodies, "speech": speech, "max_rounds": 5,
                })));
            }
        }
    }
    let mut compared = 0;
    for case in 0..4000 {
        let mut dice = Seed(1).child("position", case).dice();
        let rules = dice.pick(&all).expect("several").clone();
        if let Some(state) = any_state(&rules, &mut dice) {
            compare(&rules, &state);
            compared += 1;
        }
    }
    assert!(compared > 2500, "{compared} positions");
}
