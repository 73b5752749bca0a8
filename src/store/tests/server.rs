//! What only a server can do to us.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use sqlx::{Connection as _, PgConnection};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use url::Url;

use super::super::backend::Backend as _;
use super::*;

/// The server that is there for the tests.
fn server() -> Url {
    let address = std::env::var("STANDOFF_POSTGRES").expect("STANDOFF_POSTGRES names a server to try things on");
    address.parse().expect("an address")
}

/// As its owner.
async fn owner() -> PgConnection {
    PgConnection::connect(server().as_str()).await.expect("it answers")
}

pub(super) async fn run(connection: &mut PgConnection, sql: impl Into<String>) {
    sqlx::raw_sql(sqlx::AssertSqlSafe(sql.into())).execute(connection).await.expect("it runs");
}

async fn number(connection: &mut PgConnection, sql: impl Into<String>) -> i64 {
    sqlx::query_scalar(sqlx::AssertSqlSafe(sql.into())).fetch_one(connection).await.expect("a number")
}

/// The same store by another address.
fn by(place: &TestPlace, change: impl FnOnce(&mut Url)) -> Location {
    let Location::Postgres(address) = &place.location else { unreachable!("a server") };
    let mut address = address.parse().expect("an address");
    change(&mut address);
    Location::Postgres(address.into())
}

impl TestPlace {
    /// A new schema on the server, which is thrown away with all of them.
    pub(super) async fn schema() -> TestPlace {
        TestPlace::named_schema().await.0
    }

    async fn named_schema() -> (TestPlace, String) {
        let name = format!("t{}", uuid::Uuid::now_v7().simple());
        run(&mut owner().await, format!("CREATE SCHEMA {name}")).await;
        let mut address = server();
        address
            .query_pairs_mut()
            .append_pair("options", &format!("-csearch_path={name}"))
            .append_pair("application_name", &name);
        (TestPlace { location: Location::Postgres(address.into()), _folder: None }, name)
    }
}

pub(super) fn fault(game: u64) -> Change {
    Change::Fault(FaultInfo { tournament: "cup".into(), block: 0, game, reason: "the backend failed".into() })
}

/// Ends the connections of a store, as a server does that is started again.
async fn cut(schema: &str) {
    let cut = "SELECT count(pg_terminate_backend(pid, 5000)) FROM pg_stat_activity WHERE application_name = ";
    assert!(number(&mut owner().await, format!("{cut}'{schema}'")).await > 0, "there was one");
}

#[tokio::test]
#[ignore = "needs a PostgreSQL server: STANDOFF_POSTGRES"]
async fn what_is_no_store_of_ours_is_left_as_it_is() {
    let (place, schema) = TestPlace::named_schema().await;
    let at = place.location.clone();
    let refused = async |error: StoreError| {
        assert_eq!(Store::open(&place.location).await.expect_err("refused"), error);
        assert_eq!(Store::open_to_read(&place.location).await.expect_err("refused"), error);
    };
    let mut owner = owner().await;
    let tables = format!("SELECT count(*) FROM pg_tables WHERE schemaname = '{schema}'");
    assert_eq!(Store::open_to_read(&at).await.expect_err("empty"), StoreError::NotAStore { at: at.clone() });
    assert_eq!(number(&mut owner, &*tables).await, 0);
    for theirs in ["recipes (name TEXT)", "standoff_store (name TEXT)"] {
        run(&mut owner, format!("CREATE TABLE {schema}.{theirs}")).await;
        refused(StoreError::NotAStore { at: at.clone() }).await;
        assert_eq!(number(&mut owner, &*tables).await, 1);
        run(&mut owner, format!("DROP TABLE {schema}.{}", theirs.split(' ').next().expect("a name"))).await;
    }
    open(&place).await.close().await;
    run(&mut owner, format!("UPDATE {schema}.standoff_store SET version = 99")).await;
    refused(StoreError::Newer { at: at.clone(), found: 99, known: schema::VERSION }).await;
    assert_eq!(number(&mut owner, format!("SELECT version FROM {schema}.standoff_store")).await, 99);
}

#[tokio::test]
#[ignore = "needs a PostgreSQL server: STANDOFF_POSTGRES"]
async fn who_may_not_come_in_is_told_why_and_the_password_is_not_shown() {
    let place = TestPlace::schema().await;
    let refused = async |location: Location| {
        let error = Store::open(&location).await.expect_err("refused");
        let reading = Store::open_to_read(&location).await.expect_err("refused");
        let shown = format!("{location} {location:?} {error} {error:?} {reading} {reading:?}");
        assert!(!shown.contains("swordfish"), "{shown}");
        error
    };
    let wrong = by(&place, |url| url.set_password(Some("swordfish")).expect("it has a host"));
    assert!(matches!(refused(wrong).await, StoreError::Denied { why, .. } if why.contains("password")));
    let nowhere = by(&place, |url| url.set_path("/swordfish_not"));
    assert_eq!(Store::open(&nowhere).await.expect_err("none"), StoreError::NoDatabase { at: nowhere });
    let deaf = by(&place, |url| url.set_port(Some(1)).expect("it has a host"));
    assert!(matches!(refused(deaf).await, StoreError::Unreachable { .. }));
    for unread in
        ["postgres://ada:swordfish@host:port/x", "postgres://ada@h/x?pasword=swordfish", "postgres://h/?port=swordfish"]
    {
        assert!(matches!(refused(Location::from(unread)).await, StoreError::Address(_)), "{unread}");
    }
}

#[tokio::test]
#[ignore = "needs a PostgreSQL server: STANDOFF_POSTGRES"]
async fn who_may_only_read_can_read() {
    let (place, schema) = TestPlace::named_schema().await;
    let (store, record) = begun(&place, 3).await;
    store.close().await;
    let mut owner = owner().await;
    run(&mut owner, format!("CREATE ROLE {schema} LOGIN PASSWORD 'swordfish'")).await;
    let guest = by(&place, |url| {
        url.set_username(&schema).expect("it has a host");
        url.set_password(Some("swordfish")).expect("it has a host");
    });
    assert!(matches!(Store::open_to_read(&guest).await.expect_err("no right"), StoreError::Unusable { .. }));
    run(&mut owner, format!("GRANT USAGE ON SCHEMA {schema} TO {schema}")).await;
    assert!(matches!(Store::open_to_read(&guest).await.expect_err("no right"), StoreError::Denied { .. }));
    run(&mut owner, format!("GRANT SELECT ON ALL TABLES IN SCHEMA {schema} TO {schema}")).await;
    let reader = Store::open_to_read(&guest).await.expect("it may read");
    assert_eq!(reader.find("m1").await.expect("readable").expect("there").lines, 3);
    assert_eq!(reader.append("m1", 3, &record[3..4]).await, Err(StoreError::ReadOnly { at: guest.clone() }));
    assert_eq!(reader.hold("cup").await.expect_err("a reader"), StoreError::ReadOnly { at: guest.clone() });
    let writer = Store::open(&guest).await.expect("all is there");
    assert!(matches!(writer.append("m1", 3, &record[3..4]).await, Err(StoreError::Denied { .. })));
    let still = by(&place, |url| {
        url.query_pairs_mut().append_pair("options", "-cdefault_transaction_read_only=on");
    });
    let copy = Store::open(&still).await.expect("all is there");
    assert_eq!(copy.append("m1", 3, &record[3..4]).await, Err(StoreError::ReadOnly { at: still }));
}

#[tokio::test]
#[ignore = "needs a PostgreSQL server: STANDOFF_POSTGRES"]
async fn a_store_that_another_process_holds_is_an_error_and_fine_afterwards() {
    let (place, schema) = TestPlace::named_schema().await;
    let (store, record) = begun(&place, 3).await;
    let mut theirs = owner().await;
    run(&mut theirs, format!("BEGIN; LOCK TABLE {schema}.records IN EXCLUSIVE MODE")).await;
    let Location::Postgres(address) = place.location.clone() else { unreachable!("a server") };
    let timeout = Duration::from_millis(50);
    let other = Store {
        connections: Connections::open(async move || Postgres::with_timeout(address, timeout)).await.expect("opens"),
    };
    let locked = other.append("m1", 3, &record[3..4]).await;
    assert_eq!(locked, Err(StoreError::Locked { at: place.location.clone() }));
    assert_eq!(other.find("m1").await.expect("readers do not care").expect("there").lines, 3);
    run(&mut theirs, "ROLLBACK").await;
    other.append("m1", 3, &record[3..4]).await.expect("it is free again");
    store.append("m1", 3, &record[3..5]).await.expect("both write, in turn");
}

#[tokio::test]
#[ignore = "needs a PostgreSQL server: STANDOFF_POSTGRES"]
async fn what_the_server_cannot_keep_harms_nobody_else() {
    let place = TestPlace::schema().await;
    let (store, record) = begun(&place, 3).await;
    let good = store.append("m1", 3, &record[3..4]);
    let wrong = store.write(vec![Change::Note { match_id: "m1".into(), note: "a\0b".into() }]);
    let other = store.write(vec![fault(0)]);
    let (good, wrong, other) = tokio::join!(good, wrong, other);
    assert_eq!((good, other), (Ok(()), Ok(())));
    assert!(matches!(wrong, Err(StoreError::Unfit { .. })), "{wrong:?}");
}

#[tokio::test]
#[ignore = "needs a PostgreSQL server: STANDOFF_POSTGRES"]
async fn a_server_that_starts_again_is_found_again_and_names_are_kept() {
    let (place, schema) = TestPlace::named_schema().await;
    let (store, record) = begun(&place, 3).await;
    let hold = store.hold("cup").await.expect("free");
    let other = open(&place).await;
    assert_eq!(other.hold("cup").await.expect_err("taken"), StoreError::Held("cup".to_owned()));
    cut(&schema).await;
    store.append("m1", 3, &record[3..4]).await.expect("it connects again");
    assert_eq!(store.find("m1").await.expect("readable").expect("there").lines, 4);
    assert_eq!(other.hold("cup").await.expect_err("taken"), StoreError::Held("cup".to_owned()));
    drop(hold);
    other.hold_when_free("cup", Duration::from_secs(5)).await.expect("free again");
}

#[tokio::test]
#[ignore = "needs a PostgreSQL server: STANDOFF_POSTGRES"]
async fn who_lost_a_name_to_another_writes_nothing_more() {
    let (place, schema) = TestPlace::named_schema().await;
    let (store, record) = begun(&place, 3).await;
    let _hold = store.hold("cup").await.expect("free");
    cut(&schema).await;
    let other = open(&place).await;
    let _theirs = other.hold("cup").await.expect("its holder is gone");
    assert_eq!(store.append("m1", 3, &record[3..4]).await, Err(StoreError::Held("cup".to_owned())));
    other.append("m1", 3, &record[3..4]).await.expect("it has the name");
}

/// What becomes of a way to the server.
#[derive(Clone, Copy, Debug)]
enum LinkFault {
    /// The connection breaks.
    Breaks,
    /// Nothing more comes through.
    FallsSilent,
}

/// A way to the server that fails when the server answers so, once.
async fn failing_at(place: &TestPlace, answer: &'static [u8], fault: LinkFault) -> (Location, Arc<AtomicBool>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let port = listener.local_addr().expect("it is bound").port();
    let (host, there) = (server().host_str().expect("a host").to_owned(), server().port().unwrap_or(5432));
    let armed = Arc::new(AtomicBool::new(false));
    let breaks = armed.clone();
    tokio::spawn(async move {
        while let Ok((mut near, _)) = listener.accept().await {
            let mut far = TcpStream::connect((&*host, there)).await.expect("it answers");
            let breaks = breaks.clone();
            tokio::spawn(async move {
                let (mut asked, mut answered) = ([0; 4096], [0; 4096]);
                loop {
                    tokio::select! {
                        read = near.read(&mut asked) => match read {
                            Ok(read) if read > 0 && far.write_all(&asked[..read]).await.is_ok() => {}
                            _ => return,
                        },
                        read = far.read(&mut answered) => match read {
                            Ok(read) if read > 0 => {
                                let said = &answered[..read];
                                if said.windows(answer.len()).any(|window| window == answer) && breaks.swap(false, Ordering::SeqCst) {
                                    if let LinkFault::FallsSilent = fault {
                                        while near.read(&mut asked).await.is_ok_and(|read| read > 0) {}
                                    }
                                    return;
                                }
                                if near.write_all(said).await.is_err() {
                                    return;
                                }
                            }
                            _ => return,
                        },
                    }
                }
            });
        }
    });
    let way = by(place, |url| {
        url.set_host(Some("127.0.0.1")).expect("a host");
        url.set_port(Some(port)).expect("it has a host");
    });
    (way, armed)
}

#[tokio::test]
#[ignore = "needs a PostgreSQL server: STANDOFF_POSTGRES"]
async fn a_connection_lost_at_any_moment_writes_once() {
    let answers = [&b"BEGIN\0"[..], b"INSERT 0 1\0", b"COMMIT\0"];
    for (answer, way_fails) in
        answers.into_iter().flat_map(|answer| [(answer, LinkFault::Breaks), (answer, LinkFault::FallsSilent)])
    {
        let place = TestPlace::schema().await;
        let (way, armed) = failing_at(&place, answer, way_fails).await;
        let Location::Postgres(address) = way else { unreachable!("a server") };
        // A server that says nothing for a moment is taken for gone.
        let connections = Connections::open(async || Postgres::with_timeout(address, Duration::from_millis(100))).await;
        let store = Store { connections: connections.expect("it opens") };
        armed.store(true, Ordering::SeqCst);
        // Nothing about a fault tells whether it was written before.
        store.write(vec![fault(0)]).await.expect("it connects again");
        assert!(!armed.load(Ordering::SeqCst), "it was lost");
        assert_eq!(
            store.faults("cup").await.expect("readable").len(),
            1,
            "{way_fails:?} {}",
            String::from_utf8_lossy(answer)
        );
    }
}

#[tokio::test]
#[ignore = "needs a PostgreSQL server: STANDOFF_POSTGRES"]
async fn who_stood_still_in_a_transaction_has_lost_the_connection() {
    let (place, schema) = TestPlace::named_schema().await;
    let Location::Postgres(address) = place.location.clone() else { unreachable!("a server") };
    let mut still = PgConnection::connect(&address).await.expect("it answers");
    run(&mut still, "SET idle_in_transaction_session_timeout = '1ms'; BEGIN; SELECT 1").await;
    let mut owner = owner().await;
    let there = format!("SELECT count(*) FROM pg_stat_activity WHERE application_name = '{schema}'");
    while number(&mut owner, there.as_str()).await > 0 {}
    let error = sqlx::query("SELECT 1").execute(&mut still).await.expect_err("it was ended");
    let server = Postgres::with_timeout(address, Duration::from_secs(5)).expect("an address");
    let error = server.problem(&error);
    assert!(error.may_pass() && matches!(error, StoreError::Lost { .. }), "{error:?}");
}
