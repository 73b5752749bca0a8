-- Games of tournaments and experiments that are being played, line by line, for whoever watches them.
CREATE TABLE in_play (
    match_id TEXT NOT NULL,
    line INTEGER NOT NULL,
    tournament TEXT NOT NULL,
    text TEXT NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (match_id, line)
) STRICT, WITHOUT ROWID;
