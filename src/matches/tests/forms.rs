//! Records that say more or less than this program writes, and that verification alone minds.

use super::super::format::Minor;
use super::*;

/// The record with one line changed, and a chain that fits.
fn changed(record: &str, line: usize, from: &str, to: &str) -> String {
    let mut chain = Chain::default();
    let lines = record.lines().enumerate().map(|(number, text)| {
        let (body, _) = log::split(text).expect("a line ends in its hash");
        let new = if number + 1 == line { body.replacen(from, to, 1) } else { body.to_owned() };
        assert!(number + 1 != line || new != body, "`{from}` is not in {body}");
        chain = chain.after(new.as_bytes());
        format!("{new},\"hash\":\"{chain}\"}}\n")
    });
    lines.collect()
}

fn last_line(record: &str) -> usize {
    record.lines().count()
}

/// One field more in every part of a record but its rules: where, and what is put in place of what.
fn one_more(record: &str) -> Vec<(&'static str, String)> {
    let last = last_line(record);
    [
        ("mood", 1, "\"seed\":7", "\"mood\":\"tense\",\"seed\":7"),
        ("seats.1.club", 1, "\"seat\":\"B\",\"player\"", "\"seat\":\"B\",\"club\":\"north\",\"player\""),
        ("state", 1, "\"state\":{", "\"state\":{\"wind\":3,"),
        ("crowd", 2, "\"turn\":1,", "\"turn\":1,\"crowd\":[9],"),
        ("events", 2, "\"events\":[{", "\"events\":[{\"echo\":true,"),
        ("events", 2, "\"events\":[", "\"events\":[{\"type\":\"thunder\",\"loud\":1},"),
        ("weather", last, "\"reason\":", "\"weather\":\"fair\",\"reason\":"),
    ]
    .map(|(field, line, from, to)| (field, changed(record, line, from, to)))
    .into()
}

#[test]
fn a_field_more_is_minded_by_verification_alone() {
    for ruleset in crate::games::library::rulesets() {
        let record = played(ruleset, 2);
        let right = Replay::verify(record.as_bytes()).expect("it was just written");
        for (field, changed) in one_more(&record) {
            let replay = Replay::read(changed.as_bytes()).unwrap_or_else(|error| panic!("{ruleset} {field}: {error}"));
            assert_eq!(replay.turns.len(), right.turns.len(), "{ruleset} {field}");
            assert_eq!(replay.result, right.result, "{ruleset} {field}");
            let ends = [&replay, &right].map(|replay| replay.turns.last().expect("turns").table.hash());
            assert_eq!(ends[0], ends[1], "{ruleset} {field}");
            let error = Replay::verify(changed.as_bytes()).expect_err(field).to_string();
            assert!(error.contains(&format!("`{field}`")), "{ruleset} {field}: {error}");
        }
    }
}

#[test]
fn a_field_less_is_minded_by_verification_alone() {
    let record = played("cowboy", 2);
    let some_event = |field: &str| {
        let line = record.lines().position(|line| line.contains(field)).expect("it happens") + 1;
        changed(&record, line, field, "")
    };
    for changed in [
        changed(&record, 1, "\"ruleset\":\"cowboy\",", ""),
        changed(&record, 1, ",\"kills\":0", ""),
        some_event("\"direction\":\"up\","),
    ] {
        Replay::read(changed.as_bytes()).expect("what is there is right");
        assert!(Replay::verify(changed.as_bytes()).is_err());
    }
}

#[test]
fn what_is_written_must_be_so_for_everybody() {
    let record = played("grid-royale", 2);
    for (line, from, to) in [
        (1, "\"hp\":3,\"kills\"", "\"hp\":2,\"kills\""),
        (2, "\"type\":\"move\",\"bot\":\"A\"", "\"type\":\"move\",\"bot\":\"B\""),
        (2, "\"state_hash\":\"", "\"state_hash\":\"0"),
        (last_line(&record), "\"reason\":\"", "\"reason\":\"all_dead\",\"was\":\""),
    ] {
        let forged = changed(&record, line, from, to);
        let error = Replay::read(forged.as_bytes()).expect_err(to);
        assert_eq!(error.line, line, "{error}");
    }
    // An event that did not happen, and one that is kept back.
    let events = |text: &str| text.find("\"events\":[").map(|at| at + 10).expect("a turn has events");
    let line = record.lines().nth(1).expect("a turn");
    let first = &line[events(line)..];
    let first = &first[..=first.find('}').expect("an event ends")];
    for forged in [changed(&record, 2, first, &format!("{first},{first}")), changed(&record, 2, first, "{}")] {
        assert_eq!(Replay::read(forged.as_bytes()).expect_err("forged").line, 2);
    }
}

#[test]
fn what_is_not_known_is_passed_on() {
    let record = played("paint", 2);
    let more = changed(&record, 1, "\"state\":{", "\"state\":{\"wind\":3,");
    let more = changed(&more, 2, "\"turn\":1,", "\"turn\":1,\"crowd\":[9],");
    let more = changed(&more, 2, "\"events\":[{", "\"events\":[{\"type\":\"thunder\",\"loud\":1},{\"echo\":true,");
    let replay = Replay::read(more.as_bytes()).expect("readable");
    let start: serde_json::Value = serde_json::from_str(&replay.start_json()).expect("JSON");
    assert_eq!(start["wind"], 3);
    assert_eq!(start["turns_left"], 100);
    let line = more.lines().nth(1).expect("a turn");
    let read = Turn::read(&replay.ruleset, line).expect("a turn");
    let first = replay.turns.into_iter().next().expect("a turn");
    for turn in [Turn::from(first), read] {
        let whole = turn.serialize_whole(serde_json::value::Serializer).expect("JSON");
        assert_eq!(whole["crowd"][0], 9);
        assert_eq!(whole["events"][0], serde_json::json!({ "type": "thunder", "loud": 1 }));
        assert_eq!(whole["events"][1]["echo"], true);
        assert_eq!((&whole["type"], &whole["hash"]), (&serde_json::Value::Null, &serde_json::Value::Null));
        // Those of its own game are known one by one.
        assert!(!turn.events.is_empty());
    }
    // Also an event at the very end.
    let last = changed(&record, 2, "],\"state_hash\"", ",{\"type\":\"thunder\"}],\"state_hash\"");
    let turn = Turn::from(Replay::read(last.as_bytes()).expect("readable").turns.swap_remove(0));
    let whole = turn.serialize_whole(serde_json::value::Serializer).expect("JSON");
    assert_eq!(
        whole["events"].as_array().and_then(|events| events.last()),
        Some(&serde_json::json!({ "type": "thunder" }))
    );
    // A turn without anything of the kind is the same either way.
    let plain = Replay::read(record.as_bytes()).expect("readable").turns.swap_remove(3);
    let plain = Turn::from(plain);
    let whole = plain.serialize_whole(serde_json::value::Serializer).expect("JSON");
    assert_eq!(whole, serde_json::json!(plain));
}

#[test]
fn rules_that_are_not_known_leave_all_but_the_positions() {
    let record = played("cowboy", 2);
    let right = Replay::read(record.as_bytes()).expect("readable");
    for (from, to) in [
        ("\"hp\":10,", "\"hp\":10,\"horses\":2,"),
        (",\"version\":1},\"seed\"", ",\"version\":2},\"seed\""),
        ("\"game\":\"cowboy\",\"hp\"", "\"game\":\"rodeo\",\"hp\""),
        ("\"hp\":10,", ""),
    ] {
        let changed = changed(&record, 1, from, to);
        for error in [Replay::read(changed.as_bytes()), Replay::verify(changed.as_bytes())] {
            let error = error.expect_err(to);
            assert!(matches!(error.problem, LineProblem::Rules(_)), "{to}: {error}");
            assert!(error.to_string().contains("does not know these rules"), "{error}");
        }
        let transcript = Transcript::read(changed.as_bytes()).expect("readable");
        assert_eq!(transcript.seats, right.seats);
        assert_eq!(transcript.result, right.result);
        assert_eq!(transcript.turns.len(), right.turns.len());
        for (heard, step) in transcript.turns.iter().zip(&right.turns) {
            assert_eq!(heard.line.actions, step.line.actions);
            let events: Vec<_> = heard.events.iter().map(|event| event.as_ref().expect("of a game it knows")).collect();
            assert_eq!(events, step.events.iter().collect::<Vec<_>>());
        }
    }
}

#[test]
fn an_event_is_read_by_the_game_that_its_line_names() {
    let record = played("paint", 2);
    let line = record.lines().nth(1).expect("a turn");
    // The ruleset of another game does not matter.
    let turn = Turn::read(&Ruleset::named("cowboy").expect("built in"), line).expect("a turn");
    let right = Replay::read(record.as_bytes()).expect("readable").turns.swap_remove(0).events;
    assert_eq!(turn.events, right);
}

#[test]
fn a_later_minor_is_read_and_neither_verified_nor_gone_on_with() {
    let record = played("cowboy-duel", 2);
    let later = changed(&record, 1, "\"minor\":1", "\"minor\":2");
    let replay = Replay::read(later.as_bytes()).expect("every minor is read");
    assert_eq!(replay.minor, Minor(2));
    let error = Replay::verify(later.as_bytes()).expect_err("not its own").to_string();
    assert!(error.contains("minor 2") && error.contains("minors 0 to 1"), "{error}");
    assert!(matches!(replay.resume().expect_err("not its own").problem, LineProblem::Minor(Minor(2))));
}

#[test]
fn another_version_is_refused_by_name() {
    let record = played("cowboy-duel", 2);
    for version in [0, 2, 99] {
        let other = changed(&record, 1, "\"version\":1,\"minor\"", &format!("\"version\":{version},\"minor\""));
        let errors = [
            Replay::read(other.as_bytes()).expect_err("another form"),
            Replay::verify(other.as_bytes()).expect_err("another form"),
            Transcript::read(other.as_bytes()).expect_err("another form"),
        ];
        for error in errors.map(|error| error.to_string()) {
            assert!(error.contains(&format!("version {version};")) && error.contains("reads version 1 "), "{error}");
        }
        // Another version may have another chain, or none.
        let (line, _) = other.split_once('\n').expect("lines");
        let (unchained, _) = line.split_once(",\"hash\"").expect("a hash");
        for other in [format!("{unchained},\"hash\":\"{}\"}}\n", "0".repeat(64)), format!("{unchained}}}\n")] {
            let error = Replay::read(other.as_bytes()).expect_err("another form").to_string();
            assert!(error.contains(&format!("version {version};")), "{error}");
        }
    }
    let none = changed(&record, 1, "\"version\":1,\"minor\"", "\"minor\"");
    assert!(Replay::read(none.as_bytes()).is_err());
}

#[test]
fn a_match_goes_on_in_the_minor_of_its_header() {
    let first = include_str!("../../../tests/records/v1-cowboy-1.jsonl");
    let begun: String = first.lines().take(7).flat_map(|line| [line, "\n"]).collect();
    let replay = Replay::verify(begun.as_bytes()).expect("as far as it goes");
    assert_eq!(replay.minor, Minor(0));
    let mut game = replay.resume().expect("this minor is written here");
    let mut log = Log::after(begun.into_bytes(), replay.chain);
    let mut dice = Seed(1).dice();
    while let Some(seat) = game.awaiting().iter().next() {
        let action = game.table().random_legal(seat, &mut dice).to_string();
        for record in game.submit(seat, &action).expect("legal") {
            log.write(&record).expect("memory does not fail");
        }
    }
    let record = String::from_utf8(log.into_inner()).expect("JSON is UTF-8");
    Replay::verify(record.as_bytes()).expect("one form from the first line to the last").finished().expect("over");
    assert!(!record.lines().skip(1).any(|line| line.contains("\"game\"")));
    // And in minor 1 every line says it.
    let now = played("cowboy", 2);
    let turns: Vec<&str> = now.lines().filter(|line| line.starts_with("{\"type\":\"turn\"")).collect();
    assert!(turns.iter().all(|line| line.starts_with("{\"type\":\"turn\",\"game\":\"cowboy\",")), "{}", turns[0]);
    assert!(now.lines().next().expect("a header").contains("\"state\":{\"game\":\"cowboy\",\"ruleset\""));
    let without = changed(&now, 3, "\"game\":\"cowboy\",", "");
    assert_eq!(Replay::verify(without.as_bytes()).expect_err("it is missing").line, 3);
    Replay::read(without.as_bytes()).expect("the header's ruleset says it");
    let other = changed(&now, 3, "\"game\":\"cowboy\",", "\"game\":\"paint\",");
    assert_eq!(Replay::read(other.as_bytes()).expect_err("another game").line, 3);
}

#[test]
fn verification_wants_the_canonical_forms() {
    let record = played("cowboy-duel", 2);
    let line = record.lines().position(|line| line.contains("\"A\":\"move ")).expect("somebody moves") + 1;
    let shouted = changed(&record, line, "\"A\":\"move ", "\"A\":\"MOVE  ");
    Replay::read(shouted.as_bytes()).expect("the same action");
    let error = Replay::verify(shouted.as_bytes()).expect_err("not as it is written").to_string();
    assert!(error.contains("`actions`"), "{error}");
    // The ruleset is the resolved one, not a name for it.
    let from = record.find("\"ruleset\":").expect("there");
    let to = record.find(",\"seed\"").expect("there");
    let named = changed(&record, 1, &record[from..to], "\"ruleset\":\"cowboy-duel\"");
    Replay::read(named.as_bytes()).expect("the same rules");
    let error = Replay::verify(named.as_bytes()).expect_err("not as it is written").to_string();
    assert!(error.contains("`ruleset`"), "{error}");
}

#[test]
fn nothing_follows_the_result() {
    let record = played("cowboy-duel", 2);
    let last = record.lines().last().expect("a result");
    let (body, _) = log::split(last).expect("a hash");
    let chain = Replay::read(record.as_bytes()).expect("readable").chain.after(body.as_bytes());
    let twice = format!("{record}{body},\"hash\":\"{chain}\"}}\n");
    let line = last_line(&record) + 1;
    for error in [Replay::read(twice.as_bytes()), Replay::verify(twice.as_bytes())] {
        assert_eq!(error.expect_err("the match was over").line, line);
    }
    assert_eq!(Transcript::read(twice.as_bytes()).expect_err("the match was over").line, line);
}

#[test]
fn seats_are_in_order() {
    let record = played("cowboy-duel", 2);
    for (from, to) in [
        ("\"seats\":[{\"seat\":\"A\"", "\"seats\":[{\"seat\":\"B\""),
        ("{\"seat\":\"B\",\"player\"", "{\"seat\":\"C\",\"player\""),
        (
            "{\"seat\":\"A\",\"player\":\"tester\"},{\"seat\":\"B\"",
            "{\"seat\":\"B\",\"player\":\"tester\"},{\"seat\":\"A\"",
        ),
    ] {
        let mixed = changed(&record, 1, from, to);
        let error = Replay::read(mixed.as_bytes()).expect_err(to).to_string();
        assert!(error.contains("`seats`") && error.contains("in order"), "{error}");
        assert!(Transcript::read(mixed.as_bytes()).is_err());
    }
}

#[test]
fn a_record_has_room_for_so_much_and_no_more() {
    use crate::games::speech::MAX_REASONING;
    let (mut game, _) = open("cowboy-classic", 2);
    let long = "牛".repeat(1_000);
    game.submit(seat("A"), &long).expect_err("no action");
    let accepted = game.table().accept(seat("A"), "shield up").expect("legal");
    let records = game.seal(accepted.with_reasoning(Some(&long)));
    let [Record::Turn(turn)] = records.as_slice() else { panic!("one turn") };
    assert_eq!(turn.reasoning[&seat("A")], "牛".repeat(MAX_REASONING));
    assert_eq!(turn.refused[0].text, "牛".repeat(200));
}

#[test]
fn nothing_is_said_after_the_end() {
    let (mut game, _) = open("cowboy-classic", 2);
    game.say(seat("B"), "still here").expect("talk is free");
    game.forfeit(seat("A"), Fault::Resigned);
    assert!(game.table().outcome().is_some());
    assert_eq!(game.say(seat("A"), "well played").expect_err("it is over").code, Code::MatchOver);
}
