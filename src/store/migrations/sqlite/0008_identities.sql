-- Ladders are of identities: bots, configured players, registered players. What a rated match made of somebody's Elo.
UPDATE ladder SET kind = 'registered' WHERE kind = 'player';
UPDATE ladder SET kind = 'profile' WHERE kind = 'house' AND player NOT IN ('random', 'greedy', 'search')
    AND player NOT LIKE 'search:%';
CREATE TABLE ratings (
    number INTEGER PRIMARY KEY,
    match_id TEXT NOT NULL,
    ruleset TEXT NOT NULL,
    kind TEXT NOT NULL,
    player TEXT NOT NULL,
    elo REAL NOT NULL,
    at INTEGER NOT NULL
) STRICT;
CREATE INDEX ratings_of ON ratings (kind, player);
