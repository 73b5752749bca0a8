//! What holds for every store is tried on both kinds: `sqlite::` in files, `postgres::` on a server that `STANDOFF_POSTGRES`
//! names. Those are ignored unless they are asked for; `./check` starts a server for them.

mod counts;
mod file;
mod server;

use std::sync::Arc;

use sqlx::{Connection as _, PgConnection};
use tempfile::TempDir;

use self::server::fault;
use super::link::{Statement, count};
use super::*;
use crate::games::{Ruleset, Seed};
use crate::matches::{Identity, Log, Match, Record};

/// Where there is no store yet.
struct TestPlace {
    location: Location,
    _folder: Option<TempDir>,
}

impl TestPlace {
    fn file() -> TestPlace {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("new/folder/standoff.db");
        TestPlace { location: Location::File(path), _folder: Some(folder) }
    }

    /// Makes a store what the first version of the program wrote.
    async fn to_first_version(&self) {
        const LATER: &str = "DROP TABLE found; DROP TABLE in_play; DROP TABLE names; DROP TABLE ladder; DROP TABLE rated; DROP TABLE queue;
             DROP TABLE identities; DROP TABLE game_counts; DROP TABLE block_counts; DROP TABLE player_counts;
             DROP TABLE match_index; DROP TABLE jobs; DROP TABLE pacers; DROP TABLE shares; DROP TABLE portions; DROP TABLE ledger_counts;
             DROP TABLE fits; DROP TABLE ratings; DROP TABLE processes; DROP TABLE owners; DROP TABLE answers;
             DROP TABLE packs; DROP TABLE dictionaries; DROP TABLE requests; ALTER TABLE matches DROP COLUMN pack;
             ALTER TABLE matches DROP COLUMN pack_from; ALTER TABLE matches DROP COLUMN pack_size;
             ALTER TABLE calls DROP COLUMN packed; ALTER TABLE calls DROP COLUMN size;
             ALTER TABLE calls DROP COLUMN dictionary; ALTER TABLE players ADD COLUMN elo REAL NOT NULL DEFAULT 0;
             ALTER TABLE players ADD COLUMN games INTEGER NOT NULL DEFAULT 0;";
        match &self.location {
            Location::File(path) => {
                let mut file = file::other(path).await;
                file::run(&mut file, LATER).await;
                file::run(&mut file, "PRAGMA user_version = 1; PRAGMA wal_checkpoint(TRUNCATE)").await;
                file.close().await.expect("closes");
            }
            Location::Postgres(address) => {
                let mut server = PgConnection::connect(address).await.expect("it answers");
                server::run(&mut server, format!("{LATER} UPDATE standoff_store SET version = 1")).await;
            }
        }
    }
}

/// The same tests for both kinds.
macro_rules! both {
    ($($name:ident)*) => {
        mod sqlite {
            $(#[tokio::test]
            async fn $name() {
                super::$name(super::TestPlace::file()).await;
            })*
        }

        mod postgres {
            $(#[tokio::test]
            #[ignore = "needs a PostgreSQL server: STANDOFF_POSTGRES"]
            async fn $name() {
                super::$name(super::TestPlace::schema().await).await;
            })*
        }
    };
}

both! {
    only_the_owner_of_a_match_writes_to_it
    a_lease_that_has_run_out_is_no_more
    an_answer_is_kept_once
    the_record_of_a_match_that_is_over_is_packed_and_the_same
    a_record_comes_back_byte_for_byte
    an_append_may_be_repeated_but_not_contradicted
    who_joined_later_is_known_by_name_when_the_record_begins
    a_match_that_is_not_live_takes_no_more_lines
    a_sealed_action_is_kept_until_its_turn_is_played_and_shown_to_nobody
    changes_that_go_together_happen_together_or_not_at_all
    who_waits_in_the_same_batch_does_not_suffer
    whole_games_go_in_at_once_and_the_first_one_stays
    what_is_packed_comes_out_as_it_went_in
    a_filter_finds_what_it_names
    keys_and_tokens_are_kept_as_hashes_and_a_new_one_ends_the_old
    two_processes_may_begin_the_same_file_at_once
    a_closed_store_says_so_to_every_clone
    a_name_is_held_by_one_at_a_time
    what_models_were_asked_comes_back
    every_request_counts_once_at_what_is_last_known_of_it
    a_match_is_rated_once_however_often_it_is_said
    who_played_a_match_of_before_identities_is_known_by_what_the_arena_noted
    names_are_compared_by_their_looks_also_in_older_stores
    a_player_has_one_ticket_that_outlives_the_store
    what_was_found_out_is_kept_once_by_topic_and_older_stores_get_room_for_it
    a_store_of_the_first_version_is_brought_up_to_date
    counts_are_those_of_the_games_however_they_came
    games_at_equal_distances_are_those_of_the_whole_list
    two_processes_count_the_halves_of_the_same_blocks
    the_ledger_may_come_after_the_game
    a_filter_with_a_limit_finds_the_newest_of_what_it_finds_without
    seeds_of_games_that_are_still_to_be_played_are_known
    what_belongs_to_nothing_is_found
}

use self::counts::{
    a_filter_with_a_limit_finds_the_newest_of_what_it_finds_without, counts_are_those_of_the_games_however_they_came,
    games_at_equal_distances_are_those_of_the_whole_list, seeds_of_games_that_are_still_to_be_played_are_known,
    the_ledger_may_come_after_the_game, two_processes_count_the_halves_of_the_same_blocks,
};

/// The record of a short match, a line an item.
fn played(id: &str) -> (NewMatch, Vec<String>) {
    let ruleset = Arc::new(Ruleset::named("cowboy-duel").expect("built in"));
    let (mut game, header) = Match::open(id, ruleset, Seed(7), vec!["ada".into(), "bob".into()]).expect("two can play");
    let Record::Match(first) = &header else { unreachable!("the first line") };
    let info = NewMatch::of(first);
    let mut log = Log::new(Vec::new());
    log.write(&header).expect("memory does not fail");
    let mut dice = Seed(1).dice();
    while let Some(seat) = game.awaiting().iter().next() {
        let action = game.table().random_legal(seat, &mut dice).to_string();
        for record in game.submit(seat, &action).expect("legal") {
            log.write(&record).expect("memory does not fail");
        }
    }
    let text = String::from_utf8(log.into_inner()).expect("JSON is UTF-8");
    (info, text.lines().map(str::to_owned).collect())
}

async fn open(place: &TestPlace) -> Store {
    Store::open(&place.location).await.expect("it opens")
}

/// A store with a match in it of which some lines are written.
async fn begun(place: &TestPlace, lines: usize) -> (Store, Vec<String>) {
    let store = open(place).await;
    let (info, record) = played("m1");
    store.write(vec![Change::Open(info)]).await.expect("a new match");
    store.append("m1", 0, &record[..lines]).await.expect("its first lines");
    (store, record)
}

fn seat(letter: &str) -> Seat {
    letter.parse().expect("a seat")
}

async fn a_record_comes_back_byte_for_byte(place: TestPlace) {
    let (store, record) = begun(&place, 1).await;
    for (number, line) in record.iter().enumerate().skip(1) {
        store.append("m1", number as u64, std::slice::from_ref(line)).await.expect("the next line");
    }
    store.close().await;
    let store = open(&place).await;
    let bytes = store.record("m1", 0).await.expect("readable");
    assert_eq!(bytes, (record.join("\n") + "\n").into_bytes());
    let from_the_third = store.record("m1", 2).await.expect("readable");
    assert_eq!(from_the_third, (record[2..].join("\n") + "\n").into_bytes());
    let info = store.find("m1").await.expect("readable").expect("there");
    assert_eq!((info.status, info.lines), (MatchStatus::Finished, record.len() as u64));
    assert_eq!(info.result.expect("it is over").turns as usize, record.len() - 2);
}

async fn an_append_may_be_repeated_but_not_contradicted(place: TestPlace) {
    let (store, record) = begun(&place, 4).await;
    store.append("m1", 2, &record[2..6]).await.expect("two of them are there, two are new");
    store.append("m1", 0, &record[..6]).await.expect("all are there");
    let mut forged = record[3].clone();
    forged.insert(1, ' ');
    let match_id = "m1".to_owned();
    for (first, lines, error) in [
        (3, vec![forged], StoreError::Differs { match_id: match_id.clone(), line: 3 }),
        (9, vec![record[9].clone()], StoreError::Gap { match_id: match_id.clone(), lines: 6, first_line: 9 }),
        (6, vec![record[7].clone()], StoreError::Chain { match_id: match_id.clone(), line: 6 }),
        (6, vec![record[6].clone(), record[8].clone()], StoreError::Chain { match_id, line: 7 }),
    ] {
        assert_eq!(store.append("m1", first, &lines).await, Err(error));
    }
    assert_eq!(store.append("m2", 0, &record[..1]).await, Err(StoreError::NoMatch("m2".to_owned())));
    let bytes = store.record("m1", 0).await.expect("readable");
    assert_eq!(bytes, (record[..6].join("\n") + "\n").into_bytes());
}

async fn who_joined_later_is_known_by_name_when_the_record_begins(place: TestPlace) {
    let (mut info, record) = played("m1");
    let seated = info.seats.clone();
    info.seats[1].player = "open".to_owned();
    let store = open(&place).await;
    store.write(vec![Change::Open(info.clone())]).await.expect("kept");
    assert_eq!(store.find("m1").await.expect("readable").expect("there").seats, info.seats);
    store.append("m1", 0, &record).await.expect("kept");
    assert_eq!(store.find("m1").await.expect("readable").expect("there").seats, seated);
    assert_eq!(store.games(None).await.expect("readable")[0].players, ["ada", "bob"]);
}

async fn a_match_that_is_not_live_takes_no_more_lines(place: TestPlace) {
    let (store, record) = begun(&place, 3).await;
    let status = |status| Change::Status { match_id: "m1".into(), status, reason: Some("the backend failed".into()) };
    store.write(vec![status(MatchStatus::Suspended)]).await.expect("there");
    assert_eq!(store.append("m1", 3, &record[3..4]).await, Err(StoreError::NotLive("m1".to_owned())));
    store.append("m1", 2, &record[2..3]).await.expect("it is there");
    store.write(vec![status(MatchStatus::Live)]).await.expect("there");
    store.append("m1", 3, &record[3..]).await.expect("it is live again");
    assert_eq!(store.write(vec![status(MatchStatus::Live)]).await, Err(StoreError::NotLive("m1".to_owned())));
    store.write(vec![status(MatchStatus::Void)]).await.expect("it does not count");
    assert_eq!(store.games(None).await.expect("readable"), []);
}

async fn a_sealed_action_is_kept_until_its_turn_is_played_and_shown_to_nobody(place: TestPlace) {
    let (store, record) = begun(&place, 3).await;
    let sealed = |order: &str| SealedAction { seat: seat("A"), turn: 2, order: order.to_owned() };
    store.seal("m1", sealed("move up")).await.expect("none yet");
    store.seal("m1", sealed("move up")).await.expect("the same");
    let error = store.seal("m1", sealed("move down")).await.expect_err("another");
    assert_eq!(error, StoreError::Sealed { match_id: "m1".to_owned(), seat: seat("A"), turn: 2 });
    store.close().await;
    let store = open(&place).await;
    assert_eq!(store.sealed("m1").await.expect("readable"), [sealed("move up")]);
    let shown = format!("{:?}", store.matches(&Filter::default()).await.expect("readable"));
    assert!(!shown.contains("move up"));
    assert_eq!(store.record("m1", 3).await.expect("readable"), b"");
    store.append("m1", 3, &record[3..4]).await.expect("the turn is played");
    assert_eq!(store.sealed("m1").await.expect("readable"), []);
}

async fn changes_that_go_together_happen_together_or_not_at_all(place: TestPlace) {
    let (store, record) = begun(&place, 3).await;
    let note = Change::Note { match_id: "m1".into(), note: "clock".into() };
    let append = Change::Append { match_id: "m1".into(), first_line: 7, lines: vec![record[7].clone()] };
    store.write(vec![note.clone(), append]).await.expect_err("a line is missing");
    assert_eq!(store.find("m1").await.expect("readable").expect("there").note, None);
    store.write(vec![note]).await.expect("the match is there");
    assert_eq!(store.find("m1").await.expect("readable").expect("there").note.as_deref(), Some("clock"));
}

async fn who_waits_in_the_same_batch_does_not_suffer(place: TestPlace) {
    let (store, record) = begun(&place, 3).await;
    let good = store.append("m1", 3, &record[3..4]);
    let wrong = store.append("m1", 9, &record[9..10]);
    let other = store.write(vec![Change::Open(played("m2").0)]);
    let (good, wrong, other) = tokio::join!(good, wrong, other);
    assert_eq!((good, wrong.is_err(), other), (Ok(()), true, Ok(())));
}

async fn whole_games_go_in_at_once_and_the_first_one_stays(place: TestPlace) {
    let store = open(&place).await;
    let game = |number: u64, words: &str| {
        let (info, record) = played(&format!("g{number}"));
        let result = serde_json::from_str(record.last().expect("the result")).expect("a result");
        let of = Some(("cup".to_owned(), number / 2, number % 2));
        let game = FinishedGame { info, result, size: words.len() as u64, lines: 1, of };
        Change::Games(Box::new(FinishedGames { games: vec![game], records: Packed::plain(words) }))
    };
    store.write((0..300).map(|number| game(number, "first\n")).collect()).await.expect("new games");
    store.write(vec![game(7, "second\n")]).await.expect("no harm");
    assert_eq!(store.record("g7", 0).await.expect("readable"), b"first\n");
    let games = store.games(Some("cup")).await.expect("readable");
    assert_eq!(games.len(), 300);
    assert_eq!(games[7].place, Some((3, 1)));
    assert_eq!(games[7].players, ["ada", "bob"]);
    assert_eq!(store.games(None).await.expect("readable"), []);
}

async fn what_is_packed_comes_out_as_it_went_in(place: TestPlace) {
    let store = open(&place).await;
    let mut packer = Packer::default();
    let games: Vec<(NewMatch, String)> = ["g0", "g1", "g2"]
        .map(|id| {
            let (info, record) = played(id);
            (info, record.join("\n") + "\n")
        })
        .to_vec();
    let batch: String = games.iter().map(|(_, record)| record.as_str()).collect();
    let records = packer.pack(batch.as_bytes());
    assert_eq!(records.size, Some(batch.len() as u64));
    let kept = (0..).zip(&games).map(|(number, (info, record))| FinishedGame {
        info: info.clone(),
        result: record.lines().last().map(|line| serde_json::from_str(line).expect("a result")).expect("a last line"),
        size: record.len() as u64,
        lines: record.lines().count() as u64,
        of: Some(("cup".to_owned(), number, 0)),
    });
    let mut changes = vec![Change::Games(Box::new(FinishedGames { games: kept.collect(), records }))];
    let request = |turn| format!("{{\"rules\":\"{}\",\"turn\":{turn}}}", "nobody is hit twice, ".repeat(99));
    let calls: Vec<StoredCall> = (0..3)
        .map(|turn| StoredCall {
            match_id: Some("live".to_owned()),
            seat: seat("A"),
            turn,
            ordinal: 0,
            digest: "d".to_owned(),
            request: packer.pack_alike("ask", request(turn).as_bytes()),
            answer: "{}".to_owned(),
        })
        .collect();
    changes.extend(calls.iter().map(|call| Change::Call(Box::new(call.clone()))));
    // Twice does no harm, and a dictionary is there once.
    store.write(changes.clone()).await.expect("new");
    store.write(changes).await.expect("no harm");
    for (info, record) in &games {
        assert_eq!(store.record(&info.id, 0).await.expect("readable"), record.as_bytes());
        let later: String = record.split_inclusive('\n').skip(3).collect();
        assert_eq!(store.record(&info.id, 3).await.expect("readable"), later.as_bytes());
    }
    let kept = store.open_calls("live").await.expect("readable");
    assert_eq!(kept, calls);
    for (turn, call) in (0..).zip(&kept) {
        assert_eq!(*call.request.text().expect("sound"), *request(turn).as_bytes());
    }
}

async fn a_filter_finds_what_it_names(place: TestPlace) {
    let (store, record) = begun(&place, 3).await;
    let mut second = played("m2").0;
    second.seats[1].player = "\"quoted\" 100%".to_owned();
    store.write(vec![Change::Open(second)]).await.expect("a new match");
    store.append("m1", 3, &record[3..]).await.expect("to the end");
    let found = async |filter: Filter| -> Vec<String> {
        store.matches(&filter).await.expect("readable").into_iter().map(|info| info.id).collect()
    };
    let all = Filter::default();
    assert_eq!(found(all.clone()).await, ["m2", "m1"]);
    assert_eq!(found(Filter { limit: Some(1), ..all.clone() }).await, ["m2"]);
    assert_eq!(found(Filter { status: Some(MatchStatus::Finished), ..all.clone() }).await, ["m1"]);
    assert_eq!(found(Filter { player: Some("bob".into()), ..all.clone() }).await, ["m1"]);
    assert_eq!(found(Filter { player: Some("\"quoted\" 100%".into()), ..all.clone() }).await, ["m2"]);
    assert_eq!(found(Filter { ruleset: Some("paint".into()), ..all }).await, [""; 0]);
}

async fn keys_and_tokens_are_kept_as_hashes_and_a_new_one_ends_the_old(place: TestPlace) {
    let (store, _) = begun(&place, 1).await;
    let key = |secret: &str| StoredSeatKey { match_id: "m1".into(), seat: seat("B"), hash: KeyHash::of(secret) };
    store.write(vec![Change::Key(key("swordfish"))]).await.expect("a key");
    assert_eq!(store.seat_of(KeyHash::of("swordfish")).await.expect("readable"), Some(("m1".into(), seat("B"))));
    store.write(vec![Change::Key(key("marlin"))]).await.expect("another");
    assert_eq!(store.seat_of(KeyHash::of("swordfish")).await.expect("readable"), None);
    assert_eq!(store.keys("m1").await.expect("readable"), [key("marlin")]);
    let player = PlayerInfo { id: "p1".into(), name: "Ada".into(), token: KeyHash::of("tuna"), created: 0 };
    store.write(vec![Change::Register(player.clone())]).await.expect("the name is free");
    let twin = PlayerInfo { id: "p2".into(), token: KeyHash::of("cod"), ..player };
    assert_eq!(store.write(vec![Change::Register(twin.clone())]).await, Err(StoreError::NameTaken("Ada".to_owned())));
    let shouting = PlayerInfo { id: "p3".into(), token: KeyHash::of("eel"), name: "ADA".into(), ..twin.clone() };
    assert_eq!(store.write(vec![Change::Register(shouting)]).await, Err(StoreError::NameTaken("ADA".to_owned())));
    let known = store.player_of(KeyHash::of("tuna")).await.expect("readable").expect("there");
    assert_eq!((known.id.as_str(), known.name.as_str()), ("p1", "Ada"));
    store.close().await;
    let Location::File(path) = &place.location else { return };
    let bytes = std::fs::read(path).expect("readable");
    for secret in ["swordfish", "marlin", "tuna"] {
        assert!(!bytes.windows(secret.len()).any(|window| window == secret.as_bytes()), "{secret}");
    }
}

async fn two_processes_may_begin_the_same_file_at_once(place: TestPlace) {
    let stores = futures_util::future::join_all((0..6).map(|_| open(&place))).await;
    for (number, store) in stores.iter().enumerate() {
        store.write(vec![Change::Open(played(&format!("m{number}")).0)]).await.expect("each writes in turn");
    }
    assert_eq!(stores[0].matches(&Filter::default()).await.expect("readable").len(), 6);
}

async fn a_closed_store_says_so_to_every_clone(place: TestPlace) {
    let (store, record) = begun(&place, 3).await;
    let clone = store.clone();
    store.close().await;
    assert_eq!(clone.append("m1", 3, &record[3..4]).await, Err(StoreError::Closed));
    let told = tokio::task::spawn_blocking(move || {
        let (tell, told) = std::sync::mpsc::channel();
        let queued = clone.queue(Vec::new(), move |outcome| drop(tell.send(outcome)));
        (queued, told.recv())
    });
    let told = told.await.expect("no panic");
    assert_eq!(told, (Err(StoreError::Closed), Ok(Err(StoreError::Closed))));
}

fn process(id: &str) -> ProcessInfo {
    let (address, secret) = (Some(format!("http://{id}.example.org")), format!("{id} is secret"));
    ProcessInfo { id: id.to_owned(), slot: None, address, secret }
}

const LONG: Duration = Duration::from_hours(1);

async fn only_the_owner_of_a_match_writes_to_it(place: TestPlace) {
    let (store, record) = begun(&place, 3).await;
    let other = open(&place).await;
    let take_up = |owner: &str| vec![Change::TakeUp { name: "m1".to_owned(), owner: owner.to_owned() }];
    let fence = |epoch| Change::Fence { name: "m1".to_owned(), epoch };
    let append = |at: usize| {
        let (match_id, lines) = ("m1".to_owned(), record[at..=at].to_vec());
        Change::Append { match_id, first_line: at as u64, lines }
    };
    assert_eq!(store.owner_of("m1").await.expect("readable"), None);
    for (store, id) in [(&store, "one"), (&other, "two")] {
        store.write(vec![Change::Lease(process(id), LONG)]).await.expect("kept");
    }
    store.write(take_up("one")).await.expect("nobody has it");
    assert_eq!(other.write(take_up("two")).await, Err(StoreError::Owned("m1".to_owned())));
    let owner = other.owner_of("m1").await.expect("readable").expect("one");
    assert_eq!((owner.process, owner.epoch, owner.is_leased), (process("one"), 1, true));
    store.write(vec![fence(1), append(3)]).await.expect("it owns it");
    assert_eq!(store.left_behind(9).await.expect("readable"), Vec::<String>::new());
    store.write(vec![Change::EndLease { id: "one".to_owned() }]).await.expect("kept");
    other.write(take_up("two")).await.expect("it is free");
    assert_eq!(other.owner_of("m1").await.expect("readable").expect("two").epoch, 2);
    // What is fenced harms nobody else's write of the same moment.
    let fenced = Err(StoreError::Fenced("m1".to_owned()));
    let (late, beside) = tokio::join!(store.write(vec![fence(1), append(4)]), store.write(vec![fault(0)]));
    assert_eq!((late, beside), (fenced.clone(), Ok(())));
    assert_eq!(store.find("m1").await.expect("readable").expect("there").lines, 4);
    let sealed = SealedAction { seat: seat("A"), turn: 3, order: "x".to_owned() };
    let seal = Change::Seal { match_id: "m1".to_owned(), sealed };
    assert_eq!(store.write(vec![fence(1), seal]).await, fenced);
    assert_eq!(store.sealed("m1").await.expect("readable"), []);
    other.write(vec![fence(2), append(4)]).await.expect("it owns it");
}

async fn a_lease_that_has_run_out_is_no_more(place: TestPlace) {
    let (store, _) = begun(&place, 3).await;
    let note = Change::Note { match_id: "m1".to_owned(), note: "{}".to_owned() };
    store.write(vec![note, Change::Lease(process("one"), Duration::ZERO)]).await.expect("kept");
    let take_up = |owner: &str| vec![Change::TakeUp { name: "m1".to_owned(), owner: owner.to_owned() }];
    store.write(take_up("one")).await.expect("nobody has it");
    let owner = store.owner_of("m1").await.expect("readable").expect("one");
    assert!(!owner.is_leased && owner.process.address.is_some());
    assert_eq!(store.left_behind(9).await.expect("readable"), ["m1"]);
    assert_eq!(store.processes().await.expect("readable"), []);
    store.write(vec![Change::Lease(process("two"), LONG)]).await.expect("kept");
    store.write(take_up("two")).await.expect("its owner is gone");
    assert_eq!(store.left_behind(9).await.expect("readable"), Vec::<String>::new());
    assert_eq!(store.processes().await.expect("readable"), [process("two")]);
}

async fn an_answer_is_kept_once(place: TestPlace) {
    let store = open(&place).await;
    let answer = |text: &str| {
        let (request, answer) = ("question".to_owned(), text.to_owned());
        Change::Answer(StoredAnswer { hash: KeyHash::of("key"), request, answer })
    };
    store.write(vec![answer("first")]).await.expect("kept");
    // What comes with a second answer does not happen.
    assert_eq!(store.write(vec![answer("second"), fault(0)]).await, Err(StoreError::Answered));
    assert!(store.faults("cup").await.expect("readable").is_empty());
    assert_eq!(store.answer(KeyHash::of("key")).await.expect("readable").expect("kept").answer, "first");
    assert_eq!(store.answer(KeyHash::of("another")).await.expect("readable"), None);
}

async fn the_record_of_a_match_that_is_over_is_packed_and_the_same(place: TestPlace) {
    let (store, record) = begun(&place, 1).await;
    let pack = || vec![Change::Pack { match_id: "m1".to_owned() }];
    for (number, line) in record.iter().enumerate().skip(1) {
        store.write(pack()).await.expect("it is not over: nothing happens");
        store.append("m1", number as u64, std::slice::from_ref(line)).await.expect("the next line");
    }
    let whole = store.record("m1", 0).await.expect("readable");
    let from_the_third = store.record("m1", 2).await.expect("readable");
    store.write(pack()).await.expect("packed");
    store.write(pack()).await.expect("once is enough");
    assert_eq!(store.record("m1", 0).await.expect("readable"), whole);
    assert_eq!(store.record("m1", 2).await.expect("readable"), from_the_third);
    if let Location::File(path) = &place.location {
        let mut file = file::other(path).await;
        let left = count(&mut file, Statement::new("SELECT count(*) FROM records")).await.expect("readable");
        let size = count(&mut file, Statement::new("SELECT sum(length(bytes)) FROM packs")).await.expect("readable");
        assert!(left == 0 && 2 * usize::try_from(size).expect("small") < whole.len(), "{left} {size} {}", whole.len());
    }
}

async fn a_name_is_held_by_one_at_a_time(place: TestPlace) {
    let (store, _) = begun(&place, 1).await;
    let hold = store.hold("cup").await.expect("free");
    assert_eq!(store.hold("cup").await.expect_err("taken"), StoreError::Held("cup".to_owned()));
    store.hold("other").await.expect("another name");
    drop(hold);
    store.hold("cup").await.expect("free again");
}

async fn what_models_were_asked_comes_back(place: TestPlace) {
    let store = open(&place).await;
    let call = |match_id: &str, turn| StoredCall {
        match_id: Some(match_id.to_owned()),
        seat: seat("A"),
        turn,
        ordinal: 0,
        digest: "d".to_owned(),
        request: Packed::plain("{}"),
        answer: "{\"choices\":[]}".to_owned(),
    };
    let all = [call("cup/0/0", 0), call("cup/0/0", 1), call("cups/0/0", 0)];
    store.write(all.iter().map(|call| Change::Call(Box::new(call.clone()))).collect()).await.expect("kept");
    store.write(vec![Change::Call(Box::new(all[0].clone()))]).await.expect("no harm");
    assert_eq!(store.open_calls("cup/").await.expect("readable"), all[..2]);
    assert_eq!(store.calls("cup/0/0").await.expect("readable"), all[..2]);
    assert_eq!(store.calls("cup/0").await.expect("readable"), []);
}

async fn every_request_counts_once_at_what_is_last_known_of_it(place: TestPlace) {
    let store = open(&place).await;
    let request = |id: &str, match_id: &str, outcome: &str, cost: u64| {
        Change::Request(Box::new(StoredRequest {
            id: id.to_owned(),
            match_id: Some(match_id.to_owned()),
            seat: seat("A"),
            turn: 3,
            ordinal: 0,
            player: "tiny".to_owned(),
            outcome: outcome.to_owned(),
            why: None,
            requests: 1,
            cost,
            is_known: outcome == "failed" || cost < 50,
        }))
    };
    let sent = |id: &str| request(id, "cup.0.0", StoredRequest::SENT, 50);
    // In one batch, in another one, the wrong way round, never over, and of somebody else.
    store.write(vec![sent("1"), request("1", "cup.0.0", "answered", 20), sent("2")]).await.expect("kept");
    store
        .write(vec![request("2", "cup.0.0", "failed", 0), request("3", "cup.0.0", "answered", 60)])
        .await
        .expect("kept");
    store.write(vec![sent("3"), sent("4"), request("5", "cups.0.0", "answered", 7)]).await.expect("kept");
    let match_id = Some("cup.0.0".to_owned());
    let spent = SeatSpent { match_id, seat: seat("A"), requests: 4, cost: 130, unknown: 1, bounded: 1 };
    assert_eq!(store.spent("cup.").await.expect("readable"), [spent]);
}

async fn a_match_is_rated_once_however_often_it_is_said(place: TestPlace) {
    let store = open(&place).await;
    let player =
        |id: &str, name: &str| PlayerInfo { id: id.into(), name: name.into(), token: KeyHash::of(id), created: 0 };
    let registered = ["p1", "p2"].map(|id| Change::Register(player(id, &format!("name of {id}"))));
    store.write(registered.to_vec()).await.expect("free names");
    let rate = |match_id: &str, places: Vec<(Identity, u32)>| Change::Rate {
        match_id: match_id.into(),
        ruleset: "paint".into(),
        places,
    };
    let (one, two) = (Identity::Registered("p1".into()), Identity::Registered("p2".into()));
    let first = rate("m1", vec![(one.clone(), 1), (two.clone(), 2)]);
    for _ in 0..3 {
        store.write(vec![first.clone()]).await.expect("rated");
    }
    let ladder = store.ladder(Some("paint")).await.expect("readable");
    let shown: Vec<_> = ladder.iter().map(|at| (at.name.as_str(), at.elo, at.games)).collect();
    assert_eq!(shown, [("name of p1", 1016.0, 1), ("name of p2", 984.0, 1)]);
    // The house has two seats: it has played one match, and the ladder stays zero-sum.
    let bot = Identity::House("greedy".into());
    store.write(vec![rate("m2", vec![(bot.clone(), 1), (one.clone(), 2), (bot.clone(), 3)])]).await.expect("rated");
    let ladder = store.ladder(None).await.expect("readable");
    assert!((ladder.iter().map(|at| at.elo).sum::<f64>() - 3000.0).abs() < 1e-9, "{ladder:?}");
    assert_eq!(store.ratings(&bot).await.expect("readable")[0].games, 1);
    assert_eq!(store.ladder(Some("cowboy")).await.expect("readable"), []);
    let curve = store.rating_curve(&one).await.expect("readable");
    let points: Vec<_> = curve.iter().map(|point| point.match_id.as_str()).collect();
    assert_eq!(points, ["m1", "m2"]);
    assert_eq!(curve.last().map(|point| point.elo), Some(store.ratings(&one).await.expect("readable")[0].elo));
}

async fn who_played_a_match_of_before_identities_is_known_by_what_the_arena_noted(place: TestPlace) {
    let store = open(&place).await;
    // The two sit where the notes say: a guest may be called anything.
    let notes = [
        ("m1", r#"{"hall":0,"chairs":[{"key":{}},{"house":{}}],"rated":true}"#),
        ("m2", r#"{"hall":0,"chairs":[{"key":{}},{"key":{}}],"players":{"A":"u1","B":"u2"},"rated":true}"#),
        ("m3", r#"{"hall":0,"chairs":[{"key":{}},{"key":{}}],"players":{"A":"u1","B":"u2"}}"#),
    ];
    for (id, note) in notes {
        let (info, lines) = played(id);
        let open = Change::Open(NewMatch { note: Some(note.to_owned()), ..info });
        let append = Change::Append { match_id: id.to_owned(), first_line: 0, lines };
        store.write(vec![open, append]).await.expect("kept");
    }
    let (info, lines) = played("alone");
    let append = Change::Append { match_id: "alone".to_owned(), first_line: 0, lines };
    store.write(vec![Change::Open(info), append]).await.expect("kept");
    let games = store.games(None).await.expect("readable");
    let who: Vec<(Vec<String>, bool)> =
        games.iter().map(|game| (game.identities.iter().map(ToString::to_string).collect(), game.counts)).collect();
    let list = |names: [&str; 2]| names.map(str::to_owned).to_vec();
    assert_eq!(
        who,
        [
            (list(["guest", "profile:bob"]), false),
            (list(["registered:u1", "registered:u2"]), true),
            (list(["registered:u1", "registered:u2"]), false),
            (list(["profile:ada", "profile:bob"]), true),
        ]
    );
}

async fn names_are_compared_by_their_looks_also_in_older_stores(place: TestPlace) {
    let store = open(&place).await;
    let register = |id: &str, name: &str| {
        let player = PlayerInfo { id: id.into(), name: name.into(), token: KeyHash::of(id), created: 0 };
        vec![Change::Register(player)]
    };
    store.write(register("u1", "Modern Ann")).await.expect("free");
    store.close().await;
    place.to_first_version().await;
    let store = open(&place).await;
    for alike in ["modern ann", "Rnodern Ann", "ＭＯＤＥＲＮ　ＡＮＮ", "mоdern ann"] {
        let refused = store.write(register("u2", alike)).await;
        assert!(matches!(refused, Err(StoreError::NameTaken(_))), "{alike}: {refused:?}");
        assert_eq!(store.name_holder(alike).await.expect("readable").as_deref(), Some("u1"), "{alike}");
    }
    store.write(register("u2", "Modern Anna")).await.expect("another name");
    assert_eq!(store.name_holder("Modern Annabel").await.expect("readable"), None);
}

async fn a_player_has_one_ticket_that_outlives_the_store(place: TestPlace) {
    let store = open(&place).await;
    let ticket = Ticket {
        player: "p1".into(),
        mode: "paint".into(),
        players: None,
        bots: true,
        pace: Pace::OwnPace,
        since: 7,
        match_id: None,
    };
    let later = Ticket { players: Some(3), bots: false, since: 8, match_id: Some("m1".into()), ..ticket.clone() };
    store.write(vec![Change::Queue(ticket.clone())]).await.expect("kept");
    assert_eq!(store.tickets().await.expect("readable"), [ticket]);
    store.write(vec![Change::Queue(later.clone())]).await.expect("kept");
    store.close().await;
    let store = open(&place).await;
    assert_eq!(store.tickets().await.expect("readable"), [later]);
    store.write(vec![Change::Unqueue { player: "p1".into() }]).await.expect("gone");
    assert_eq!(store.tickets().await.expect("readable"), []);
}

async fn what_was_found_out_is_kept_once_by_topic_and_older_stores_get_room_for_it(place: TestPlace) {
    let (store, record) = begun(&place, 1).await;
    let found = |topic: &str, body: &str| FoundInfo {
        tournament: "cup-1".to_owned(),
        topic: topic.to_owned(),
        body: body.to_owned(),
    };
    for (topic, body) in [("quiz", "1"), ("bank", "2"), ("quiz", "3")] {
        store.write(vec![Change::Found(found(topic, body))]).await.expect("kept");
    }
    assert_eq!(store.found("cup-1").await.expect("readable"), [found("bank", "2"), found("quiz", "3")]);
    assert_eq!(store.found("cup-2").await.expect("readable"), []);
    store.close().await;
    place.to_first_version().await;
    let store = Store::open_to_read(&place.location).await.expect("what it has can be read");
    assert_eq!(store.found("cup-1").await.expect("readable"), []);
    assert_eq!(store.ladder(None).await.expect("readable"), []);
    assert!(store.find("m1").await.expect("readable").is_some());
    assert_eq!(store.record("m1", 0).await.expect("readable"), format!("{}\n", record[0]).as_bytes());
    assert_eq!(store.open_calls("m1").await.expect("readable"), []);
    store.close().await;
    let store = open(&place).await;
    store.write(vec![Change::Found(found("quiz", "4"))]).await.expect("there is room");
    assert_eq!(store.found("cup-1").await.expect("readable"), [found("quiz", "4")]);
}

async fn a_store_of_the_first_version_is_brought_up_to_date(place: TestPlace) {
    let player =
        |id: &str, name: &str| PlayerInfo { id: id.into(), name: name.into(), token: KeyHash::of(id), created: 0 };
    let store = open(&place).await;
    store.write(vec![Change::Register(player("p1", "Ada"))]).await.expect("the name is free");
    store.close().await;
    place.to_first_version().await;
    let store = open(&place).await;
    let twin = store.write(vec![Change::Register(player("p2", "ada"))]).await;
    assert_eq!(twin, Err(StoreError::NameTaken("ada".to_owned())));
    assert_eq!(store.tickets().await.expect("readable"), []);
}

async fn what_belongs_to_nothing_is_found(place: TestPlace) {
    let store = open(&place).await;
    let in_play = |id: &str, tournament: &str| {
        let lines = vec!["{}".to_owned()];
        Change::InPlay(LinesInPlay { match_id: id.to_owned(), tournament: tournament.to_owned(), first_line: 0, lines })
    };
    let cup = |id: &str, finished: bool| {
        let text = String::new;
        let (id, name) = (id.to_owned(), id.to_owned());
        Change::Tournament(TournamentInfo { id, name, file: text(), hash: text(), plan: text(), finished, created: 0 })
    };
    let owner = |name: &str| Change::TakeUp { name: name.to_owned(), owner: "one".to_owned() };
    store.write(vec![cup("goes-on", false), in_play("goes-on.0.0", "goes-on"), owner("queue")]).await.expect("written");
    assert_eq!(store.orphans().await.expect("readable"), []);
    store
        .write(vec![
            cup("over", true),
            in_play("over.0.0", "over"),
            in_play("gone.0.0", "gone"),
            in_play("gone.0.1", "gone"),
            owner("m123456789012345"),
        ])
        .await
        .expect("written");
    let found = store.orphans().await.expect("readable");
    let expected = [("owners of a match that is not there", 1), ("games in play of a tournament that nobody plays", 3)];
    assert_eq!(found, expected);
}
