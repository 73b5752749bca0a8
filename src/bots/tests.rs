//! Bots at the table.

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;

use super::search::analyse;
use super::{BOTS, Bot, BotSpec, Budget, Ladder, ParseBotError, Tally};
use crate::games::{Joint, Order, Ruleset, Seat, Seed, Table, Viewer, library};

/// What a bot does on a seat, in notation; `pass` where it does nothing.
fn chosen(bot: &mut dyn Bot, table: &Table, seat: Seat) -> String {
    let action = bot.choose(&table.view(Viewer::Seat(seat)), seat);
    action.map_or_else(|| "pass".to_owned(), |action| action.to_string())
}

fn spec(text: &str) -> BotSpec {
    text.parse().expect("a bot")
}

fn ruleset(name: &str) -> Arc<Ruleset> {
    Arc::new(Ruleset::named(name).expect("a built-in ruleset"))
}

fn cowboy(base: &str, players: &[(&str, u8, u8, u16, &str)], map: &[&str]) -> Table {
    let ruleset = Ruleset::from_json(&json!({ "base": base, "map": map })).expect("a ruleset");
    let grid: Vec<Vec<i16>> = map.iter().map(|line| vec![0; line.len()]).collect();
    let players: Vec<_> = players
        .iter()
        .map(|&(seat, row, col, hp, shield)| {
            json!({ "seat": seat, "row": row, "col": col, "hp": hp, "shield": shield, "alive": true })
        })
        .collect();
    let state = json!({ "turn": 0, "to_act": ["A"], "round": 1, "grid": grid, "players": players });
    Table::from_state(Arc::new(ruleset), &state).expect("a position")
}

const OPEN: [&str; 7] = [".......", ".......", ".......", ".......", ".......", ".......", "......."];

#[test]
fn specs_read_back_as_they_are_written() {
    for (text, spec, canonical) in [
        ("random", BotSpec::Random, "random"),
        (" Greedy ", BotSpec::Greedy, "greedy"),
        ("search", BotSpec::Search(Budget::Nodes(2000)), "search"),
        ("search:2000", BotSpec::Search(Budget::Nodes(2000)), "search"),
        ("search: 7", BotSpec::Search(Budget::Nodes(7)), "search:7"),
        ("search:500ms", BotSpec::Search(Budget::Time(Duration::from_millis(500))), "search:500ms"),
        ("search:2s", BotSpec::Search(Budget::Time(Duration::from_secs(2))), "search:2000ms"),
    ] {
        assert_eq!(text.parse(), Ok(spec), "{text}");
        assert_eq!(spec.to_string(), canonical);
        assert_eq!(canonical.parse(), Ok(spec));
    }
    for name in BOTS {
        assert!(name.parse::<BotSpec>().is_ok(), "{name}");
    }
}

#[test]
fn what_is_no_bot_is_refused_with_what_would_do() {
    for text in ["", "search:", "search:0", "search:-1", "search:+5", "search:1e3", "search:0ms", "search:601s"] {
        let error = text.parse::<BotSpec>().expect_err(text).to_string();
        assert!(error.contains("search:500"), "{error}");
    }
    assert_eq!("grredy".parse::<BotSpec>(), Err(ParseBotError::Unknown("grredy".to_owned())));
    let error = "random:5".parse::<BotSpec>().expect_err("random does not think");
    assert_eq!(error.to_string(), "`random` takes no budget: write `random` alone, or `search:5`");
}

#[test]
fn every_bot_plays_legally_to_the_end_of_every_ruleset() {
    for name in library::rulesets() {
        let ruleset = ruleset(name);
        for bot in ["random", "greedy", "search:1", "search:20", "search:1ms"].map(spec) {
            for seats in ruleset.players.min..=ruleset.players.max.min(4) {
                // By the clock a whole match would take long.
                let turns = if matches!(bot, BotSpec::Search(Budget::Time(_))) { 3 } else { u32::MAX };
                play(&ruleset, bot, seats, Seed(7), turns);
            }
        }
    }
}

/// Plays a bot against itself and gives all that it did.
fn play(ruleset: &Arc<Ruleset>, spec: BotSpec, seats: usize, seed: Seed, turns: u32) -> Vec<String> {
    let mut table = Table::open(Arc::clone(ruleset), seats, seed).expect("so many can play");
    let mut bots: Vec<_> = (0..seats as u64).map(|seat| spec.seat(seed.child("bot", seat))).collect();
    let mut actions = Vec::new();
    while table.outcome().is_none() && table.turn() < turns {
        let mut joint = Joint::new();
        for seat in table.to_act().iter() {
            let action = chosen(bots[seat.index()].as_mut(), &table, seat);
            assert!(table.legal(seat).contains(&action), "{spec} of {}: {action}", ruleset.name);
            joint.set(seat, Order::Play(table.read(&action).expect("a bot's own notation").0));
            actions.push(action);
        }
        table.play(&joint, &mut seed.turn(table.turn().into())).expect("legal actions");
    }
    actions
}

#[test]
fn a_bot_plays_the_same_for_the_same_seed() {
    for name in library::rulesets() {
        for bot in ["random", "greedy", "search:50"].map(spec) {
            let game = |seed| play(&ruleset(name), bot, 2, Seed(seed), 20);
            assert_eq!(game(1), game(1), "{bot} at {name}");
        }
    }
}

#[test]
fn a_seat_that_owes_nothing_passes() {
    let table = Table::open(ruleset("cowboy"), 2, Seed(1)).expect("two can play");
    for bot in ["random", "greedy", "search:10"] {
        assert_eq!(chosen(spec(bot).seat(Seed(1)).as_mut(), &table, Seat::new(1)), "pass");
        assert_eq!(chosen(spec(bot).seat(Seed(1)).as_mut(), &table, Seat::new(9)), "pass");
    }
}

#[test]
fn thinkers_take_a_sure_hit_and_a_sure_kill() {
    // B stands in a line beside A, or in A's own for the straight laser, and looks away.
    let hit = cowboy("cowboy", &[("A", 3, 1, 10, "left"), ("B", 2, 4, 10, "up")], &OPEN);
    let kill = cowboy("cowboy", &[("A", 3, 1, 10, "left"), ("B", 4, 5, 1, "up")], &OPEN);
    let straight = cowboy("cowboy-classic", &[("A", 3, 1, 5, "left"), ("B", 3, 4, 1, "up")], &OPEN);
    for (table, action) in [(hit, "shoot up"), (kill, "shoot down"), (straight, "shoot right")] {
        for bot in ["greedy", "search:200", "search:2000"].map(spec) {
            assert_eq!(chosen(bot.seat(Seed(3)).as_mut(), &table, Seat::new(0)), action, "{bot}");
        }
    }
}

#[test]
fn greedy_prefers_a_kill_to_a_hit() {
    let players = [("A", 3, 1, 10, "left"), ("B", 2, 4, 10, "up"), ("C", 4, 5, 1, "up")];
    let table = cowboy("cowboy", &players, &OPEN);
    assert_eq!(chosen(BotSpec::Greedy.seat(Seed(3)).as_mut(), &table, Seat::new(0)), "shoot down");
}

#[test]
fn greedy_turns_its_shield_to_a_beam_that_it_cannot_answer() {
    // A's own shield is where it would have to shoot.
    let table = cowboy("cowboy", &[("A", 3, 1, 10, "up"), ("B", 2, 4, 10, "up")], &OPEN);
    assert_eq!(chosen(BotSpec::Greedy.seat(Seed(3)).as_mut(), &table, Seat::new(0)), "shield right");
}

#[test]
fn an_analysis_looks_at_every_legal_action() {
    for name in library::rulesets() {
        let table = Table::open(ruleset(name), 2, Seed(1)).expect("two can play");
        let analysis = analyse(&table.view(Viewer::Seat(Seat::new(0))), Seat::new(0), Budget::Nodes(100), Seed(1))
            .expect("A is to act");
        let actions: Vec<_> = analysis.actions.iter().map(|considered| considered.action.clone()).collect();
        let legal: Vec<_> = table.legal(Seat::new(0)).into_iter().filter(|action| action != "speak <text>").collect();
        assert_eq!(actions, legal);
        assert_eq!(analysis.actions.iter().map(|considered| considered.visits).sum::<u32>(), 100);
        for considered in &analysis.actions {
            let value = considered.value.expect("looked at");
            assert!((0.0..=1.0).contains(&value), "{considered:?}");
        }
        assert_eq!(analyse(&table.view(Viewer::Seat(Seat::new(0))), Seat::new(5), Budget::Nodes(100), Seed(1)), None);
    }
}

#[test]
fn an_analysis_knows_a_won_position_from_a_lost_one() {
    let table = |ours, theirs| cowboy("cowboy", &[("A", 3, 1, ours, "left"), ("B", 0, 4, theirs, "up")], &OPEN);
    let value = |table: &Table| {
        analyse(&table.view(Viewer::Seat(Seat::new(0))), Seat::new(0), Budget::Nodes(200), Seed(1))
            .expect("A is to act")
            .value
    };
    assert!(value(&table(9, 1)) > 0.8);
    assert!(value(&table(1, 9)) < 0.2);
}

fn ladder(name: &str, first: &str, second: &str, blocks: u64) -> Ladder {
    Ladder { ruleset: ruleset(name), seats: 2, first: spec(first), second: spec(second), blocks, seed: Seed(1) }
}

#[test]
fn greedy_beats_random_everywhere() {
    for name in library::rulesets() {
        let tally = ladder(name, "greedy", "random", 20).play(1).expect("two can play");
        assert_eq!(tally.games(), 40);
        assert!(tally.score() >= 0.9, "{name}: {tally:?}");
    }
}

#[test]
fn even_a_short_search_beats_greedy() {
    for (name, blocks) in [("cowboy", 2), ("cowboy-duel", 2), ("cowboy-classic", 2), ("paint", 1)] {
        let tally = ladder(name, "search:200", "greedy", blocks).play(1).expect("two can play");
        assert!(tally.score() >= 0.75, "{name}: {tally:?}");
    }
}

#[test]
fn more_playouts_are_no_worse_against_random() {
    // With 800 playouts the search used to wait for ever: half of these games were drawn.
    let tally = ladder("cowboy-classic", "search:800", "random", 3).play(1).expect("two can play");
    assert_eq!((tally.wins, tally.draws, tally.losses), (6, 0, 0));
}

#[test]
fn who_sees_everybody_in_fog_searches_the_position_itself() {
    let near = |base: &str| {
        let bot = |id: &str, x: u8| json!({ "id": id, "position": { "x": x, "y": 7 }, "hp": 3, "alive": true });
        let state = json!({
            "turn": 0, "to_act": ["A", "B"], "tick": 1, "width": 15, "height": 15, "walls": [],
            "bots": [bot("A", 5), bot("B", 8)],
        });
        Table::from_state(ruleset(base), &state).expect("a position")
    };
    for seed in 0..10 {
        // Thought about in many small trees, more playouts made the search weaker.
        let of = |base| chosen(spec("search:100").seat(Seed(seed)).as_mut(), &near(base), Seat::new(0));
        assert_eq!(of("grid-royale-fog"), of("grid-royale"), "seed {seed}");
    }
}

#[test]
fn a_ladder_says_how_well_a_ruleset_tells_bots_apart() {
    let even = ladder("cowboy", "greedy", "greedy", 10).play(1).expect("two can play");
    assert_eq!(even.blocks, 10);
    assert!(even.signal_per_block().abs() < 0.5, "{even:?}");
    let clear = ladder("cowboy", "greedy", "random", 10).play(1).expect("two can play");
    assert!(clear.signal_per_block() > 2.0, "{clear:?}");
    assert_eq!(clear.distinct, 20, "against dice no two games are the same");
    let decisions = f64::from(u32::try_from(clear.decisions).expect("a few games"));
    let per_call = clear.signal_per_block() * (10_000.0 / decisions).sqrt();
    assert!((clear.signal_per_thousand_calls() - per_call).abs() < 1e-9);
    assert!(Tally::default().signal_per_block().abs() < 1e-9);
}

#[test]
fn a_ladder_comes_out_the_same_on_any_number_of_threads() {
    let ladder = Ladder { seats: 3, ..ladder("cowboy", "greedy", "random", 5) };
    assert_eq!(ladder.play(1), ladder.play(3));
}
