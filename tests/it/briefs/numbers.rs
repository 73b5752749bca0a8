//! A brief has its numbers from the ruleset: change one and the brief says so.

use serde_json::{Value as Json, json};
use standoff::briefs::{Language, brief};

use super::ruleset;

/// Checks that a change puts a phrase into the brief that was not there before, in each language.
fn check(base: &str, change: &Json, english: &str, chinese: &str) {
    let mut changed = json!({ "base": base });
    changed.as_object_mut().expect("an object").extend(change.as_object().expect("an object").clone());
    for (language, phrase) in [(Language::En, english), (Language::Zh, chinese)] {
        let before = brief(&ruleset(&json!(base)), 2, language);
        let after = brief(&ruleset(&changed), 2, language);
        assert!(!before.contains(phrase), "{base} says already: {phrase}");
        assert!(after.contains(phrase), "{base} with {change} does not say: {phrase}");
    }
}

#[test]
fn a_changed_field_changes_the_brief_of_cowboy() {
    for (change, english, chinese) in [
        (json!({ "hp": 7 }), "Everyone has 7 hit points", "每人 7 点生命"),
        (json!({ "hp": 7 }), "hits B on (0, 3): 6 HP left", "命中 (0, 3) 的 B，生命剩 6"),
        (json!({ "hp": 1 }), "B is out, shot by A: place 3", "B 被 A 击杀，出局，第 3 名"),
        (json!({ "laser": "straight" }), "flies from you straight", "笔直飞出"),
        (json!({ "laser": "straight" }), "The beam hits C on (2, 5)", "激光命中 (2, 5) 的 C"),
        (json!({ "bodies": "vanish" }), "taken off the board", "离开棋盘"),
        (json!({ "speech": "free" }), "one thing a turn to everybody", "每回合还可以对所有人说一句话"),
        (json!({ "speech": "off" }), "There is no talking", "本局不能说话"),
        (json!({ "max_rounds": 33 }), "After round 33", "打满 33 轮"),
        (
            json!({ "sides": ["right", "down"] }),
            "A: at (5, 9), 10 HP, shield right",
            "A：位于 (5, 9)，生命 10，护盾朝右",
        ),
        (json!({ "map": "none", "rows": 6, "cols": 8 }), "6 rows and 8 columns", "6 行 8 列"),
        (json!({ "policy": { "attempts": 4 } }), "After 4 refused answers", "被驳回 4 次"),
        (json!({ "policy": { "attempts": 1 } }), "The first refused answer", "只要被驳回一次"),
        (json!({ "policy": { "turn_seconds": 45 } }), "within 45 seconds", "45 秒内"),
        (json!({ "policy": { "on_lapse": "forfeit" } }), "A turn that lapses is a forfeit", "回合作废即判负"),
        (json!({ "policy": { "on_lapse": "random" } }), "draws a random action", "随机抽一个动作"),
        (json!({ "policy": { "forfeit_after": 9 } }), "9 lapses in a match", "作废 9 次"),
        (json!({ "policy": { "patience": 7 } }), "After 7 refused answers in the whole match", "整局累计被驳回 7 次"),
        (json!({ "policy": { "total_seconds": 600 } }), "You have 600 seconds of thinking time", "思考时间一共 600 秒"),
        (json!({ "policy": { "tick_seconds": 2 } }), "at least 2 seconds apart", "至少相隔 2 秒"),
    ] {
        check("cowboy", &change, english, chinese);
    }
}

#[test]
fn a_changed_field_changes_the_brief_of_paint() {
    for (change, english, chinese) in [
        (json!({ "turns": 30 }), "after 30 turns", "打完 30 回合"),
        (json!({ "rows": 4, "cols": 6 }), "4 rows and 6 columns", "4 行 6 列"),
        (json!({ "map": "garden", "rows": 0, "cols": 0 }), "`#` an obstacle", "`#` 是障碍"),
        (json!({ "speech": "off" }), "There is no talking", "本局不能说话"),
    ] {
        check("paint", &change, english, chinese);
    }
}

#[test]
fn a_changed_field_changes_the_brief_of_grid_royale() {
    for (change, english, chinese) in [
        (json!({ "hp": 9 }), "everyone with 9 hit points", "每人 9 点生命"),
        (json!({ "hp": 9 }), "B loses 1 HP to bullets: 8 left", "B 中弹，掉 1 点生命，还剩 8"),
        (json!({ "range": 3 }), "flies up to 3 tiles", "最远飞 3 格"),
        (json!({ "max_ticks": 40 }), "after tick 40 in any case", "打满 40 回合"),
        (json!({ "zone_every": 4 }), "| 5 to 8 | 1 to 13 | 1 to 13 |", "| 5 到 8 | 1 到 13 | 1 到 13 |"),
        (json!({ "zone_shrinks": 2 }), "| 21 to 100 | 2 to 12 | 2 to 12 |", "| 21 到 100 | 2 到 12 | 2 到 12 |"),
        (json!({ "zone_shrinks": 0 }), "does not shrink", "本局不缩圈"),
        (json!({ "width": 9, "height": 7 }), "9 tiles from west to east, 7", "东西宽 9 格，南北高 7 格"),
        (json!({ "teams": 2 }), "There are 2 teams: A against B", "本局共 2 队：A 对 B"),
        (json!({ "powerups": { "every": 6 } }), "After every 6 ticks one appears", "每到 6 的倍数"),
        (json!({ "powerups": { "every": 6, "health": 4 } }), "Health is 4 HP", "立刻加 4 点生命"),
        (json!({ "powerups": { "every": 6, "damage_shots": 5 } }), "your next 5 shots", "从这回合起的 5 枪"),
    ] {
        check("grid-royale", &change, english, chinese);
    }
}

#[test]
fn a_changed_field_changes_the_brief_of_trails() {
    for (change, english, chinese) in [
        (json!({ "max_turns": 40 }), "after 40 turns in any case", "打满 40 回合"),
        (json!({ "rows": 7, "cols": 9 }), "7 rows and 9 columns", "7 行 9 列"),
        (json!({ "rows": 7, "cols": 9 }), "after 63 turns in any case", "打满 63 回合"),
        (json!({ "map": "pinwheel" }), "`#` a wall", "`#` 是墙"),
        (json!({ "policy": { "on_lapse": "random" } }), "draws a random action", "随机抽一个动作"),
        (json!({ "speech": "off" }), "There is no talking", "本局不能说话"),
    ] {
        check("trails", &change, english, chinese);
    }
    // What passing means is the game's to say.
    for (language, phrase) in [
        (Language::En, "used up and your rider goes straight on."),
        (Language::Zh, "作废的回合由车手照原方向直行一格。"),
    ] {
        let told = |name: &str| brief(&ruleset(&json!(name)), 2, language).contains(phrase);
        assert!(told("trails") && !told("paint"), "{phrase}");
    }
}

#[test]
fn a_brief_can_be_asked_for_any_number_of_players() {
    for name in ["cowboy", "paint", "grid-royale", "trails"] {
        for seats in [0, 1, 3, 5, 4097] {
            assert!(!brief(&ruleset(&json!(name)), seats, Language::En).is_empty());
        }
    }
    let teams = ruleset(&json!({ "base": "grid-royale", "teams": 2 }));
    let text = brief(&teams, 3, Language::En);
    assert!(text.contains("A and C against B and D"), "three make no two teams, so it is for the usual four: {text}");
}

#[test]
fn a_brief_tells_the_clocks_that_hold() {
    let royale = || ruleset(&json!("grid-royale"));
    let own_pace = ["within 120 seconds", "is used up", "120 秒内", "什么也不做，直接过去"];
    let live = ["within 3 seconds", "draws a random move", "3 秒内", "随机抽一个移动"];
    for (ruleset, told, untold) in
        [(royale(), own_pace, live), (royale().for_tournament(None), own_pace, live), (royale().live(), live, own_pace)]
    {
        let briefs = [Language::En, Language::Zh].map(|language| brief(&ruleset, 4, language)).concat();
        for phrase in told {
            assert!(briefs.contains(phrase), "{phrase} is missing");
        }
        for phrase in untold {
            assert!(!briefs.contains(phrase), "{phrase} is not so");
        }
    }
}
