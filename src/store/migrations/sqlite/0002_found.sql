-- What was found out in tournaments and experiments.
CREATE TABLE found (
    tournament TEXT NOT NULL,
    topic TEXT NOT NULL,
    body TEXT NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (tournament, topic)
) STRICT;
