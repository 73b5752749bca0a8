//! What costs money is asked only while somebody is there.

use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::future::BoxFuture;

use super::*;
use crate::matches::ModelInfo;
use crate::players::{Answer, Ask, Player, PlayerError, TurnLog};

/// A model that plays the first legal action, and counts how often it is asked.
struct Costly {
    asked: Arc<AtomicUsize>,
    /// Whether it never answers.
    is_slow: bool,
}

impl Player for Costly {
    fn act<'a>(&'a mut self, ask: &'a Ask, _: &'a TurnLog) -> BoxFuture<'a, Result<Answer, PlayerError>> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        if self.is_slow {
            return Box::pin(std::future::pending());
        }
        let action = ask.view.legal(ask.seat).into_iter().next().expect("it must act");
        Box::pin(std::future::ready(ask.answer(action.as_str())))
    }
}

/// A house with one model.
struct Models {
    asked: Arc<AtomicUsize>,
    is_slow: bool,
}

impl HousePlayers for Models {
    fn names(&self) -> Vec<String> {
        vec!["costly".to_owned()]
    }

    fn invite(&self, name: &str, place: &HouseSeat) -> Result<HousePlayer, String> {
        if name != "costly" {
            return Err(format!("no player `{name}`"));
        }
        let text = || "x".to_owned();
        let model =
            ModelInfo { model: text(), prompt: text(), prompt_hash: text(), language: text(), mode: text(), api: None };
        let info = SeatInfo::configured(place.seat, name.to_owned(), Some(model));
        Ok(HousePlayer { info, player: Box::new(Costly { asked: self.asked.clone(), is_slow: self.is_slow }) })
    }
}

/// Waits for what comes to be within a second or so of the real clock.
async fn eventually(what: impl Fn() -> bool) {
    for _ in 0..500 {
        if what() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("it does not come to be");
}

#[tokio::test]
async fn nothing_is_spent_on_a_match_that_nobody_plays_or_watches_after_a_restart() {
    let folder = tempfile::tempdir().expect("a folder");
    let location = Location::File(folder.path().join("arenas.db"));
    let asked = Arc::new(AtomicUsize::new(0));
    let store = Store::open(&location).await.expect("a store");
    let house = Arc::new(Models { asked: asked.clone(), is_slow: true });
    let arena = Arena::with_store(house, ArenaLimits::default(), store.clone()).expect("an arena");
    let opened = arena.open(&request("cowboy-duel", &["me", "costly"])).await.expect("a match");
    let (seated, key) = &opened.mine[0];
    let first = seated.view().seen.legal(seated.seat()).into_iter().next().expect("A begins");
    seated.act(None, first.as_str(), None).await.expect("legal");
    eventually(|| asked.load(Ordering::SeqCst) == 1).await;
    // It is the model's turn when the server goes down.
    let (id, key) = (opened.live.id().to_owned(), key.clone());
    arena.close().await;
    drop((opened, arena));
    store.close().await;

    let store = Store::open(&location).await.expect("a store");
    let house = Arc::new(Models { asked: asked.clone(), is_slow: false });
    let arena = Arena::with_store(house, ArenaLimits::default(), store).expect("an arena");
    arena.take_up().await.expect("readable");
    let live = arena.list().into_iter().find(|live| live.id() == id).expect("it goes on");
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    assert_eq!(asked.load(Ordering::SeqCst), 1, "nobody is there");
    assert!(!live.is_attended());
    // Whoever comes back finds the match going on.
    let seated = arena.seat(&key).await.expect("its seat");
    eventually(|| asked.load(Ordering::SeqCst) == 2).await;
    seated.turn(LONG).await;
    assert!(seated.view().your_turn);
}

#[tokio::test]
async fn a_match_of_a_player_who_cannot_come_any_more_is_suspended_and_keeps_nobody_from_coming_in() {
    let folder = tempfile::tempdir().expect("a folder");
    let location = Location::File(folder.path().join("arenas.db"));
    let store = Store::open(&location).await.expect("a store");
    let arena = Arena::with_store(Arc::new(TestBots), ArenaLimits::default(), store.clone()).expect("an arena");
    let opened = arena.open(&request("cowboy-duel", &["me", "greedy"])).await.expect("a match");
    let id = opened.live.id().to_owned();
    arena.close().await;
    drop((opened, arena));
    store.close().await;
    let store = Store::open(&location).await.expect("a store");
    let house = Arc::new(Models { asked: Arc::default(), is_slow: false });
    let arena = Arena::with_store(house, ArenaLimits::default(), store).expect("an arena");
    arena.take_up().await.expect("the others go on");
    let live = arena.watch(&id).await.expect("it is there");
    assert!(matches!(live.stage(), Stage::Suspended(why) if why.contains("greedy")), "{:?}", live.stage());
}

#[tokio::test]
async fn matches_that_are_over_are_read_and_not_kept_in_memory() {
    let folder = tempfile::tempdir().expect("a folder");
    let location = Location::File(folder.path().join("arenas.db"));
    let store = Store::open(&location).await.expect("a store");
    let arena = Arena::with_store(Arc::new(TestBots), ArenaLimits::default(), store.clone()).expect("an arena");
    let mut over = Vec::new();
    for _ in 0..MOST_READ + 5 {
        let opened = arena.open(&request("cowboy-duel", &["random", "random"])).await.expect("a match");
        let live = opened.live.clone();
        eventually(|| live.is_over()).await;
        over.push(live.id().to_owned());
    }
    arena.close().await;
    drop(arena);
    store.close().await;
    let store = Store::open(&location).await.expect("a store");
    let arena = Arena::with_store(Arc::new(TestBots), ArenaLimits::default(), store).expect("an arena");
    for id in &over {
        assert!(arena.watch(id).await.expect("it can be read").is_over());
    }
    assert_eq!(arena.list().len(), MOST_READ);
}
