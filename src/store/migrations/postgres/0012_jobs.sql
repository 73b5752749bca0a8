-- Parts of a run that workers play: what is to be played, how it stands, who has it since which change of hands, and how
-- often it was started in a row with nothing of it written in between.
CREATE TABLE jobs (
    name TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    tournament TEXT COLLATE "C" NOT NULL,
    body TEXT COLLATE "C" NOT NULL,
    state TEXT COLLATE "C" NOT NULL,
    worker TEXT COLLATE "C",
    epoch BIGINT NOT NULL,
    starts BIGINT NOT NULL,
    begun BIGINT,
    ended BIGINT,
    reason TEXT COLLATE "C"
);
CREATE INDEX jobs_of_run ON jobs (tournament, state);
