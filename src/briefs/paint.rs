//! Paint in words: its board, and the examples of its brief, played on the engine.

use serde_json::{Map as JsonMap, Value as Json, json};

use super::book::Book;
use super::language::Language;
use super::sketch::sketch;
use super::style::{Line, cell, line};
use super::turn::{View, event_sentence};
use crate::games::dice::Seed;
use crate::games::game::Game;
use crate::games::joint::{Joint, Order};
use crate::games::paint::{Action, Direction, Player, Position, Rules, State, Surface};
use crate::games::seat::Seat;
use crate::games::table;

/// The position, drawn and listed.
pub(super) fn view(position: &Position, you: Option<Seat>, book: &Book) -> View {
    let state = position.state("");
    let players = state.players.iter().map(|player| {
        let mut context = json!(player);
        context["you"] = json!(you == Some(player.seat));
        book.render("board.paint.player", context)
    });
    View {
        status: book.render("board.paint.status", json!({ "turns_left": state.turns_left })),
        grid: draw(&state),
        players: players.collect(),
    }
}

/// The position as a list of what is where.
pub(super) fn listed(position: &Position) -> Vec<Line> {
    let state = position.state("");
    let (rows, cols) = position.size();
    let of = |wanted: Surface| -> Vec<String> {
        let cells =
            state.grid.iter().enumerate().flat_map(|(row, line)| line.iter().enumerate().map(move |at| (row, at)));
        cells.filter(|(_, (_, surface))| **surface == wanted).map(|(row, (col, _))| cell(row, col)).collect()
    };
    let at = |player: &Player| format!("{} {}", player.seat, cell(player.row, player.col));
    let players: Vec<String> = state.players.iter().map(at).collect();
    let mut lines = vec![("rows", json!({ "last_row": rows - 1, "last_col": cols - 1 }))];
    lines.extend(line("obstacles", &of(Surface::Obstacle)));
    lines.extend(line("players", &players));
    for player in &state.players {
        lines.push(("paint", json!({ "seat": player.seat, "items": of(Surface::Painted(player.seat)) })));
    }
    lines
}

/// The board: avatars with capital letters, on paint of their own; other paint with small ones.
fn draw(state: &State) -> String {
    let symbol = |surface: &Surface| match surface {
        Surface::Neutral => ".".to_owned(),
        Surface::Obstacle => "#".to_owned(),
        Surface::Painted(seat) => seat.to_string().to_lowercase(),
    };
    let mut rows: Vec<(usize, Vec<String>)> =
        state.grid.iter().map(|row| row.iter().map(symbol).collect()).enumerate().collect();
    for player in &state.players {
        rows[usize::from(player.row)].1[usize::from(player.col)] = player.seat.to_string();
    }
    sketch(&rows)
}

/// What the brief shows beside the fields of the ruleset.
pub(super) fn examples(rules: &Rules, language: Language) -> JsonMap<String, Json> {
    use Direction::{East, West};
    let go = |direction| Action::Move { direction };
    let fire = |direction| Action::Shoot { direction };
    let scenes: [(&str, &[&str], Vec<Action>); 7] = [
        ("ranges", &["......B.", "........", "aaaA...."], vec![fire(East), fire(West)]),
        ("stopped", &["aaaAb.B."], vec![fire(East), fire(East)]),
        ("head_on_odd", &["aaA...Bbb"], vec![fire(East), fire(West)]),
        ("head_on_even", &["aaA..Bbb"], vec![fire(East), fire(West)]),
        ("bump", &[".A.B."], vec![go(East), go(West)]),
        ("swap", &[".AB.."], vec![go(East), go(West)]),
        ("queue", &[".ABC."], vec![go(East), go(East), fire(East)]),
    ];
    let played =
        scenes.into_iter().map(|(name, drawn, actions)| (name.into(), scene(rules, drawn, &actions, language)));
    let mut examples: JsonMap<String, Json> = played.collect();
    let obstacles = rules.map.cells.contains(&Surface::Obstacle);
    examples.insert("obstacles".into(), json!(obstacles));
    examples
}

/// One turn: the board before it, what everybody does, what comes of it, and the board after.
fn scene(rules: &Rules, drawn: &[&str], actions: &[Action], language: Language) -> Json {
    let mut position = set_up(rules, drawn, actions.len());
    let before = draw(&position.state(""));
    let acting = actions.iter().enumerate().map(|(index, &action)| (Seat::new(index), Order::Play(action)));
    let joint: Joint<Action> = acting.collect();
    let events = position.play(&joint, &mut Seed(0).turn(0)).expect("an example is legal");
    let tell = |event| event_sentence(&table::Event::Paint(event), language);
    let orders = joint
        .iter()
        .filter_map(|(seat, order)| order.action().map(|action| json!({ "seat": seat, "action": action.to_string() })));
    json!({
        "board": before,
        "orders": orders.collect::<Vec<_>>(),
        "events": events.into_iter().map(tell).collect::<Vec<_>>(),
        "after": draw(&position.state("")),
    })
}

/// The position that is drawn, as [`draw`] would draw it.
fn set_up(rules: &Rules, drawn: &[&str], seats: usize) -> Position {
    let painted = |cell: char| cell.to_ascii_uppercase().to_string().parse().map_or(Surface::Neutral, Surface::Painted);
    let find = |seat: Seat| {
        let cells = drawn.iter().enumerate().flat_map(|(row, line)| line.chars().enumerate().map(move |at| (row, at)));
        let mut here = cells.filter(|(_, (_, cell))| cell.to_string() == seat.to_string());
        let (row, (col, _)) = here.next().expect("every seat is drawn");
        (u8::try_from(row).expect("a small board"), u8::try_from(col).expect("a small board"))
    };
    let player = |seat: Seat| {
        let (row, col) = find(seat);
        Player { seat, row, col, score: 0, forfeited: false, place: None }
    };
    let state = State {
        ruleset: String::new(),
        turn: 0,
        to_act: Seat::first(seats).collect(),
        outcome: None,
        // One more than is played, so that no example ends the match.
        turns_left: 2,
        grid: drawn.iter().map(|row| row.chars().map(painted).collect()).collect(),
        players: Seat::first(seats).map(player).collect(),
    };
    Position::from_state(rules, &state).expect("an example is a sound position")
}
