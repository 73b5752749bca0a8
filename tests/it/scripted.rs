//! Players that do what a file says, faults included. The clock is paused: nobody waits.

use std::time::Duration;

use standoff::games::{Reason, Seat, Seed};
use standoff::players::{Player, Script};
use tokio::time::Instant;

use crate::process::{Played, play, random, ruleset};

fn scripted(text: &str) -> Box<dyn Player> {
    Script::read("test", text).expect("a script").player(Seed(3))
}

/// Plays Cowboy with scripts on both seats; the second one's turns do not matter.
async fn rounds(rounds: &str, script: &str) -> Played {
    play(ruleset("cowboy", &[("max_rounds", rounds)]), vec![scripted(script), scripted("")]).await
}

#[tokio::test(start_paused = true)]
async fn a_script_is_played_line_by_line_faults_included() {
    let script = "
# A turn may take more than one line.
shield left
dance
!truncated {\"action\":\"mo
SHIELD UP

!declined I would rather not
!nothing
!wait 5
{\"action\":\"shield\",\"direction\":\"down\"}
!silent
!crash
!wait 121
shield right
";
    let played = rounds("6", script).await;
    assert_eq!(
        played.verdicts("A"),
        [
            "shield left",
            "shield up, not unreadable: unreadable_action, not truncated: unreadable_action",
            "shield down, not refused: unreadable_action, not unreadable: unreadable_action",
            "pass, by too_slow",
            "pass, by crashed",
            "pass, by too_slow",
        ]
    );
    assert_eq!(played.turns[2].refused[1].text, "{\"action\":\"mo");
    assert!(played.turns.iter().all(|turn| turn.micros.is_empty()), "the same record every time");
}

#[tokio::test(start_paused = true)]
async fn a_script_waits_speaks_and_explains() {
    let begun = Instant::now();
    let script = "!wait 2.5\n!say hello there\n!reason to be safe\nshield up";
    let played = play(ruleset("cowboy-classic", &[("max_rounds", "1")]), vec![scripted(script), scripted("")]).await;
    assert_eq!(begun.elapsed(), Duration::from_millis(2500));
    let seat: Seat = "A".parse().expect("a seat");
    assert_eq!((&*played.turns[0].said[&seat], &*played.turns[0].reasoning[&seat]), ("hello there", "to be safe"));
}

#[tokio::test(start_paused = true)]
async fn a_script_that_is_used_up_does_what_its_last_line_says() {
    let first = rounds("3", "shield left").await.verdicts("A");
    assert_eq!(first[1..], rounds("2", "").await.verdicts("A"), "the first legal action");
    let repeated = rounds("5", "shield left\nshield up\n!repeat").await.verdicts("A");
    assert_eq!(repeated, ["shield left", "shield up", "shield left", "shield up", "shield left"]);
    let drawn = rounds("12", "!random").await.verdicts("A");
    assert_eq!(drawn, rounds("12", "!random").await.verdicts("A"));
    assert!(drawn.iter().any(|action| *action != drawn[0]));
}

#[tokio::test(start_paused = true)]
async fn a_script_can_end_a_match() {
    let resigned = rounds("3", "!resign").await;
    assert_eq!(resigned.verdicts("A"), ["forfeit, by resigned"]);
    assert_eq!(resigned.end.expect("it ends").reason, Reason::Forfeit);
    let stopped = rounds("3", "shield up\n!backend 503").await.end.expect_err("suspended").to_string();
    assert!(stopped.contains("nobody has lost") && stopped.ends_with("503"), "{stopped}");
    let left = play(ruleset("cowboy", &[]), vec![random(), scripted("!leave")]).await;
    assert_eq!(left.end.expect_err("left").to_string(), "the match was left before its end");
}

#[test]
fn what_is_wrong_with_a_script_is_said_with_line_numbers_all_at_once() {
    let script = "shield up\n!dance\n!wait long\n!wait -1\n!wait nan\n!say\n!silent please\n!repeat now\n!say hi\n";
    let error = Script::read("demo.txt", script).expect_err("flawed").to_string();
    let lines: Vec<&str> = error.lines().collect();
    let expected = [
        "demo.txt:2: no `!dance`; available: !wait, ",
        "demo.txt:3: `long` is no time to wait: ",
        "demo.txt:4: `-1` is no time to wait: ",
        "demo.txt:5: `nan` is no time to wait: ",
        "demo.txt:6: `!say` needs a text",
        "demo.txt:7: `!silent` stands alone, without `please`",
        "demo.txt:8: `!repeat` stands alone, without `now`",
        "demo.txt:9: `!say` belongs to the answer below it",
    ];
    assert_eq!(lines.len(), expected.len(), "{error}");
    assert!(lines.iter().zip(expected).all(|(line, expected)| line.starts_with(expected)), "{error}");
    let error = |text| Script::read("s", text).expect_err("flawed").to_string();
    assert_eq!(error("# nothing\n!repeat"), "s:2: `!repeat` has nothing to repeat");
    assert_eq!(error("!random\nstay"), "s:2: this is never reached: `!random` above is the end of the script");
}
