-- Records of whole games, many in one pack, and where in it each is, in bytes; requests that are packed, and what
-- they are packed against.
CREATE TABLE packs (
    number BIGINT NOT NULL PRIMARY KEY,
    bytes BYTEA NOT NULL,
    size BIGINT
);
ALTER TABLE matches ADD COLUMN pack BIGINT;
ALTER TABLE matches ADD COLUMN pack_from BIGINT;
ALTER TABLE matches ADD COLUMN pack_size BIGINT;
CREATE TABLE dictionaries (
    hash TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    bytes BYTEA NOT NULL
);
ALTER TABLE calls ADD COLUMN packed BYTEA;
ALTER TABLE calls ADD COLUMN size BIGINT;
ALTER TABLE calls ADD COLUMN dictionary TEXT COLLATE "C";
