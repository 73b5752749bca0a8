//! The scene of a game that draws none of its own: the grid and the players that its state names.

use serde_json::Value as Json;

use super::{Board, Ground, Label, Meter, Piece, Point, Scene, Standing};
use crate::games::seat::Seat;

/// What a state shows by the names that all states have for things: a `grid` of rows, and players with their `seat` (or
/// `id`), `row` and `col`, `hp` or `score`, `alive` and `place`.
pub(super) fn scene(state: &Json) -> Scene {
    let number = |json: &Json, name: &str| json.get(name).and_then(Json::as_u64).and_then(|n| u32::try_from(n).ok());
    let to_act: Vec<Seat> = state["to_act"].as_array().into_iter().flatten().filter_map(seat).collect();
    let rows = state["grid"].as_array().into_iter().flatten();
    let mut board = Board::of(rows.map(|row| row.as_array().into_iter().flatten().map(ground).collect()));
    let players = players(state);
    let amount = |player: &Json| number(player, "hp").or_else(|| number(player, "score"));
    let most = players.iter().filter_map(|(_, player)| amount(player)).max().unwrap_or(0);
    let mut standings = Vec::new();
    for &(seat, player) in &players {
        let alive = player["alive"] != Json::Bool(false);
        let meter = Meter { value: amount(player).unwrap_or(0), of: most };
        if let (Some(row), Some(col)) = (player["row"].as_u64(), player["col"].as_u64()) {
            let coordinate = |n: u64| usize::try_from(n).unwrap_or(usize::MAX);
            let at = Point { row: coordinate(row), col: coordinate(col) };
            let meter = number(player, "hp").map(|_| meter);
            board.pieces.push(Piece { seat, at, alive, facing: None, meter, to_act: to_act.contains(&seat) });
        }
        let place = number(player, "place");
        let to_act = to_act.contains(&seat);
        standings.push(Standing { seat, to_act, alive, meter, amount: None, facing: None, facts: Vec::new(), place });
    }
    let turn = number(state, "turn").unwrap_or(0);
    Scene {
        ruleset: state["ruleset"].as_str().unwrap_or_default().to_owned(),
        turn,
        status: vec![Label::of("label.turn", [turn])],
        board,
        standings,
        shares: None,
        outcome: serde_json::from_value(state["outcome"].clone()).ok(),
    }
}

/// The players of a state with their seats: the first of its lists whose items each have one.
pub fn players(state: &Json) -> Vec<(Seat, &Json)> {
    let whose = |one: &Json| one.get("seat").or_else(|| one.get("id")).and_then(seat);
    let lists = state.as_object().into_iter().flat_map(|fields| fields.values()).filter_map(Json::as_array);
    let mut seated = lists.map(|list| list.iter().filter_map(|one| Some((whose(one)?, one))).collect::<Vec<_>>());
    seated.find(|players| !players.is_empty()).unwrap_or_default()
}

fn seat(json: &Json) -> Option<Seat> {
    json.as_str()?.parse().ok()
}

fn ground(value: &Json) -> Ground {
    match value {
        Json::Number(number) => match number.as_i64().unwrap_or(0) {
            0 => Ground::Empty,
            hp @ 1.. => Ground::Block { hp: u16::try_from(hp).unwrap_or(u16::MAX) },
            _ => Ground::Wall,
        },
        Json::String(text) => text.parse().map_or(Ground::Wall, |seat| Ground::Owned { seat }),
        _ => Ground::Empty,
    }
}
