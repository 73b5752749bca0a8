-- Names that differ in more than their letters' case, ladders, and who waits for a match.
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
