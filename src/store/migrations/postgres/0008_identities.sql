-- Ladders are of identities: bots, configured players, registered players. What a rated match made of somebody's Elo.
UPDATE ladder SET kind = 'registered' WHERE kind = 'player';
UPDATE ladder SET kind = 'profile' WHERE kind = 'house' AND player NOT IN ('random', 'greedy', 'search')
    AND player NOT LIKE 'search:%';
CREATE TABLE ratings (
    number BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    match_id TEXT COLLATE "C" NOT NULL,
    ruleset TEXT COLLATE "C" NOT NULL,
    kind TEXT COLLATE "C" NOT NULL,
    player TEXT COLLATE "C" NOT NULL,
    elo DOUBLE PRECISION NOT NULL,
    at BIGINT NOT NULL
);
CREATE INDEX ratings_of ON ratings (kind, player);
