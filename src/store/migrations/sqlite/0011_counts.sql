-- Results that are counted as they are stored: how often each kind of block happened, what everybody cost and how it
-- failed; where matches of somebody, of a tournament or of a ruleset are found; and fits that are kept. A tournament of
-- no name stands for games that are part of none. Counts of several shards add up.
CREATE TABLE identities (
    number INTEGER PRIMARY KEY,
    identity TEXT NOT NULL UNIQUE
) STRICT;
CREATE TABLE game_counts (
    tournament TEXT NOT NULL,
    shard INTEGER NOT NULL,
    games INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    PRIMARY KEY (tournament, shard)
) STRICT, WITHOUT ROWID;
CREATE TABLE block_counts (
    tournament TEXT NOT NULL,
    hash INTEGER NOT NULL,
    shard INTEGER NOT NULL,
    ruleset TEXT NOT NULL,
    course TEXT NOT NULL,
    outcome TEXT NOT NULL,
    times INTEGER NOT NULL,
    PRIMARY KEY (tournament, hash, shard)
) STRICT, WITHOUT ROWID;
CREATE TABLE player_counts (
    tournament TEXT NOT NULL,
    identity INTEGER NOT NULL,
    ruleset TEXT NOT NULL,
    course TEXT NOT NULL,
    shard INTEGER NOT NULL,
    name TEXT NOT NULL,
    summary TEXT NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (tournament, identity, ruleset, course, shard)
) STRICT, WITHOUT ROWID;
CREATE TABLE match_index (
    topic TEXT NOT NULL,
    chunk INTEGER NOT NULL,
    ruleset TEXT NOT NULL,
    shard INTEGER NOT NULL,
    PRIMARY KEY (topic, chunk, ruleset, shard)
) STRICT, WITHOUT ROWID;
CREATE TABLE fits (
    scope TEXT NOT NULL PRIMARY KEY,
    fingerprint TEXT NOT NULL,
    body TEXT NOT NULL,
    at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
