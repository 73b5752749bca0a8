//! Transcripts of random matches. A change in them is a change in what stored matches play: read it before you accept
//! it with `UPDATE_GOLDEN=1 cargo test golden`.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::Arc;

use serde_json::{Value as Json, json};
use standoff::games::Action;
use standoff::games::{Dice, Joint, Order, Ruleset, Seat, Seed, Table, library};

/// So many turns are written, and later ones in which somebody goes out.
const SHOWN: u32 = 30;
/// The board is drawn after so many turns.
const DRAWN_EVERY: u32 = 5;

/// A match to be written down.
struct Script {
    file: String,
    ruleset: Json,
    /// The ruleset's default where nothing is said.
    players: Option<usize>,
    /// The referee uses up some turns, draws an action in others, and takes a player out in turn 12.
    lapses: bool,
}

fn scripts() -> Vec<Script> {
    let plain = library::rulesets().map(|name| Script {
        file: format!("{name}.txt"),
        ruleset: json!(name),
        players: None,
        lapses: false,
    });
    let crowded =
        library::rulesets().filter(|name| Ruleset::named(name).is_ok_and(|ruleset| ruleset.check_players(4).is_ok()));
    let crowded = crowded.map(|name| Script {
        file: format!("{name}-4.txt"),
        ruleset: json!(name),
        players: Some(4),
        lapses: true,
    });
    let frail = ["cowboy", "cowboy-classic"].map(|name| Script {
        file: format!("{name}-frail.txt"),
        ruleset: json!({ "base": name, "hp": 1, "map": "prairie" }),
        players: Some(4),
        lapses: false,
    });
    plain.chain(crowded).chain(frail).collect()
}

#[test]
fn golden_transcripts_are_what_is_played() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/it/golden");
    let update = std::env::var_os("UPDATE_GOLDEN").is_some();
    let mut on_disk: BTreeMap<String, String> = std::fs::read_dir(&folder)
        .expect("the folder is in the repository")
        .map(|entry| {
            let entry = entry.expect("a readable folder");
            let text = std::fs::read_to_string(entry.path()).expect("a transcript is a text");
            (entry.file_name().to_string_lossy().into_owned(), text)
        })
        .collect();
    for script in scripts() {
        let text = transcript(&script);
        let kept = on_disk.remove(&script.file).unwrap_or_default();
        if update {
            std::fs::write(folder.join(&script.file), &text).expect("the folder can be written to");
        } else if text != kept {
            let line = text.lines().zip(kept.lines()).take_while(|(new, old)| new == old).count();
            panic!(
                "{}:{}: the transcript says\n{}\nbut now it is\n{}",
                script.file,
                line + 1,
                kept.lines().nth(line).unwrap_or("(nothing)"),
                text.lines().nth(line).unwrap_or("(nothing)"),
            );
        }
    }
    assert!(on_disk.is_empty(), "transcripts of nothing: {:?}", on_disk.keys());
}

fn transcript(script: &Script) -> String {
    let ruleset = Arc::new(Ruleset::from_json(&script.ruleset).expect("a ruleset that can be played"));
    let players = script.players.unwrap_or(ruleset.players.default);
    let seed = Seed(7);
    let mut table = Table::open(ruleset, players, seed).expect("so many can play");
    let mut dice = seed.child("choices", 0).dice();
    let mut text = format!("ruleset {}, {players} players, seed {seed}, random choices\n\n", plain(&script.ruleset));
    text += &drawn(&table);
    let mut left_out = 0;
    while table.outcome().is_none() {
        let turn = table.turn() + 1;
        let orders = choose(&table, &mut dice, script.lapses);
        let events = table.play(&orders, &mut seed.turn((turn - 1).into())).expect("legal orders play");
        let events: Vec<String> =
            events.iter().map(|event| serde_json::to_string(event).expect("an event serialises")).collect();
        let out = events.iter().any(|event| event.contains("eliminated") || event.contains("ended"));
        if turn > SHOWN && !out && table.outcome().is_none() {
            left_out += 1;
            continue;
        }
        if left_out > 0 {
            let _ = writeln!(text, "\n… {left_out} turns …");
            left_out = 0;
        }
        let orders: Vec<String> = orders.iter().map(|(seat, order)| words(seat, order)).collect();
        let _ = writeln!(text, "\nturn {turn}   {}", orders.join("   "));
        for event in events {
            let _ = writeln!(text, "  {event}");
        }
        let _ = writeln!(text, "  state {}", table.hash());
        if turn.is_multiple_of(DRAWN_EVERY) || out {
            text.push('\n');
            text += &drawn(&table);
        }
    }
    let _ = writeln!(text, "\noutcome {}", serde_json::to_string(&table.outcome()).expect("an outcome serialises"));
    text
}

fn choose(table: &Table, dice: &mut Dice, lapses: bool) -> Joint<Action> {
    let turn = table.turn() + 1;
    let to_act: Vec<Seat> = table.to_act().iter().collect();
    let order = |&seat: &Seat| {
        let (first, last) = (Some(&seat) == to_act.first(), Some(&seat) == to_act.last());
        let order = match (lapses, turn) {
            (true, 12) if last => Order::Forfeit,
            (true, 3 | 10 | 17) if first => Order::Pass,
            (true, 5 | 8) if first => Order::StandIn(table.stand_in(seat, dice).action().clone()),
            _ => Order::Play(table.random_legal(seat, dice)),
        };
        (seat, order)
    };
    to_act.iter().map(order).collect()
}

fn words(seat: Seat, order: &Order<Action>) -> String {
    match order {
        Order::Play(action) => format!("{seat}: {action}"),
        Order::StandIn(action) => format!("{seat}: {action} (drawn by the referee)"),
        Order::Pass => format!("{seat}: pass"),
        Order::Forfeit => format!("{seat}: forfeit"),
    }
}

/// The board as it is seen, row by row, and below it whatever else the state says.
fn drawn(table: &Table) -> String {
    let mut state = serde_json::to_value(table.state()).expect("a state serialises");
    let fields = state.as_object_mut().expect("a state is an object");
    let mut text = String::new();
    let mut board = match fields.remove("grid") {
        Some(grid) => grid_rows(&grid),
        None => arena_rows(fields),
    };
    let players = ["players", "bots", "riders"].iter().find_map(|name| fields.remove(*name));
    let players = players.expect("a state has players");
    let players = players.as_array().expect("a list of players");
    for player in players {
        let (row, col) = place(player, board.len());
        let seat = player.get("seat").or(player.get("id")).and_then(Json::as_str).expect("a seat");
        let gone = player.get("alive") == Some(&json!(false));
        // A body is drawn only where nobody stands.
        if gone && board[row][col].starts_with(|c: char| c.is_ascii_uppercase()) {
            continue;
        }
        board[row][col] = if gone { "x".to_owned() } else { seat.to_owned() };
    }
    for row in board {
        let _ = writeln!(text, "  {}", row.join(" "));
    }
    for player in players {
        let _ = writeln!(text, "  {}", plain(player));
    }
    fields.remove("walls");
    let _ = writeln!(text, "  {}", plain(&state));
    text
}

/// A value with its keys in order, which the printing of the library does not promise.
fn plain(value: &Json) -> String {
    match value {
        Json::Object(fields) => {
            let fields: BTreeMap<&String, &Json> = fields.iter().collect();
            let words = fields.iter().map(|(key, value)| match value {
                Json::Object(_) => format!("{key} ({})", plain(value)),
                _ => format!("{key} {}", plain(value)),
            });
            words.collect::<Vec<_>>().join(", ")
        }
        Json::Array(items) => format!("[{}]", items.iter().map(plain).collect::<Vec<_>>().join(", ")),
        Json::String(text) => text.clone(),
        Json::Null | Json::Bool(_) | Json::Number(_) => value.to_string(),
    }
}

/// Cells with numbers as in Cowboy, or with seats as in Paint, in small letters.
fn grid_rows(grid: &Json) -> Vec<Vec<String>> {
    let cell = |value: &Json| match value {
        Json::Null => ".".to_owned(),
        Json::Number(number) if number.as_i64() == Some(0) => ".".to_owned(),
        Json::Number(number) if number.as_i64() == Some(-1) => "#".to_owned(),
        Json::String(text) => text.to_lowercase(),
        other => other.to_string(),
    };
    let rows = grid.as_array().expect("a grid is a list of rows");
    rows.iter().map(|row| row.as_array().expect("a row is a list").iter().map(cell).collect()).collect()
}

/// The arena of the royale, north up: walls, and `~` outside the zone.
fn arena_rows(state: &serde_json::Map<String, Json>) -> Vec<Vec<String>> {
    let number = |value: &Json| usize::try_from(value.as_u64().expect("a number")).expect("a small one");
    let (width, height) = (number(&state["width"]), number(&state["height"]));
    let zone = |key: &str| number(&state["zone"][key]);
    let tile = |x: usize, y: usize| {
        if state["walls"].as_array().is_some_and(|walls| walls.contains(&json!([x, y]))) {
            "#"
        } else if (zone("min_x")..=zone("max_x")).contains(&x) && (zone("min_y")..=zone("max_y")).contains(&y) {
            "."
        } else {
            "~"
        }
    };
    (0..height).rev().map(|y| (0..width).map(|x| tile(x, y).to_owned()).collect()).collect()
}

/// The row, from the top, and the column of a player.
fn place(player: &Json, height: usize) -> (usize, usize) {
    let number = |value: &Json| usize::try_from(value.as_u64().expect("a number")).expect("a small one");
    match player.get("position") {
        Some(at) => (height - 1 - number(&at["y"]), number(&at["x"])),
        None => (number(&player["row"]), number(&player["col"])),
    }
}
