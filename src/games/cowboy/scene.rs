//! Cowboy drawn and played by hand: walls and blocks, shields and beams.

use super::{Beam, Bodies, Cell, Direction, Event, Hit, Player, Position, Rules, State};
use crate::games::controls::{Choice, Controls};
use crate::games::scene::{Board, Effect, End, Ground, Label, Meter, Piece, Point, Scene, Scenic, Standing};
use crate::games::scene::{Tone, Turned};
use crate::games::seat::Seat;

impl Scenic for Position {
    fn scene(rules: &Rules, state: &State) -> Scene {
        // After the last round the count stands one past it.
        let round = state.round.min(rules.max_rounds);
        let most = state.players.iter().map(|player| player.hp).max().unwrap_or(1);
        let meter = |player: &Player| Meter { value: player.hp.into(), of: rules.hp.max(most).into() };
        let mut board = board(state);
        let seen = state.players.iter().filter(|player| player.alive || rules.bodies == Bodies::BlockMoves);
        board.pieces = seen
            .map(|player| Piece {
                seat: player.seat,
                at: place_of(player),
                alive: player.alive,
                facing: player.alive.then_some(player.shield.into()),
                meter: player.alive.then(|| meter(player)),
                to_act: state.to_act.contains(player.seat),
            })
            .collect();
        Scene {
            ruleset: state.ruleset.clone(),
            turn: state.turn,
            status: vec![Label::of("label.round", [round, rules.max_rounds]), Label::of("label.turn", [state.turn])],
            board,
            standings: state
                .players
                .iter()
                .map(|player| Standing {
                    seat: player.seat,
                    to_act: state.to_act.contains(player.seat),
                    alive: player.alive,
                    meter: meter(player),
                    amount: Some(Label::of("label.hp", [player.hp.into()])),
                    facing: player.alive.then_some(player.shield.into()),
                    facts: vec![Label::of("label.kills", [player.kills.into()])],
                    place: player.place,
                })
                .collect(),
            shares: None,
            outcome: state.outcome.clone(),
        }
    }

    fn trace(state: &State, events: &[&Event], board: &mut Board) {
        for event in events {
            match event {
                Event::Moved { seat, from, to } => board.traces.step(*seat, *from, *to),
                Event::Shot { seat, direction, entry, beams } => trace_shot(board, *seat, *direction, *entry, beams),
                Event::Eliminated { seat, .. } => {
                    for player in state.players.iter().filter(|player| player.seat == *seat) {
                        board.traces.mark(place_of(player), Effect::Killed);
                    }
                }
                Event::Shielded { seat, direction } => {
                    board.traces.turned.push(Turned { seat: *seat, facing: (*direction).into(), beat: 0 });
                }
                Event::Spoke { .. } | Event::Passed { .. } | Event::Forfeited { .. } | Event::Ended { .. } => {}
            }
        }
    }

    fn tone(event: &Event) -> Tone<'_> {
        match event {
            Event::Spoke { seat, text } => Tone::Speech { seat: *seat, text },
            Event::Eliminated { .. } | Event::Forfeited { .. } => Tone::Hit,
            Event::Shot { beams, .. } if beams.iter().any(|beam| matches!(beam.hit, Hit::Player { .. })) => Tone::Hit,
            Event::Moved { .. }
            | Event::Shielded { .. }
            | Event::Shot { .. }
            | Event::Passed { .. }
            | Event::Ended { .. } => Tone::Plain,
        }
    }

    fn controls(_: &Rules, state: &State, seat: Seat) -> Option<Controls> {
        let board = board(state);
        let here = state.players.iter().find(|player| player.seat == seat).map(place_of)?;
        let verbs = [("move", "action.move", 'm'), ("shield", "action.shield", 'h'), ("shoot", "action.shoot", 's')];
        let way = |way: Direction| {
            let term = format!("direction.{way}");
            Choice::new(way.name(), term).toward(way, board.ray(here, way.into()))
        };
        Some(Controls::verb_and_direction(&verbs, Direction::ALL.map(way).into()))
    }
}

/// The ground, without anybody on it.
fn board(state: &State) -> Board {
    let ground = |&value: &i16| match value {
        0 => Ground::Empty,
        hp @ 1.. => Ground::Block { hp: hp.unsigned_abs() },
        ..0 => Ground::Wall,
    };
    Board::of(state.grid.iter().map(|row| row.iter().map(ground).collect()))
}

/// The stem of the T, if it is one, and the beams with what they did.
fn trace_shot(board: &mut Board, seat: Seat, direction: Direction, entry: Option<Cell>, beams: &[Beam]) {
    if let Some(entry) = entry {
        board.traces.beam(seat, entry.step(direction.opposite()), entry, End::Spent);
    }
    for beam in beams {
        let (end, effect) = match beam.hit {
            Hit::Edge => (End::Through, None),
            Hit::Wall => (End::Face, None),
            // Nothing is left to stop at.
            Hit::Block { left: 0 } => (End::Spent, Some(Effect::Hit)),
            Hit::Block { .. } | Hit::Player { blocked: false, .. } => (End::Face, Some(Effect::Hit)),
            Hit::Player { blocked: true, .. } => (End::Face, Some(Effect::Blocked)),
        };
        board.traces.beam(seat, beam.from, beam.to, end);
        if let Some(effect) = effect {
            board.traces.mark(beam.to, effect);
        }
    }
}

fn place_of(player: &Player) -> Point {
    Point { row: player.row.into(), col: player.col.into() }
}
