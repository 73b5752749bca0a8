//! Players that are programs of their own, well-behaved and not: what the record says of each.

use std::fs::{self, File};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream;
use serde_json::Value as Json;
use standoff::bots::BotSpec;
use standoff::briefs::Language;
use standoff::games::{BySeat, Outcome, Ruleset, Seat, Seed, Table, Viewer, library};
use standoff::matches::{Match, Record, Turn};
use standoff::players::{Ask, BotPlayer, Hello, Player, PlayerError, ProcessError, ProcessPlayer, TurnLog};
use standoff::referee::{self, Stopped, Watch};
use standoff::settings::fields::Fields;

/// Two rounds of Cowboy with a second a turn.
const SHORT: &[(&str, &str)] = &[("max_rounds", "2"), ("policy.turn_seconds", "1")];

/// The same with all the time in the world: whoever answers at all is never late, however busy the machine is.
const UNHURRIED: &[(&str, &str)] = &[("max_rounds", "2"), ("policy.turn_seconds", "60")];

/// Longer than anything takes that ends at all.
const AGES: Duration = Duration::from_mins(1);

/// What every program of these tests begins with.
const PRELUDE: &str = r#"
import fcntl, json, os, signal, subprocess, sys, time
def say(**message): print(json.dumps(message), flush=True)
def hear(): return json.loads(sys.stdin.readline())
def answer(turn, action="shield up", **more): say(type="action", nonce=turn["nonce"], action=action, **more)
"#;

pub(crate) fn ruleset(name: &str, fields: &[(&str, &str)]) -> Arc<Ruleset> {
    let mut over = Fields::none(name);
    for (key, value) in fields {
        over.set(key, value);
    }
    Arc::new(Ruleset::load(name, over, &|_| Err("no files".to_owned())).expect("a ruleset"))
}

/// The turns of a match.
#[derive(Default)]
pub(crate) struct Kept(pub(crate) Vec<Turn>);

impl Watch for Kept {
    fn record(&mut self, _: &Match, record: &Record) -> std::io::Result<()> {
        if let Record::Turn(turn) = record {
            self.0.push(turn.clone());
        }
        Ok(())
    }
}

pub(crate) struct Played {
    pub(crate) turns: Vec<Turn>,
    pub(crate) end: Result<Outcome, Stopped>,
}

/// Plays a match to its end and gives what was recorded.
pub(crate) async fn play(ruleset: Arc<Ruleset>, players: Vec<Box<dyn Player>>) -> Played {
    let names = vec!["somebody".to_owned(); players.len()];
    let (mut game, _) = Match::open("m", ruleset, Seed(7), names).expect("opens");
    let mut players: BySeat<Box<dyn Player>> = players.into_iter().collect();
    let mut kept = Kept::default();
    let end = referee::run("m", &mut game, None, &mut players, &mut kept, Duration::ZERO).await;
    Played { turns: kept.0, end }
}

impl Played {
    /// What a seat did in each of its turns: the action, the fault if the referee acted for it, and what was refused.
    pub(crate) fn verdicts(&self, seat: &str) -> Vec<String> {
        let seat: Seat = seat.parse().expect("a seat");
        let of_seat = self.turns.iter().filter(|turn| turn.actions.contains_key(&seat));
        let verdict = |turn: &Turn| {
            let mut words = vec![turn.actions[&seat].clone()];
            words.extend(turn.lapses.get(&seat).map(|lapse| format!("by {}", written(&lapse.fault))));
            let refused = turn.refused.iter().filter(|refused| refused.seat == seat);
            words.extend(refused.map(|refused| format!("not {}: {}", written(&refused.fault), refused.code)));
            words.join(", ")
        };
        of_seat.map(verdict).collect()
    }
}

fn written(value: &impl serde::Serialize) -> String {
    serde_json::to_value(value).expect("JSON").as_str().expect("a text").to_owned()
}

pub(crate) fn random() -> Box<dyn Player> {
    Box::new(BotPlayer::new(BotSpec::Random.seat(Seed(1))))
}

fn start(command: &str, ruleset: &Arc<Ruleset>, seat: &str) -> Result<ProcessPlayer, ProcessError> {
    let seat = seat.parse().expect("a seat");
    ProcessPlayer::start(command, Hello { ruleset: ruleset.clone(), seat, seats: 2, language: Language::En })
}

/// The command of a Python program, written into a folder.
fn python(folder: &Path, name: &str, body: &str) -> String {
    let file = folder.join(name);
    fs::write(&file, format!("{PRELUDE}{body}")).expect("written");
    format!("python3 '{}' '{}'", file.display(), folder.display())
}

/// Plays two rounds of Cowboy with a program on seat A, so many seconds a turn.
async fn two_rounds(body: &str, turn_seconds: &str) -> Played {
    let folder = tempfile::tempdir().expect("a folder");
    let ruleset = ruleset("cowboy", &[("max_rounds", "2"), ("policy.turn_seconds", turn_seconds)]);
    let mut player = start(&python(folder.path(), "bot.py", body), &ruleset, "A").expect("starts");
    player.ready(AGES).await;
    play(ruleset, vec![Box::new(player), random()]).await
}

fn first_ask(ruleset: &Arc<Ruleset>) -> Ask {
    let seat = "A".parse().expect("a seat");
    let view = Table::open(ruleset.clone(), 2, Seed(7)).expect("opens").view(Viewer::Seat(seat));
    Ask { match_id: "m".to_owned(), view, seat, since: Vec::new(), said: Vec::new() }
}

/// Waits until no process holds the lock on this file any more: a dead process holds none.
async fn released(lock: &Path) {
    let file = File::open(lock).expect("the program made it");
    let locked = tokio::task::spawn_blocking(move || file.lock());
    tokio::time::timeout(AGES, locked).await.expect("nobody is left").expect("joins").expect("locks");
}

#[tokio::test]
async fn every_way_to_misbehave_has_its_verdict() {
    let too_slow = "pass, by too_slow";
    let crashed = "pass, by crashed";
    let lie = "not unreadable: unreadable_action";
    let lies = format!("pass, by unreadable, {lie}, {lie}, {lie}");
    let corrected = format!("shield up, {lie}");
    let cases: &[(&str, &str, [&str; 2])] = &[
        ("well-behaved", "hear(); say(type='ready')\nwhile True: answer(hear())", ["shield up"; 2]),
        ("silent", "hear(); say(type='ready'); time.sleep(600)", [too_slow; 2]),
        ("crashes at once", "sys.exit(3)", [crashed; 2]),
        ("crashes in the middle", "hear(); say(type='ready'); answer(hear()); os.abort()", ["shield up", crashed]),
        ("floods before it is asked", "while True: print('x')", [crashed; 2]),
        ("floods when asked", "hear(); say(type='ready'); hear()\nwhile True: print('{}')", [crashed; 2]),
        (
            "writes a line without end",
            "hear(); say(type='ready')\nwhile True: sys.stdout.write('x' * 4096)",
            [crashed; 2],
        ),
        (
            "lies about the nonce",
            "hear(); say(type='ready')\nwhile True: hear(); say(type='action', nonce='0' * 16, action='shield up')",
            [&lies; 2],
        ),
        (
            "forgets the nonce once",
            "hear(); say(type='ready'); hear(); say(type='action', action='shield up'); answer(hear()); answer(hear())",
            [&corrected, "shield up"],
        ),
        (
            "sends no action",
            "hear(); say(type='ready'); answer(hear(), 7); answer(hear()); answer(hear())",
            [&corrected, "shield up"],
        ),
        (
            "answers twice",
            "hear(); say(type='ready')\nwhile True: turn = hear(); answer(turn); answer(turn, 'shield down')",
            ["shield up"; 2],
        ),
        (
            "answers the first turn in the second",
            "hear(); say(type='ready'); late = hear(); turn = hear(); answer(late, 'shield down'); answer(turn)",
            [too_slow, "shield up"],
        ),
        (
            "prints garbage first",
            "print('Loading…\\n[1,2\\n{}\\n\\n7'); os.write(1, b'\\xff\\n'); hear(); say(type='ready')\n\
             while True: turn = hear(); print('thinking'); answer(turn)",
            ["shield up"; 2],
        ),
        ("closes its output", "hear(); say(type='ready'); hear(); os.close(1); time.sleep(600)", [crashed; 2]),
        (
            "closes its input",
            "hear(); say(type='ready'); turn = hear(); os.close(0); answer(turn); time.sleep(600)",
            ["shield up", crashed],
        ),
        ("ends after an answer", "hear(); say(type='ready'); answer(hear())", ["shield up", crashed]),
        (
            "leaves a child that keeps the pipes open",
            "hear(); say(type='ready'); answer(hear()); subprocess.Popen(['sleep', '600'])",
            ["shield up", crashed],
        ),
        (
            "breaks a rule and learns",
            "hear(); say(type='ready'); answer(hear(), 'dance')\nturn = hear()\n\
             assert turn['refused'][0]['text'] == 'dance' and turn['refused'][0]['code'] == 'unreadable_action'\n\
             answer(turn); answer(hear(), {'action': 'shield', 'direction': 'up'})",
            [&corrected, "shield up"],
        ),
    ];
    let playing = cases.iter().map(|(_, body, expected)| {
        // Where the clock is to run out it is short, but not so short that an answer could miss it too.
        let answers = expected.iter().any(|verdict| *verdict != too_slow);
        let late = expected.contains(&too_slow);
        two_rounds(
            body,
            if !late {
                "60"
            } else if answers {
                "5"
            } else {
                "1"
            },
        )
    });
    let mut played = stream::iter(playing).buffered(6);
    for (name, _, expected) in cases {
        assert_eq!(played.next().await.expect("one a case").verdicts("A"), expected, "{name}");
    }
}

#[tokio::test]
async fn a_program_that_never_gets_ready_is_too_slow() {
    let ruleset = ruleset("cowboy", SHORT);
    let mut player = start("sleep 600", &ruleset, "A").expect("starts");
    player.ready(Duration::ZERO).await;
    let played = play(ruleset, vec![Box::new(player), random()]).await;
    assert_eq!(played.verdicts("A"), ["pass, by too_slow"; 2]);
}

#[tokio::test]
async fn a_crash_tells_how_the_program_ended() {
    let ruleset = ruleset("cowboy", SHORT);
    for (command, expected) in [
        ("sh -c 'exit 3'", "it ended with exit status: 3"),
        ("sh -c 'kill -9 $$'", "it ended with signal: 9 (SIGKILL)"),
        ("sh -c 'exec >&-; sleep 600'", "it closed its standard output"),
        (r#"sh -c 'exec <&-; echo "{\"type\":\"ready\"}"; sleep 600'"#, "it closed its standard input"),
        ("yes", "it wrote more than 100 lines that were no answer"),
        ("cat /dev/zero", "it wrote a line of more than 65536 bytes"),
    ] {
        let mut player = start(command, &ruleset, "A").expect("starts");
        for _ in 0..2 {
            let crashed = player.act(&first_ask(&ruleset), &TurnLog::default()).await;
            assert_eq!(crashed, Err(PlayerError::Crashed(expected.to_owned())), "{command}");
        }
    }
}

#[tokio::test]
async fn what_a_program_does_not_read_is_not_kept_without_end() {
    let ruleset = ruleset("cowboy", SHORT);
    let mut player = start(r#"sh -c 'echo "{\"type\":\"ready\"}"; sleep 600'"#, &ruleset, "A").expect("starts");
    player.ready(AGES).await;
    let mut crashed = None;
    for _ in 0..2000 {
        // Every question is dropped unanswered, as the clock would do it.
        let (ask, log) = (first_ask(&ruleset), TurnLog::default());
        let asked = tokio::time::timeout(Duration::ZERO, player.act(&ask, &log)).await;
        crashed = asked.ok().and_then(Result::err).or(crashed);
    }
    assert_eq!(crashed, Some(PlayerError::Crashed("it reads nothing of what it is sent".to_owned())));
}

#[tokio::test]
async fn what_cannot_be_started_is_a_wrong_call() {
    let ruleset = ruleset("cowboy", SHORT);
    let cannot = |command: &str| start(command, &ruleset, "A").expect_err("no such program").to_string();
    let missing = cannot("./no-such-program --fast");
    assert!(missing.starts_with("cannot start `./no-such-program`: "), "{missing}");
    assert!(cannot(" ").starts_with("no command"));
    assert!(cannot("python3 'bot.py").contains("a quote or a backslash is left open"));
}

#[tokio::test]
async fn a_program_hears_all_there_is_to_know() {
    let folder = tempfile::tempdir().expect("a folder");
    let ruleset = ruleset("cowboy-classic", UNHURRIED);
    let body = "
log = open(sys.argv[1] + '/log', 'w')
for line in sys.stdin:
    log.write(line); log.flush()
    message = json.loads(line)
    if message['type'] == 'hello': say(type='ready', name='Ann\\n')
    if message['type'] == 'turn': answer(message, say='hi ' + message['seat'], reasoning='safe')
";
    let command = python(folder.path(), "bot.py", body);
    let mut ann = start(&command, &ruleset, "A").expect("starts");
    ann.ready(AGES).await;
    assert_eq!(ann.name(), Some("Ann\u{fffd}"));
    let other = tempfile::tempdir().expect("a folder");
    let mut ben = start(&python(other.path(), "bot.py", body), &ruleset, "B").expect("starts");
    ben.ready(AGES).await;
    let played = play(ruleset.clone(), vec![Box::new(ann), Box::new(ben)]).await;
    let seat: Seat = "A".parse().expect("a seat");
    assert_eq!((&*played.turns[0].said[&seat], &*played.turns[0].reasoning[&seat]), ("hi A", "safe"));

    let log = fs::read_to_string(folder.path().join("log")).expect("written");
    // Nothing to compute from: neither the seed nor a fingerprint of a position or the chain.
    assert!(!log.contains("\"seed\"") && !log.contains("hash") && !log.contains("digest"), "{log}");
    let heard: Vec<Json> = log.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(heard.iter().map(|message| &message["type"]).collect::<Vec<_>>(), ["hello", "turn", "turn", "end"]);
    let hello = &heard[0];
    assert_eq!(hello["protocol"], 1);
    assert_eq!(hello["ruleset"], serde_json::to_value(&*ruleset).expect("JSON"));
    assert_eq!((&hello["seat"], &hello["seats"], &hello["language"]), (&"A".into(), &2.into(), &"en".into()));
    assert!(hello["brief"].as_str().expect("a text").contains("shield"));
    let table = Table::open(ruleset, 2, Seed(7)).expect("opens");
    let (first, second) = (&heard[1], &heard[2]);
    assert_eq!(first["state"], serde_json::to_value(table.state()).expect("JSON"));
    assert_eq!(first["legal"], serde_json::to_value(table.legal(seat)).expect("JSON"));
    assert_eq!((&first["turn"], &second["turn"]), (&0.into(), &2.into()));
    assert_ne!(first["nonce"], second["nonce"]);
    assert!(first["time_left_ms"].as_u64().is_some_and(|left| (1..=60_000).contains(&left)));
    assert_eq!(second["said"], serde_json::json!([{ "seat": "B", "text": "hi B" }]));
    assert_eq!(second["events"].as_array().expect("events").len(), 2);
    assert_eq!(heard[3]["outcome"], serde_json::to_value(played.end.expect("it ends")).expect("JSON"));
}

/// Holds a lock as long as it or its child lives, and leaves for no signal that can be ignored.
const STUBBORN: &str = "
signal.signal(signal.SIGTERM, signal.SIG_IGN); signal.signal(signal.SIGHUP, signal.SIG_IGN)
lock = open(sys.argv[1] + '/lock', 'w'); fcntl.flock(lock, fcntl.LOCK_EX)
subprocess.Popen(['sleep', '600'], pass_fds=[lock.fileno()])
hear(); say(type='ready')
";

#[tokio::test]
async fn at_the_end_of_a_match_nothing_is_left_running() {
    let folder = tempfile::tempdir().expect("a folder");
    let ruleset = ruleset("cowboy", UNHURRIED);
    let body = format!("{STUBBORN}answer(hear()); answer(hear()); time.sleep(600)");
    let mut player = start(&python(folder.path(), "bot.py", &body), &ruleset, "A").expect("starts");
    player.ready(AGES).await;
    let played = play(ruleset, vec![Box::new(player), random()]).await;
    assert_eq!(played.verdicts("A"), ["shield up"; 2]);
    released(&folder.path().join("lock")).await;
}

#[tokio::test]
async fn when_a_match_is_dropped_nothing_is_left_running() {
    let folder = tempfile::tempdir().expect("a folder");
    let ruleset = ruleset("cowboy", &[("policy.turn_seconds", "0")]);
    let body = format!("{STUBBORN}hear(); open(sys.argv[1] + '/asked', 'w'); time.sleep(600)");
    let mut player = start(&python(folder.path(), "bot.py", &body), &ruleset, "A").expect("starts");
    player.ready(AGES).await;
    let playing = tokio::spawn(play(ruleset, vec![Box::new(player), random()]));
    let asked = async {
        while !folder.path().join("asked").exists() {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(AGES, asked).await.expect("it is asked");
    playing.abort();
    released(&folder.path().join("lock")).await;
}

#[tokio::test]
async fn the_bot_of_the_readme_plays_every_ruleset_by_the_rules() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let command = format!("python3 '{}'", root.join("examples/bot.py").display());
    for name in library::rulesets() {
        for seat in ["A", "B"] {
            let ruleset = ruleset(name, &[("policy.turn_seconds", "60")]);
            let mut bot = start(&command, &ruleset, seat).expect("starts");
            bot.ready(AGES).await;
            assert_eq!(bot.name(), Some("bot.py"));
            let mut players: Vec<Box<dyn Player>> = vec![Box::new(bot), random()];
            if seat == "B" {
                players.reverse();
            }
            let played = play(ruleset, players).await;
            played.end.expect("it ends");
            assert!(played.turns.iter().all(|turn| turn.refused.is_empty() && turn.lapses.is_empty()), "{name}");
        }
    }
}

#[test]
fn the_bot_of_the_docs_is_the_one_that_is_tested() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let bot = fs::read_to_string(root.join("examples/bot.py")).expect("readable");
    assert!(bot.lines().count() < 40);
    let page = fs::read_to_string(root.join("docs/bots.md")).expect("readable");
    assert!(page.contains(&format!("```python\n{bot}```")));
}

/// Does what it is told, turn by turn, and then stays.
struct Walker(Vec<&'static str>);

impl Player for Walker {
    fn act<'a>(
        &'a mut self,
        ask: &'a Ask,
        _log: &'a TurnLog,
    ) -> futures_util::future::BoxFuture<'a, Result<standoff::players::Answer, PlayerError>> {
        let action = self.0.get(ask.view.turn() as usize).copied().unwrap_or("stay");
        Box::pin(std::future::ready(ask.answer(action)))
    }
}

/// Two matches that differ only in what A cannot see send A's program the same lines.
#[tokio::test]
async fn a_program_is_sent_nothing_that_its_seat_cannot_see() {
    let body = r#"
log = open(sys.argv[1] + "/heard", "w")
while True:
    message = hear()
    nonce = message.pop("nonce", None)
    log.write(json.dumps(message) + "\n")
    log.flush()
    if message["type"] == "hello": say(type="ready")
    elif message["type"] == "turn": say(type="action", nonce=nonce, action="stay")
    else: break
"#;
    let mut heard = Vec::new();
    for walk in [["move west", "move west, shoot west", "stay"], ["stay, shoot north", "move south", "move south"]] {
        let folder = tempfile::tempdir().expect("a folder");
        let fields = &[("max_ticks", "4"), ("policy.turn_seconds", "0")];
        let ruleset = ruleset("grid-royale-fog", fields);
        let mut player = start(&python(folder.path(), "bot.py", body), &ruleset, "A").expect("starts");
        player.ready(AGES).await;
        let played = play(ruleset, vec![Box::new(player), Box::new(Walker(walk.to_vec()))]).await;
        assert_eq!(played.turns[1].actions[&Seat::new(1)], walk[1]);
        heard.push(fs::read_to_string(folder.path().join("heard")).expect("it wrote down what it heard"));
    }
    assert_eq!(heard[0], heard[1]);
    let turns: Vec<Json> = heard[0].lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(turns[2]["state"]["bots"][1]["position"], Json::Null);
    assert_eq!(turns[2]["state"]["bots"][0]["position"]["x"], 1);
}
