-- What several processes use together: a pace that they keep, a number of things at once, money and calls of a run; and
-- what the ledger of each run comes to. Counts of several shards add up.
CREATE TABLE pacers (
    name TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    free_at BIGINT NOT NULL
);
CREATE TABLE shares (
    name TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    leased BIGINT NOT NULL
);
CREATE TABLE portions (
    name TEXT COLLATE "C" NOT NULL,
    holder TEXT COLLATE "C" NOT NULL,
    amount BIGINT NOT NULL,
    until BIGINT NOT NULL,
    PRIMARY KEY (name, holder)
);
CREATE TABLE ledger_counts (
    run TEXT COLLATE "C" NOT NULL,
    shard BIGINT NOT NULL,
    requests BIGINT NOT NULL,
    cost BIGINT NOT NULL,
    PRIMARY KEY (run, shard)
);
INSERT INTO ledger_counts (run, shard, requests, cost)
    SELECT split_part(match_id, '.', 1), 0, sum(requests), sum(cost) FROM requests
    WHERE strpos(match_id, '.') > 0 GROUP BY 1;
