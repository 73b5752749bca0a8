-- A ticket of the queue is for a live match, as all were, or for one at everybody's own pace.
ALTER TABLE queue ADD COLUMN own_pace BIGINT NOT NULL DEFAULT 0;
