-- What several processes use together: a pace that they keep, a number of things at once, money and calls of a run; and
-- what the ledger of each run comes to. Counts of several shards add up.
CREATE TABLE pacers (
    name TEXT NOT NULL PRIMARY KEY,
    free_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE shares (
    name TEXT NOT NULL PRIMARY KEY,
    leased INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE portions (
    name TEXT NOT NULL,
    holder TEXT NOT NULL,
    amount INTEGER NOT NULL,
    until INTEGER NOT NULL,
    PRIMARY KEY (name, holder)
) STRICT, WITHOUT ROWID;
CREATE TABLE ledger_counts (
    run TEXT NOT NULL,
    shard INTEGER NOT NULL,
    requests INTEGER NOT NULL,
    cost INTEGER NOT NULL,
    PRIMARY KEY (run, shard)
) STRICT, WITHOUT ROWID;
INSERT INTO ledger_counts (run, shard, requests, cost)
    SELECT substr(match_id, 1, instr(match_id, '.') - 1), 0, sum(requests), sum(cost) FROM requests
    WHERE instr(match_id, '.') > 0 GROUP BY 1;
