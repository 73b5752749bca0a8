//! Registered players, invitations, the queue and the ladder, and that a restart loses nothing of them.

use tempfile::TempDir;

use super::*;
use crate::games::ruleset::OnLapse;
use crate::store::{Change, Pace};

/// A folder with a store in it.
pub(super) struct House(TempDir);

impl House {
    pub(super) fn new() -> House {
        House(tempfile::tempdir().expect("a folder"))
    }

    pub(super) async fn store(&self) -> Store {
        Store::open(&Location::File(self.0.path().join("arenas.db"))).await.expect("a store")
    }

    pub(super) fn path(&self) -> std::path::PathBuf {
        self.0.path().join("arenas.db")
    }

    /// An arena on the store, with what an earlier one left behind.
    pub(super) async fn arena(&self) -> Arena {
        let arena =
            Arena::with_store(Arc::new(TestBots), ArenaLimits::default(), self.store().await).expect("an arena");
        arena.take_up().await.expect("readable");
        arena
    }
}

pub(super) async fn register(arena: &Arena, name: &str) -> Registered {
    arena.register(name).await.expect("the name is free").0
}

fn wish_for(ruleset: &str, chairs: Vec<SeatChoice>) -> MatchRequest {
    MatchRequest { chairs, ..request(ruleset, &[]) }
}

/// Keeps a paused clock from going on by itself whenever a test waits for the store, which has a thread of its own.
struct Still(#[expect(dead_code, reason = "it is enough that it is there")] std::sync::mpsc::Sender<()>);

impl Still {
    fn stand() -> Still {
        let (alive, gone) = std::sync::mpsc::channel();
        // The clock stands while something blocks.
        tokio::task::spawn_blocking(move || gone.recv().is_err());
        Still(alive)
    }

    /// Lets so much time go by, and whoever looks after the queue see it.
    async fn pass(&self, arena: &Arena, time: Duration) {
        let step = Duration::from_millis(250);
        for _ in 0..time.as_millis() / step.as_millis() {
            tokio::time::advance(step).await;
            for _ in 0..8 {
                tokio::task::yield_now().await;
            }
            // Whoever holds the queue is done with it when we have had it.
            drop(arena.inner.queue.lock().await);
        }
    }
}

#[tokio::test]
async fn a_name_is_one_players_and_never_the_houses() {
    let house = House::new();
    let arena = house.arena().await;
    let (ada, token) = arena.register("  Ada 爱达 ").await.expect("the name is free");
    assert_eq!(&*ada.name, "Ada 爱达");
    assert!(token.reveal().starts_with('p') && token.reveal().len() > 30);
    assert!(!format!("{token:?}").contains(token.reveal()));
    assert_eq!(arena.register("ADA 爱达").await.expect_err("taken"), ArenaError::NameTaken("ADA 爱达".to_owned()));
    let long = "x".repeat(41);
    for bad in
        ["", "  ", &long, "a\u{7}b", "a\nb", "a\u{202e}b", "greedy", "Greedy", "RANDOM", "greedy:3", "open", "me"]
    {
        assert!(matches!(arena.register(bad).await, Err(ArenaError::BadName(_))), "{bad:?}");
    }
    register(&arena, &"爱".repeat(40)).await;
    assert_eq!(
        Arena::new(Arc::new(TestBots), ArenaLimits::default()).register("Ada").await.expect_err("nothing is kept"),
        ArenaError::NoStore
    );
}

#[tokio::test]
async fn a_token_is_one_players_until_it_is_replaced() {
    let house = House::new();
    let (ada, old) = house.arena().await.register("Ada").await.expect("free");
    let arena = house.arena().await;
    assert_eq!(arena.player(&old).await.expect("the store knows it"), ada);
    assert_eq!(arena.player(&PlayerToken::claimed("pnonsense")).await.expect_err("nobody's"), ArenaError::NoPlayer);
    let new = arena.renew_token_once(&ada, None).await.expect("kept");
    assert_eq!(arena.player(&old).await.expect_err("replaced"), ArenaError::NoPlayer);
    assert_eq!(arena.player(&new).await.expect("hers"), ada);
    let folder = house.0.path().to_owned();
    arena.close().await;
    for file in std::fs::read_dir(folder).expect("there").map(|file| file.expect("readable").path()) {
        let bytes = std::fs::read(file).expect("readable");
        for token in [&old, &new] {
            let token = token.reveal().as_bytes();
            assert!(!bytes.windows(token.len()).any(|window| window == token));
        }
    }
}

#[tokio::test]
async fn one_players_token_never_acts_for_anothers_seat() {
    let house = House::new();
    let arena = house.arena().await;
    let (ada, bob, eve) = (register(&arena, "Ada").await, register(&arena, "Bob").await, register(&arena, "Eve").await);
    let opened =
        arena.open(&wish_for("cowboy", vec![SeatChoice::Player(ada.clone()), SeatChoice::Anybody])).await.expect("two");
    let id = opened.live.id().to_owned();
    let (joined, _) = arena.join_as(&id, None, &Joining::Player(bob.clone()), None).await.expect("a seat is open");
    assert_eq!(joined.seat(), Seat::new(1));
    let again = arena.join_as(&id, None, &Joining::Player(bob.clone()), None).await;
    assert_eq!(again.expect_err("he has one"), ArenaError::AlreadySeated(Seat::new(1)));
    for (player, seat) in [(&ada, 0), (&bob, 1)] {
        assert_eq!(arena.seat_of_player(&id, player).await.expect("seated").seat(), Seat::new(seat));
        assert_eq!(arena.matches_of(player).len(), 1);
    }
    assert_eq!(arena.seat_of_player(&id, &eve).await.expect_err("not hers"), ArenaError::NotSeated);
    assert_eq!(opened.live.view(None).seats[1].kind, HolderKind::Player(bob.id.clone()));
    // After a restart the seats are whose they were.
    let hall_two = {
        opened.live.view(None);
        arena.close().await;
        drop((arena, opened, joined));
        house.arena().await
    };
    assert_eq!(hall_two.seat_of_player(&id, &bob).await.expect("his").seat(), Seat::new(1));
    assert_eq!(hall_two.seat_of_player(&id, &eve).await.expect_err("not hers"), ArenaError::NotSeated);
    let live = hall_two.watch(&id).await.expect("there");
    until(&live, |_| !live.record().is_empty()).await;
    let record = live.record();
    assert!(record.contains("\"player\":\"Bob\""), "{record}");
}

#[tokio::test]
async fn a_player_has_so_many_matches_and_no_more() {
    let house = House::new();
    let limits = ArenaLimits { matches_a_player: 2, ..ArenaLimits::default() };
    let arena = Arena::with_store(Arc::new(TestBots), limits, house.store().await).expect("an arena");
    let ada = register(&arena, "Ada").await;
    let chairs = || vec![SeatChoice::Player(ada.clone()), SeatChoice::House("greedy".to_owned())];
    let first = arena.open(&wish_for("cowboy", chairs())).await.expect("room");
    arena.open(&wish_for("cowboy", chairs())).await.expect("room");
    assert_eq!(arena.open(&wish_for("cowboy", chairs())).await.expect_err("full"), ArenaError::TooMany(2));
    assert_eq!(
        arena.queue(&ada, &wanted("cowboy", None, true, Pace::Live)).await.expect_err("full"),
        ArenaError::TooMany(2)
    );
    first.mine[0].0.resign().await.expect("not over");
    until(&first.live, |view| view.stage == Stage::Over).await;
    arena.open(&wish_for("cowboy", chairs())).await.expect("room again");
}

#[tokio::test]
async fn a_private_match_is_joined_by_its_code_alone() {
    let house = House::new();
    let arena = house.arena().await;
    let mut private = request("cowboy", &["me", "open"]);
    private.settings.private = true;
    let opened = arena.open(&private).await.expect("two can play");
    let code = opened.invite.clone().expect("a seat is open");
    let id = opened.live.id().to_owned();
    assert_eq!(arena.join(&id, None, "x").await.expect_err("no code"), ArenaError::NotInvited);
    arena.close().await;
    drop((arena, opened));
    let arena = house.arena().await;
    let who = Joining::Named("x".to_owned());
    assert_eq!(arena.join_as(&id, None, &who, Some("i2345")).await.expect_err("another"), ArenaError::NotInvited);
    arena.join_as(&id, None, &who, Some(&code)).await.expect("that is it");
    assert!(arena.open(&request("cowboy", &["me", "greedy"])).await.expect("two").invite.is_none());
}

#[tokio::test(start_paused = true)]
async fn those_who_wait_for_the_same_are_brought_together_once() {
    let _still = Still::stand();
    let house = House::new();
    let arena = house.arena().await;
    let mut players = Vec::new();
    for name in ["Ada", "Bob", "Eve", "Dan"] {
        players.push(register(&arena, name).await);
    }
    for (number, player) in players[..3].iter().enumerate() {
        let queued = arena.queue(player, &wanted("grid_royale", None, false, Pace::Live)).await.expect("waits");
        let Queued::Waiting { mode, position, .. } = queued.clone() else { panic!("{queued:?}") };
        assert_eq!((mode.as_str(), position), ("grid-royale", number + 1));
        assert_eq!(
            arena.queue(player, &wanted("paint", Some(2), true, Pace::Live)).await.expect("as before"),
            queued,
            "one queue at a time"
        );
    }
    let Queued::Matched { match_id, .. } =
        arena.queue(&players[3], &wanted("grid-royale", Some(4), false, Pace::Live)).await.expect("four")
    else {
        panic!("four are there")
    };
    let live = arena.watch(&match_id).await.expect("it began");
    assert!(live.is_rated() && live.pace() == Duration::from_secs(1));
    let policy = live.ruleset().policy;
    assert_eq!((policy.turn_seconds, policy.on_lapse, policy.forfeit_after), (3, OnLapse::Random, 5));
    assert_eq!(live.turn_seconds(), 3);
    for player in &players {
        let status = Queued::Matched { mode: "grid-royale".to_owned(), match_id: match_id.clone() };
        assert_eq!(arena.queue_status(player).await.expect("readable"), status);
        assert_eq!(
            arena.queue(player, &wanted("grid-royale", None, false, Pace::Live)).await.expect("as it is"),
            status
        );
        assert_eq!(arena.seat_of_player(&match_id, player).await.expect("seated").live().id(), match_id);
    }
    assert_eq!(arena.leave_queue(&players[0]).await.expect("kept"), Queued::Idle);
    assert_eq!(arena.queue_status(&players[0]).await.expect("readable"), Queued::Idle);
    let refused = arena.queue(&players[0], &wanted("chess", None, true, Pace::Live)).await;
    assert_eq!(refused.expect_err("none"), ArenaError::NoMode("chess".to_owned()));
    assert!(matches!(
        arena.queue(&players[0], &wanted("cowboy", Some(9), true, Pace::Live)).await,
        Err(ArenaError::Refused(_))
    ));
}

#[tokio::test(start_paused = true)]
async fn live_tickets_and_those_for_ones_own_pace_never_meet() {
    let still = Still::stand();
    let house = House::new();
    let arena = house.arena().await;
    let (ada, bob, eve) = (register(&arena, "Ada").await, register(&arena, "Bob").await, register(&arena, "Eve").await);
    arena.queue(&ada, &wanted("grid-royale", Some(2), false, Pace::OwnPace)).await.expect("waits");
    let queued = arena.queue(&bob, &wanted("grid-royale", Some(2), false, Pace::Live)).await.expect("waits");
    assert!(matches!(queued, Queued::Waiting { pace: Pace::Live, position: 1, .. }), "{queued:?}");
    still.pass(&arena, Duration::from_mins(1)).await;
    assert!(matches!(arena.queue_status(&ada).await, Ok(Queued::Waiting { pace: Pace::OwnPace, .. })));
    // Also after a restart.
    arena.close().await;
    drop(arena);
    let arena = house.arena().await;
    let Queued::Matched { match_id, .. } =
        arena.queue(&eve, &wanted("grid-royale", Some(2), false, Pace::OwnPace)).await.expect("two")
    else {
        panic!("two want the same")
    };
    assert!(arena.seat_of_player(&match_id, &ada).await.is_ok());
    assert!(matches!(arena.queue_status(&bob).await, Ok(Queued::Waiting { pace: Pace::Live, .. })));
    let live = arena.watch(&match_id).await.expect("it began");
    let policy = live.ruleset().policy;
    assert_eq!((policy.turn_seconds, policy.on_lapse, live.pace()), (120, OnLapse::Pass, Duration::ZERO));
    // Who thinks for four seconds loses nothing.
    until(&live, |view| view.clock.is_some()).await;
    tokio::time::advance(Duration::from_secs(4)).await;
    for player in [&ada, &eve] {
        act_any(&arena.seat_of_player(&match_id, player).await.expect("seated")).await.expect("in time");
    }
    until(&live, |view| view.seen.turn() == 1).await;
    assert!(live.turns_after(0)[0].lapses.is_empty());
}

#[tokio::test(start_paused = true)]
async fn in_an_unhurried_match_only_the_house_has_a_turn_clock() {
    let _still = Still::stand();
    let house = House::new();
    let arena = house.arena().await;
    let mut wanted = request("paint", &["me", "greedy"]);
    wanted.settings.unhurried = true;
    let opened = arena.open(&wanted).await.expect("two can play");
    let (me, key) = &opened.mine[0];
    assert_eq!((opened.live.turn_seconds(), opened.live.ruleset().policy.turn_seconds), (0, 120));
    until(&opened.live, |view| view.clock.is_some()).await;
    let clock = me.view().clock.expect("it runs");
    let until_of = |seat: usize| clock.until.iter().find(|(other, _)| other.index() == seat).expect("awaited").1;
    assert_eq!((until_of(0), until_of(1)), (None, Some(clock.begun + Duration::from_mins(2))));
    tokio::time::advance(Duration::from_hours(1)).await;
    // So it is after a restart.
    let key = key.clone();
    arena.close().await;
    drop((opened, arena));
    let arena = house.arena().await;
    let me = arena.seat(&key).await.expect("the key still opens the seat");
    until(me.live(), |view| view.clock.is_some()).await;
    tokio::time::advance(Duration::from_hours(1)).await;
    act_any(&me).await.expect("there is no hurry");
    until(me.live(), |view| view.seen.turn() == 1).await;
    assert!(me.live().turns_after(0)[0].lapses.is_empty());
}

#[tokio::test(start_paused = true)]
async fn after_a_while_bots_fill_up_or_fewer_play() {
    let still = Still::stand();
    let house = House::new();
    let arena = house.arena().await;
    let (ada, bob, eve) = (register(&arena, "Ada").await, register(&arena, "Bob").await, register(&arena, "Eve").await);
    arena.queue(&ada, &wanted("grid-royale", None, true, Pace::Live)).await.expect("waits");
    still.pass(&arena, Duration::from_secs(9)).await;
    assert!(matches!(arena.queue_status(&ada).await, Ok(Queued::Waiting { .. })));
    still.pass(&arena, Duration::from_secs(2)).await;
    let Ok(Queued::Matched { match_id, .. }) = arena.queue_status(&ada).await else { panic!("bots fill up") };
    let seats = arena.watch(&match_id).await.expect("there").view(None).seats;
    assert_eq!(seats.iter().filter(|sitting| sitting.kind == HolderKind::House).count(), 3);
    // Those who want no bots wait for each other, and are then content with fewer than usual.
    arena.queue(&bob, &wanted("grid-royale", None, false, Pace::Live)).await.expect("waits");
    still.pass(&arena, Duration::from_mins(1)).await;
    assert!(matches!(arena.queue_status(&bob).await, Ok(Queued::Waiting { .. })));
    arena.queue(&eve, &wanted("grid-royale", None, false, Pace::Live)).await.expect("waits");
    let Ok(Queued::Matched { match_id, .. }) = arena.queue_status(&bob).await else { panic!("two are enough") };
    assert_eq!(arena.watch(&match_id).await.expect("there").view(None).seats.len(), 2);
}

#[tokio::test(start_paused = true)]
async fn who_wants_a_number_and_no_bots_gets_neither_fewer_nor_bots() {
    let still = Still::stand();
    let house = House::new();
    let arena = house.arena().await;
    let (ada, bob) = (register(&arena, "Ada").await, register(&arena, "Bob").await);
    arena.queue(&ada, &wanted("grid-royale", Some(3), false, Pace::Live)).await.expect("waits");
    arena.queue(&bob, &wanted("grid-royale", Some(3), true, Pace::Live)).await.expect("waits");
    still.pass(&arena, Duration::from_secs(30)).await;
    assert!(matches!(arena.queue_status(&ada).await, Ok(Queued::Waiting { .. })));
    let Ok(Queued::Matched { match_id, .. }) = arena.queue_status(&bob).await else { panic!("bots fill up") };
    let seats = arena.watch(&match_id).await.expect("there").view(None).seats;
    assert_eq!(seats.iter().filter(|sitting| sitting.kind == HolderKind::House).count(), 2);
}

#[tokio::test(start_paused = true)]
async fn the_nearest_ratings_meet_and_the_window_widens() {
    let still = Still::stand();
    let house = House::new();
    let arena = house.arena().await;
    let (ada, bob, eve) = (register(&arena, "Ada").await, register(&arena, "Bob").await, register(&arena, "Eve").await);
    // Ada wins against Bob until they are far apart.
    let store = house.store().await;
    for number in 0..20 {
        let rival = |player: &Registered| player.identity();
        let places = vec![(rival(&ada), 1), (rival(&bob), 2)];
        let rate = Change::Rate { match_id: format!("x{number}"), ruleset: "paint".to_owned(), places };
        store.write(vec![rate]).await.expect("rated");
    }
    let apart = arena.ratings(&ada).await.expect("rated")[0].elo - arena.ratings(&bob).await.expect("rated")[0].elo;
    assert!((250.0..390.0).contains(&apart), "{apart}");
    arena.queue(&bob, &wanted("paint", None, false, Pace::Live)).await.expect("waits");
    arena.queue(&ada, &wanted("paint", None, false, Pace::Live)).await.expect("waits");
    assert!(matches!(arena.queue_status(&bob).await, Ok(Queued::Waiting { .. })), "too far apart at once");
    still.pass(&arena, Duration::from_secs(2)).await;
    arena.queue(&eve, &wanted("paint", None, false, Pace::Live)).await.expect("waits");
    // Eve is nearer to either than they are to each other; the one who waited longer has her.
    let Ok(Queued::Matched { match_id, .. }) = arena.queue_status(&bob).await else { panic!("near enough") };
    assert!(arena.seat_of_player(&match_id, &eve).await.is_ok());
    assert!(matches!(arena.queue_status(&ada).await, Ok(Queued::Waiting { .. })));
}

#[tokio::test(start_paused = true)]
async fn whoever_waits_still_waits_after_a_restart() {
    let _still = Still::stand();
    let house = House::new();
    let arena = house.arena().await;
    let (ada, bob) = (register(&arena, "Ada").await, register(&arena, "Bob").await);
    let before = arena.queue(&ada, &wanted("paint", None, false, Pace::Live)).await.expect("waits");
    let other =
        Arena::with_store(Arc::new(TestBots), ArenaLimits::default(), house.store().await).expect("a second arena");
    let elsewhere = other.queue(&bob, &wanted("paint", None, false, Pace::Live)).await.expect_err("kept there");
    assert!(matches!(elsewhere, ArenaError::QueueElsewhere(_)), "{elsewhere}");
    arena.close().await;
    drop((arena, other));
    let arena = house.arena().await;
    assert_eq!(arena.queue_status(&ada).await.expect("readable"), before);
    let Queued::Matched { match_id, .. } =
        arena.queue(&bob, &wanted("paint", None, false, Pace::Live)).await.expect("two are there")
    else {
        panic!("two are there")
    };
    arena.close().await;
    drop(arena);
    let arena = house.arena().await;
    let matched = Queued::Matched { mode: "paint".to_owned(), match_id: match_id.clone() };
    assert_eq!(arena.queue_status(&ada).await.expect("readable"), matched);
    assert!(arena.watch(&match_id).await.expect("it goes on").is_rated());
}

#[tokio::test(start_paused = true)]
async fn only_matches_from_the_queue_count_and_each_counts_once() {
    let still = Still::stand();
    let house = House::new();
    let arena = house.arena().await;
    let ada = register(&arena, "Ada").await;
    let opened = arena
        .open(&wish_for("paint", vec![SeatChoice::Player(ada.clone()), SeatChoice::House("greedy".to_owned())]))
        .await;
    let opened = opened.expect("two can play");
    play_out(&opened.mine[0].0).await;
    assert_eq!(arena.ladder(None).await.expect("readable"), []);
    arena.queue(&ada, &wanted("paint", None, true, Pace::Live)).await.expect("waits");
    still.pass(&arena, Duration::from_secs(11)).await;
    let Ok(Queued::Matched { match_id, .. }) = arena.queue_status(&ada).await else { panic!("a bot comes") };
    let seated = arena.seat_of_player(&match_id, &ada).await.expect("seated");
    play_out(&seated).await;
    until(seated.live(), |view| view.stage == Stage::Over).await;
    // The result is written in the same moment as the ratings.
    while !seated.live().record().contains("\"type\":\"result\"") {
        seated.live().changed(seated.glance().version, LONG).await;
    }
    let ladder = arena.ladder(Some("paint")).await.expect("readable");
    let names: Vec<_> = ladder.iter().map(|at| (at.name.as_str(), at.games)).collect();
    assert!(names.contains(&("Ada", 1)) && names.contains(&("greedy", 1)), "{names:?}");
    assert!((ladder.iter().map(|at| at.elo).sum::<f64>() - 2000.0).abs() < 1e-9, "{ladder:?}");
    assert!(
        matches!(arena.queue(&ada, &wanted("paint", None, true, Pace::Live)).await, Ok(Queued::Waiting { .. })),
        "it may go on"
    );
    arena.close().await;
    drop((arena, seated, opened));
    assert_eq!(house.arena().await.ladder(Some("paint")).await.expect("readable"), ladder);
}

#[tokio::test]
async fn a_hall_that_closes_writes_what_is_settled_and_keeps_nobody_waiting() {
    let house = House::new();
    let arena = house.arena().await;
    let opened = arena.open(&request("cowboy", &["me", "me"])).await.expect("two can play");
    let ((me, key), (other, others)) = (&opened.mine[0], &opened.mine[1]);
    me.turn(LONG).await;
    me.act(None, "shield down", None).await.expect("legal");
    other.turn(LONG).await;
    let begun = Instant::now();
    let waits = me.turn(Duration::from_hours(1));
    let closes = async {
        tokio::task::yield_now().await;
        arena.close().await;
    };
    tokio::join!(waits, closes);
    assert!(begun.elapsed() < LONG);
    // The match is nobody's now: nothing is acknowledged that another process could not know of.
    assert_eq!(other.act(None, "shield up", None).await, Err(ActError::NotKept(StoreError::Closed)));
    assert_eq!(me.view().seen.turn(), 1);
    let (key, others) = (key.clone(), others.clone());
    drop((arena, opened));
    let arena = house.arena().await;
    let me = arena.seat(&key).await.expect("the key still opens the seat");
    let other = arena.seat(&others).await.expect("so does the other's");
    other.act(None, "shield up", None).await.expect("kept");
    me.turn(LONG).await;
    assert_eq!(me.view().seen.turn(), 2);
}

#[tokio::test(start_paused = true)]
async fn after_a_restart_timeouts_and_clocks_go_on_from_the_record_and_the_turn_has_all_its_time() {
    let _still = Still::stand();
    let house = House::new();
    let arena = house.arena().await;
    let mut wanted = request("grid-royale", &["me", "me", "me"]);
    let fields = serde_json::json!({ "base": "grid-royale", "policy": { "total_seconds": 60, "turn_seconds": 3 } });
    wanted.ruleset = Arc::new(Ruleset::from_json(&fields).expect("a ruleset"));
    let opened = arena.open(&wanted).await.expect("three can play");
    let live = opened.live.clone();
    let asked = |turn: u32| move |view: &MatchView| view.seen.turn() == turn && view.clock.is_some();
    for turn in 0..2 {
        until(&live, asked(turn)).await;
        tokio::time::advance(Duration::from_secs(1)).await;
        act_any(&opened.mine[0].0).await.expect("legal");
        for _ in 0..8 {
            tokio::task::yield_now().await;
        }
        tokio::time::advance(Duration::from_secs(2)).await;
    }
    until(&live, asked(2)).await;
    act_any(&opened.mine[1].0).await.expect("legal");
    tokio::time::advance(Duration::from_secs(2)).await;
    let (key, id) = (opened.mine[1].1.clone(), live.id().to_owned());
    let sealed = opened.mine[1].0.view().sealed;
    assert!(sealed.is_some());
    arena.close().await;
    drop((arena, opened, live));
    let arena = house.arena().await;
    let live = arena.watch(&id).await.expect("there");
    until(&live, |view| view.clock.is_some()).await;
    let view = live.view(None);
    assert_eq!(view.seen.turn(), 2);
    assert_eq!(view.seats.iter().map(|sitting| sitting.timeouts).collect::<Vec<_>>(), [0, 2, 2]);
    assert_eq!(view.submitted, crate::games::Seats::one(Seat::new(1)), "what was sealed is still sealed");
    let clock = view.clock.clone().expect("it runs");
    assert_eq!(view.deadline(), Some(clock.begun + Duration::from_secs(3)));
    let left: Vec<u64> = Seat::first(3).map(|seat| clock.left.as_ref().expect("limited")[seat].as_secs()).collect();
    assert_eq!(left, [58, 54, 54], "two turns, three seconds each for those who slept; nothing for the third turn");
    assert_eq!(arena.seat(&key).await.expect("hers").view().sealed.as_deref(), sealed.as_deref());
}

/// Whoever is killed after the last turn has written that, and not how the match ended.
#[tokio::test]
async fn a_match_whose_last_turn_is_written_and_whose_result_is_not_ends_after_a_restart_and_counts_once() {
    let house = House::new();
    let arena = house.arena().await;
    let (ada, bob) = (register(&arena, "Ada").await, register(&arena, "Bob").await);
    arena.queue(&ada, &wanted("paint", None, false, Pace::OwnPace)).await.expect("it waits");
    let queued = arena.queue(&bob, &wanted("paint", None, false, Pace::OwnPace)).await.expect("two are there");
    let Queued::Matched { match_id, .. } = queued else { panic!("{queued:?}") };
    let began = arena.watch(&match_id).await.expect("it is played");
    until(&began, |view| view.clock.is_some()).await;
    arena.close().await;
    drop((arena, began));
    let killed = House::new();
    house.store().await.backup(&killed.path()).await.expect("copied");
    // What the match comes to where nobody is killed.
    let arena = house.arena().await;
    let seats = [&ada, &bob].map(|player| arena.seat_of_player(&match_id, player));
    let [ada_plays, bob_plays] = seats;
    let (ada_plays, bob_plays) = (ada_plays.await.expect("hers"), bob_plays.await.expect("his"));
    tokio::join!(play_out(&ada_plays), play_out(&bob_plays));
    let lines = ada_plays.live().lines();
    let ladder = arena.ladder(Some("paint")).await.expect("readable");
    arena.close().await;

    let store = killed.store().await;
    let (result, turns) = lines[1..].split_last().expect("turns and a result");
    assert!(result.contains("\"type\":\"result\""), "{result}");
    let lines_of_turns = turns.to_vec();
    store
        .write(vec![Change::Append { match_id: match_id.clone(), first_line: 1, lines: lines_of_turns }])
        .await
        .expect("written");
    assert_eq!(store.ladder(Some("paint")).await.expect("readable"), []);
    let arena = killed.arena().await;
    let live = arena.watch(&match_id).await.expect("it goes on");
    until(&live, |view| view.stage == Stage::Over).await;
    assert_eq!(live.lines(), lines);
    Replay::read(live.record().as_bytes()).expect("a record").finished().expect("it is over");
    assert_eq!(arena.ladder(Some("paint")).await.expect("readable"), ladder);
    arena.close().await;
    let again = killed.arena().await;
    assert_eq!(again.watch(&match_id).await.expect("kept").stage(), Stage::Over);
    assert_eq!(again.ladder(Some("paint")).await.expect("readable"), ladder, "it is rated once");
    again.close().await;
}
