use std::sync::Arc;
use std::time::Duration;

use super::*;
use crate::matches::Replay;
use crate::players::{BotPlayer, BotSpec};
use crate::store::Location;

/// Brings any built-in bot.
struct Bots;

impl Guests for Bots {
    fn names(&self) -> Vec<String> {
        vec!["greedy".to_owned(), "random".to_owned()]
    }

    fn invite(&self, name: &str, place: &Place) -> Result<Guest, String> {
        let spec: BotSpec = name.parse().map_err(|_| format!("no player `{name}`"))?;
        let bot = spec.seat(place.seed.child("bot", place.seat.index() as u64));
        let info = SeatInfo { seat: place.seat, player: name.to_owned(), model: None };
        Ok(Guest { info, player: Box::new(BotPlayer::new(bot)) })
    }
}

fn hall() -> Hall {
    Hall::new(Arc::new(Bots), Limits::default())
}

fn wish(ruleset: &str, chairs: &[&str]) -> Wish {
    let chairs = chairs.iter().map(|name| match *name {
        "me" => Invited::Me("me".to_owned()),
        "open" => Invited::Anybody,
        house => Invited::House(house.to_owned()),
    });
    Wish {
        ruleset: Arc::new(Ruleset::named(ruleset).expect("built in")),
        chairs: chairs.collect(),
        seed: Some(Seed(7)),
        settings: Settings::default(),
    }
}

const LONG: Duration = Duration::from_secs(20);

/// Plays the first legal action of a seat until the match is over.
async fn play_out(seated: &Seated) {
    loop {
        seated.turn(LONG).await;
        let view = seated.view();
        if view.stage == Stage::Over {
            return;
        }
        assert!(view.your_turn, "nobody keeps us waiting so long: {:?}", view.stage);
        let action = view.table.legal(seated.seat()).swap_remove(0);
        seated.act(Some(view.table.turn()), &action, None).await.expect("it is legal");
    }
}

#[tokio::test]
async fn a_match_against_a_bot_ends_with_a_record_that_verifies() {
    for ruleset in crate::rules::library::rulesets() {
        let opened = hall().open(&wish(ruleset, &["me", "random"])).await.expect("two can play");
        play_out(&opened.mine[0].0).await;
        let record = opened.live.lines().join("\n");
        let replay = Replay::read(record.as_bytes()).expect(ruleset);
        replay.finished().expect("it is over");
        assert_eq!(replay.seats[1].player, "random");
    }
}

#[tokio::test]
async fn a_match_begins_when_the_last_seat_is_taken() {
    let hall = hall();
    let opened = hall.open(&wish("cowboy", &["me", "open"])).await.expect("two can play");
    let (me, _) = &opened.mine[0];
    assert_eq!(me.act(None, "move down", None).await, Err(ActError::Gathering { open: vec![Seat::new(1)] }));
    let (other, key) = hall.join(opened.live.id(), None, "other").await.expect("a seat is open");
    assert_eq!(other.seat(), Seat::new(1));
    assert_eq!(hall.seat(&key).await.expect("the key opens it").seat(), other.seat());
    assert_eq!(hall.join(opened.live.id(), None, "third").await.expect_err("full"), HallError::Seat(ActError::Full));
    tokio::join!(play_out(me), play_out(&other));
}

#[tokio::test]
async fn the_same_action_for_the_same_turn_changes_nothing() {
    let opened = hall().open(&wish("cowboy", &["me", "greedy"])).await.expect("two can play");
    let (me, _) = &opened.mine[0];
    me.turn(LONG).await;
    me.act(Some(0), "shield down", None).await.expect("legal");
    me.act(Some(0), "shield down", None).await.expect("the same");
    me.turn(LONG).await;
    assert_eq!(me.view().table.turn(), 2);
    me.act(Some(0), "Shield  DOWN", None).await.expect("the same, long ago");
    assert_eq!(me.act(Some(0), "move down", None).await, Err(ActError::Past { turn: 0, now: 2 }));
    assert_eq!(me.act(Some(9), "move down", None).await, Err(ActError::Future { turn: 9, now: 2 }));
    assert_eq!(me.view().table.turn(), 2);
}

#[tokio::test]
async fn a_refused_action_changes_nothing_and_is_in_the_record() {
    let opened = hall().open(&wish("cowboy", &["me", "greedy"])).await.expect("two can play");
    let (me, _) = &opened.mine[0];
    me.turn(LONG).await;
    let before = me.view().table.hash();
    assert!(matches!(me.act(None, "shoot up", None).await, Err(ActError::Refused(_))));
    assert!(matches!(me.act(None, "dance", None).await, Err(ActError::Refused(_))));
    assert_eq!(me.view().table.hash(), before);
    me.act(None, "move down", Some("away from the edge")).await.expect("legal");
    me.turn(LONG).await;
    let line = &opened.live.lines()[1];
    assert!(line.contains("\"refused\":[{\"seat\":\"A\",\"text\":\"shoot up\""), "{line}");
    assert!(line.contains("away from the edge"), "{line}");
}

#[tokio::test]
async fn what_is_sealed_is_nowhere_before_the_turn_is_played() {
    let hall = hall();
    let opened = hall.open(&wish("paint", &["me", "open"])).await.expect("two can play");
    let (other, _) = hall.join(opened.live.id(), None, "other").await.expect("a seat is open");
    let (me, _) = &opened.mine[0];
    me.turn(LONG).await;
    let before = (format!("{:?}", other.view()), format!("{:?}", opened.live.view(None)), opened.live.lines());
    let action = me.view().table.legal(me.seat()).swap_remove(0);
    me.act(None, &action, None).await.expect("legal");
    assert!(me.view().acted && !me.view().your_turn);
    let after = (format!("{:?}", other.view()), format!("{:?}", opened.live.view(None)), opened.live.lines());
    assert_eq!(before, after);
}

#[tokio::test]
async fn who_resigns_leaves_and_the_other_wins() {
    let opened = hall().open(&wish("cowboy", &["me", "greedy"])).await.expect("two can play");
    let (me, _) = &opened.mine[0];
    me.turn(LONG).await;
    me.resign().await.expect("not over");
    let mut version = opened.live.view(None).version;
    while opened.live.stage() != Stage::Over {
        opened.live.changed(version, LONG).await;
        version = opened.live.view(None).version;
    }
    let outcome = me.view().table.outcome().expect("over");
    assert_eq!(outcome.places[&Seat::new(1)], 1);
    assert_eq!(me.act(None, "move down", None).await, Err(ActError::Over));
}

#[tokio::test]
async fn wishes_that_cannot_be_granted_are_refused_in_words() {
    let hall = hall();
    let wrong = async |chairs: &[&str]| hall.open(&wish("cowboy", chairs)).await.expect_err("it cannot be").to_string();
    assert_eq!(wrong(&["me", "nobody"]).await, "no player `nobody`");
    assert!(wrong(&["me", "random", "random", "random", "random"]).await.contains("takes 1 to 4 players, not 5"));
    assert_eq!(hall.watch("x").await.expect_err("none").to_string(), "there is no match `x`");
    assert_eq!(hall.seat(&SeatKey::claimed("x")).await.expect_err("none"), HallError::NoSeat);
}

#[tokio::test]
async fn a_match_goes_on_in_another_hall_with_the_same_keys() {
    let folder = tempfile::tempdir().expect("a folder");
    let location = Location::File(folder.path().join("halls.db"));
    let (key, id, turn);
    {
        let store = Store::open(&location).await.expect("a store");
        let hall = Hall::kept(Arc::new(Bots), Limits::default(), store.clone()).expect("a hall");
        let opened = hall.open(&wish("paint", &["me", "open"])).await.expect("two can play");
        let (me, mine) = &opened.mine[0];
        let (other, _) = hall.join(opened.live.id(), None, "other").await.expect("a seat is open");
        for _ in 0..3 {
            for seated in [me, &other] {
                seated.turn(LONG).await;
                let action = seated.view().table.legal(seated.seat()).swap_remove(0);
                seated.act(None, &action, None).await.expect("legal");
            }
        }
        me.turn(LONG).await;
        // Sealed for a turn that this hall never plays.
        let action = me.view().table.legal(me.seat()).swap_remove(0);
        me.act(None, &action, None).await.expect("legal");
        turn = me.view().table.turn();
        (key, id) = (mine.clone(), opened.live.id().to_owned());
        let again = Hall::kept(Arc::new(Bots), Limits::default(), store).expect("a second hall");
        assert_eq!(again.seat(&key).await.expect_err("it is played there"), HallError::Elsewhere(id.clone()));
        opened.live.stop();
    }
    let store = Store::open(&location).await.expect("the store");
    let hall = Hall::kept(Arc::new(Bots), Limits::default(), store).expect("a hall");
    let me = hall.seat(&key).await.expect("the key still opens the seat");
    assert_eq!((me.live().id(), me.view().table.turn()), (id.as_str(), turn));
    assert!(me.view().acted, "what was sealed is still sealed");
}

#[tokio::test]
async fn ten_thousand_matches_fit_and_one_more_takes_the_place_of_the_oldest_that_is_over() {
    let hall = Hall::new(Arc::new(Bots), Limits { matches: 10_000, ..Limits::default() });
    let mut first = None;
    for _ in 0..10_000 {
        let opened = hall.open(&wish("cowboy", &["me", "greedy"])).await.expect("there is room");
        first.get_or_insert(opened);
    }
    assert_eq!(hall.list().len(), 10_000);
    assert_eq!(hall.open(&wish("cowboy", &["me", "greedy"])).await.expect_err("full"), HallError::Full(10_000));
    let first = first.expect("there is a first");
    first.mine[0].0.resign().await.expect("not over");
    while first.live.stage() != Stage::Over {
        first.live.changed(first.live.glance(None).version, LONG).await;
    }
    hall.open(&wish("cowboy", &["me", "greedy"])).await.expect("one has gone");
    assert_eq!(hall.list().len(), 10_000);
    assert_eq!(
        hall.watch(first.live.id()).await.expect_err("put away"),
        HallError::NoMatch(first.live.id().to_owned())
    );
}

#[tokio::test]
async fn what_nobody_touches_is_put_away_and_found_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::open(&Location::File(folder.path().join("halls.db"))).await.expect("a store");
    let limits = Limits { matches: 1, ..Limits::default() };
    let hall = Hall::kept(Arc::new(Bots), limits, store).expect("a hall");
    let opened = hall.open(&wish("cowboy", &["me", "greedy"])).await.expect("there is room");
    let (me, key) = &opened.mine[0];
    me.turn(LONG).await;
    me.act(None, "shield down", None).await.expect("legal");
    me.turn(LONG).await;
    let before = me.view().table.hash();
    hall.open(&wish("cowboy", &["me", "greedy"])).await.expect("the first is put away");
    assert_eq!(hall.list().len(), 1);
    let back = hall.seat(key).await.expect("it is on the disk");
    assert!(!Arc::ptr_eq(back.live(), &opened.live));
    assert_eq!(back.view().table.hash(), before);
    back.act(None, "move down", None).await.expect("it goes on");
}
