//! What a brief tells players to answer is read, and what it says is refused is refused.

use std::sync::Arc;

use standoff::briefs::{Language, brief, refusal};
use standoff::games::{Code, Refusal, Ruleset, Seat, Seed, Table, Viewer, library};

fn table(name: &str) -> Table {
    let ruleset = Arc::new(Ruleset::named(name).expect("it is built in"));
    let seats = ruleset.players.default;
    Table::open(ruleset, seats, Seed(1)).expect("so many can play")
}

#[test]
fn every_answer_that_a_brief_shows_is_read() {
    for (name, language) in library::rulesets().flat_map(|name| Language::ALL.map(|language| (name, language))) {
        let table = table(name);
        let text = brief(table.ruleset(), table.seats(), language);
        let heading = if language == Language::En { "\n## Your answer\n" } else { "\n## 怎么回答\n" };
        let (_, section) = text.split_once(heading).expect("there is such a section");
        let lines: Vec<&str> = section.lines().filter(|line| !line.is_empty()).take(2).collect();
        let shown = lines.iter().flat_map(|line| line.split('`').skip(1).step_by(2));
        // Single values of JSON are shown too; the rest must be whole actions.
        let actions: Vec<&str> = shown.filter(|code| !code.starts_with('"') && *code != "null").collect();
        assert!(actions.len() >= 3, "{name} {language}: {actions:?}");
        for action in actions {
            assert!(table.read(action).is_ok(), "{name} {language}: {action}");
        }
    }
}

#[test]
fn pass_and_forfeit_are_no_answers() {
    for name in library::rulesets() {
        for word in ["pass", "forfeit"] {
            let refused = table(name).read(word).expect_err("these are the referee's");
            assert_eq!(refused.code, Code::UnreadableAction, "{name} {word}");
        }
    }
}

#[test]
fn reasoning_has_at_most_200_characters() {
    let table = table("cowboy");
    let answer = |length| {
        let reasoning = "牛".repeat(length);
        table.read(&format!(r#"{{"action":"move","direction":"down","reasoning":"{reasoning}"}}"#))
    };
    assert_eq!(answer(200).map(|(action, _)| action.to_string()), Ok("move down".to_owned()));
    assert_eq!(answer(201).map_err(|refused| refused.code), Err(Code::UnreadableAction));
}

/// What A hears about an answer, in both languages.
fn check(name: &str, answer: &str, english: &str, chinese: &str) {
    let table = table(name);
    let seat = Seat::new(0);
    let refused = table.accept(seat, answer).expect_err("refused");
    assert_eq!(refusal(&table.view(Viewer::Seat(seat)), seat, answer, &refused, Language::En), english);
    assert_eq!(refusal(&table.view(Viewer::Seat(seat)), seat, answer, &refused, Language::Zh), chinese);
}

#[test]
fn a_refused_answer_is_explained_in_both_languages() {
    check(
        "cowboy",
        "move up",
        "`move up`: a wall stands on (0, 5); move another way",
        "`move up`：(0, 5) 有墙，换个方向",
    );
    check(
        "cowboy",
        r#"{"action":"shoot","direction":"up"}"#,
        "`shoot up`: your own shield faces up; shoot another way or turn the shield first",
        "`shoot up`：你自己的护盾正朝上，换个方向开枪，或者先转盾",
    );
    check("cowboy", "speak  ", "`speak` needs a text of 1 to 140 characters", "`speak` 后面要跟 1 到 140 个字符");
    check(
        "cowboy",
        "jump",
        "cannot read `jump` as an action; \
         write one of move, shield or shoot with one of up, down, left or right, like `shoot up`",
        "看不懂 `jump`；请写 `move`、`shield` 或 `shoot`，再加 `up`、`down`、`left` 或 `right`，例如 `shoot up`",
    );
    check(
        "paint",
        "move north-west",
        "`move north-west`: that is off the board; move another way, or shoot",
        "`move north-west`：再走就出棋盘了，换个方向，或者改为射击",
    );
}

#[test]
fn every_code_of_refusal_can_be_told() {
    let table = table("cowboy");
    for code in [
        Code::MoveOutOfBounds,
        Code::MoveIntoBlock,
        Code::MoveIntoPlayer,
        Code::ShootOwnShield,
        Code::ShootOutOfBounds,
        Code::ShootIntoBlock,
        Code::ShootIntoPlayer,
        Code::SpeakEmpty,
        Code::SpeakTooLong,
        Code::UnreadableAction,
        Code::NotToAct,
        Code::MissingAction,
        Code::MatchOver,
        Code::BadState,
        Code::BadRuleset,
        Code::BadRequest,
    ] {
        let refused = Refusal::new(code, "why");
        for language in Language::ALL {
            assert!(
                !refusal(&table.view(Viewer::Public), Seat::new(3), "{", &refused, language).is_empty(),
                "{code} {language}"
            );
        }
    }
}
