//! Trails drawn and played by hand: who left which trail, where everybody is heading, and how much room each has.

use super::{Direction, Event, Position, RiderState, Rules, State};
use crate::games::Game as _;
use crate::games::controls::{Choice, Controls};
use crate::games::scene::{Board, Effect, Ground, Label, Meter, Piece, Point, Scene, Scenic, Standing, Tone};
use crate::games::seat::Seat;

impl Scenic for Position {
    fn scene(rules: &Rules, state: &State) -> Scene {
        let mut board = board(state);
        let piece = |rider: &RiderState| Piece {
            seat: rider.seat,
            at: place_of(rider),
            alive: rider.alive,
            facing: rider.alive.then_some(rider.facing.into()),
            meter: None,
            to_act: false,
        };
        board.pieces = state.riders.iter().map(piece).collect();
        let territory = Position::from_state(rules, state).map(|position| position.territory()).unwrap_or_default();
        let room = |rider: &RiderState| u32::from(territory.get(rider.seat.index()).copied().unwrap_or(0));
        let most = state.riders.iter().map(room).max().unwrap_or(0);
        Scene {
            ruleset: state.ruleset.clone(),
            turn: state.turn,
            status: vec![Label::of("label.turn", [state.turn, state.turn.saturating_add(state.turns_left)])],
            board,
            standings: state
                .riders
                .iter()
                .map(|rider| Standing {
                    seat: rider.seat,
                    to_act: false,
                    alive: rider.alive,
                    meter: Meter { value: room(rider), of: most },
                    amount: rider.alive.then(|| Label::of("label.room", [room(rider)])),
                    facing: rider.alive.then_some(rider.facing.into()),
                    facts: Vec::new(),
                    place: rider.place,
                })
                .collect(),
            shares: None,
            outcome: state.outcome.clone(),
        }
    }

    fn trace(_: &State, events: &[&Event], board: &mut Board) {
        for event in events {
            match event {
                Event::Moved { seat, from, to } => board.traces.step(*seat, *from, *to),
                Event::Crashed { at, .. } => board.traces.mark(*at, Effect::Killed),
                Event::Passed { .. } | Event::Forfeited { .. } | Event::Eliminated { .. } | Event::Ended { .. } => {}
            }
        }
    }

    fn tone(event: &Event) -> Tone<'_> {
        match event {
            Event::Crashed { .. } | Event::Forfeited { .. } | Event::Eliminated { .. } => Tone::Hit,
            Event::Moved { .. } | Event::Passed { .. } | Event::Ended { .. } => Tone::Plain,
        }
    }

    fn controls(_: &Rules, state: &State, seat: Seat) -> Option<Controls> {
        let board = board(state);
        let here = state.riders.iter().find(|rider| rider.seat == seat).map(place_of)?;
        let way = |way: Direction| {
            let term = format!("direction.{way}");
            Choice::new(way.name(), term).toward(way, board.ray(here, way.into()))
        };
        Some(Controls::verb_and_direction(&[("move", "action.move", 'm')], Direction::ALL.map(way).into()))
    }
}

/// The ground, without anybody on it.
fn board(state: &State) -> Board {
    Board::of(state.grid.iter().map(|row| row.iter().copied().map(Ground::from).collect()))
}

fn place_of(rider: &RiderState) -> Point {
    Point { row: rider.row.into(), col: rider.col.into() }
}
