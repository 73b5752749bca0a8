//! The tables, and how older files become newer ones.

use sqlx::{Connection as _, SqliteConnection};

/// What each version added. A file's `user_version` says how many of these it has; they are never edited, only followed
/// by others.
const MIGRATIONS: [&str; 3] = [FIRST, FOUND, ARENA];

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

/// The latest version.
pub(super) const VERSION: i64 = 3;
const _: () = assert!(VERSION.unsigned_abs() == MIGRATIONS.len() as u64, "each migration is a version");

/// What marks a file as ours: "Stdf" in ASCII.
const APPLICATION: i64 = 0x5374_6466;

/// What a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// Nothing is in it yet.
    Empty,
    /// Ours, of this version.
    Version(i64),
    /// A database of something else.
    Foreign,
}

/// What a file is. Nothing is changed.
pub(super) async fn look(connection: &mut SqliteConnection) -> Result<Found, sqlx::Error> {
    let application: i64 = sqlx::query_scalar("PRAGMA application_id").fetch_one(&mut *connection).await?;
    let version: i64 = sqlx::query_scalar("PRAGMA user_version").fetch_one(&mut *connection).await?;
    let tables: i64 = sqlx::query_scalar("SELECT count(*) FROM sqlite_schema").fetch_one(&mut *connection).await?;
    Ok(match (application, version, tables) {
        (APPLICATION, version, _) if version > 0 => Found::Version(version),
        (0, 0, 0) => Found::Empty,
        _ => Found::Foreign,
    })
}

/// Brings a file to the latest version, in one transaction.
pub(super) async fn migrate(connection: &mut SqliteConnection) -> Result<(), sqlx::Error> {
    let mut transaction = connection.begin_with("BEGIN IMMEDIATE").await?;
    // Another process may have been faster.
    let version: i64 = sqlx::query_scalar("PRAGMA user_version").fetch_one(&mut *transaction).await?;
    for migration in MIGRATIONS.iter().skip(usize::try_from(version).unwrap_or(usize::MAX)) {
        sqlx::raw_sql(*migration).execute(&mut *transaction).await?;
    }
    if version < VERSION {
        let stamp = format!("PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {VERSION};");
        sqlx::raw_sql(sqlx::AssertSqlSafe(stamp)).execute(&mut *transaction).await?;
    }
    transaction.commit().await
}
