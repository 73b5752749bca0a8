-- Which process plays which match: processes with their leases, by this database's clock; what each of them owns, with
-- an epoch that goes up whenever it changes hands; and answers that can be asked for again.
CREATE TABLE processes (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    slot BIGINT,
    address TEXT COLLATE "C",
    secret TEXT COLLATE "C" NOT NULL,
    until BIGINT NOT NULL
);
CREATE TABLE owners (
    name TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    owner TEXT COLLATE "C" NOT NULL,
    epoch BIGINT NOT NULL
);
CREATE TABLE answers (
    hash BYTEA NOT NULL PRIMARY KEY,
    request TEXT COLLATE "C" NOT NULL,
    answer TEXT COLLATE "C" NOT NULL,
    at BIGINT NOT NULL
);
CREATE INDEX answers_by_age ON answers (at);
