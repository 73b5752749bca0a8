//! A connection to a database, whichever it is: statements in, rows out.
//!
//! SQLite and PostgreSQL get the same statements, in the part of SQL that both understand alike: `$1` for what is filled
//! in, `ON CONFLICT`, whole numbers of 64 bits. What differs stays in [`sqlite`](super::sqlite) and
//! [`postgres`](super::postgres).

use std::sync::Arc;

use futures_util::future::BoxFuture;
use sqlx::pool::PoolConnection;
use sqlx::query::Query;
use sqlx::{ColumnIndex, Database, Decode, Encode, SqlSafeStr, SqlStr, Type};

/// A statement with what is filled in.
pub(super) struct Statement {
    words: SqlText,
    values: Vec<SqlValue>,
}

enum SqlText {
    Given(SqlStr),
    /// Inserts rows into a table with these columns.
    Insert(InsertInto),
}

/// Where rows are inserted.
struct InsertInto {
    table: &'static str,
    columns: &'static [&'static str],
    /// What is given back of rows that were not there; nothing where it is empty.
    returning: &'static str,
}

/// What stands in an insert where something is filled in. SQLite looks for numbers one by one, which many rows feel; a
/// PostgreSQL server knows nothing but numbers. It has no `OR IGNORE` either, with which SQLite keeps no second journal
/// for a statement that could fail half-way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Placeholders {
    Bare,
    Numbered,
}

/// What can be filled in.
pub(super) enum SqlValue {
    Whole(Option<i64>),
    Real(f64),
    Text(Option<Arc<str>>),
    Bytes(Vec<u8>),
}

impl Statement {
    pub(super) fn new(sql: impl SqlSafeStr) -> Statement {
        Statement { words: SqlText::Given(sql.into_sql_str()), values: Vec::new() }
    }

    /// Fills in the next `$`.
    pub(super) fn bind(mut self, value: impl Into<SqlValue>) -> Statement {
        self.values.push(value.into());
        self
    }

    /// A statement that inserts rows, and leaves alone what is there.
    pub(super) fn insert(table: &'static str, columns: &'static [&'static str], values: Vec<SqlValue>) -> Statement {
        Statement { words: SqlText::Insert(InsertInto { table, columns, returning: "" }), values }
    }

    /// The same, and gives back something of each row that was not there.
    pub(super) fn returning(mut self, what: &'static str) -> Statement {
        if let SqlText::Insert(into) = &mut self.words {
            into.returning = what;
        }
        self
    }
}

fn insert(into: &InsertInto, values: usize, marks: Placeholders) -> SqlStr {
    let InsertInto { table, columns, returning } = into;
    let (first, last) = match marks {
        Placeholders::Bare => ("INSERT OR IGNORE", ")"),
        Placeholders::Numbered => ("INSERT", ") ON CONFLICT DO NOTHING"),
    };
    let mut sql = format!("{first} INTO {table} ({}) VALUES ", columns.join(", "));
    for value in 0..values {
        sql.push_str(match (value, value % columns.len()) {
            (0, _) => "(",
            (_, 0) => "), (",
            _ => ", ",
        });
        match marks {
            Placeholders::Bare => sql.push('?'),
            Placeholders::Numbered => {
                sql.push('$');
                sql.push_str(&(value + 1).to_string());
            }
        }
    }
    sql.push_str(last);
    if !returning.is_empty() {
        sql.push_str(" RETURNING ");
        sql.push_str(returning);
    }
    // Tables and columns are words of this program's; what comes from outside is filled in.
    sqlx::AssertSqlSafe(sql).into_sql_str()
}

/// So many rows of so many places to fill in: `($1, $2), ($3, $4)`.
pub(super) fn grid(rows: usize, columns: usize) -> String {
    let row = |row: usize| {
        let places: Vec<String> = (1..=columns).map(|column| format!("${}", row * columns + column)).collect();
        format!("({})", places.join(", "))
    };
    (0..rows).map(row).collect::<Vec<_>>().join(", ")
}

impl From<i64> for SqlValue {
    fn from(number: i64) -> SqlValue {
        SqlValue::Whole(Some(number))
    }
}

impl From<Option<i64>> for SqlValue {
    fn from(number: Option<i64>) -> SqlValue {
        SqlValue::Whole(number)
    }
}

/// No number of ours comes near the sign.
impl From<u64> for SqlValue {
    fn from(number: u64) -> SqlValue {
        SqlValue::Whole(Some(i64::try_from(number).unwrap_or(i64::MAX)))
    }
}

impl From<u32> for SqlValue {
    fn from(number: u32) -> SqlValue {
        SqlValue::Whole(Some(number.into()))
    }
}

impl From<f64> for SqlValue {
    fn from(number: f64) -> SqlValue {
        SqlValue::Real(number)
    }
}

impl From<String> for SqlValue {
    fn from(text: String) -> SqlValue {
        SqlValue::Text(Some(text.into()))
    }
}

/// A text that stands in many rows.
impl From<&Arc<str>> for SqlValue {
    fn from(text: &Arc<str>) -> SqlValue {
        SqlValue::Text(Some(text.clone()))
    }
}

impl From<&str> for SqlValue {
    fn from(text: &str) -> SqlValue {
        SqlValue::Text(Some(text.into()))
    }
}

impl From<&String> for SqlValue {
    fn from(text: &String) -> SqlValue {
        SqlValue::Text(Some(text.as_str().into()))
    }
}

impl From<Option<String>> for SqlValue {
    fn from(text: Option<String>) -> SqlValue {
        SqlValue::Text(text.map(Arc::from))
    }
}

impl From<Vec<u8>> for SqlValue {
    fn from(bytes: Vec<u8>) -> SqlValue {
        SqlValue::Bytes(bytes)
    }
}

/// A row, by column, counted from 0.
pub(super) trait Row {
    fn whole(&self, column: usize) -> Result<i64, sqlx::Error>;
    fn maybe_whole(&self, column: usize) -> Result<Option<i64>, sqlx::Error>;
    fn real(&self, column: usize) -> Result<f64, sqlx::Error>;
    fn text(&self, column: usize) -> Result<&str, sqlx::Error>;
    fn maybe_text(&self, column: usize) -> Result<Option<&str>, sqlx::Error>;
    fn bytes(&self, column: usize) -> Result<&[u8], sqlx::Error>;
    fn maybe_bytes(&self, column: usize) -> Result<Option<&[u8]>, sqlx::Error>;
}

impl<R: sqlx::Row> Row for R
where
    usize: ColumnIndex<R>,
    i64: for<'r> Decode<'r, R::Database> + Type<R::Database>,
    f64: for<'r> Decode<'r, R::Database> + Type<R::Database>,
    for<'r> &'r str: Decode<'r, R::Database> + Type<R::Database>,
    for<'r> &'r [u8]: Decode<'r, R::Database> + Type<R::Database>,
{
    fn whole(&self, column: usize) -> Result<i64, sqlx::Error> {
        self.try_get(column)
    }

    fn maybe_whole(&self, column: usize) -> Result<Option<i64>, sqlx::Error> {
        self.try_get(column)
    }

    fn real(&self, column: usize) -> Result<f64, sqlx::Error> {
        self.try_get(column)
    }

    fn text(&self, column: usize) -> Result<&str, sqlx::Error> {
        self.try_get(column)
    }

    fn maybe_text(&self, column: usize) -> Result<Option<&str>, sqlx::Error> {
        self.try_get(column)
    }

    fn bytes(&self, column: usize) -> Result<&[u8], sqlx::Error> {
        self.try_get(column)
    }

    fn maybe_bytes(&self, column: usize) -> Result<Option<&[u8]>, sqlx::Error> {
        self.try_get(column)
    }
}

/// What is done with each row.
pub(super) type Each<'a> = &'a mut (dyn FnMut(&dyn Row) -> Result<(), sqlx::Error> + Send);

/// A connection to a database.
pub(super) trait Link: Send {
    /// Runs a statement; how many rows it changed.
    fn run(&mut self, statement: Statement) -> BoxFuture<'_, Result<u64, sqlx::Error>>;

    /// Reads rows, in order.
    fn read<'a>(&'a mut self, statement: Statement, each: Each<'a>) -> BoxFuture<'a, Result<(), sqlx::Error>>;

    /// The database's own clock, in milliseconds since 1970, as an expression.
    fn clock(&self) -> &'static str;

    /// What at the end of a select keeps others from what it finds until the transaction ends. A file has one writer.
    fn for_update(&self) -> &'static str {
        ""
    }

    /// Whether it leads to a server, which has a queue of jobs.
    fn is_server(&self) -> bool {
        false
    }

    /// Keeps others from doing things of these names until the transaction ends.
    fn lock(&mut self, _: Vec<String>) -> BoxFuture<'_, Result<(), sqlx::Error>> {
        Box::pin(async { Ok(()) })
    }

    /// Which part of the counts this connection writes to, as an expression: writers do not wait for each other.
    fn shard(&self) -> &'static str {
        "0"
    }

    /// Keeps others from that part until the transaction ends, or from all parts.
    fn lock_shard(&mut self, _all: bool) -> BoxFuture<'_, Result<(), sqlx::Error>> {
        Box::pin(async { Ok(()) })
    }
}

impl<D: Database> Link for PoolConnection<D>
where
    D::Connection: Link,
{
    fn run(&mut self, statement: Statement) -> BoxFuture<'_, Result<u64, sqlx::Error>> {
        (**self).run(statement)
    }

    fn read<'a>(&'a mut self, statement: Statement, each: Each<'a>) -> BoxFuture<'a, Result<(), sqlx::Error>> {
        (**self).read(statement, each)
    }

    fn clock(&self) -> &'static str {
        (**self).clock()
    }

    fn for_update(&self) -> &'static str {
        (**self).for_update()
    }

    fn is_server(&self) -> bool {
        (**self).is_server()
    }

    fn lock(&mut self, names: Vec<String>) -> BoxFuture<'_, Result<(), sqlx::Error>> {
        (**self).lock(names)
    }

    fn shard(&self) -> &'static str {
        (**self).shard()
    }

    fn lock_shard(&mut self, all: bool) -> BoxFuture<'_, Result<(), sqlx::Error>> {
        (**self).lock_shard(all)
    }
}

/// All rows, each as something.
pub(super) async fn all<T: Send>(
    link: &mut dyn Link,
    statement: Statement,
    one: impl Fn(&dyn Row) -> Result<T, sqlx::Error> + Send + Sync,
) -> Result<Vec<T>, sqlx::Error> {
    let mut all = Vec::new();
    let mut each = |row: &dyn Row| {
        all.push(one(row)?);
        Ok(())
    };
    link.read(statement, &mut each).await?;
    Ok(all)
}

/// The row, if there is one.
pub(super) async fn one<T: Send>(
    link: &mut dyn Link,
    statement: Statement,
    one: impl Fn(&dyn Row) -> Result<T, sqlx::Error> + Send + Sync,
) -> Result<Option<T>, sqlx::Error> {
    Ok(all(link, statement, one).await?.pop())
}

/// How many, of a statement that counts.
pub(super) async fn count(link: &mut dyn Link, statement: Statement) -> Result<i64, sqlx::Error> {
    Ok(one(link, statement, |row| row.whole(0)).await?.unwrap_or(0))
}

/// A statement as the driver of a database takes it.
pub(super) fn filled<D: Database>(statement: Statement, marks: Placeholders) -> Query<'static, D, D::Arguments>
where
    Option<i64>: for<'q> Encode<'q, D> + Type<D>,
    f64: for<'q> Encode<'q, D> + Type<D>,
    Option<Arc<str>>: for<'q> Encode<'q, D> + Type<D>,
    Vec<u8>: for<'q> Encode<'q, D> + Type<D>,
{
    let Statement { words, values } = statement;
    let sql = match words {
        SqlText::Given(sql) => sql,
        SqlText::Insert(into) => insert(&into, values.len(), marks),
    };
    values.into_iter().fold(sqlx::query(sql), |query, value| match value {
        SqlValue::Whole(number) => query.bind(number),
        SqlValue::Real(number) => query.bind(number),
        SqlValue::Text(text) => query.bind(text),
        SqlValue::Bytes(bytes) => query.bind(bytes),
    })
}
