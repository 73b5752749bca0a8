//! A store in a database on a PostgreSQL server.
//!
//! It lives in the schema that the connection starts in, `public` unless the address says otherwise, and has it for
//! itself. Writers of different processes write at the same time: what an owner writes is fenced by its epoch, which no other
//! transaction can change before it ends, and what all of them share, ladders and packs, has a lock of its own. Names are
//! advisory locks of the connection that writes.

use std::time::Duration;

use futures_util::future::BoxFuture;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::{ConnectOptions as _, Connection as _, PgConnection, PgPool};
use tokio::time::{Instant, sleep, timeout};
use url::Url;

use super::backend::{Backend, Readers, TransactionId, Writing};
use super::connections::READERS;
use super::error::StoreError;
use super::link::{Each, Link, Placeholders, Row, Statement, filled, grid, one};
use super::location::Location;
use super::schema;

/// So long a write may do nothing between two statements.
const STANDING_STILL: Duration = Duration::from_secs(10);

/// How long a server may take to answer the door, and another process to write.
const TIMEOUT: Duration = Duration::from_secs(10);

/// After so many times that, a server in the middle of a transaction is taken for gone.
const SILENT: u32 = 6;

/// What an address may ask for after its `?`.
const PARAMETERS: [&str; 18] = [
    "sslmode",
    "ssl-mode",
    "sslrootcert",
    "ssl-root-cert",
    "ssl-ca",
    "sslcert",
    "ssl-cert",
    "sslkey",
    "ssl-key",
    "statement-cache-capacity",
    "host",
    "hostaddr",
    "port",
    "dbname",
    "user",
    "password",
    "application_name",
    "options",
];

/// A store in a database on a PostgreSQL server.
#[derive(Debug)]
pub(super) struct Postgres {
    at: Location,
    version: i64,
    options: Box<PgConnectOptions>,
    readers: PgPool,
    /// How long we wait for another process that writes.
    limit: Duration,
}

impl Postgres {
    pub(super) fn new(address: String) -> Result<Postgres, StoreError> {
        Postgres::with_timeout(address, TIMEOUT)
    }

    /// Must be called on the store's own thread, where its connections live.
    pub(super) fn with_timeout(address: String, limit: Duration) -> Result<Postgres, StoreError> {
        let options = options(&address)?;
        let readers = PgPoolOptions::new().max_connections(READERS).acquire_timeout(TIMEOUT);
        let readers = readers.connect_lazy_with(options.clone());
        Ok(Postgres {
            at: Location::Postgres(address),
            version: schema::VERSION,
            options: Box::new(options),
            readers,
            limit,
        })
    }

    /// Looks at a database that is only to be read.
    pub(super) async fn to_read(address: String) -> Result<Postgres, StoreError> {
        let mut postgres = Postgres::new(address)?;
        let mut connection = postgres.open().await?;
        let found = schema::look_at_server(&mut connection).await;
        let _ = connection.close().await;
        postgres.version = found.map_err(|error| postgres.problem(&error))?.to_read(&postgres.at)?;
        Ok(postgres)
    }

    /// Connects to a database that could have a store.
    async fn open(&self) -> Result<PgConnection, StoreError> {
        let mut connection = self.knock().await?;
        let select = Statement::new("SELECT current_setting('server_encoding'), current_schema()::text");
        let surroundings = |row: &dyn Row| Ok((row.text(0)? == "UTF8", row.maybe_text(1)?.is_some()));
        let unusable = |why: &str| StoreError::Unusable { at: self.at.clone(), why: why.to_owned() };
        match one(&mut connection, select, surroundings).await.map_err(|error| self.problem(&error))? {
            Some((true, true)) => Ok(connection),
            Some((false, _)) => Err(unusable("its encoding is not UTF8, so it cannot keep every text")),
            _ => Err(unusable("its schema is not there, or may not be used")),
        }
    }

    async fn knock(&self) -> Result<PgConnection, StoreError> {
        let unreachable = |why: String| StoreError::Unreachable { at: self.at.clone(), why };
        match timeout(TIMEOUT, self.options.connect()).await {
            Err(_) => Err(unreachable(format!("no answer within {} seconds", TIMEOUT.as_secs()))),
            Ok(Err(sqlx::Error::Io(error))) => Err(unreachable(error.to_string())),
            Ok(Err(error)) => Err(self.problem(&error)),
            Ok(Ok(connection)) => Ok(connection),
        }
    }

    /// Makes a connection ready to write.
    async fn prepare(&self, connection: &mut PgConnection) -> Result<(), StoreError> {
        let failed = |error: sqlx::Error| self.problem(&error);
        // A commit that does not wait for the disk acknowledges what may be lost; where more than that is asked for, it
        // stays.
        let settings = Statement::new(
            "SELECT set_config('lock_timeout', $1, false), set_config('synchronous_commit',
             CASE current_setting('synchronous_commit') WHEN 'off' THEN 'on'
             ELSE current_setting('synchronous_commit') END, false)",
        );
        connection.run(settings.bind(self.limit.as_millis().to_string())).await.map_err(failed)?;
        schema::look_at_server(connection).await.map_err(failed)?.to_write(&self.at)?;
        schema::migrate_server(connection).await.map_err(failed)?;
        // A process that stands still in the midst of a write must not keep others from what it has locked. To bring a
        // store up to date may take longer.
        let settings = Statement::new("SELECT set_config('idle_in_transaction_session_timeout', $1, false)");
        connection.run(settings.bind(STANDING_STILL.as_millis().to_string())).await.map_err(failed)?;
        Ok(())
    }
}

impl Backend for Postgres {
    fn location(&self) -> &Location {
        &self.at
    }

    fn version(&self) -> i64 {
        self.version
    }

    fn connect(&self) -> BoxFuture<'_, Result<Box<dyn Writing>, StoreError>> {
        Box::pin(async move {
            let mut connection = self.open().await?;
            self.prepare(&mut connection).await?;
            Ok(Box::new(connection) as Box<dyn Writing>)
        })
    }

    fn readers(&self) -> &dyn Readers {
        &self.readers
    }

    fn problem(&self, error: &sqlx::Error) -> StoreError {
        let at = self.at.clone();
        let Some(database) = error.as_database_error() else {
            return match error {
                sqlx::Error::Io(error) => StoreError::Lost { at, why: error.to_string() },
                sqlx::Error::PoolTimedOut => StoreError::Unreachable { at, why: "no connection is free".to_owned() },
                sqlx::Error::PoolClosed => StoreError::Closed,
                sqlx::Error::Tls(error) => StoreError::Untrusted { at, why: error.to_string() },
                other => StoreError::Database { at, why: other.to_string() },
            };
        };
        let (code, why) = (database.code().unwrap_or_default(), database.message().to_owned());
        match (code.get(..2).unwrap_or_default(), &*code) {
            (_, "3D000") => StoreError::NoDatabase { at },
            (_, "25006") => StoreError::ReadOnly { at },
            (_, "42501") | ("28", _) => StoreError::Denied { at, why },
            (_, "53100") => StoreError::Full { at },
            (_, "55P03") => StoreError::Locked { at },
            (_, "53300" | "57P03") => StoreError::Unreachable { at, why },
            // Of two transactions that wait for each other the server ends one, which is written again. It also ends the
            // connection of a process that stood still: between statements, in a transaction, or for too long in all.
            ("08", _) | (_, "57P01" | "57P02" | "57P05" | "25P03" | "25P04" | "40P01" | "40001") => {
                StoreError::Lost { at, why }
            }
            // What a text or a number may be, and how long.
            ("22" | "54", _) => StoreError::Unfit { at, why },
            ("XX", _) => StoreError::Damaged { at, why },
            _ => StoreError::Database { at, why },
        }
    }

    fn limit(&self) -> Option<Duration> {
        Some(SILENT * self.limit)
    }
}

impl Link for PgConnection {
    fn run(&mut self, statement: Statement) -> BoxFuture<'_, Result<u64, sqlx::Error>> {
        Box::pin(async move { Ok(filled(statement, Placeholders::Numbered).execute(self).await?.rows_affected()) })
    }

    fn read<'a>(&'a mut self, statement: Statement, each: Each<'a>) -> BoxFuture<'a, Result<(), sqlx::Error>> {
        Box::pin(async move {
            filled(statement, Placeholders::Numbered).fetch_all(self).await?.iter().try_for_each(|row| each(row))
        })
    }

    fn clock(&self) -> &'static str {
        "CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)"
    }

    fn for_update(&self) -> &'static str {
        " FOR UPDATE"
    }

    fn is_server(&self) -> bool {
        true
    }

    fn lock(&mut self, mut names: Vec<String>) -> BoxFuture<'_, Result<(), sqlx::Error>> {
        Box::pin(async move {
            if names.is_empty() {
                return Ok(());
            }
            // Everybody in the same order, so that no two wait for each other.
            names.sort_unstable();
            let named = NAMED.replace("$1", "column1");
            let lock = format!(
                "SELECT count(pg_advisory_xact_lock(number)) FROM
                 (SELECT {named} AS number FROM (VALUES {}) AS names ORDER BY column1 OFFSET 0) AS numbers",
                grid(names.len(), 1)
            );
            let lock = Statement::new(sqlx::AssertSqlSafe(lock));
            self.run(names.into_iter().fold(lock, Statement::bind)).await?;
            Ok(())
        })
    }

    fn shard(&self) -> &'static str {
        SHARD
    }

    fn lock_shard(&mut self, all: bool) -> BoxFuture<'_, Result<(), sqlx::Error>> {
        Box::pin(async move {
            if all {
                return self.lock((0..SHARDS).map(|shard| format!("counts/{shard:02}")).collect()).await;
            }
            let name = format!("'counts/' || lpad(({SHARD})::text, 2, '0')");
            let lock = format!("SELECT pg_advisory_xact_lock({})", NAMED.replace("$1", &name));
            self.run(Statement::new(sqlx::AssertSqlSafe(lock))).await?;
            Ok(())
        })
    }
}

/// Into so many parts the counts are divided, and which of them a connection writes to.
const SHARDS: u32 = 16;
const SHARD: &str = "CAST(pg_backend_pid() % 16 AS BIGINT)";

/// The number of a name's lock. Stores in other schemas of the same database have names of their own.
const NAMED: &str = "hashtextextended(current_schema() || '/' || $1, 1400136806)";

impl Writing for PgConnection {
    fn begin(&mut self) -> BoxFuture<'_, Result<Option<TransactionId>, sqlx::Error>> {
        Box::pin(async move {
            self.run(Statement::new("BEGIN")).await?;
            let receipt = Statement::new("SELECT pg_current_xact_id()::text");
            one(self, receipt, |row| Ok(TransactionId(row.text(0)?.to_owned()))).await
        })
    }

    fn is_committed(&mut self, receipt: TransactionId) -> BoxFuture<'_, Result<bool, sqlx::Error>> {
        Box::pin(async move {
            // Until the server has noticed that the other connection is gone, its transaction is neither.
            let end = Instant::now() + TIMEOUT;
            loop {
                let select = Statement::new("SELECT pg_xact_status($1::xid8)").bind(&receipt.0);
                let status = one(self, select, |row| Ok(row.maybe_text(0)?.map(str::to_owned))).await?.flatten();
                match status.as_deref() {
                    Some("in progress") if Instant::now() > end => return Err(undecided()),
                    Some("in progress") => sleep(Duration::from_millis(50)).await,
                    status => return Ok(status == Some("committed")),
                }
            }
        })
    }

    fn take(&mut self, name: String) -> BoxFuture<'_, Result<bool, sqlx::Error>> {
        Box::pin(async move {
            let lock = sqlx::AssertSqlSafe(format!("SELECT pg_try_advisory_lock({NAMED})::int::int8"));
            Ok(one(self, Statement::new(lock).bind(name), |row| row.whole(0)).await? == Some(1))
        })
    }

    fn give_back(&mut self, name: String) -> BoxFuture<'_, Result<(), sqlx::Error>> {
        Box::pin(async move {
            let unlock = sqlx::AssertSqlSafe(format!("SELECT pg_advisory_unlock({NAMED})"));
            self.run(Statement::new(unlock).bind(name)).await?;
            Ok(())
        })
    }

    fn end(self: Box<Self>, hard: bool) -> BoxFuture<'static, ()> {
        Box::pin(async move {
            let _ = if hard { self.close_hard().await } else { self.close().await };
        })
    }
}

/// Nobody knows yet whether a transaction was committed.
fn undecided() -> sqlx::Error {
    std::io::Error::new(std::io::ErrorKind::TimedOut, "its last transaction is neither committed nor taken back").into()
}

/// Reads an address. Whatever is wrong with it is said without repeating it: it may hold a password.
pub(super) fn options(address: &str) -> Result<PgConnectOptions, StoreError> {
    let url = Url::parse(address).map_err(|error| StoreError::Address(error.to_string()))?;
    for (name, _) in url.query_pairs() {
        if !PARAMETERS.contains(&&*name) {
            return Err(StoreError::Address("after the `?` stands something that is not known".to_owned()));
        }
    }
    let options =
        PgConnectOptions::from_url(&url).map_err(|_| StoreError::Address("a part of it cannot be read".to_owned()))?;
    let named = options.get_application_name().is_some();
    let options = if named { options } else { options.application_name("standoff") };
    Ok(options.disable_statement_logging())
}
