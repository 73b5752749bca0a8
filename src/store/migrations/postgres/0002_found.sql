-- What was found out in tournaments and experiments.
CREATE TABLE found (
    tournament TEXT COLLATE "C" NOT NULL,
    topic TEXT COLLATE "C" NOT NULL,
    body TEXT COLLATE "C" NOT NULL,
    at BIGINT NOT NULL,
    PRIMARY KEY (tournament, topic)
);
