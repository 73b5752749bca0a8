use std::sync::Arc;
use std::time::Duration;

use super::*;
use crate::bots::BotSpec;
use crate::games::Ruleset;
use crate::games::accepted::READS;
use crate::games::dice::Seed;
use crate::games::seat::Seat;
use crate::matches::{Replay, SeatInfo};
use crate::players::BotPlayer;
use crate::store::{Location, Pace};

mod arena;
mod attended;
mod hangups;
mod owners;

/// Brings any built-in bot.
struct TestBots;

impl HousePlayers for TestBots {
    fn names(&self) -> Vec<String> {
        vec!["greedy".to_owned(), "random".to_owned()]
    }

    fn invite(&self, name: &str, place: &HouseSeat) -> Result<HousePlayer, String> {
        let spec: BotSpec = name.parse().map_err(|_| format!("no player `{name}`"))?;
        let bot = spec.seat(place.seed.child("bot", place.seat.index() as u64));
        let info = SeatInfo::configured(place.seat, name.to_owned(), None);
        Ok(HousePlayer { info, player: Box::new(BotPlayer::new(bot)) })
    }
}

fn arena() -> Arena {
    Arena::new(Arc::new(TestBots), ArenaLimits::default())
}

fn request(ruleset: &str, chairs: &[&str]) -> MatchRequest {
    let chairs = chairs.iter().map(|name| match *name {
        "me" => SeatChoice::Me("me".to_owned()),
        "open" => SeatChoice::Anybody,
        house => SeatChoice::House(house.to_owned()),
    });
    MatchRequest {
        ruleset: Arc::new(Ruleset::named(ruleset).expect("built in")),
        chairs: chairs.collect(),
        seed: Some(Seed(7)),
        settings: MatchSettings::default(),
    }
}

/// A ticket of the queue.
fn wanted(mode: &str, players: Option<usize>, bots: bool, pace: Pace) -> QueueRequest {
    QueueRequest { mode: mode.to_owned(), players, bots, pace }
}

/// The same as a live match.
fn live_request(ruleset: &str, chairs: &[&str]) -> MatchRequest {
    let request = request(ruleset, chairs);
    let ruleset = Arc::new(Ruleset::clone(&request.ruleset).live());
    MatchRequest { ruleset, settings: MatchSettings { ticks: true, ..request.settings }, ..request }
}

const LONG: Duration = Duration::from_secs(20);

/// Plays the first legal action of a seat until the match is over.
async fn play_out(seated: &SeatHandle) {
    loop {
        seated.turn(LONG).await;
        let view = seated.view();
        if view.stage == Stage::Over {
            return;
        }
        assert!(view.your_turn, "nobody keeps us waiting so long: {:?}", view.stage);
        let action = view.seen.legal(seated.seat()).swap_remove(0);
        seated.act(Some(view.seen.turn()), &action, None).await.expect("it is legal");
    }
}

#[tokio::test]
async fn a_match_against_a_bot_ends_with_a_record_that_verifies() {
    for ruleset in crate::games::library::rulesets() {
        let opened = arena().open(&request(ruleset, &["me", "random"])).await.expect("two can play");
        play_out(&opened.mine[0].0).await;
        let record = opened.live.lines().join("\n");
        let replay = Replay::read(record.as_bytes()).expect(ruleset);
        replay.finished().expect("it is over");
        assert_eq!(replay.seats[1].player, "random");
    }
}

#[tokio::test]
async fn a_match_begins_when_the_last_seat_is_taken() {
    let arena = arena();
    let opened = arena.open(&request("cowboy", &["me", "open"])).await.expect("two can play");
    let (me, _) = &opened.mine[0];
    assert_eq!(me.act(None, "move down", None).await, Err(ActError::Gathering { open: vec![Seat::new(1)] }));
    let (other, key) = arena.join(opened.live.id(), None, "other").await.expect("a seat is open");
    assert_eq!(other.seat(), Seat::new(1));
    assert_eq!(arena.seat(&key).await.expect("the key opens it").seat(), other.seat());
    assert_eq!(arena.join(opened.live.id(), None, "third").await.expect_err("full"), ArenaError::Seat(ActError::Full));
    tokio::join!(play_out(me), play_out(&other));
}

#[tokio::test]
async fn the_same_action_for_the_same_turn_changes_nothing() {
    let opened = arena().open(&request("cowboy", &["me", "greedy"])).await.expect("two can play");
    let (me, _) = &opened.mine[0];
    me.turn(LONG).await;
    me.act(Some(0), "shield down", None).await.expect("legal");
    me.act(Some(0), "shield down", None).await.expect("the same");
    me.turn(LONG).await;
    assert_eq!(me.view().seen.turn(), 2);
    me.act(Some(0), "Shield  DOWN", None).await.expect("the same, long ago");
    assert_eq!(me.act(Some(0), "move down", None).await, Err(ActError::Past { turn: 0, now: 2 }));
    assert_eq!(me.act(Some(9), "move down", None).await, Err(ActError::Future { turn: 9, now: 2 }));
    assert_eq!(me.view().seen.turn(), 2);
}

#[tokio::test]
async fn a_refused_action_changes_nothing_and_is_in_the_record() {
    let opened = arena().open(&request("cowboy", &["me", "greedy"])).await.expect("two can play");
    let (me, _) = &opened.mine[0];
    me.turn(LONG).await;
    let before = me.view().seen.state();
    assert!(matches!(me.act(None, "shoot up", None).await, Err(ActError::Refused(_))));
    assert!(matches!(me.act(None, "dance", None).await, Err(ActError::Refused(_))));
    assert_eq!(me.view().seen.state(), before);
    me.act(None, "move down", Some("away from the edge")).await.expect("legal");
    me.turn(LONG).await;
    let line = &opened.live.lines()[1];
    assert!(line.contains("\"refused\":[{\"seat\":\"A\",\"text\":\"shoot up\""), "{line}");
    assert!(line.contains("away from the edge"), "{line}");
}

#[tokio::test]
async fn an_action_that_comes_in_is_read_once() {
    let opened = arena().open(&request("cowboy", &["me", "greedy"])).await.expect("two can play");
    let (me, _) = &opened.mine[0];
    me.turn(LONG).await;
    READS.set(0);
    me.act(None, "shield down", None).await.expect("legal");
    me.turn(LONG).await;
    assert_eq!((me.view().seen.turn(), READS.get()), (2, 1));
    let object = serde_json::json!({ "action": "shield", "direction": "up" }).as_object().cloned().expect("one");
    me.act(None, object, None).await.expect("legal");
    me.turn(LONG).await;
    assert_eq!((me.view().seen.turn(), READS.get()), (4, 2));
}

/// All that anybody but a seat can see of a match, without the names that no two matches share.
fn seen_by_others(live: &Live, others: &[&SeatHandle]) -> String {
    let views = others.iter().map(|other| other.view()).chain([live.view(None)]);
    let views = views.map(|view| format!("{:?}", MatchView { match_id: "".into(), clock: None, ..view }));
    let glances = others.iter().map(|other| format!("{:?}", other.glance()));
    let record = live.shown_record().unwrap_or_default().replace(live.id(), "");
    views.chain(glances).chain([record]).collect::<Vec<_>>().join("\n")
}

#[tokio::test]
async fn nothing_that_others_see_depends_on_what_a_seat_has_sealed() {
    let mut seen = Vec::new();
    for choice in [None, Some(0), Some(1), Some(2)] {
        let arena = arena();
        let opened = arena.open(&request("grid-royale", &["me", "open"])).await.expect("two can play");
        let (other, _) = arena.join(opened.live.id(), None, "other").await.expect("a seat is open");
        let (me, _) = &opened.mine[0];
        me.turn(LONG).await;
        if let Some(choice) = choice {
            let action = me.view().seen.legal(me.seat()).swap_remove(choice);
            let accepted = me.act(None, &action, Some("because")).await.expect("legal");
            assert_eq!((accepted.action.as_str(), accepted.repeated), (action.as_str(), false));
            assert!(me.act(None, &action, None).await.expect("the same").repeated);
            assert_eq!(me.view().sealed, Some(action.clone()));
            assert!(!me.view().your_turn);
            assert_eq!(opened.live.view(None).submitted, crate::games::Seats::one(me.seat()));
        }
        // Whether it has acted may be known, and nothing else.
        let seen_now = seen_by_others(&opened.live, &[&other]);
        seen.push(seen_now.replace(&format!("{:?}", opened.live.view(None).submitted), ""));
    }
    assert_eq!(seen[1], seen[0]);
    assert_eq!(seen[2], seen[0]);
    assert_eq!(seen[3], seen[0]);
}

/// What a seat sends for the turn at hand.
async fn act_any(seated: &SeatHandle) -> Result<Receipt, ActError> {
    let view = seated.view();
    let action = view.seen.legal(seated.seat()).swap_remove(0);
    seated.act(Some(view.seen.turn()), &action, None).await
}

async fn until(live: &Live, is_so: impl Fn(&MatchView) -> bool) {
    let mut changes = live.listen_closely();
    while !is_so(&live.view(None)) {
        changes.changed().await.expect("the match is there");
    }
}

#[tokio::test(start_paused = true)]
async fn with_a_pace_a_turn_is_played_at_its_tick_however_early_everybody_acts() {
    let arena = arena();
    let opened = arena.open(&live_request("grid-royale", &["me", "me", "greedy"])).await.expect("three can play");
    let live = &opened.live;
    until(live, |view| view.clock.is_some()).await;
    let mut last = live.view(None).clock.expect("it runs").begun;
    for turn in 0..4_u32 {
        let clock = live.view(None).clock.expect("it runs");
        assert_eq!(clock.due, Some(last + Duration::from_secs(1)));
        assert_eq!(live.view(None).deadline(), Some(clock.begun + Duration::from_secs(3)));
        for (seated, _) in &opened.mine {
            act_any(seated).await.expect("legal");
        }
        assert_eq!((live.turn(), live.view(None).submitted.len()), (turn, 2));
        until(live, |view| view.seen.turn() > turn && view.clock.is_some()).await;
        let ticked = live.view(None).clock.expect("it runs").begun;
        // The timers of the runtime are exact to a millisecond.
        assert!(ticked.duration_since(last + Duration::from_secs(1)) <= Duration::from_millis(1));
        last += Duration::from_secs(1);
    }
}

#[tokio::test(start_paused = true)]
async fn whoever_does_not_act_is_waited_for_until_the_turns_end_and_out_at_the_fifth() {
    let arena = arena();
    let opened = arena.open(&live_request("grid-royale", &["me", "me", "greedy"])).await.expect("three can play");
    let live = &opened.live;
    let (awake, asleep) = (&opened.mine[0].0, &opened.mine[1].0);
    for turn in 0..5_u32 {
        until(live, |view| view.seen.turn() == turn && view.clock.is_some()).await;
        let begun = tokio::time::Instant::now();
        act_any(awake).await.expect("legal");
        until(live, |view| view.seen.turn() > turn).await;
        let waited = begun.elapsed();
        assert!((2999..=3001).contains(&waited.as_millis()), "{waited:?}");
        let late = asleep.act(Some(turn), "stay", None).await;
        assert_eq!(late, Err(ActError::Past { turn, now: turn + 1 }));
    }
    let sitting = &live.view(None).seats[1];
    assert_eq!((sitting.lapses, sitting.timeouts), (5, 5));
    let turns = live.turns_after(0);
    assert!(turns[..4].iter().all(|turn| turn.lapses[&asleep.seat()].stand_in));
    assert_eq!(turns[4].actions[&asleep.seat()], "forfeit");
    assert!(!live.view(None).to_act().contains(asleep.seat()));
}

#[tokio::test(start_paused = true)]
async fn an_action_that_was_acknowledged_counts_and_one_that_came_too_late_is_refused() {
    let opened = arena().open(&request("grid-royale", &["me", "me"])).await.expect("two can play");
    let live = &opened.live;
    until(live, |view| view.clock.is_some()).await;
    let deadline = live.view(None).deadline().expect("there is a limit");
    tokio::time::sleep_until(deadline).await;
    // The very moment: whichever way it goes, the answer and the record say the same.
    let outcome = opened.mine[0].0.act(Some(0), "stay", None).await;
    until(live, |view| view.seen.turn() > 0).await;
    let turn = live.turns_after(0).swap_remove(0);
    assert_eq!(turn.lapses.contains_key(&opened.mine[0].0.seat()), outcome.is_err(), "{outcome:?}");
}

#[tokio::test(start_paused = true)]
async fn the_clock_of_the_match_runs_for_those_who_think() {
    let mut request = request("cowboy", &["me", "me"]);
    let fields = serde_json::json!({ "base": "cowboy", "policy": { "total_seconds": 100, "turn_seconds": 60 } });
    request.ruleset = Arc::new(Ruleset::from_json(&fields).expect("a ruleset"));
    let opened = arena().open(&request).await.expect("two can play");
    let (live, (a, b)) = (&opened.live, (Seat::new(0), Seat::new(1)));
    until(live, |view| view.clock.is_some()).await;
    tokio::time::advance(Duration::from_secs(30)).await;
    let view = live.view(None);
    let now = tokio::time::Instant::now();
    let left = |view: &MatchView, seat| view.time_left(seat, now).expect("limited").as_secs();
    assert_eq!((left(&view, a), left(&view, b)), (70, 100));
    assert_eq!(view.deadline().expect("limited") - now, Duration::from_secs(30));
    act_any(&opened.mine[0].0).await.expect("legal");
    until(live, |view| view.seen.turn() == 1 && view.clock.is_some()).await;
    let view = live.view(None);
    assert_eq!((left(&view, a), left(&view, b)), (70, 100));
}

#[tokio::test]
async fn old_turns_are_found_in_the_record() {
    let opened = arena().open(&request("paint", &["greedy", "greedy"])).await.expect("two can play");
    let live = &opened.live;
    until(live, |view| view.stage == Stage::Over && live.lines().last().is_some_and(|line| line.contains("result")))
        .await;
    let replay = live.replay().expect("sound").expect("begun");
    let turns = live.turns_after(0);
    assert_eq!(turns.len(), replay.turns.len());
    for (turn, step) in turns.iter().zip(&replay.turns) {
        assert_eq!((turn.turn, &turn.actions), (step.line.turn, &step.line.actions));
        assert_eq!((&turn.events, turn.state_hash), (&step.events, Some(step.table.hash())));
    }
    assert!(turns.len() > 20);
    assert!(live.moments_after(3).is_none());
    let last = u32::try_from(turns.len()).expect("small") - 3;
    let moments = live.moments_after(last).expect("the latest");
    assert_eq!(moments.len(), 3);
    assert!(moments.iter().all(|moment| moment.turn.state_hash == Some(moment.table.hash())));
    assert_eq!(live.moments_after(last + 3).expect("none").len(), 0);
}

#[tokio::test]
async fn who_resigns_leaves_and_the_other_wins() {
    let opened = arena().open(&request("cowboy", &["me", "greedy"])).await.expect("two can play");
    let (me, _) = &opened.mine[0];
    me.turn(LONG).await;
    me.resign().await.expect("not over");
    let mut version = opened.live.view(None).version;
    while opened.live.stage() != Stage::Over {
        opened.live.changed(version, LONG).await;
        version = opened.live.view(None).version;
    }
    let outcome = me.view().seen.outcome().expect("over");
    assert_eq!(outcome.places[&Seat::new(1)], 1);
    assert_eq!(me.act(None, "move down", None).await, Err(ActError::Over));
}

#[tokio::test]
async fn wishes_that_cannot_be_granted_are_refused_in_words() {
    let arena = arena();
    let wrong =
        async |chairs: &[&str]| arena.open(&request("cowboy", chairs)).await.expect_err("it cannot be").to_string();
    assert_eq!(wrong(&["me", "nobody"]).await, "no player `nobody`");
    assert!(wrong(&["me", "random", "random", "random", "random"]).await.contains("takes 1 to 4 players, not 5"));
    assert_eq!(arena.watch("x").await.expect_err("none").to_string(), "there is no match `x`");
    assert_eq!(arena.seat(&SeatKey::claimed("x")).await.expect_err("none"), ArenaError::NoSeat);
}

#[tokio::test]
async fn a_match_goes_on_in_another_hall_with_the_same_keys() {
    let folder = tempfile::tempdir().expect("a folder");
    let location = Location::File(folder.path().join("arenas.db"));
    let (key, id, turn);
    {
        let store = Store::open(&location).await.expect("a store");
        let arena = Arena::with_store(Arc::new(TestBots), ArenaLimits::default(), store.clone()).expect("an arena");
        let opened = arena.open(&request("paint", &["me", "open"])).await.expect("two can play");
        let (me, mine) = &opened.mine[0];
        let (other, _) = arena.join(opened.live.id(), None, "other").await.expect("a seat is open");
        for _ in 0..3 {
            for seated in [me, &other] {
                seated.turn(LONG).await;
                let action = seated.view().seen.legal(seated.seat()).swap_remove(0);
                seated.act(None, &action, None).await.expect("legal");
            }
        }
        me.turn(LONG).await;
        // Sealed for a turn that this arena never plays.
        let action = me.view().seen.legal(me.seat()).swap_remove(0);
        me.act(None, &action, None).await.expect("legal");
        turn = me.view().seen.turn();
        (key, id) = (mine.clone(), opened.live.id().to_owned());
        let again = Arena::with_store(Arc::new(TestBots), ArenaLimits::default(), store).expect("a second arena");
        let elsewhere = again.seat(&key).await.expect_err("it is played there");
        assert!(matches!(elsewhere, ArenaError::Elsewhere { match_id, .. } if match_id == id));
        arena.close().await;
    }
    let store = Store::open(&location).await.expect("the store");
    let arena = Arena::with_store(Arc::new(TestBots), ArenaLimits::default(), store).expect("an arena");
    let me = arena.seat(&key).await.expect("the key still opens the seat");
    assert_eq!((me.live().id(), me.view().seen.turn()), (id.as_str(), turn));
    assert!(me.view().acted(), "what was sealed is still sealed");
}

#[tokio::test]
async fn ten_thousand_matches_fit_and_one_more_takes_the_place_of_the_oldest_that_is_over() {
    let arena = Arena::new(Arc::new(TestBots), ArenaLimits { matches: 10_000, ..ArenaLimits::default() });
    let mut first = None;
    for _ in 0..10_000 {
        let opened = arena.open(&request("cowboy", &["me", "greedy"])).await.expect("there is room");
        first.get_or_insert(opened);
    }
    assert_eq!(arena.list().len(), 10_000);
    assert_eq!(arena.open(&request("cowboy", &["me", "greedy"])).await.expect_err("full"), ArenaError::Full(10_000));
    let first = first.expect("there is a first");
    first.mine[0].0.resign().await.expect("not over");
    while first.live.stage() != Stage::Over {
        first.live.changed(first.live.glance(None).version, LONG).await;
    }
    arena.open(&request("cowboy", &["me", "greedy"])).await.expect("one has gone");
    assert_eq!(arena.list().len(), 10_000);
    assert_eq!(
        arena.watch(first.live.id()).await.expect_err("put away"),
        ArenaError::NoMatch(first.live.id().to_owned())
    );
}

#[tokio::test]
async fn what_nobody_touches_is_put_away_and_found_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::open(&Location::File(folder.path().join("arenas.db"))).await.expect("a store");
    let limits = ArenaLimits { matches: 1, ..ArenaLimits::default() };
    let arena = Arena::with_store(Arc::new(TestBots), limits, store).expect("an arena");
    let opened = arena.open(&request("cowboy", &["me", "greedy"])).await.expect("there is room");
    let (me, key) = &opened.mine[0];
    me.turn(LONG).await;
    me.act(None, "shield down", None).await.expect("legal");
    me.turn(LONG).await;
    let before = me.view().seen.state();
    arena.open(&request("cowboy", &["me", "greedy"])).await.expect("the first is put away");
    assert_eq!(arena.list().len(), 1);
    let back = arena.seat(key).await.expect("it is on the disk");
    assert!(!Arc::ptr_eq(back.live(), &opened.live));
    assert_eq!(back.view().seen.state(), before);
    back.act(None, "move down", None).await.expect("it goes on");
}

#[tokio::test]
async fn a_seat_sees_what_the_others_said_and_not_its_own_words() {
    let opened = arena().open(&request("cowboy-classic", &["me", "me"])).await.expect("two can play");
    let (a, b) = (&opened.mine[0].0, &opened.mine[1].0);
    for seated in [a, b] {
        seated.turn(LONG).await;
        seated.say_once(None, &format!("I am {}", seated.seat()), None).await.expect("talk is free");
        seated.act(None, "shield up", None).await.expect("it is legal");
    }
    a.turn(LONG).await;
    let words = |seat: usize| (Seat::new(seat), format!("I am {}", Seat::new(seat)));
    assert_eq!(a.view().said(), [words(1)]);
    assert_eq!(b.view().said(), []);
    assert_eq!(opened.live.view(None).said(), [words(1)], "a spectator hears the last turn");
}

#[tokio::test]
async fn the_seed_of_a_match_is_drawn_from_all_there_are() {
    let arena = arena();
    let wish = MatchRequest { seed: None, ..request("paint", &["me", "greedy"]) };
    let mut bits = 0;
    for _ in 0..64 {
        bits |= arena.open(&wish).await.expect("opens").live.seed().0;
    }
    // A house bot draws from it: whoever sees its moves must not find it by trying them all.
    assert_eq!(bits, u64::MAX, "{bits:#x}");
}
