-- Ratings are those of the ladders; these were from before there were any.
ALTER TABLE players DROP COLUMN elo;
ALTER TABLE players DROP COLUMN games;
