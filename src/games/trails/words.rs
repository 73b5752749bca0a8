//! Trails for the words that players read: its board, and the examples of its brief, played on the engine.

use serde_json::{Value as Json, json};

use super::board::Board;
use super::{Action, Cell, CellContent, Direction, Event, MAX_SEATS, Obstacle, Position, Rider, Rules, State, narrow};
use crate::games::dice::Seed;
use crate::games::game::Game;
use crate::games::grid::cells_with;
use crate::games::joint::{Joint, Order};
use crate::games::seat::Seat;
use crate::games::sketch::sketch;
use crate::games::view::Seen;
use crate::games::words::{Example, Examples, PlayerTerms, PromptFiles, Term, Words, cell, prompt_files};

impl Words for Position {
    const PROMPTS: PromptFiles = prompt_files!("trails");

    fn status(seen: &Seen<Position>) -> Json {
        json!({ "turns_left": seen.whole().turns_left() })
    }

    fn sketch(seen: &Seen<Position>) -> String {
        draw(&seen.whole().state(""))
    }

    fn players(seen: &Seen<Position>) -> Vec<PlayerTerms> {
        let riders = seen.whole().state("").riders.into_iter();
        riders.map(|rider| PlayerTerms { seat: rider.seat, context: json!(rider) }).collect()
    }

    fn listed(seen: &Seen<Position>) -> Option<Vec<Term>> {
        let state = seen.whole().state("");
        let (rows, cols) = seen.whole().size();
        let riding = state.riders.iter().filter(|rider| rider.alive);
        let players: Vec<String> =
            riding.map(|rider| format!("{} {}", rider.seat, cell(rider.row, rider.col))).collect();
        let mut lines = vec![Term::line("rows", json!({ "last_row": rows - 1, "last_col": cols - 1 }))];
        lines.extend(Term::things("walls", &cells_with(&state.grid, CellContent::Wall)));
        lines.extend(Term::things("players", &players));
        for rider in &state.riders {
            let trail = cells_with(&state.grid, CellContent::Owned(rider.seat));
            if !trail.is_empty() {
                lines.push(Term::line("trail", json!({ "seat": rider.seat, "items": trail })));
            }
        }
        Some(lines)
    }

    fn examples(rules: &Rules, _seats: usize) -> Examples<Position> {
        use Direction::{Down, Left, Right};
        vec![
            ("meet", scene(&["aA.Bb"], &[(Right, Right), (Left, Left)])),
            ("swap", scene(&["aABb"], &[(Right, Right), (Left, Left)])),
            ("follow", scene(&["..b.", "aAB.", "...."], &[(Right, Right), (Down, Right)])),
            ("walls", Example::Plain(json!(rules.map.cells.contains(&true)))),
        ]
    }

    /// What somebody runs into that is there already is certain; whom it meets is not.
    fn is_own_doing(event: &Event, seat: Seat) -> bool {
        match event {
            Event::Moved { seat: who, .. } => *who == seat,
            Event::Crashed { seat: who, into, .. } => *who == seat && !matches!(into, Obstacle::Riders { .. }),
            Event::Passed { .. } | Event::Forfeited { .. } | Event::Eliminated { .. } | Event::Ended { .. } => false,
        }
    }
}

/// The board: riders with capital letters, trails with small ones.
fn draw(state: &State) -> String {
    let mut rows: Vec<(usize, Vec<String>)> =
        state.grid.iter().map(|row| row.iter().map(|content| content.symbol()).collect()).enumerate().collect();
    for rider in state.riders.iter().filter(|rider| rider.alive) {
        rows[usize::from(rider.row)].1[usize::from(rider.col)] = rider.seat.to_string();
    }
    sketch(&rows)
}

/// One turn: the board before it, what everybody does, what comes of it, and the board after. Each rider has the way that
/// it faces and the way that it goes.
fn scene(drawn: &[&str], riders: &[(Direction, Direction)]) -> Example<Position> {
    let mut position = set_up(drawn, riders);
    let before = draw(&position.state(""));
    let acting = Seat::first(riders.len()).zip(riders);
    let joint: Joint<Action> =
        acting.map(|(seat, &(_, direction))| (seat, Order::Play(Action::Move { direction }))).collect();
    let mut events = position.play(&joint, &mut Seed(0).turn(0)).expect("an example is legal");
    events.retain(|event| matches!(event, Event::Moved { .. } | Event::Crashed { .. }));
    Example::turn(before, &joint, events, draw(&position.state("")))
}

/// The corner of a board that is drawn, as [`draw`] would draw it.
fn set_up(drawn: &[&str], ways: &[(Direction, Direction)]) -> Position {
    let content = |symbol: char| match symbol {
        'a'..='d' => symbol.to_ascii_uppercase().to_string().parse().map_or(CellContent::Empty, CellContent::Owned),
        _ => CellContent::Empty,
    };
    let board = Board::of(drawn.len(), drawn[0].len(), drawn.iter().flat_map(|row| row.chars()).map(content));
    let mut riders = [Rider::NOBODY; MAX_SEATS];
    for (row, line) in (0..).zip(drawn) {
        for (col, symbol) in (0..).zip(line.chars()) {
            let seat = symbol.is_ascii_uppercase().then(|| symbol.to_string().parse::<Seat>().ok()).flatten();
            if let Some(seat) = seat.map(Seat::index) {
                riders[seat] = Rider { at: board.spot(Cell { row, col }), facing: ways[seat].0, place: 0 };
            }
        }
    }
    let (seats, riding) = (narrow(ways.len()), (1 << ways.len()) - 1);
    Position { board, riders, turn: 0, turns_left: 2, seats, riding, over: None }
}
