//! The tables, and how older stores become newer ones.
//!
//! `migrations` has a folder for each database, with the same files in both: what each version added, in that
//! database's own words.

use sqlx::{Connection as _, PgConnection, SqliteConnection};

use super::error::StoreError;
use super::link::{Link as _, Statement, count, one};
use super::location::Location;
use super::names;
use super::recount;

/// The files of a folder under `migrations`, embedded. A store's version says how many of these it has; they are never
/// edited, only followed by others.
macro_rules! migrations {
    ($database:literal: $($file:literal),*) => {
        [$(include_str!(concat!("migrations/", $database, "/", $file, ".sql"))),*]
    };
}

const SQLITE: [&str; 13] = migrations!("sqlite": "0001_first", "0002_found", "0003_arena", "0004_packed", "0005_ratings", "0006_requests", "0007_paces", "0008_identities", "0009_owners", "0010_in_play", "0011_counts", "0012_jobs", "0013_shares");
const POSTGRES: [&str; 13] = migrations!("postgres": "0001_first", "0002_found", "0003_arena", "0004_packed", "0005_ratings", "0006_requests", "0007_paces", "0008_identities", "0009_owners", "0010_in_play", "0011_counts", "0012_jobs", "0013_shares");

/// The latest version.
pub(super) const VERSION: i64 = 13;
const _: () = assert!(VERSION.unsigned_abs() == SQLITE.len() as u64, "each migration is a version");

/// The versions from which on there is room for what was found out, for an arena, for what is packed, for a ledger, for
/// the pace of tickets, for identities, for games in play, for counts, for jobs and for what workers share.
pub(super) const WITH_FOUND: i64 = 2;
pub(super) const WITH_ARENA: i64 = 3;
pub(super) const WITH_PACKED: i64 = 4;
pub(super) const WITH_REQUESTS: i64 = 6;
pub(super) const WITH_PACES: i64 = 7;
pub(super) const WITH_IDENTITIES: i64 = 8;
pub(super) const WITH_OWNERS: i64 = 9;
pub(super) const WITH_IN_PLAY: i64 = 10;
pub(super) const WITH_COUNTS: i64 = 11;
pub(super) const WITH_JOBS: i64 = 12;
pub(super) const WITH_SHARES: i64 = 13;

/// What marks a file as ours: "Stdf" in ASCII.
const APPLICATION: i64 = 0x5374_6466;

/// What a file or a database is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DatabaseContents {
    /// Nothing is in it yet.
    Empty,
    /// Ours, of this version.
    Version(i64),
    /// A database of something else.
    Foreign,
}

impl DatabaseContents {
    /// Whether it can be written, once it is brought up to date.
    pub(super) fn to_write(self, at: &Location) -> Result<(), StoreError> {
        match self {
            DatabaseContents::Version(found) if found > VERSION => {
                Err(StoreError::Newer { at: at.clone(), found, known: VERSION })
            }
            DatabaseContents::Foreign => Err(StoreError::NotAStore { at: at.clone() }),
            DatabaseContents::Empty | DatabaseContents::Version(_) => Ok(()),
        }
    }

    /// Its version, if it can be read as it is. A reader cannot bring an older store up to date; whoever writes next does.
    /// What it has can be read.
    pub(super) fn to_read(self, at: &Location) -> Result<i64, StoreError> {
        self.to_write(at)?;
        match self {
            DatabaseContents::Version(version) => Ok(version),
            DatabaseContents::Empty | DatabaseContents::Foreign => Err(StoreError::NotAStore { at: at.clone() }),
        }
    }
}

/// What a file is. Nothing is changed.
pub(super) async fn look_at_file(connection: &mut SqliteConnection) -> Result<DatabaseContents, sqlx::Error> {
    // At one moment: another process may just be making it.
    let mut still = connection.begin().await?;
    let application = count(&mut *still, Statement::new("PRAGMA application_id")).await?;
    let version = count(&mut *still, Statement::new("PRAGMA user_version")).await?;
    let tables = count(&mut *still, Statement::new("SELECT count(*) FROM sqlite_schema")).await?;
    still.rollback().await?;
    Ok(match (application, version, tables) {
        (APPLICATION, version, _) if version > 0 => DatabaseContents::Version(version),
        (0, 0, 0) => DatabaseContents::Empty,
        _ => DatabaseContents::Foreign,
    })
}

/// Brings a file to the latest version, in one transaction.
pub(super) async fn migrate_file(connection: &mut SqliteConnection) -> Result<(), sqlx::Error> {
    let mut transaction = connection.begin_with("BEGIN IMMEDIATE").await?;
    // Another process may have been faster.
    let version = count(&mut *transaction, Statement::new("PRAGMA user_version")).await?;
    for migration in missing(SQLITE, version) {
        sqlx::raw_sql(migration).execute(&mut *transaction).await?;
    }
    if version < WITH_IDENTITIES {
        names::note_all(&mut *transaction).await?;
    }
    if version < WITH_COUNTS {
        recount::all_games(&mut *transaction).await?;
    }
    if version < VERSION {
        let stamp = format!("PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {VERSION};");
        sqlx::raw_sql(sqlx::AssertSqlSafe(stamp)).execute(&mut *transaction).await?;
    }
    transaction.commit().await
}

/// What the schema of a database is that its tables would be in. Nothing is changed.
pub(super) async fn look_at_server(connection: &mut PgConnection) -> Result<DatabaseContents, sqlx::Error> {
    let tables = Statement::new(
        "SELECT count(*), count(*) FILTER (WHERE relname = 'standoff_store') FROM pg_class
         WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p', 'v', 'm', 'f')",
    );
    let (tables, ours) = one(connection, tables, |row| Ok((row.whole(0)?, row.whole(1)?))).await?.unwrap_or((0, 0));
    if ours == 0 {
        return Ok(if tables == 0 { DatabaseContents::Empty } else { DatabaseContents::Foreign });
    }
    // A table of that name and without a version in it is somebody else's.
    match one(connection, Statement::new("SELECT version FROM standoff_store"), |row| row.whole(0)).await {
        Ok(Some(version)) => Ok(DatabaseContents::Version(version)),
        Err(error) if error.as_database_error().is_none_or(|error| error.code().as_deref() != Some("42703")) => {
            Err(error)
        }
        Ok(None) | Err(_) => Ok(DatabaseContents::Foreign),
    }
}

/// Brings a database to the latest version, in one transaction. It was looked at before.
pub(super) async fn migrate_server(connection: &mut PgConnection) -> Result<(), sqlx::Error> {
    let mut transaction = connection.begin().await?;
    // One at a time; another process may have been faster.
    transaction.run(Statement::new("SELECT pg_advisory_xact_lock($1)").bind(APPLICATION)).await?;
    let version = match look_at_server(&mut transaction).await? {
        DatabaseContents::Version(version) => version,
        DatabaseContents::Empty | DatabaseContents::Foreign => {
            let made = "CREATE TABLE standoff_store (version BIGINT NOT NULL); INSERT INTO standoff_store VALUES (0)";
            sqlx::raw_sql(made).execute(&mut *transaction).await?;
            0
        }
    };
    for migration in missing(POSTGRES, version) {
        sqlx::raw_sql(migration).execute(&mut *transaction).await?;
    }
    if version < WITH_IDENTITIES {
        names::note_all(&mut *transaction).await?;
    }
    if version < WITH_COUNTS {
        recount::all_games(&mut *transaction).await?;
    }
    if version < VERSION {
        transaction.run(Statement::new("UPDATE standoff_store SET version = $1").bind(VERSION)).await?;
    }
    transaction.commit().await
}

/// What a store of this version has not got yet.
fn missing<const N: usize>(migrations: [&'static str; N], version: i64) -> impl Iterator<Item = &'static str> {
    migrations.into_iter().skip(usize::try_from(version).unwrap_or(usize::MAX))
}
