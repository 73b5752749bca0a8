-- Every request that was sent to a model, whatever became of it; costs in 10^-12 of a dollar.
CREATE TABLE requests (
    id TEXT NOT NULL PRIMARY KEY,
    match_id TEXT NOT NULL,
    seat TEXT NOT NULL,
    turn INTEGER NOT NULL,
    ordinal INTEGER NOT NULL,
    player TEXT NOT NULL,
    outcome TEXT NOT NULL,
    why TEXT,
    requests INTEGER NOT NULL,
    cost INTEGER NOT NULL,
    known INTEGER NOT NULL,
    at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX requests_of ON requests (match_id, seat);
