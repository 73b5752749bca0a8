//! Paint drawn and played by hand: who owns which square, and who has how many.

use super::{Direction, Event, Player, Position, Rules, ShotEnd, State};
use crate::games::controls::{Choice, Controls};
use crate::games::scene::Tone;
use crate::games::scene::{Board, Effect, End, Ground, Label, Meter, Piece, Point, Scene, Scenic, Shares, Standing};
use crate::games::seat::Seat;

impl Scenic for Position {
    fn scene(_: &Rules, state: &State) -> Scene {
        let mut board = board(state);
        let piece = |player: &Player| Piece {
            seat: player.seat,
            at: place_of(player),
            alive: true,
            facing: None,
            meter: None,
            to_act: false,
        };
        board.pieces = state.players.iter().map(piece).collect();
        let best = state.players.iter().map(|player| player.score).max().unwrap_or(0);
        let open = board.iter().filter(|(_, square)| square.ground != Ground::Wall).count();
        let turns = state.turn.saturating_add(state.turns_left);
        Scene {
            ruleset: state.ruleset.clone(),
            turn: state.turn,
            status: vec![Label::of("label.turn", [state.turn, turns])],
            board,
            standings: state
                .players
                .iter()
                .map(|player| Standing {
                    seat: player.seat,
                    to_act: false,
                    alive: !player.forfeited,
                    // Against the best of them: against the whole board the differences would be too small to see.
                    meter: Meter { value: player.score, of: best },
                    amount: Some(Label::of("label.squares", [player.score])),
                    facing: None,
                    facts: player.forfeited.then(|| Label::new("label.gave_up")).into_iter().collect(),
                    place: player.place,
                })
                .collect(),
            shares: Some(Shares {
                seats: state.players.iter().map(|player| (player.seat, player.score)).collect(),
                of: u32::try_from(open).unwrap_or(u32::MAX),
            }),
            outcome: state.outcome.clone(),
        }
    }

    fn trace(_: &State, events: &[&Event], board: &mut Board) {
        for event in events {
            match event {
                Event::Moved { seat, from, to } => board.traces.step(*seat, *from, *to),
                Event::Bumped { at, .. } => board.traces.mark(*at, Effect::Bounced),
                Event::Shot { seat, cells, end, .. } => {
                    let shooter = board.piece_of(*seat).map(|piece| piece.at);
                    if let (Some(from), Some(&last)) = (shooter, cells.last()) {
                        let end = if *end == ShotEnd::Range { End::Spent } else { End::Through };
                        board.traces.beam(*seat, from, last, end);
                    }
                }
                Event::Passed { .. } | Event::Forfeited { .. } | Event::Ended { .. } => {}
            }
        }
    }

    fn tone(event: &Event) -> Tone<'_> {
        match event {
            Event::Forfeited { .. } => Tone::Hit,
            Event::Moved { .. }
            | Event::Bumped { .. }
            | Event::Shot { .. }
            | Event::Passed { .. }
            | Event::Ended { .. } => Tone::Plain,
        }
    }

    fn controls(_: &Rules, state: &State, seat: Seat) -> Option<Controls> {
        let board = board(state);
        let here = state.players.iter().find(|player| player.seat == seat).map(place_of)?;
        let verbs = [("move", "action.move", 'm'), ("shoot", "action.shoot", 's')];
        let way =
            |way: Direction| Choice::new(way.name(), format!("direction.{way}")).toward(way, board.ray(here, way));
        Some(Controls::verb_and_direction(&verbs, Direction::ALL.map(way).into()))
    }
}

/// The ground, without anybody on it.
fn board(state: &State) -> Board {
    Board::of(state.grid.iter().map(|row| row.iter().copied().map(Ground::from).collect()))
}

fn place_of(player: &Player) -> Point {
    Point { row: player.row.into(), col: player.col.into() }
}
