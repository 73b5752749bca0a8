-- Games of tournaments and experiments that are being played, line by line, for whoever watches them.
CREATE TABLE in_play (
    match_id TEXT COLLATE "C" NOT NULL,
    line BIGINT NOT NULL,
    tournament TEXT COLLATE "C" NOT NULL,
    text TEXT NOT NULL,
    at BIGINT NOT NULL,
    PRIMARY KEY (match_id, line)
);
