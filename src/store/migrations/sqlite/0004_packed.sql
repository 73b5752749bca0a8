-- Records of whole games, many in one pack, and where in it each is, in bytes; requests that are packed, and what
-- they are packed against.
CREATE TABLE packs (
    number INTEGER NOT NULL PRIMARY KEY,
    bytes BLOB NOT NULL,
    size INTEGER
) STRICT;
ALTER TABLE matches ADD COLUMN pack INTEGER;
ALTER TABLE matches ADD COLUMN pack_from INTEGER;
ALTER TABLE matches ADD COLUMN pack_size INTEGER;
CREATE TABLE dictionaries (
    hash TEXT NOT NULL PRIMARY KEY,
    bytes BLOB NOT NULL
) STRICT;
ALTER TABLE calls ADD COLUMN packed BLOB;
ALTER TABLE calls ADD COLUMN size INTEGER;
ALTER TABLE calls ADD COLUMN dictionary TEXT;
