use std::sync::Arc;

use super::*;
use crate::games::{Code, Ruleset, Seat, Seed};

mod forms;

fn open(ruleset: &str, players: usize) -> (Match, Log<Vec<u8>>) {
    let ruleset = Arc::new(Ruleset::named(ruleset).expect("built in"));
    let names = vec!["tester".to_owned(); players];
    let (game, header) = Match::open("m1", ruleset, Seed(7), names).expect("so many can play");
    let mut log = Log::new(Vec::new());
    log.write(&header).expect("memory does not fail");
    (game, log)
}

/// Plays random legal actions to the end and gives the record.
fn played(ruleset: &str, players: usize) -> String {
    let (mut game, mut log) = open(ruleset, players);
    let mut dice = Seed(1).dice();
    while let Some(seat) = game.awaiting().iter().next() {
        let action = game.table().random_legal(seat, &mut dice).to_string();
        for record in game.submit(seat, &action).expect("legal") {
            log.write(&record).expect("memory does not fail");
        }
    }
    String::from_utf8(log.into_inner()).expect("JSON is UTF-8")
}

fn seat(letter: &str) -> Seat {
    letter.parse().expect("a seat")
}

#[test]
fn a_record_replays_to_the_same_end() {
    for ruleset in crate::games::library::rulesets() {
        let players = Ruleset::named(ruleset).expect("built in").players.default;
        let record = played(ruleset, players);
        let replay = Replay::verify(record.as_bytes()).expect("verifies");
        let result = replay.finished().expect("complete");
        assert_eq!(record.lines().count(), replay.turns.len() + 2, "{ruleset}");
        assert_eq!(result.places.len(), players, "{ruleset}");
    }
}

#[test]
fn any_changed_byte_is_found_at_its_line() {
    let record = played("cowboy-duel", 2);
    let lines: Vec<&str> = record.lines().collect();
    let last = lines.len() - 1;
    for (number, line) in
        lines.iter().enumerate().filter(|&(number, _)| number < 2 || number % 40 == 0 || number == last)
    {
        for at in [1, line.len() / 3, line.len() / 2, line.len() - 3] {
            let mut changed = line.as_bytes().to_vec();
            changed[at] = if changed[at] == b'1' { b'2' } else { b'1' };
            let mut forged: Vec<Vec<u8>> = lines.iter().map(|line| line.as_bytes().to_vec()).collect();
            forged[number] = changed;
            let error = Replay::read(forged.join(&b'\n').as_slice()).expect_err("found");
            assert_eq!(error.line, number + 1, "{error}");
        }
    }
}

#[test]
fn a_forged_chain_does_not_help() {
    // A forger who recomputes every hash still meets the engine.
    let record = played("cowboy-duel", 2);
    let mut chain = Chain::default();
    let forged: Vec<String> = record
        .lines()
        .enumerate()
        .map(|(number, line)| {
            let (body, _) = log::split(line).expect("a line ends in its hash");
            let body = if number == 1 { body.replacen("\"turn\":1", "\"turn\":2", 1) } else { body.to_owned() };
            chain = chain.after(body.as_bytes());
            format!("{body},\"hash\":\"{chain}\"}}")
        })
        .collect();
    let error = Replay::read(forged.join("\n").as_bytes()).expect_err("found");
    assert_eq!(error.line, 2);
    assert!(error.to_string().contains("`turn` differs"), "{error}");
}

#[test]
fn a_record_that_breaks_off_is_read_as_far_as_it_goes() {
    let record = played("cowboy", 2);
    let part: Vec<&str> = record.lines().take(5).collect();
    let replay = Replay::read(part.join("\n").as_bytes()).expect("what is there verifies");
    assert_eq!(replay.turns.len(), 4);
    assert!(replay.finished().expect_err("unfinished").to_string().starts_with("line 6:"));
    assert_eq!(replay.resume().expect("in this minor").table().turn(), 4);
    let cut = &record[..record.len() / 2];
    assert!(Replay::read(cut.as_bytes()).is_err(), "half a line is no line");
}

#[test]
fn a_refused_attempt_changes_nothing_and_is_kept() {
    let (mut game, _) = open("cowboy", 2);
    let refusal = game.submit(seat("A"), "shoot up").expect_err("its own shield faces up");
    assert_eq!(refusal.code, Code::ShootOwnShield);
    assert_eq!(game.submit(seat("B"), "move up").expect_err("not its turn").code, Code::NotToAct);
    assert_eq!(game.submit(seat("A"), "dance").expect_err("no action").code, Code::UnreadableAction);
    let records = game.submit(seat("A"), "{\"action\":\"shield\",\"direction\":\"left\"}").expect("legal");
    let [Record::Turn(turn)] = records.as_slice() else { panic!("one turn") };
    assert_eq!(
        turn.refused.iter().map(|refused| refused.code).collect::<Vec<_>>(),
        [Code::ShootOwnShield, Code::UnreadableAction]
    );
    assert_eq!(turn.actions[&seat("A")], "shield left");
}

#[test]
fn lapses_pass_and_at_last_forfeit() {
    let (mut game, _) = open("cowboy", 2);
    for lapse in 1..=5 {
        let records = game.lapse(seat("A"), Fault::TooSlow);
        let Record::Turn(turn) = &records[0] else { panic!("a turn") };
        assert_eq!(turn.lapses[&seat("A")], Lapse::of(Fault::TooSlow));
        if lapse < 5 {
            assert_eq!(turn.actions[&seat("A")], "pass");
            game.submit(seat("B"), "shield up").expect("legal");
        } else {
            assert_eq!(turn.actions[&seat("A")], "forfeit");
            assert!(matches!(&records[1], Record::Result(result) if result.places[&seat("B")] == 1));
        }
    }
    assert!(game.lapse(seat("B"), Fault::TooSlow).is_empty(), "it is over");
}

#[test]
fn a_resumed_match_remembers_the_lapses() {
    let (mut game, mut log) = open("cowboy", 2);
    for _ in 0..4 {
        let mut records = game.lapse(seat("A"), Fault::Unreadable);
        records.extend(game.submit(seat("B"), "shield up").expect("legal"));
        for record in records {
            log.write(&record).expect("memory does not fail");
        }
    }
    let mut game = Replay::read(log.into_inner().as_slice()).expect("verifies").resume().expect("in this minor");
    let records = game.lapse(seat("A"), Fault::Unreadable);
    assert!(matches!(records.last(), Some(Record::Result(_))), "the fifth lapse is a forfeit: {records:?}");
}

#[test]
fn who_gives_up_out_of_turn_goes_when_its_turn_comes() {
    let (mut game, _) = open("cowboy", 2);
    assert!(game.forfeit(seat("B"), Fault::Resigned).is_empty());
    let records = game.submit(seat("A"), "shield up").expect("legal");
    let kinds: Vec<_> = records.iter().map(std::mem::discriminant).collect();
    assert_eq!(kinds.len(), 3, "A's turn, B's forfeit, the result: {records:?}");
}

#[test]
fn nothing_of_a_sealed_action_shows_before_the_turn_is_played() {
    for ruleset in ["paint", "grid-royale"] {
        let (game, _) = open(ruleset, 2);
        let seen = |action: &str| {
            let mut game = game.clone();
            assert!(game.submit(seat("B"), action).expect("legal").is_empty());
            assert_eq!(game.submit(seat("B"), action).expect_err("sealed is sealed").code, Code::NotToAct);
            (game.awaiting(), game.table().state(), game.table().legal(seat("A")), game.table().hash())
        };
        assert_eq!(seen("move west"), seen("shoot south"), "{ruleset}");
    }
}

#[test]
fn free_talk_is_one_message_a_turn() {
    let (mut game, _) = open("cowboy-classic", 2);
    game.say(seat("A"), " howdy ").expect("talk is free");
    assert!(game.say(seat("A"), "again").is_err());
    let records = game.submit(seat("A"), "shield up").expect("legal");
    let Record::Turn(turn) = &records[0] else { panic!("a turn") };
    assert_eq!(turn.said[&seat("A")], "howdy");
    game.say(seat("A"), "a new turn, a new word").expect("one a turn");
    let (mut game, _) = open("cowboy", 2);
    assert!(game.say(seat("A"), "no").expect_err("it costs the turn").message.contains("act with `speak"));
}

#[test]
fn a_spoiled_record_is_refused_and_never_a_panic() {
    // Each spoiled record has a chain that fits, so that what is behind the chain is reached.
    let record = played("grid-royale", 3);
    let bodies: Vec<&str> = record.lines().map(|line| log::split(line).expect("a line ends in its hash").0).collect();
    let mut dice = Seed(5).dice();
    let mut below = |count: usize| dice.below(u32::try_from(count).expect("small")) as usize;
    for _ in 0..400 {
        let spoiled_line = below(bodies.len().min(4));
        let mut body = bodies[spoiled_line].to_owned();
        for _ in 0..=below(3) {
            let at = body.floor_char_boundary(below(body.len()));
            let end = body.ceil_char_boundary(at + 1);
            let what = ["", "0", "-1", "9999999999", "\"", "null", "[]", "A", "Z", "pass", "\u{0}", "牛"];
            body.replace_range(at..end, what[below(what.len())]);
        }
        let mut chain = Chain::default();
        let lines = bodies.iter().enumerate().map(|(number, line)| {
            let line = if number == spoiled_line { body.as_str() } else { line };
            chain = chain.after(line.as_bytes());
            format!("{line},\"hash\":\"{chain}\"}}\n")
        });
        let text: String = lines.collect();
        if let Err(error) = Replay::read(text.as_bytes()) {
            assert!(error.line > spoiled_line, "the lines before {} are as they were: {error}", spoiled_line + 1);
        }
    }
    for _ in 0..400 {
        let noise: Vec<u8> = (0..below(200)).map(|_| u8::try_from(below(256)).expect("a byte")).collect();
        assert!(Replay::read(noise.as_slice()).is_err());
    }
}

#[test]
fn a_model_whose_thinking_nobody_timed_has_the_time_of_its_calls() {
    let (mut game, _) = open("cowboy", 2);
    let action = game.table().random_legal(seat("A"), &mut Seed(1).dice()).to_string();
    let records = game.submit(seat("A"), &action).expect("legal");
    let turn = records.into_iter().find_map(|record| if let Record::Turn(turn) = record { Some(turn) } else { None });
    let mut turn = turn.expect("a turn");
    let [a, b] = [seat("A"), seat("B")];
    let call = |millis| Call { millis, input_tokens: 10, ..Call::default() };
    turn.micros = [(b, 500)].into();
    turn.calls = [(a, vec![call(1200), call(300)]), (b, vec![call(900)])].into();
    let mut summary = GameSummary::default();
    summary.add(&turn);
    let of = |seat| summary.seats.get(&seat).map(|own| (own.turns, own.micros, own.calls));
    assert_eq!(of(a), Some((1, 1_500_000, 2)));
    assert_eq!(of(b), Some((1, 500, 1)), "what was timed is what counts");
}
