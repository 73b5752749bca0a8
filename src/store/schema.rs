//! The tables, and how older stores become newer ones.
//!
//! They are written once, in SQLite's words. A PostgreSQL server gets the same statements with other names for the types,
//! so both have the same versions and nobody has to write a table twice.

use std::borrow::Cow;

use sqlx::{Connection as _, PgConnection, SqliteConnection};

use super::error::StoreError;
use super::link::{Link as _, Statement, count, one};
use super::location::Location;

/// What each version added. A store's version says how many of these it has; they are never edited, only followed by
/// others.
const MIGRATIONS: [&str; 4] = [FIRST, FOUND, ARENA, PACKED];

const FIRST: &str = "
    CREATE TABLE matches (
        number INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        ruleset TEXT NOT NULL,
        seed INTEGER NOT NULL,
        seats TEXT NOT NULL,
        status TEXT NOT NULL,
        created INTEGER NOT NULL,
        updated INTEGER NOT NULL,
        lines INTEGER NOT NULL,
        chain TEXT NOT NULL,
        result TEXT,
        reason TEXT,
        note TEXT
    ) STRICT;
    CREATE INDEX matches_not_over ON matches (status) WHERE status <> 'finished';
    CREATE TABLE records (
        match_id TEXT NOT NULL,
        first INTEGER NOT NULL,
        lines INTEGER NOT NULL,
        bytes BLOB NOT NULL
    ) STRICT;
    CREATE UNIQUE INDEX records_in_order ON records (match_id, first);
    CREATE TABLE sealed (
        match_id TEXT NOT NULL,
        turn INTEGER NOT NULL,
        seat TEXT NOT NULL,
        action TEXT NOT NULL,
        PRIMARY KEY (match_id, turn, seat)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE keys (
        match_id TEXT NOT NULL,
        seat TEXT NOT NULL,
        hash BLOB NOT NULL UNIQUE,
        PRIMARY KEY (match_id, seat)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE players (
        id TEXT NOT NULL PRIMARY KEY,
        name TEXT NOT NULL UNIQUE,
        token BLOB NOT NULL UNIQUE,
        elo REAL NOT NULL,
        games INTEGER NOT NULL,
        created INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE tournaments (
        number INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        name TEXT NOT NULL,
        file TEXT NOT NULL,
        hash TEXT NOT NULL,
        plan TEXT NOT NULL,
        finished INTEGER NOT NULL,
        created INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE blocks (
        tournament TEXT NOT NULL,
        number INTEGER NOT NULL,
        ruleset TEXT NOT NULL,
        seed INTEGER NOT NULL,
        players TEXT NOT NULL,
        PRIMARY KEY (tournament, number)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE games (
        tournament TEXT NOT NULL,
        block INTEGER NOT NULL,
        game INTEGER NOT NULL,
        match_id TEXT NOT NULL UNIQUE,
        PRIMARY KEY (tournament, block, game)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE faults (
        number INTEGER PRIMARY KEY,
        tournament TEXT NOT NULL,
        block INTEGER NOT NULL,
        game INTEGER NOT NULL,
        reason TEXT NOT NULL,
        at INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE calls (
        match_id TEXT NOT NULL,
        seat TEXT NOT NULL,
        turn INTEGER NOT NULL,
        ordinal INTEGER NOT NULL,
        digest TEXT NOT NULL,
        request TEXT NOT NULL,
        answer TEXT NOT NULL,
        at INTEGER NOT NULL
    ) STRICT;
    CREATE UNIQUE INDEX calls_by_key ON calls (match_id, seat, turn, ordinal, digest);
";

/// What was found out in tournaments and experiments.
const FOUND: &str = "
    CREATE TABLE found (
        tournament TEXT NOT NULL,
        topic TEXT NOT NULL,
        body TEXT NOT NULL,
        at INTEGER NOT NULL,
        PRIMARY KEY (tournament, topic)
    ) STRICT;
";

/// Names that differ in more than their letters' case, ladders, and who waits for a match.
const ARENA: &str = "
    CREATE TABLE names (
        folded TEXT NOT NULL PRIMARY KEY,
        player TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;
    INSERT INTO names (folded, player) SELECT lower(name), id FROM players WHERE true ON CONFLICT DO NOTHING;
    CREATE TABLE ladder (
        ruleset TEXT NOT NULL,
        kind TEXT NOT NULL,
        player TEXT NOT NULL,
        elo REAL NOT NULL,
        games INTEGER NOT NULL,
        PRIMARY KEY (ruleset, kind, player)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX ladder_of ON ladder (kind, player);
    CREATE TABLE rated (
        match_id TEXT NOT NULL PRIMARY KEY,
        at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE queue (
        player TEXT NOT NULL PRIMARY KEY,
        mode TEXT NOT NULL,
        players INTEGER,
        bots INTEGER NOT NULL,
        since INTEGER NOT NULL,
        match_id TEXT
    ) STRICT, WITHOUT ROWID;
";

/// Records of whole games, many in one pack, and where in it each is, in bytes; requests that are packed, and what they
/// are packed against.
const PACKED: &str = "
    CREATE TABLE packs (
        number INTEGER NOT NULL PRIMARY KEY,
        bytes BLOB NOT NULL,
        size INTEGER
    ) STRICT;
    ALTER TABLE matches ADD COLUMN pack INTEGER;
    ALTER TABLE matches ADD COLUMN pack_from INTEGER;
    ALTER TABLE matches ADD COLUMN pack_size INTEGER;
    CREATE TABLE dictionaries (
        hash TEXT NOT NULL PRIMARY KEY,
        bytes BLOB NOT NULL
    ) STRICT;
    ALTER TABLE calls ADD COLUMN packed BLOB;
    ALTER TABLE calls ADD COLUMN size INTEGER;
    ALTER TABLE calls ADD COLUMN dictionary TEXT;
";

/// The latest version.
pub(super) const VERSION: i64 = 4;
const _: () = assert!(VERSION.unsigned_abs() == MIGRATIONS.len() as u64, "each migration is a version");

/// The versions from which on there is room for what was found out, for an arena, and for what is packed.
pub(super) const WITH_FOUND: i64 = 2;
pub(super) const WITH_ARENA: i64 = 3;
pub(super) const WITH_PACKED: i64 = 4;

/// What marks a file as ours: "Stdf" in ASCII.
const APPLICATION: i64 = 0x5374_6466;

/// How PostgreSQL calls what SQLite calls so, in the order in which it is replaced. Texts are compared by their bytes, as
/// SQLite does.
const IN_POSTGRES: [(&str, &str); 8] = [
    (" STRICT, WITHOUT ROWID", ""),
    (" STRICT", ""),
    ("INTEGER PRIMARY KEY", "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY"),
    ("INTEGER", "BIGINT"),
    ("REAL", "DOUBLE PRECISION"),
    ("BLOB", "BYTEA"),
    ("TEXT", "TEXT COLLATE \"C\""),
    // SQLite counts the rows of every table by itself.
    ("TABLE calls (", "TABLE calls (rowid BIGINT GENERATED ALWAYS AS IDENTITY,"),
];

/// What a file or a database is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// Nothing is in it yet.
    Empty,
    /// Ours, of this version.
    Version(i64),
    /// A database of something else.
    Foreign,
}

impl Found {
    /// Whether it can be written, once it is brought up to date.
    pub(super) fn to_write(self, at: &Location) -> Result<(), StoreError> {
        match self {
            Found::Version(found) if found > VERSION => {
                Err(StoreError::Newer { at: at.clone(), found, known: VERSION })
            }
            Found::Foreign => Err(StoreError::NotAStore { at: at.clone() }),
            Found::Empty | Found::Version(_) => Ok(()),
        }
    }

    /// Its version, if it can be read as it is. A reader cannot bring an older store up to date; whoever writes next does.
    /// What it has can be read.
    pub(super) fn to_read(self, at: &Location) -> Result<i64, StoreError> {
        self.to_write(at)?;
        match self {
            Found::Version(version) => Ok(version),
            Found::Empty | Found::Foreign => Err(StoreError::NotAStore { at: at.clone() }),
        }
    }
}

/// What a file is. Nothing is changed.
pub(super) async fn look_at_file(connection: &mut SqliteConnection) -> Result<Found, sqlx::Error> {
    // At one moment: another process may just be making it.
    let mut still = connection.begin().await?;
    let application = count(&mut *still, Statement::new("PRAGMA application_id")).await?;
    let version = count(&mut *still, Statement::new("PRAGMA user_version")).await?;
    let tables = count(&mut *still, Statement::new("SELECT count(*) FROM sqlite_schema")).await?;
    still.rollback().await?;
    Ok(match (application, version, tables) {
        (APPLICATION, version, _) if version > 0 => Found::Version(version),
        (0, 0, 0) => Found::Empty,
        _ => Found::Foreign,
    })
}

/// Brings a file to the latest version, in one transaction.
pub(super) async fn migrate_file(connection: &mut SqliteConnection) -> Result<(), sqlx::Error> {
    let mut transaction = connection.begin_with("BEGIN IMMEDIATE").await?;
    // Another process may have been faster.
    let version = count(&mut *transaction, Statement::new("PRAGMA user_version")).await?;
    for migration in missing(version) {
        sqlx::raw_sql(migration).execute(&mut *transaction).await?;
    }
    if version < VERSION {
        let stamp = format!("PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {VERSION};");
        sqlx::raw_sql(sqlx::AssertSqlSafe(stamp)).execute(&mut *transaction).await?;
    }
    transaction.commit().await
}

/// What the schema of a database is that its tables would be in. Nothing is changed.
pub(super) async fn look_at_server(connection: &mut PgConnection) -> Result<Found, sqlx::Error> {
    let tables = Statement::new(
        "SELECT count(*), count(*) FILTER (WHERE relname = 'standoff_store') FROM pg_class
         WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p', 'v', 'm', 'f')",
    );
    let (tables, ours) = one(connection, tables, |row| Ok((row.whole(0)?, row.whole(1)?))).await?.unwrap_or((0, 0));
    if ours == 0 {
        return Ok(if tables == 0 { Found::Empty } else { Found::Foreign });
    }
    // A table of that name and without a version in it is somebody else's.
    match one(connection, Statement::new("SELECT version FROM standoff_store"), |row| row.whole(0)).await {
        Ok(Some(version)) => Ok(Found::Version(version)),
        Err(error) if error.as_database_error().is_none_or(|error| error.code().as_deref() != Some("42703")) => {
            Err(error)
        }
        Ok(None) | Err(_) => Ok(Found::Foreign),
    }
}

/// Brings a database to the latest version, in one transaction. It was looked at before.
pub(super) async fn migrate_server(connection: &mut PgConnection) -> Result<(), sqlx::Error> {
    let mut transaction = connection.begin().await?;
    // One at a time; another process may have been faster.
    transaction.run(Statement::new("SELECT pg_advisory_xact_lock($1)").bind(APPLICATION)).await?;
    let version = match look_at_server(&mut transaction).await? {
        Found::Version(version) => version,
        Found::Empty | Found::Foreign => {
            let made = "CREATE TABLE standoff_store (version BIGINT NOT NULL); INSERT INTO standoff_store VALUES (0)";
            sqlx::raw_sql(made).execute(&mut *transaction).await?;
            0
        }
    };
    for migration in missing(version) {
        sqlx::raw_sql(sqlx::AssertSqlSafe(in_postgres(migration))).execute(&mut *transaction).await?;
    }
    if version < VERSION {
        transaction.run(Statement::new("UPDATE standoff_store SET version = $1").bind(VERSION)).await?;
    }
    transaction.commit().await
}

/// What a store of this version has not got yet.
fn missing(version: i64) -> impl Iterator<Item = &'static str> {
    MIGRATIONS.into_iter().skip(usize::try_from(version).unwrap_or(usize::MAX))
}

fn in_postgres(migration: &str) -> String {
    let words = IN_POSTGRES.iter();
    words.fold(Cow::from(migration), |sql, (lite, post)| sql.replace(lite, post).into()).into_owned()
}
