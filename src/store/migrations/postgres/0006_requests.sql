-- Every request that was sent to a model, whatever became of it; costs in 10^-12 of a dollar.
CREATE TABLE requests (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    match_id TEXT COLLATE "C" NOT NULL,
    seat TEXT COLLATE "C" NOT NULL,
    turn BIGINT NOT NULL,
    ordinal BIGINT NOT NULL,
    player TEXT COLLATE "C" NOT NULL,
    outcome TEXT COLLATE "C" NOT NULL,
    why TEXT COLLATE "C",
    requests BIGINT NOT NULL,
    cost BIGINT NOT NULL,
    known BIGINT NOT NULL,
    at BIGINT NOT NULL
);
CREATE INDEX requests_of ON requests (match_id, seat);
