-- Matches with their records, sealed actions and keys; players; tournaments; calls to models.
-- Texts are compared by their bytes, as SQLite does.
CREATE TABLE matches (
    number BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id TEXT COLLATE "C" NOT NULL UNIQUE,
    ruleset TEXT COLLATE "C" NOT NULL,
    seed BIGINT NOT NULL,
    seats TEXT COLLATE "C" NOT NULL,
    status TEXT COLLATE "C" NOT NULL,
    created BIGINT NOT NULL,
    updated BIGINT NOT NULL,
    lines BIGINT NOT NULL,
    chain TEXT COLLATE "C" NOT NULL,
    result TEXT COLLATE "C",
    reason TEXT COLLATE "C",
    note TEXT COLLATE "C"
);
CREATE INDEX matches_not_over ON matches (status) WHERE status <> 'finished';
CREATE TABLE records (
    match_id TEXT COLLATE "C" NOT NULL,
    first BIGINT NOT NULL,
    lines BIGINT NOT NULL,
    bytes BYTEA NOT NULL
);
CREATE UNIQUE INDEX records_in_order ON records (match_id, first);
CREATE TABLE sealed (
    match_id TEXT COLLATE "C" NOT NULL,
    turn BIGINT NOT NULL,
    seat TEXT COLLATE "C" NOT NULL,
    action TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (match_id, turn, seat)
);
CREATE TABLE keys (
    match_id TEXT COLLATE "C" NOT NULL,
    seat TEXT COLLATE "C" NOT NULL,
    hash BYTEA NOT NULL UNIQUE,
    PRIMARY KEY (match_id, seat)
);
CREATE TABLE players (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    name TEXT COLLATE "C" NOT NULL UNIQUE,
    token BYTEA NOT NULL UNIQUE,
    elo DOUBLE PRECISION NOT NULL,
    games BIGINT NOT NULL,
    created BIGINT NOT NULL
);
CREATE TABLE tournaments (
    number BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id TEXT COLLATE "C" NOT NULL UNIQUE,
    name TEXT COLLATE "C" NOT NULL,
    file TEXT COLLATE "C" NOT NULL,
    hash TEXT COLLATE "C" NOT NULL,
    plan TEXT COLLATE "C" NOT NULL,
    finished BIGINT NOT NULL,
    created BIGINT NOT NULL
);
CREATE TABLE blocks (
    tournament TEXT COLLATE "C" NOT NULL,
    number BIGINT NOT NULL,
    ruleset TEXT COLLATE "C" NOT NULL,
    seed BIGINT NOT NULL,
    players TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (tournament, number)
);
CREATE TABLE games (
    tournament TEXT COLLATE "C" NOT NULL,
    block BIGINT NOT NULL,
    game BIGINT NOT NULL,
    match_id TEXT COLLATE "C" NOT NULL UNIQUE,
    PRIMARY KEY (tournament, block, game)
);
CREATE TABLE faults (
    number BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tournament TEXT COLLATE "C" NOT NULL,
    block BIGINT NOT NULL,
    game BIGINT NOT NULL,
    reason TEXT COLLATE "C" NOT NULL,
    at BIGINT NOT NULL
);
CREATE TABLE calls (
    -- SQLite counts the rows of every table by itself.
    rowid BIGINT GENERATED ALWAYS AS IDENTITY,
    match_id TEXT COLLATE "C" NOT NULL,
    seat TEXT COLLATE "C" NOT NULL,
    turn BIGINT NOT NULL,
    ordinal BIGINT NOT NULL,
    digest TEXT COLLATE "C" NOT NULL,
    request TEXT COLLATE "C" NOT NULL,
    answer TEXT COLLATE "C" NOT NULL,
    at BIGINT NOT NULL
);
CREATE UNIQUE INDEX calls_by_key ON calls (match_id, seat, turn, ordinal, digest);
