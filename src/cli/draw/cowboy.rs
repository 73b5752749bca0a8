//! Cowboy: walls and blocks, shields and beams.

use super::picture::{
    Badge, Bar, Board, Effect, End, Ground, Mark, Note, Origin, Picture, Piece, Point, Standing, Step, Trail,
};
use super::{Show, text};
use crate::games::cowboy::{Beam, Bodies, Cell, Event, Hit, Player, State};
use crate::games::ruleset::Rules;
use crate::games::seat::Seat;

/// The picture of a position and of the turn that led to it.
pub(super) fn picture(show: &Show, state: &State, events: &[&Event]) -> Picture {
    let language = show.language;
    let rules = if let Rules::Cowboy(rules) = &show.ruleset.rules { Some(rules) } else { None };
    let bodies_stay = rules.is_none_or(|rules| rules.bodies == Bodies::BlockMoves);
    let max_rounds = rules.map(|rules| rules.max_rounds);
    // After the last round the count stands one past it.
    let round = max_rounds.map_or(state.round, |most| state.round.min(most));
    let mut board = board(state, bodies_stay);
    let mut notes = Vec::new();
    for event in events {
        match event {
            Event::Moved { seat, from, to } => {
                board.steps.push(Step { seat: *seat, from: point(*from), to: point(*to) });
            }
            Event::Shot { seat, entry, beams, .. } => draw_shot(&mut board, *seat, *entry, beams),
            Event::Eliminated { seat, .. } => {
                let fallen = state.players.iter().filter(|player| player.seat == *seat);
                board.marks.extend(fallen.map(|player| Mark { at: place_of(player), effect: Effect::Killed }));
            }
            Event::Spoke { seat, text } => notes.push(Note::said(*seat, text)),
            Event::Shielded { .. } | Event::Passed { .. } | Event::Forfeited { .. } | Event::Ended { .. } => {}
        }
    }
    let most = state.players.iter().map(|player| player.hp).max().unwrap_or(1);
    let full = rules.map_or(most, |rules| rules.hp.max(most));
    Picture {
        title: text::clean(&state.ruleset),
        status: vec![language.round(round, max_rounds), language.turn(state.turn, None)],
        board,
        players: state
            .players
            .iter()
            .map(|player| Standing {
                seat: player.seat,
                name: show.name(player.seat),
                to_act: state.to_act.contains(player.seat),
                alive: player.alive,
                bar: Bar { value: player.hp.into(), of: full.into() },
                shield: player.alive.then_some(player.shield),
                facts: vec![language.kills(player.kills.into())],
                place: player.place.map(|place| language.place(place)),
            })
            .collect(),
        shares: None,
        result: show.result(state.outcome.as_ref()),
        notes,
        language,
    }
}

fn board(state: &State, bodies_stay: bool) -> Board {
    let cols = state.grid.iter().map(Vec::len).max().unwrap_or(0);
    let mut board = Board::empty(state.grid.len(), cols, Origin::TopLeft);
    for (row, cells) in state.grid.iter().enumerate() {
        for (col, &value) in cells.iter().enumerate() {
            let square = board.square_mut(Point { row, col }).expect("as wide as the widest row");
            square.ground = match value {
                0 => Ground::Empty,
                hp if hp > 0 => Ground::Block { hp: hp.unsigned_abs() },
                _ => Ground::Wall,
            };
        }
    }
    let seen = state.players.iter().filter(|player| player.alive || bodies_stay);
    board.pieces = seen
        .map(|player| Piece {
            seat: player.seat,
            at: place_of(player),
            alive: player.alive,
            badge: if player.alive { Badge::Shield(player.shield) } else { Badge::None },
            to_act: state.to_act.contains(player.seat),
        })
        .collect();
    board
}

/// The stem of the T, if it is one, and the beams with what they did.
fn draw_shot(board: &mut Board, seat: Seat, entry: Option<Cell>, beams: &[Beam]) {
    if let Some(entry) = entry {
        let shooter = board.pieces.iter().find(|piece| piece.seat == seat).map(|piece| piece.at);
        let to = point(entry);
        board.trails.extend(shooter.map(|from| Trail { seat, from, to, end: End::Spent }));
    }
    for beam in beams {
        let (from, to) = (point(beam.from), point(beam.to));
        let (end, effect) = match beam.hit {
            Hit::Edge => (End::Through, None),
            Hit::Wall => (End::Face, None),
            // Nothing is left to stop at.
            Hit::Block { left: 0 } => (End::Spent, Some(Effect::Hit)),
            Hit::Block { .. } | Hit::Player { blocked: false, .. } => (End::Face, Some(Effect::Hit)),
            Hit::Player { blocked: true, .. } => (End::Face, Some(Effect::Blocked)),
        };
        board.trails.push(Trail { seat, from, to, end });
        board.marks.extend(effect.map(|effect| Mark { at: to, effect }));
    }
}

fn point(cell: Cell) -> Point {
    Point { row: cell.row.into(), col: cell.col.into() }
}

fn place_of(player: &Player) -> Point {
    Point { row: player.row.into(), col: player.col.into() }
}
