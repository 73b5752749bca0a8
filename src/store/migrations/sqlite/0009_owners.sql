-- Which process plays which match: processes with their leases, by this database's clock; what each of them owns, with
-- an epoch that goes up whenever it changes hands; and answers that can be asked for again.
CREATE TABLE processes (
    id TEXT NOT NULL PRIMARY KEY,
    slot INTEGER,
    address TEXT,
    secret TEXT NOT NULL,
    until INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE owners (
    name TEXT NOT NULL PRIMARY KEY,
    owner TEXT NOT NULL,
    epoch INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE answers (
    hash BLOB NOT NULL PRIMARY KEY,
    request TEXT NOT NULL,
    answer TEXT NOT NULL,
    at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX answers_by_age ON answers (at);
