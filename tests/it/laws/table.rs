//! The laws as the rest of the program meets them: through a table, in notation and JSON.

use std::sync::Arc;

use standoff::games::{Action, Code, Event, GameId, Joint, Order, Ruleset, Seat, Seed, Table, Viewer};

use super::{check_places, notations, reading, some, worth_a_look};

/// Plays one random match and holds every position of it to the laws.
pub(super) fn laws(ruleset: &Arc<Ruleset>, seats: usize, seed: Seed) {
    let open = || Table::open(ruleset.clone(), seats, seed).expect("so many can play");
    let mut table = open();
    assert_eq!((table.turn(), table.seats()), (0, seats));
    let notations: Vec<String> = notations()
        .into_iter()
        .filter(|text| table.read(text).is_ok_and(|(action, _)| action.to_string() == *text))
        .collect();
    let mut played = Vec::new();
    let mut dice = seed.child("choices", 1).dice();
    while !table.to_act().is_empty() {
        if worth_a_look(table.turn()) {
            the_state_says_what_the_table_says(&table);
            legal_is_what_check_accepts(&table, &notations);
            refusals_have_a_code_and_change_nothing(&table);
            reading::laws(&table);
            controls_make_the_legal_actions(&table);
        }
        let to_act = table.to_act();
        let orders = to_act.iter().map(|seat| (seat, Order::Play(table.random_legal(seat, &mut dice))));
        let orders: Joint<Action> = orders.collect();
        let (turn, before) = (table.turn(), table.clone());
        let events = table.play(&orders, &mut seed.turn(turn.into())).expect("legal actions play");
        if worth_a_look(turn) || table.outcome().is_some() {
            a_scene_can_be_drawn(&before, &table, &events);
        }
        for event in events {
            let text = serde_json::to_string(&event).expect("an event serialises");
            assert_eq!(Event::read(ruleset.rules.game(), &text).expect("and reads back"), event);
        }
        played.push((orders, table.hash()));
    }
    the_state_says_what_the_table_says(&table);
    refusals_have_a_code_and_change_nothing(&table);
    reading::laws(&table);
    check_places(&table.outcome().expect("nobody is to act"), seats);
    let mut again = open();
    for (turn, (orders, hash)) in (0..).zip(played) {
        assert_ne!(again.hash(), hash, "every turn is another position");
        again.play(&orders, &mut seed.turn(turn)).expect("what was played plays again");
        assert_eq!(again.hash(), hash, "the same orders lead to the same position");
    }
}

/// A table seats at least and at most as many as its ruleset says.
pub(super) fn takes_as_many_as_it_says(ruleset: &Arc<Ruleset>) {
    let (min, max) = (ruleset.players.min, ruleset.players.max);
    for seats in [0, min - 1, max + 1, usize::MAX] {
        let refused = Table::open(ruleset.clone(), seats, Seed(1)).expect_err("too few or too many");
        assert_eq!(refused.code, Code::BadRequest, "{seats}: {refused}");
    }
    for seats in [min, max, ruleset.players.default] {
        assert!(Table::open(ruleset.clone(), seats, Seed(1)).is_ok(), "{seats} at {}", ruleset.name);
    }
}

fn the_state_says_what_the_table_says(table: &Table) {
    let state = serde_json::to_value(table.state()).expect("a state serialises");
    assert_eq!(state["ruleset"], table.ruleset().name.as_str());
    assert_eq!(state["turn"], table.turn());
    assert_eq!(state["to_act"], serde_json::to_value(table.to_act()).expect("seats serialise"));
    assert_eq!(state["outcome"], serde_json::to_value(table.outcome()).expect("an outcome serialises"));
    let again = Table::from_state(table.ruleset().clone(), &state).expect("a state reads back");
    assert_eq!(again.position(), table.position(), "{state}");
    assert_eq!((again.hash(), again.state()), (table.hash(), table.state()));
}

fn legal_is_what_check_accepts(table: &Table, notations: &[String]) {
    for referees in ["pass", "forfeit"] {
        assert_eq!(table.read(referees).map_err(|refusal| refusal.code), Err(Code::UnreadableAction));
    }
    for seat in some(&Seat::first(table.seats() + 1).collect()) {
        let legal = table.legal(seat);
        assert_eq!(legal.is_empty(), !table.to_act().contains(seat), "{seat}: {legal:?}");
        for text in notations {
            let listed = legal.contains(text) || (text.starts_with("speak") && legal.contains(&"speak <text>".into()));
            assert_eq!(listed, table.accept(seat, text).is_ok(), "{text} of {seat} on {table:?}");
        }
        for text in legal.iter().filter(|text| !text.starts_with("speak")) {
            assert!(notations.contains(text), "{text} is no action that this test knows");
            let loud = format!(" {} ", text.to_uppercase());
            assert_eq!(table.read(&loud).expect("reading is forgiving").0.to_string(), *text);
        }
    }
}

fn refusals_have_a_code_and_change_nothing(table: &Table) {
    let to_act: Vec<Seat> = table.to_act().iter().collect();
    let passes = || to_act.iter().map(|&seat| (seat, Order::Pass)).collect::<Joint<Action>>();
    let refused = |orders: &Joint<Action>, code: Code| {
        let (mut copy, mut dice) = (table.clone(), Seed(3).dice());
        let refusal = copy.play(orders, &mut dice).expect_err("it cannot be played");
        // Where nothing can be played, that is the reason.
        assert_eq!(refusal.code, if to_act.is_empty() { Code::MatchOver } else { code }, "{refusal}");
        assert!(!refusal.message.is_empty());
        assert_eq!((copy.position(), dice), (table.position(), Seed(3).dice()));
    };
    refused(&Joint::new(), Code::MissingAction);
    let mut orders = passes();
    orders.set(Seat::new(table.seats()), Order::Pass);
    refused(&orders, Code::NotToAct);
    if let Some(&seat) = to_act.first() {
        // An action of another game is none of this one.
        let name = if table.ruleset().rules.game() == GameId::Paint { "cowboy" } else { "paint" };
        let other = Table::open(Ruleset::named(name).expect("built in").into(), 2, Seed(1)).expect("two can play");
        let mut orders = passes();
        orders.set(seat, Order::Play(other.random_legal(Seat::new(0), &mut Seed(1).dice())));
        refused(&orders, Code::UnreadableAction);
        assert_eq!(table.accept(seat, "dance").expect_err("no action").code, Code::UnreadableAction);
    }
}

/// What is composed of the choices is canonical, and every legal action can be composed.
fn controls_make_the_legal_actions(table: &Table) {
    for seat in some(&table.to_act()) {
        let controls = table.view(Viewer::Seat(seat)).controls(seat);
        let composed = controls.actions();
        let mut legal: Vec<&String> =
            composed.iter().filter(|action| table.accept(seat, action.as_str()).is_ok()).collect();
        for action in &composed {
            let (read, reasoning) = table.read(action).expect("whatever is composed is an action");
            assert_eq!((read.to_string(), reasoning), (action.clone(), None));
        }
        let spoken = controls.groups.iter().flat_map(|group| &group.choices).filter(|choice| choice.input.is_some());
        let spoken: Vec<String> = spoken.map(|choice| format!("{} <text>", choice.notation)).collect();
        let mut listed = table.legal(seat);
        listed.retain(|action| !spoken.contains(action));
        let mut listed: Vec<&String> = listed.iter().collect();
        legal.sort_unstable();
        listed.sort_unstable();
        assert_eq!(legal, listed, "{seat} on {table:?}");
        for text in spoken {
            assert!(table.accept(seat, &text.replace("<text>", "hello")).is_ok(), "{text}");
        }
    }
}

/// What there is to see stays on the board, whoever looks.
fn a_scene_can_be_drawn(before: &Table, table: &Table, events: &[Event]) {
    for viewer in [Viewer::Public, Viewer::Seat(Seat::new(0)), Viewer::After] {
        let scene = table.view(viewer).scene(&[&table.told(before, &events.into(), viewer)]);
        assert_eq!((scene.turn, &scene.ruleset), (table.turn(), &table.ruleset().name));
        assert_eq!(scene.outcome, table.outcome());
        assert!(scene.standings.iter().map(|one| one.seat).eq(Seat::first(table.seats())));
        let board = &scene.board;
        assert!(board.ground.len() == board.rows() && board.ground.iter().all(|row| row.len() == board.cols()));
        let traces = &board.traces;
        let ends = traces.beams.iter().flat_map(|one| [one.from, one.to]);
        let steps = traces.steps.iter().flat_map(|one| [one.from, one.to]);
        let points = ends.chain(steps).chain(traces.marks.iter().map(|one| one.at));
        let points = points.chain(board.pieces.iter().map(|one| one.at)).chain(board.items.iter().map(|one| one.at));
        for at in points {
            assert!(board.square(at).is_some(), "{at:?} is off the board of {scene:?}");
        }
    }
}
