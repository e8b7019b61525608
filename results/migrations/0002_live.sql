-- What the process that holds the lease shows as its progress, as JSON, renewed with each heartbeat:
-- `status` shows it while the process lives. It goes with the lease; no result rests on it.
ALTER TABLE lease ADD COLUMN live TEXT NOT NULL DEFAULT '';
