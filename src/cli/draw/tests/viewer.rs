use serde_json::json;

use super::*;
use crate::cli::draw::viewer::{Key, ReplayViewer, ViewerEffect, print};

/// A match of so many turns in which somebody turns the shield.
fn viewer(turns: u32) -> ReplayViewer {
    let ruleset = json!({ "base": "cowboy-duel", "map": ["....", "....", "...."] });
    let mut state = json!({
        "turn": 0, "round": 1, "to_act": ["A"], "grid": [[0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]],
        "players": [
            { "seat": "A", "row": 0, "col": 1, "hp": 9, "shield": "up", "alive": true },
            { "seat": "B", "row": 2, "col": 1, "hp": 9, "shield": "down", "alive": true },
        ],
    });
    let played = play(&ruleset, &state, &["greedy", "random"], "A: shield up");
    let mut frames = vec![Frame { state: played.before.clone(), events: Vec::new(), notes: Vec::new() }];
    for turn in 0..turns {
        state["turn"] = json!(turn);
        frames.push(play(&ruleset, &state, &[], "A: shield up").frame());
    }
    ReplayViewer::new(played.show, frames)
}

fn press(viewer: &mut ReplayViewer, keys: &str) -> ViewerEffect {
    keys.chars().fold(ViewerEffect::Nothing, |_, key| {
        viewer.on_key(match key {
            '<' => Key::Left,
            '>' => Key::Right,
            '^' => Key::Home,
            '$' => Key::End,
            '{' => Key::PageUp,
            '}' => Key::PageDown,
            '\n' => Key::Enter,
            '\x08' => Key::Backspace,
            '\x1b' => Key::Escape,
            '\x03' => Key::Interrupt,
            key => Key::Char(key),
        })
    })
}

#[test]
fn keys_turn_the_pages_and_never_past_the_ends() {
    for (keys, at) in [
        ("", 0),
        (">", 1),
        (">>n", 3),
        (">>p", 1),
        ("<p", 0),
        ("$", 30),
        ("$>", 30),
        ("$<", 29),
        ("$^", 0),
        ("}}{", 10),
        ("}}}}", 30),
        ("g12\n", 12),
        ("g125\x08\n", 12),
        ("g999\n", 30),
        ("g99999999999999999999\n", 30),
        (">g\n", 1),
        (">g7\x1b", 1),
        ("g-3x\n", 3),
    ] {
        let mut viewer = viewer(30);
        press(&mut viewer, keys);
        assert_eq!(viewer.at(), at, "{keys:?}");
    }
}

#[test]
fn q_escape_and_ctrl_c_leave_and_escape_first_leaves_what_is_typed() {
    for (keys, effect) in [
        ("q", ViewerEffect::Quit),
        ("\x1b", ViewerEffect::Quit),
        ("\x03", ViewerEffect::Quit),
        ("g\x03", ViewerEffect::Quit),
        ("gq", ViewerEffect::Nothing),
        ("g\x1b", ViewerEffect::Redraw),
        ("g\x1b\x1b", ViewerEffect::Quit),
        ("x", ViewerEffect::Nothing),
    ] {
        assert_eq!(press(&mut viewer(3), keys), effect, "{keys:?}");
    }
}

#[test]
fn it_plays_to_the_end_and_stops_there() {
    let mut viewer = viewer(2);
    assert_eq!(viewer.on_tick(), ViewerEffect::Nothing);
    press(&mut viewer, " ");
    assert!(viewer.pause().is_some());
    assert_eq!((viewer.on_tick(), viewer.at()), (ViewerEffect::Redraw, 1));
    assert!(viewer.pause().is_some());
    assert_eq!((viewer.on_tick(), viewer.at()), (ViewerEffect::Redraw, 2));
    assert_eq!(viewer.pause(), None);
    press(&mut viewer, "k");
    assert_eq!(viewer.at(), 0, "played again it begins at the beginning");
    press(&mut viewer, ">");
    assert_eq!(viewer.pause(), None, "a step by hand stops it");
}

#[test]
fn faster_and_slower_have_their_limits() {
    let mut viewer = viewer(2);
    press(&mut viewer, " ");
    let pauses = |viewer: &mut ReplayViewer, keys| {
        press(viewer, keys);
        viewer.pause().map(|pause| pause.as_millis())
    };
    assert_eq!(pauses(&mut viewer, ""), Some(1000));
    assert_eq!(pauses(&mut viewer, "+"), Some(500));
    assert_eq!(pauses(&mut viewer, "++++++++"), Some(62));
    assert_eq!(pauses(&mut viewer, "----------"), Some(4000));
}

#[test]
fn a_screen_has_the_picture_the_place_and_the_keys() {
    let mut viewer = viewer(4);
    press(&mut viewer, ">>");
    let lines = viewer.lines(90, 12, AnsiOptions::default());
    assert_eq!(lines.len(), 12);
    assert!(lines[0].contains("cowboy-duel"), "{lines:?}");
    assert!(lines[10].starts_with("‖ 2/4  1×  ━━━━━"), "{lines:?}");
    assert!(lines[11].contains("q quit"), "{lines:?}");
    press(&mut viewer, "g3");
    assert_eq!(viewer.lines(90, 12, AnsiOptions::default())[10], "go to turn (0–4): 3_");
}

#[test]
fn a_screen_has_as_many_lines_as_there_is_room_for() {
    let viewer = viewer(1);
    for (width, height) in [(90, 7), (30, 9), (12, 8), (10, 7), (9, 7), (10, 6), (1, 1), (0, 0)] {
        let lines = viewer.lines(width, height, AnsiOptions::default());
        assert_eq!(lines.len(), height, "{width} × {height}: {lines:?}");
    }
    assert_eq!(viewer.lines(60, 6, AnsiOptions::default())[0], "too small: this board needs 10 × 7");
}

#[test]
fn without_a_terminal_the_pictures_follow_each_other() {
    let mut out = Vec::new();
    print(&viewer(2), &AnsiOptions::default(), &mut out).expect("memory can be written");
    let text = String::from_utf8(out).expect("text");
    assert_eq!(text.matches("cowboy-duel").count(), 3);
    assert!(!text.contains('\x1b'));
}
