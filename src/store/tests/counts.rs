//! What is counted is what the games say.

use std::collections::BTreeMap;

use super::*;
use crate::games::outcome::Reason;
use crate::games::seat::Seat;
use crate::matches::{SeatInfo, SeatSummary};

/// Kinds of blocks in plain words, and how often each happened.
type Kinds = BTreeMap<(String, String, Vec<String>), u64>;

/// A game of a tournament that ended so, between these.
fn game(block: u64, number: u64, players: [&str; 2], places: [u32; 2]) -> FinishedGame {
    let seats = Seat::first(2).zip(players);
    let seats = seats.map(|(seat, name)| SeatInfo::configured(seat, name.to_owned(), None)).collect();
    let reason = if places == [1, 3] { Reason::Forfeit } else { Reason::LastAlive };
    FinishedGame {
        info: NewMatch {
            id: format!("cup.{block}.{number}"),
            ruleset: "cowboy".to_owned(),
            seed: Seed(block),
            seats,
            note: None,
        },
        result: crate::matches::Result { places: Seat::first(2).zip(places).collect(), reason, turns: 3 },
        size: 5,
        lines: 1,
        of: Some(("cup".to_owned(), block, number)),
    }
}

fn games(games: Vec<FinishedGame>) -> Change {
    let records = Packed::plain("game\n".repeat(games.len()));
    Change::Games(Box::new(FinishedGames { games, records }))
}

fn block(number: u64) -> Change {
    Change::Block(BlockInfo {
        tournament: "cup".to_owned(),
        number,
        ruleset: if number < 3 { "cowboy on canyon".to_owned() } else { "cowboy".to_owned() },
        seed: Seed(number),
        players: vec!["greedy".to_owned(), "random".to_owned()],
    })
}

/// What the games say that a store has, read one by one.
async fn expected(store: &Store, tournament: Option<&str>) -> Kinds {
    let mut kinds = Kinds::new();
    let all = store.games(tournament).await.expect("readable");
    for block in
        all.chunk_by(|one, other| one.place.is_some() && one.place.map(|at| at.0) == other.place.map(|at| at.0))
    {
        let mut counted = Vec::new();
        let key = |games| (block[0].ruleset.clone(), block[0].course.clone(), games);
        for game in block {
            if game.counts {
                let places: Vec<u32> = game.result.places.values().copied().collect();
                let forfeit = game.result.reason == Reason::Forfeit;
                counted.push(format!("{:?} {places:?} {forfeit}", game.identities));
            } else {
                *kinds.entry(key(Vec::new())).or_default() += 1;
            }
        }
        counted.sort();
        if !counted.is_empty() {
            *kinds.entry(key(counted)).or_default() += 1;
        }
    }
    kinds
}

/// What the store has counted.
fn counted(counts: &GameCounts) -> Kinds {
    let words = |game: OutcomeGame| {
        let players: Vec<&Identity> = game.players.iter().map(|number| &counts.identities[number]).collect();
        format!("{players:?} {:?} {}", game.places, game.is_forfeit)
    };
    let mut kinds = Kinds::new();
    for block in &counts.blocks {
        let mut games: Vec<String> = block.outcome.games().map(words).collect();
        games.sort();
        *kinds.entry((block.ruleset.to_string(), block.course.to_string(), games)).or_default() += block.times;
    }
    kinds
}

/// Whether the counts are those of the games.
async fn agree(store: &Store) {
    let of_cup = expected(store, Some("cup")).await;
    let counts = store.counts(Some("cup")).await.expect("readable").expect("it counts");
    assert_eq!(counted(&counts), of_cup);
    let mut all = of_cup;
    for (kind, times) in expected(store, None).await {
        *all.entry(kind).or_default() += times;
    }
    let counts = store.counts(None).await.expect("readable").expect("it counts");
    assert_eq!(counted(&counts), all);
    let totals = store.totals().await.expect("readable").expect("it counts");
    let total = |name: &str| totals.get(name).map_or(0, |total| total.games);
    assert_eq!(total("cup"), store.games(Some("cup")).await.expect("readable").len() as u64);
    assert_eq!(total(""), store.games(None).await.expect("readable").len() as u64);
}

pub(super) async fn counts_are_those_of_the_games_however_they_came(place: TestPlace) {
    let (one, other) = (["greedy", "random"], ["random", "greedy"]);
    let store = open(&place).await;
    // A block in one piece, one in two, one whose games come together but apart, and some of them again.
    store.write(vec![block(0), games(vec![game(0, 0, one, [1, 2]), game(0, 1, other, [2, 1])])]).await.expect("new");
    store.write(vec![block(1), games(vec![game(1, 0, one, [1, 2])])]).await.expect("new");
    agree(&store).await;
    let before = store.totals().await.expect("readable");
    store.write(vec![games(vec![game(1, 1, other, [2, 1])])]).await.expect("new");
    assert_ne!(store.totals().await.expect("readable"), before);
    store
        .write(vec![games(vec![game(2, 1, other, [1, 3])]), block(2), games(vec![game(2, 0, one, [1, 1])])])
        .await
        .expect("new");
    let known = store.totals().await.expect("readable");
    store.write(vec![games(vec![game(2, 1, other, [1, 3]), game(0, 0, one, [2, 1])])]).await.expect("no harm");
    assert_eq!(store.totals().await.expect("readable"), known);
    agree(&store).await;
    let counts = store.counts(Some("cup")).await.expect("readable").expect("it counts");
    assert!(counts.blocks.iter().any(|block| block.times == 2), "two blocks ended alike: {:?}", counts.blocks);
    // Many at once, a guest among them, and a match that was played line by line.
    let many = (3..300).flat_map(|number| {
        let places = if number % 3 == 0 { [1, 1] } else { [1, 2] };
        let who = if number == 7 { ["human", "random"] } else { one };
        [game(number, 0, who, places), game(number, 1, [who[1], who[0]], places)]
    });
    store.write((3..300).map(block).chain([games(many.collect())]).collect()).await.expect("new");
    let (info, record) = played("m1");
    store.write(vec![Change::Open(info)]).await.expect("new");
    store.append("m1", 0, &record[..3]).await.expect("its first lines");
    agree(&store).await;
    store.append("m1", 3, &record[3..]).await.expect("the rest");
    assert_eq!(store.games(None).await.expect("readable").len(), 1);
    agree(&store).await;
    // What does not count any more.
    for id in ["m1", "cup.0.1"] {
        let (match_id, reason) = (id.to_owned(), Some("it was a mistake".to_owned()));
        store.write(vec![Change::Status { match_id, status: MatchStatus::Void, reason }]).await.expect("it is there");
        agree(&store).await;
    }
    assert_eq!(store.games(None).await.expect("readable"), []);
    store.close().await;
    // A store of before there were counts.
    let before = {
        let store = open(&place).await;
        let kinds = expected(&store, Some("cup")).await;
        store.close().await;
        kinds
    };
    place.to_first_version().await;
    let store = open(&place).await;
    agree(&store).await;
    assert_eq!(expected(&store, Some("cup")).await, before);
}

pub(super) async fn games_at_equal_distances_are_those_of_the_whole_list(place: TestPlace) {
    let store = open(&place).await;
    assert_eq!(store.games_at_equal_distances("cup", 3).await.expect("readable"), [""; 0]);
    for number in 0..7 {
        let two = (0..2).map(|at| game(number, at, ["greedy", "random"], [1, 2])).collect();
        store.write(vec![block(number), games(two)]).await.expect("written");
    }
    let all: Vec<String> =
        store.games(Some("cup")).await.expect("readable").into_iter().map(|game| game.match_id).collect();
    assert_eq!(all.len(), 14);
    for most in 1..=16 {
        let wanted = all.len().min(most);
        let expected: Vec<&String> = (0..wanted).map(|number| &all[number * all.len() / wanted]).collect();
        let most = u32::try_from(most).expect("small");
        let found = store.games_at_equal_distances("cup", most).await.expect("readable");
        assert_eq!(found.iter().collect::<Vec<_>>(), expected, "{most}");
    }
}

pub(super) async fn two_processes_count_the_halves_of_the_same_blocks(place: TestPlace) {
    let (first, second) = (open(&place).await, open(&place).await);
    first.write((0..50).map(block).collect()).await.expect("new");
    let half = async |store: &Store, number: u64| {
        for at in 0..50 {
            let players = if number == 0 { ["greedy", "random"] } else { ["random", "greedy"] };
            store.write(vec![games(vec![game(at, number, players, [1, 2])])]).await.expect("new");
        }
    };
    tokio::join!(half(&first, 0), half(&second, 1));
    agree(&first).await;
    let counts = second.counts(Some("cup")).await.expect("readable").expect("it counts");
    assert_eq!(counts.blocks.iter().map(|block| block.times).sum::<u64>(), 50);
}

pub(super) async fn the_ledger_may_come_after_the_game(place: TestPlace) {
    let store = open(&place).await;
    let request = |id: &str, outcome: &str, cost: u64| {
        Change::Request(Box::new(StoredRequest {
            id: id.to_owned(),
            match_id: Some("cup.0.0".to_owned()),
            seat: seat("A"),
            turn: 0,
            ordinal: 0,
            player: "model".to_owned(),
            outcome: outcome.to_owned(),
            why: None,
            requests: 1,
            cost,
            is_known: outcome == StoredRequest::ANSWERED,
        }))
    };
    let mut own = game(0, 0, ["model", "greedy"], [1, 2]);
    own.info.note = Some(r#"{"A":{"calls":2,"usd":9.0,"turns":3}}"#.to_owned());
    let sent = request("r1", StoredRequest::SENT, 5_000_000_000_000);
    store.write(vec![sent, block(0), games(vec![own])]).await.expect("new");
    let of_model = async |store: &Store| {
        let counts = store.counts(Some("cup")).await.expect("readable").expect("it counts");
        let is_model = |player: &&PlayerCount| counts.identities[&player.who] == Identity::Profile("model".to_owned());
        counts.players.iter().find(is_model).expect("it played").summary.clone()
    };
    let expected = SeatSummary { calls: 2, requests: 1, usd: 5.0, bounded: 1, turns: 3, ..SeatSummary::default() };
    assert_eq!(of_model(&store).await, expected);
    // What it cost is known now, and another one was sent that nobody had heard of.
    store.write(vec![request("r1", StoredRequest::ANSWERED, 1_000_000_000_000)]).await.expect("it is over");
    store.write(vec![request("r2", StoredRequest::ANSWERED, 500_000_000_000)]).await.expect("it is over");
    let expected = SeatSummary { requests: 2, usd: 1.5, bounded: 0, ..expected };
    assert_eq!(of_model(&store).await, expected);
}

pub(super) async fn a_filter_with_a_limit_finds_the_newest_of_what_it_finds_without(place: TestPlace) {
    let store = open(&place).await;
    let often = (0..700).map(|number| game(number, 0, ["greedy", "random"], [1, 2]));
    store.write(vec![games(often.collect())]).await.expect("new");
    let mut rare = game(700, 0, ["seldom", "random"], [1, 2]);
    (rare.of, rare.info.ruleset) = (Some(("other".to_owned(), 0, 0)), "paint".to_owned());
    store.write(vec![games(vec![rare])]).await.expect("new");
    let more = (701..1200).map(|number| game(number, 0, ["greedy", "random"], [1, 2]));
    store.write(vec![games(more.collect())]).await.expect("new");
    store.write(vec![Change::Open(played("m1").0)]).await.expect("new");
    let player = |name: &str| Filter { player: Some(name.to_owned()), ..Filter::default() };
    let filters = [
        (Filter::default(), 1201),
        (player("greedy"), 1199),
        (player("seldom"), 1),
        (player("ada"), 1),
        (player("nobody"), 0),
        (Filter { identity: Some(Identity::House("random".to_owned())), ..Filter::default() }, 1200),
        (Filter { identity: Some(Identity::Profile("seldom".to_owned())), ..Filter::default() }, 1),
        (Filter { tournament: Some("other".to_owned()), ..Filter::default() }, 1),
        (Filter { tournament: Some("cup".to_owned()), ..player("random") }, 1199),
        (Filter { ruleset: Some("paint".to_owned()), ..Filter::default() }, 1),
        (Filter { ruleset: Some("paint".to_owned()), ..player("greedy") }, 0),
        (Filter { status: Some(MatchStatus::Live), ..Filter::default() }, 1),
        (Filter { status: Some(MatchStatus::Finished), ..player("seldom") }, 1),
        (Filter { status: Some(MatchStatus::Live), ..player("seldom") }, 0),
        (Filter { before: Some("cup.700.0".to_owned()), ..player("random") }, 700),
        (Filter { before: Some("nothing".to_owned()), ..player("random") }, 0),
    ];
    for (filter, expected) in filters {
        let all = store.matches(&filter).await.expect("readable");
        assert_eq!(all.len(), expected, "{filter:?}");
        for limit in [1, 50, 600, 5000] {
            let some = store.matches(&Filter { limit: Some(limit), ..filter.clone() }).await.expect("readable");
            assert!(some == all[..all.len().min(limit as usize)], "{limit} of {filter:?}");
        }
    }
}

pub(super) async fn seeds_of_games_that_are_still_to_be_played_are_known(place: TestPlace) {
    let (one, other) = (["greedy", "random"], ["random", "greedy"]);
    let store = open(&place).await;
    let cup = |kind: &str, finished: bool| {
        Change::Tournament(TournamentInfo {
            id: "cup".to_owned(),
            name: "cup".to_owned(),
            file: String::new(),
            hash: String::new(),
            plan: format!("{{\"kind\":\"{kind}\"}}"),
            finished,
            created: 0,
        })
    };
    let is_open = async |id: &str| store.shares_open_seed(id).await.expect("readable");
    store.write(vec![cup("tournament", false), block(0), games(vec![game(0, 0, one, [1, 2])])]).await.expect("new");
    // Bots play too fast to be among the games in play: what is planned counts.
    assert_eq!((is_open("cup.0.0").await, is_open("cup.0.1").await, is_open("m1").await), (true, false, false));
    store.write(vec![games(vec![game(0, 1, other, [2, 1])])]).await.expect("new");
    assert_eq!((is_open("cup.0.0").await, is_open("cup.0.1").await), (false, false));
    // Groups of an experiment share their seeds.
    store.write(vec![cup("experiment", false)]).await.expect("changed");
    assert!(is_open("cup.0.0").await);
    store.write(vec![cup("experiment", true)]).await.expect("changed");
    assert!(!is_open("cup.0.0").await);
}
