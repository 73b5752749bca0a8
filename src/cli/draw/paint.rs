//! Paint: who owns which square, and who has how many.

use super::picture::{
    Badge, Bar, Board, Effect, End, Ground, Mark, Origin, Picture, Piece, Point, Shares, Standing, Step, Trail,
};
use super::{Show, text};
use crate::games::paint::{End as ShotEnd, Event, Square, State, Surface};

/// The picture of a position and of the turn that led to it.
pub(super) fn picture(show: &Show, state: &State, events: &[&Event]) -> Picture {
    let language = show.language;
    let mut board = ground(state);
    board.pieces = state
        .players
        .iter()
        .map(|player| Piece {
            seat: player.seat,
            at: Point { row: player.row.into(), col: player.col.into() },
            alive: true,
            badge: Badge::None,
            to_act: false,
        })
        .collect();
    for event in events {
        draw_event(&mut board, event);
    }
    let best = state.players.iter().map(|player| player.score).max().unwrap_or(0);
    let open = board.squares.iter().filter(|square| square.ground != Ground::Wall).count();
    Picture {
        title: text::clean(&state.ruleset),
        status: vec![language.turn(state.turn, Some(state.turn.saturating_add(state.turns_left)))],
        board,
        players: state
            .players
            .iter()
            .map(|player| Standing {
                seat: player.seat,
                name: show.name(player.seat),
                to_act: false,
                alive: !player.forfeited,
                // Against the best of them: against the whole board the differences would be too small to see.
                bar: Bar { value: player.score, of: best },
                shield: None,
                facts: player.forfeited.then(|| language.pick("gave up", "弃权").to_owned()).into_iter().collect(),
                place: player.place.map(|place| language.place(place)),
            })
            .collect(),
        shares: Some(Shares {
            seats: state.players.iter().map(|player| (player.seat, player.score)).collect(),
            of: u32::try_from(open).unwrap_or(u32::MAX),
        }),
        result: show.result(state.outcome.as_ref()),
        notes: Vec::new(),
        language,
    }
}

fn ground(state: &State) -> Board {
    let cols = state.grid.iter().map(Vec::len).max().unwrap_or(0);
    let mut board = Board::empty(state.grid.len(), cols, Origin::TopLeft);
    for (row, squares) in state.grid.iter().enumerate() {
        for (col, surface) in squares.iter().enumerate() {
            let square = board.square_mut(Point { row, col }).expect("as wide as the widest row");
            square.ground = match *surface {
                Surface::Neutral => Ground::Empty,
                Surface::Obstacle => Ground::Wall,
                Surface::Painted(seat) => Ground::Paint { seat },
            };
        }
    }
    board
}

fn draw_event(board: &mut Board, event: &Event) {
    match event {
        Event::Moved { seat, from, to } => {
            board.steps.push(Step { seat: *seat, from: point(*from), to: point(*to) });
        }
        Event::Bumped { at, .. } => board.marks.push(Mark { at: point(*at), effect: Effect::Bounced }),
        Event::Shot { seat, cells, end, .. } => {
            let shooter = board.pieces.iter().find(|piece| piece.seat == *seat).map(|piece| piece.at);
            if let (Some(from), Some(&last)) = (shooter, cells.last()) {
                let end = if *end == ShotEnd::Range { End::Spent } else { End::Through };
                board.trails.push(Trail { seat: *seat, from, to: point(last), end });
            }
        }
        Event::Passed { .. } | Event::Forfeited { .. } | Event::Ended { .. } => {}
    }
}

fn point(square: Square) -> Point {
    Point { row: square.row.into(), col: square.col.into() }
}
