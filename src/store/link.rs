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
    Insert(&'static str, &'static [&'static str]),
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
        Statement { words: SqlText::Insert(table, columns), values }
    }
}

fn insert(table: &str, columns: &[&str], values: usize, marks: Placeholders) -> SqlStr {
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
        SqlText::Insert(table, columns) => insert(table, columns, values.len(), marks),
    };
    values.into_iter().fold(sqlx::query(sql), |query, value| match value {
        SqlValue::Whole(number) => query.bind(number),
        SqlValue::Real(number) => query.bind(number),
        SqlValue::Text(text) => query.bind(text),
        SqlValue::Bytes(bytes) => query.bind(bytes),
    })
}
