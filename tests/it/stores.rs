//! Stores that earlier versions of the program wrote.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value as Json;
use standoff::arena::{Arena, ArenaLimits, HousePlayer, HousePlayers, HouseSeat, SeatHandle, SeatKey, Stage};
use standoff::bots::BotSpec;
use standoff::matches::format::Minor;
use standoff::matches::{Replay, SeatInfo};
use standoff::players::BotPlayer;
use standoff::store::{Filter, Location, Store};

use crate::program::{run, stdout};

/// Every match of a store with its record, byte for byte.
async fn records(store: &Store) -> Vec<(String, Vec<u8>)> {
    let mut records = Vec::new();
    for found in store.matches(&Filter::default()).await.expect("a list") {
        let record = store.record(&found.id, 0).await.expect("a record");
        records.push((found.id, record));
    }
    records
}

/// `tests/stores/first.db` is of the fourth version of the tables, with its leaderboard beside it.
#[tokio::test]
async fn a_store_of_an_earlier_version_gives_the_same_before_and_after_it_is_brought_up_to_date() {
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/stores");
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("first.db");
    fs::write(&path, fs::read(kept.join("first.db")).expect("it is there")).expect("a copy");
    let location = Location::File(path.clone());
    let store = Store::open_to_read(&location).await.expect("it can be read as it is");
    let before = records(&store).await;
    store.close().await;
    assert_eq!(before.len(), 54);
    for (id, record) in &before {
        let replay = Replay::verify(record.as_slice()).unwrap_or_else(|error| panic!("{id}: {error}"));
        assert_eq!((&replay.id, replay.minor), (id, Minor(0)));
        replay.finished().expect("it is over");
    }

    let store = Store::open(&location).await.expect("it is brought up to date");
    assert!(records(&store).await == before, "a record has changed");
    store.close().await;
    let board = run(&["leaderboard", "--json", "--store", path.to_str().expect("UTF-8")]);
    let board: Json = serde_json::from_str(&stdout(&board)).expect("JSON");
    let expected = fs::read_to_string(kept.join("first-leaderboard.json")).expect("it is there");
    let mut players = board["players"].clone();
    for player in players.as_array_mut().expect("a list") {
        // Earlier versions did not say who somebody is.
        let identity =
            player.as_object_mut().and_then(|player| player.remove("identity")).expect("everybody is somebody");
        let name = player["name"].as_str().expect("a name");
        assert!(
            [format!("house:{name}"), format!("profile:{name}")].iter().any(|known| identity == *known),
            "{identity}"
        );
    }
    let expected = serde_json::from_str::<Json>(&expected).expect("JSON")["players"].clone();
    let (players, expected) = (players.as_array().expect("a list"), expected.as_array().expect("a list"));
    assert_eq!(players.len(), expected.len());
    for (player, expected) in players.iter().zip(expected) {
        // The fit has become another one since; what it is made of has not, nor has the order.
        let rating = |of: &Json| of["rating"].as_f64().expect("a number");
        assert!((rating(player) - rating(expected)).abs() < 20.0, "{player}");
        for (field, value) in expected.as_object().expect("an object") {
            if !["rating", "low", "high", "best"].contains(&field.as_str()) {
                assert_eq!(player[field], *value, "{field} of {player}");
            }
        }
    }
}

struct Bots;

impl HousePlayers for Bots {
    fn names(&self) -> Vec<String> {
        vec!["greedy".to_owned()]
    }

    fn invite(&self, name: &str, place: &HouseSeat) -> Result<HousePlayer, String> {
        let spec: BotSpec = name.parse().map_err(|_| format!("no player `{name}`"))?;
        let bot = spec.seat(place.seed.child("bot", place.seat.index() as u64));
        let info = SeatInfo::configured(place.seat, name.to_owned(), None);
        Ok(HousePlayer { info, player: Box::new(BotPlayer::new(bot)) })
    }
}

const LONG: Duration = Duration::from_mins(1);

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

/// `tests/stores/first-live.db` is of that version too: two matches that were in play, with the keys of their seats.
#[tokio::test]
async fn live_matches_of_the_first_version_go_on_with_their_seat_keys() {
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/stores");
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("first-live.db");
    fs::write(&path, fs::read(kept.join("first-live.db")).expect("it is there")).expect("a copy");
    let keys = fs::read_to_string(kept.join("first-live-keys.json")).expect("it is there");
    let keys: Vec<Json> = serde_json::from_str(&keys).expect("JSON");
    let store = Store::open(&Location::File(path)).await.expect("it is brought up to date");
    let arena = Arena::with_store(Arc::new(Bots), ArenaLimits::default(), store.clone()).expect("an arena");
    assert_eq!(arena.take_up().await.expect("readable"), 2);
    let mut seats = Vec::new();
    for entry in &keys {
        let key = SeatKey::claimed(entry["key"].as_str().expect("a key"));
        let seated = arena.seat(&key).await.expect("the key still opens it");
        let view = seated.view();
        assert_eq!(seated.live().id(), entry["match"]);
        assert_eq!(seated.seat().to_string(), entry["seat"].as_str().expect("a seat"));
        assert_eq!(view.seen.turn(), u32::try_from(entry["turn"].as_u64().expect("a number")).expect("small"));
        assert_eq!(view.sealed.as_deref(), entry["sealed"].as_str());
        seats.push(seated);
    }
    let [cowboy, first, second] = seats.as_slice() else { panic!("three keys") };
    let before = store.record(first.live().id(), 0).await.expect("readable");
    tokio::join!(play_out(cowboy), play_out(first), play_out(second));
    for live in [cowboy.live(), first.live()] {
        let record = live.record();
        let replay = Replay::verify(record.as_bytes()).expect("one form from the first line to the last");
        assert_eq!(replay.minor, Minor(0), "it goes on in the minor in which it began");
        replay.finished().expect("over");
    }
    let record = first.live().record();
    assert!(record.as_bytes().starts_with(&before));
    // What was sealed before is what is played.
    let next: Json = serde_json::from_str(record.lines().nth(3).expect("turn 3")).expect("JSON");
    assert_eq!(next["actions"]["A"], "shoot east");
    arena.close().await;
}
