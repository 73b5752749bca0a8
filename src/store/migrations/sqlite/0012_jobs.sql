-- Parts of a run that workers play: what is to be played, how it stands, who has it since which change of hands, and how
-- often it was started in a row with nothing of it written in between.
CREATE TABLE jobs (
    name TEXT NOT NULL PRIMARY KEY,
    tournament TEXT NOT NULL,
    body TEXT NOT NULL,
    state TEXT NOT NULL,
    worker TEXT,
    epoch INTEGER NOT NULL,
    starts INTEGER NOT NULL,
    begun INTEGER,
    ended INTEGER,
    reason TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX jobs_of_run ON jobs (tournament, state);
