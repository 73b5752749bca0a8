-- Matches with their records, sealed actions and keys; players; tournaments; calls to models.
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
