//! Several workers on one server. Each has a store of its own, as in processes of their own.

mod postgres {
    use std::collections::BTreeMap;
    use std::sync::{Arc, Mutex};
    use std::time::Duration;

    use tokio::time::{Instant, sleep, timeout};
    use tokio_util::sync::CancellationToken;

    use super::super::*;
    use crate::games::seat::Seat;
    use crate::players::EndpointLimits;
    use crate::players::model::{LeaseRequest, Limiter as _, RunBudget, Withheld};
    use crate::store::{Change, Location, Store, StoredRequest};
    use crate::tournaments::file::RunLimits;
    use crate::tournaments::work::BookedLimiter;

    const NO_LIMITS: RunLimits = RunLimits { max_usd: None, max_calls: None, max_minutes: None };
    const USD: u64 = 1_000_000_000_000;

    /// A store of its own on the server that is there for tests.
    fn place(name: &str) -> Location {
        let address = std::env::var("STANDOFF_POSTGRES").expect("STANDOFF_POSTGRES names a server to try things on");
        let name = format!("{name}{}", uuid::Uuid::now_v7().simple());
        let made =
            std::process::Command::new("psql").args([&address, "-qc", &format!("CREATE SCHEMA {name}")]).output();
        assert!(made.expect("psql is there with the server").status.success());
        Location::from(format!("{address}?options=-csearch_path%3D{name}").as_str())
    }

    async fn worker(place: &Location, name: &str, limits: RunLimits) -> (Store, Arc<SharedLimiter>) {
        let store = Store::open(place).await.expect("it opens");
        let limiter = SharedLimiter::new(&store, "run", limits, name, CancellationToken::new());
        (store, Arc::new(limiter))
    }

    fn wanted(limits: EndpointLimits, most: u64) -> LeaseRequest<'static> {
        LeaseRequest { endpoint: "here", limits, tokens: 1, most, in_match: None }
    }

    fn at_once(concurrency: usize) -> EndpointLimits {
        EndpointLimits { requests_per_minute: None, tokens_per_minute: None, concurrency }
    }

    /// Four workers, each with more to send than it may, for so many windows; how many were sent in each of them.
    async fn sent(per_minute: u32, window: Duration, windows: u32) -> Vec<u32> {
        let place = place("pace");
        let begun = Instant::now();
        let counts: Arc<Mutex<BTreeMap<u128, u32>>> = Arc::default();
        let mut sending = Vec::new();
        for number in 0..4 {
            let (_, limiter) = worker(&place, &format!("w{number}"), NO_LIMITS).await;
            for _ in 0..16 {
                let (limiter, counts) = (limiter.clone(), counts.clone());
                let limits = EndpointLimits { requests_per_minute: Some(per_minute), ..at_once(1000) };
                sending.push(tokio::spawn(async move {
                    while begun.elapsed() < window * windows {
                        let lease = limiter.lease(wanted(limits, 0)).await.expect("nothing is withheld");
                        let at = begun.elapsed().as_millis() / window.as_millis();
                        *counts.lock().expect("sound").entry(at).or_default() += 1;
                        sleep(Duration::from_millis(5)).await;
                        lease.settle(Some(0));
                    }
                }));
            }
        }
        for task in sending {
            task.await.expect("no panic");
        }
        let counts = counts.lock().expect("sound");
        counts.iter().filter(|(at, _)| **at > 0 && **at + 1 < u128::from(windows)).map(|(_, sent)| *sent).collect()
    }

    /// Scaled down: 6,000 a minute are 900 in nine seconds. In a shorter time the moments in which a busy machine lets
    /// nobody run would weigh more than what is tested.
    #[tokio::test(flavor = "multi_thread")]
    #[ignore = "needs a PostgreSQL server: STANDOFF_POSTGRES"]
    async fn a_rate_is_kept_by_all_workers_together() {
        let sent = sent(6000, Duration::from_secs(9), 3).await;
        assert_eq!(sent.len(), 1, "{sent:?}");
        assert!(sent.iter().all(|sent| (855..=900).contains(sent)), "{sent:?}");
    }

    /// The long form: `cargo test --lib -- --ignored six_hundred_a_minute_over_four_workers`.
    #[tokio::test(flavor = "multi_thread")]
    #[ignore = "takes five minutes and a PostgreSQL server: STANDOFF_POSTGRES, STANDOFF_LONG=1"]
    async fn six_hundred_a_minute_over_four_workers() {
        if std::env::var_os("STANDOFF_LONG").is_none() {
            return;
        }
        let sent = sent(600, Duration::from_mins(1), 5).await;
        assert_eq!(sent.len(), 3, "{sent:?}");
        assert!(sent.iter().all(|sent| (570..=600).contains(sent)), "{sent:?}");
    }

    #[tokio::test(flavor = "multi_thread")]
    #[ignore = "needs a PostgreSQL server: STANDOFF_POSTGRES"]
    async fn no_more_are_under_way_than_all_may_have_and_who_has_fewer_comes_first() {
        let place = place("slots");
        let (_first, one) = worker(&place, "one", NO_LIMITS).await;
        let (_second, other) = worker(&place, "other", NO_LIMITS).await;
        let limits = at_once(4);
        let mut leases = Vec::new();
        for _ in 0..4 {
            leases.push(one.lease(wanted(limits, 0)).await.expect("there is room"));
        }
        assert!(timeout(Duration::from_millis(700), other.lease(wanted(limits, 0))).await.is_err());
        // A place that is free again goes to whoever has fewer.
        leases.pop().expect("four").settle(Some(0));
        let got = timeout(Duration::from_secs(5), other.lease(wanted(limits, 0))).await.expect("it comes back");
        got.expect("nothing is withheld").settle(Some(0));
    }

    #[tokio::test(flavor = "multi_thread")]
    #[ignore = "needs a PostgreSQL server: STANDOFF_POSTGRES"]
    async fn whoever_waits_is_told_of_with_what_for() {
        let place = place("waits");
        let (_store, limiter) = worker(&place, "one", NO_LIMITS).await;
        let queues = || limiter.waiting().expect("it tells").queues();
        let slow = EndpointLimits { requests_per_minute: Some(1), ..at_once(10) };
        let cases = [(slow, AwaitedLimit::Requests, "here"), (at_once(1), AwaitedLimit::Concurrency, "here")];
        for (limits, limit, whose) in cases {
            let _first = limiter.lease(wanted(limits, 0)).await.expect("there is room");
            let second = async { limiter.lease(wanted(limits, 0)).await.map(drop) };
            let told = async {
                loop {
                    if let [queue] = queues().as_slice()
                        && queue.limit == limit
                    {
                        return queue.clone();
                    }
                    sleep(Duration::from_millis(10)).await;
                }
            };
            tokio::select! {
                _ = second => panic!("it waits"),
                queue = timeout(Duration::from_secs(10), told) => {
                    let queue = queue.expect("it is told of");
                    assert_eq!((queue.whose.as_str(), queue.calls, queue.games), (whose, 1, 0));
                }
            }
            assert_eq!(queues(), [], "nobody waits any more");
        }
    }

    #[tokio::test(flavor = "multi_thread")]
    #[ignore = "needs a PostgreSQL server: STANDOFF_POSTGRES"]
    async fn a_scheduler_that_asks_keeps_to_the_limits_of_its_workers_and_books_its_own() {
        let place = place("asks");
        let limits = RunLimits { max_calls: Some(10), ..NO_LIMITS };
        let (store, one) = worker(&place, "one", limits).await;
        let books = Arc::new(RunBudget::new(None, limits.max_calls));
        let shared = SharedLimiter::new(&store, "run", limits, "scheduler", CancellationToken::new());
        let asks = BookedLimiter::new(shared, books.clone());
        let endpoint = at_once(1);
        let first = one.lease(wanted(endpoint, 0)).await.expect("there is room");
        assert!(timeout(Duration::from_millis(500), asks.lease(wanted(endpoint, 0))).await.is_err(), "one at a time");
        enter(&store, "run.0.0.0".to_owned(), "answered", 0).await;
        first.settle(Some(0));
        for number in 1..6 {
            let lease = one.lease(wanted(endpoint, 0)).await.expect("there are ten");
            enter(&store, format!("run.0.0.{number}"), "answered", 0).await;
            lease.settle(Some(0));
        }
        let mut asked = 0;
        let withheld = loop {
            match timeout(Duration::from_secs(30), asks.lease(wanted(endpoint, 0))).await.expect("it is settled") {
                Ok(lease) => {
                    enter(&store, format!("run.0.1.{asked}"), "answered", 0).await;
                    lease.settle(Some(0));
                    asked += 1;
                }
                Err(withheld) => break withheld,
            }
        };
        assert_eq!((asked, withheld, asks.is_used_up()), (4, Withheld::Calls(10), true));
        assert_eq!(books.calls(), 4, "what others asked is not in its books");
    }

    #[tokio::test(flavor = "multi_thread")]
    #[ignore = "needs a PostgreSQL server: STANDOFF_POSTGRES"]
    async fn a_dead_workers_places_come_back() {
        let place = place("dead");
        let limits = at_once(4);
        // It ends with all of them under way, and renews nothing any more.
        let dying = place.clone();
        let dead = std::thread::spawn(move || {
            let runtime = tokio::runtime::Runtime::new().expect("threads");
            runtime.block_on(async {
                let (_, one) = worker(&dying, "one", NO_LIMITS).await;
                for _ in 0..4 {
                    std::mem::forget(one.lease(wanted(limits, 0)).await.expect("there is room"));
                }
            });
        });
        let (_second, other) = worker(&place, "other", NO_LIMITS).await;
        tokio::task::spawn_blocking(move || dead.join()).await.expect("a thread").expect("no panic");
        let begun = Instant::now();
        let all = async {
            let mut leases = Vec::new();
            for _ in 0..4 {
                leases.push(other.lease(wanted(limits, 0)).await.expect("nothing is withheld"));
            }
        };
        timeout(LASTS + Duration::from_secs(20), all).await.expect("what it held runs out");
        assert!(begun.elapsed() > LASTS / 2, "nobody takes it away before");
    }

    /// Enters a request in the ledger, as a journal does.
    async fn enter(store: &Store, id: String, outcome: &str, cost: u64) {
        let request = StoredRequest {
            id,
            match_id: Some("run.0.0".to_owned()),
            seat: Seat::new(0),
            turn: 0,
            ordinal: 0,
            player: "model".to_owned(),
            outcome: outcome.to_owned(),
            why: None,
            requests: 1,
            cost,
            is_known: outcome == StoredRequest::ANSWERED,
        };
        store.write(vec![Change::Request(Box::new(request))]).await.expect("it is entered");
    }

    #[tokio::test(flavor = "multi_thread")]
    #[ignore = "needs a PostgreSQL server: STANDOFF_POSTGRES"]
    async fn a_budget_is_spent_by_all_workers_together_and_used_up_once_nothing_is_out() {
        let place = place("money");
        let limits = RunLimits { max_usd: Some(1.0), ..NO_LIMITS };
        // Each call may cost a tenth and costs a twentieth.
        let calls = async |name: &'static str| {
            let (store, limiter) = worker(&place, name, limits).await;
            let mut made = 0;
            loop {
                let lease = match limiter.lease(wanted(at_once(100), USD / 10)).await {
                    Ok(lease) => lease,
                    Err(withheld) => return (made, withheld, limiter.is_used_up()),
                };
                let id = format!("{name}.{made}");
                enter(&store, id.clone(), StoredRequest::SENT, USD / 10).await;
                sleep(Duration::from_millis(30)).await;
                enter(&store, id, StoredRequest::ANSWERED, USD / 20).await;
                lease.settle(Some(USD / 20));
                made += 1;
            }
        };
        let (one, two, three) = tokio::join!(calls("one"), calls("two"), calls("three"));
        let made = one.0 + two.0 + three.0;
        // After nineteen of them a twentieth is left, in which no call fits.
        assert_eq!(made, 19, "{one:?} {two:?} {three:?}");
        for (_, withheld, used_up) in [one, two, three] {
            assert!(used_up && matches!(withheld, Withheld::Money { .. }), "{withheld:?}");
        }
        let store = Store::open_to_read(&place).await.expect("it opens");
        assert_eq!(store.spent("run.").await.expect("readable").iter().map(|row| row.cost).sum::<u64>(), 19 * USD / 20);
    }

    #[tokio::test(flavor = "multi_thread")]
    #[ignore = "needs a PostgreSQL server: STANDOFF_POSTGRES"]
    async fn calls_are_counted_over_all_workers() {
        let place = place("calls");
        let limits = RunLimits { max_calls: Some(30), ..NO_LIMITS };
        let calls = async |name: &'static str| {
            let (store, limiter) = worker(&place, name, limits).await;
            for made in 0.. {
                let Ok(lease) = limiter.lease(wanted(at_once(100), 0)).await else { return made };
                enter(&store, format!("{name}.{made}"), StoredRequest::ANSWERED, 0).await;
                lease.settle(Some(0));
            }
            0
        };
        let (one, two) = tokio::join!(calls("one"), calls("two"));
        assert_eq!(one + two, 30);
    }
}
