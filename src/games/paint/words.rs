//! Paint for the words that players read: its board, and the examples of its brief, played on the engine.

use serde_json::{Value as Json, json};

use super::{Action, CellContent, Direction, Event, Player, Position, Rules, State};
use crate::games::dice::Seed;
use crate::games::game::Game;
use crate::games::grid::cells_with;
use crate::games::joint::{Joint, Order};
use crate::games::seat::Seat;
use crate::games::sketch::sketch;
use crate::games::view::Seen;
use crate::games::words::{Example, Examples, PlayerTerms, PromptFiles, Term, Words, cell, prompt_files};

impl Words for Position {
    const PROMPTS: PromptFiles = prompt_files!("paint");

    fn status(seen: &Seen<Position>) -> Json {
        json!({ "turns_left": seen.whole().state("").turns_left })
    }

    fn sketch(seen: &Seen<Position>) -> String {
        draw(&seen.whole().state(""))
    }

    fn players(seen: &Seen<Position>) -> Vec<PlayerTerms> {
        let players = seen.whole().state("").players.into_iter();
        players.map(|player| PlayerTerms { seat: player.seat, context: json!(player) }).collect()
    }

    fn listed(seen: &Seen<Position>) -> Option<Vec<Term>> {
        let state = seen.whole().state("");
        let (rows, cols) = seen.whole().size();
        let at = |player: &Player| format!("{} {}", player.seat, cell(player.row, player.col));
        let players: Vec<String> = state.players.iter().map(at).collect();
        let mut lines = vec![Term::line("rows", json!({ "last_row": rows - 1, "last_col": cols - 1 }))];
        lines.extend(Term::things("obstacles", &cells_with(&state.grid, CellContent::Wall)));
        lines.extend(Term::things("players", &players));
        for player in &state.players {
            let squares = cells_with(&state.grid, CellContent::Owned(player.seat));
            lines.push(Term::line("paint", json!({ "seat": player.seat, "items": squares })));
        }
        Some(lines)
    }

    fn examples(rules: &Rules, _seats: usize) -> Examples<Position> {
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
        let played = scenes.into_iter().map(|(name, drawn, actions)| (name, scene(rules, drawn, &actions)));
        let obstacles = rules.map.cells.contains(&CellContent::Wall);
        played.chain([("obstacles", Example::Plain(json!(obstacles)))]).collect()
    }

    fn is_own_doing(event: &Event, seat: Seat) -> bool {
        match event {
            Event::Moved { seat: who, .. } | Event::Bumped { seat: who, .. } | Event::Shot { seat: who, .. } => {
                *who == seat
            }
            Event::Passed { .. } | Event::Forfeited { .. } | Event::Ended { .. } => false,
        }
    }
}

/// The board: avatars with capital letters, on paint of their own; other paint with small ones.
fn draw(state: &State) -> String {
    let mut rows: Vec<(usize, Vec<String>)> =
        state.grid.iter().map(|row| row.iter().map(|content| content.symbol()).collect()).enumerate().collect();
    for player in &state.players {
        rows[usize::from(player.row)].1[usize::from(player.col)] = player.seat.to_string();
    }
    sketch(&rows)
}

/// One turn: the board before it, what everybody does, what comes of it, and the board after.
fn scene(rules: &Rules, drawn: &[&str], actions: &[Action]) -> Example<Position> {
    let mut position = set_up(rules, drawn, actions.len());
    let before = draw(&position.state(""));
    let acting = actions.iter().enumerate().map(|(index, &action)| (Seat::new(index), Order::Play(action)));
    let joint: Joint<Action> = acting.collect();
    let events = position.play(&joint, &mut Seed(0).turn(0)).expect("an example is legal");
    Example::turn(before, &joint, events, draw(&position.state("")))
}

/// The position that is drawn, as [`draw`] would draw it.
fn set_up(rules: &Rules, drawn: &[&str], seats: usize) -> Position {
    let painted =
        |cell: char| cell.to_ascii_uppercase().to_string().parse().map_or(CellContent::Empty, CellContent::Owned);
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
