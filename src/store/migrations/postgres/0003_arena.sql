-- Names that differ in more than their letters' case, ladders, and who waits for a match.
CREATE TABLE names (
    folded TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    player TEXT COLLATE "C" NOT NULL
);
INSERT INTO names (folded, player) SELECT lower(name), id FROM players WHERE true ON CONFLICT DO NOTHING;
CREATE TABLE ladder (
    ruleset TEXT COLLATE "C" NOT NULL,
    kind TEXT COLLATE "C" NOT NULL,
    player TEXT COLLATE "C" NOT NULL,
    elo DOUBLE PRECISION NOT NULL,
    games BIGINT NOT NULL,
    PRIMARY KEY (ruleset, kind, player)
);
CREATE INDEX ladder_of ON ladder (kind, player);
CREATE TABLE rated (
    match_id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    at BIGINT NOT NULL
);
CREATE TABLE queue (
    player TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    mode TEXT COLLATE "C" NOT NULL,
    players BIGINT,
    bots BIGINT NOT NULL,
    since BIGINT NOT NULL,
    match_id TEXT COLLATE "C"
);
