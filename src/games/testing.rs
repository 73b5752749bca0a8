//! What the tests of several games do alike.

use serde_json::Value as Json;

use super::dice::Dice;
use super::game::Game;
use super::grid::CellContent;
use super::joint::{Joint, Order};
use super::seat::Seat;

/// The orders of `A move east, B pass`; a seat that is not named passes.
pub(super) fn joint<G: Game>(position: &G, orders: &str) -> Joint<G::Action> {
    let mut joint: Joint<G::Action> = position.to_act().iter().map(|seat| (seat, Order::Pass)).collect();
    for order in orders.split(", ").filter(|order| !order.is_empty()) {
        let (seat, order) = order.split_once(' ').expect("a seat and an order");
        let order = match order {
            "pass" => Order::Pass,
            "forfeit" => Order::Forfeit,
            action => Order::Play(action.parse().expect("an action")),
        };
        joint.set(seat.parse().expect("a seat"), order);
    }
    joint
}

/// A board as it is drawn, a word per row: `.`, `#`, a seat's small letter, and its letter where a piece of it stands.
pub(super) fn redrawn(grid: &[Vec<CellContent>], pieces: impl Iterator<Item = (Seat, u8, u8)>) -> String {
    let mut lines: Vec<Vec<String>> = grid.iter().map(|row| row.iter().map(|cell| cell.symbol()).collect()).collect();
    for (seat, row, col) in pieces {
        lines[usize::from(row)][usize::from(col)] = seat.to_string();
    }
    lines.iter().map(|line| line.concat()).collect::<Vec<_>>().join(" ")
}

/// The sentences about a state in which the value at a JSON pointer is another.
pub(super) fn problems<G: Game>(rules: &G::Rules, state: &G::State, pointer: &str, value: Json) -> Vec<String> {
    let mut state = serde_json::to_value(state).expect("a state serialises");
    let (parent, key) = pointer.rsplit_once('/').expect("a JSON pointer");
    match state.pointer_mut(parent).expect("the parent is there") {
        Json::Object(object) => {
            object.insert(key.to_owned(), value);
        }
        Json::Array(items) => items[key.parse::<usize>().expect("an index")] = value,
        other => panic!("{other}"),
    }
    match serde_json::from_value::<G::State>(state) {
        Err(error) => vec![error.to_string()],
        Ok(state) => G::from_state(rules, &state).err().map_or_else(Vec::new, |bad| bad.problems),
    }
}

/// A naive second implementation of a game.
pub(super) struct Twin<'a, G: Game> {
    pub(super) rules: &'a G::Rules,
    /// Of a hundred orders so many are to give up, to pass, and stand-ins.
    pub(super) odds: [u32; 3],
    /// What else holds of a seat's legal actions.
    pub(super) legal: fn(&G, Seat, &[G::Action]),
    /// The state after a turn.
    pub(super) turn: fn(&G::State, &Joint<G::Action>) -> G::State,
    /// The state as a turn's events tell it.
    pub(super) retell: fn(&G::State, &[G::Event]) -> G::State,
}

impl<G: Game> Twin<'_, G> {
    /// Plays a position to its end with random orders, compares every turn, and gives the number of turns.
    pub(super) fn compare(&self, mut position: G, dice: &mut Dice) -> u32 {
        let mut turns = 0;
        while position.outcome().is_none() {
            let orders: Joint<G::Action> =
                position.to_act().iter().map(|seat| (seat, self.order(&position, seat, dice))).collect();
            let before = position.state(G::NAME);
            let mut silent = position.clone();
            silent.resolve(&orders, dice, &mut ());
            let events = position.play(&orders, dice).expect("a legal turn");
            let after = position.state(G::NAME);
            assert_eq!(after, (self.turn)(&before, &orders), "{before:?} {orders:?}");
            assert_eq!(after, (self.retell)(&before, &events));
            assert_eq!(silent, position);
            assert_eq!(G::from_state(self.rules, &after), Ok(position.clone()));
            turns += 1;
        }
        turns
    }

    fn order(&self, position: &G, seat: Seat, dice: &mut Dice) -> Order<G::Action> {
        let legal = position.legal(seat);
        (self.legal)(position, seat, &legal);
        let mut twin = dice.clone();
        let action = position.random_legal(seat, dice);
        assert_eq!(twin.pick(&legal), Some(&action));
        let [forfeits, passes, stand_ins] = self.odds;
        match dice.below(100) {
            n if n < forfeits => Order::Forfeit,
            n if n < forfeits + passes => Order::Pass,
            n if n < forfeits + passes + stand_ins => Order::StandIn(action),
            _ => Order::Play(action),
        }
    }
}

/// Plays a random game to its end, and beside it the same one turn by turn, as [`Game::random_turn`] is meant. Gives the
/// number of turns.
pub(super) fn compare_random_turns<G: Game>(mut game: G, dice: &mut Dice) -> u32 {
    let mut turns = 0;
    loop {
        let (mut twin, mut same) = (game.clone(), dice.clone());
        if !game.random_turn(&mut Joint::new(), dice) {
            assert!(twin.is_over());
            return turns;
        }
        let joint: Joint<G::Action> =
            twin.to_act().iter().map(|seat| (seat, Order::Play(twin.random_legal(seat, &mut same)))).collect();
        twin.play(&joint, &mut same).expect("legal actions");
        assert_eq!((&game, &*dice), (&twin, &same));
        turns += 1;
    }
}
