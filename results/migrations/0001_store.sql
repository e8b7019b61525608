-- The store holds one fact a row (decisions.md, "Store"). Ids are integers inside the file only;
-- everything that leaves it is named by content or by the words of the experiment.

CREATE TABLE run (
  id          INTEGER PRIMARY KEY,
  experiment  TEXT NOT NULL,
  identity    TEXT NOT NULL,            -- hash of the resolved configuration and the data it was run on
  generation  INTEGER NOT NULL,         -- raised by --fresh; answers are reused within a generation only
  declaration TEXT NOT NULL,            -- canonical JSON: what reports need to know of the experiment, without secrets
  UNIQUE (experiment, identity, generation)
) STRICT;

CREATE TABLE invocation (
  id         INTEGER PRIMARY KEY,
  run        INTEGER NOT NULL REFERENCES run,
  started_ms INTEGER NOT NULL,
  ended_ms   INTEGER,
  outcome    TEXT,                      -- done, failed, interrupted, paused; null: running or killed
  version    TEXT NOT NULL,
  git_commit TEXT NOT NULL,
  tool       TEXT NOT NULL              -- go version, operating system and architecture
) STRICT;

-- One row while a process writes (libraries.md B3: one advisory lock a store).
CREATE TABLE lease (
  id           INTEGER PRIMARY KEY CHECK (id = 1),
  pid          INTEGER NOT NULL,
  host         TEXT NOT NULL,
  boot         TEXT NOT NULL,
  token        TEXT NOT NULL,
  heartbeat_ms INTEGER NOT NULL
) STRICT;

CREATE TABLE cell (
  id       INTEGER PRIMARY KEY,
  run      INTEGER NOT NULL REFERENCES run,
  position INTEGER NOT NULL,            -- place in the declared order
  dataset  TEXT NOT NULL,
  ablation TEXT NOT NULL,
  method   TEXT NOT NULL,
  seed     INTEGER NOT NULL,
  fold     INTEGER NOT NULL,            -- 0 without folds
  data     TEXT NOT NULL,               -- dataset fingerprint
  split    TEXT NOT NULL,               -- hash of the split
  state    TEXT NOT NULL,               -- pending, done, failed, n/a, excluded
  reason   TEXT NOT NULL DEFAULT '',
  for_good INTEGER NOT NULL DEFAULT 0,  -- a failed cell that only --retry-failed takes again
  tasks    INTEGER NOT NULL DEFAULT 0,  -- prefix tasks that the cell consists of
  fit      TEXT NOT NULL DEFAULT '',
  identity INTEGER REFERENCES identity,
  duplicate_of TEXT NOT NULL DEFAULT '',-- the ablation whose variant is byte-identical for this dataset
  UNIQUE (run, dataset, ablation, method, seed, fold)
) STRICT;

CREATE TABLE part (
  split   TEXT NOT NULL,
  fold    INTEGER NOT NULL,
  episode TEXT NOT NULL,
  part    TEXT NOT NULL,                -- train, dev, test or the name of an official list
  PRIMARY KEY (split, fold, episode, part)
) STRICT, WITHOUT ROWID;

-- A dataset's identity lists its episodes, so that two copies can be told apart by episode.
CREATE TABLE episode (
  data    TEXT NOT NULL,
  episode TEXT NOT NULL,
  hash    TEXT NOT NULL,
  PRIMARY KEY (data, episode)
) STRICT, WITHOUT ROWID;

CREATE TABLE gold (
  data          TEXT NOT NULL,
  task          TEXT NOT NULL,
  episode       TEXT NOT NULL,
  cluster       TEXT NOT NULL,
  ratio         INTEGER NOT NULL,       -- thousandths
  steps         INTEGER NOT NULL,
  total_steps   INTEGER NOT NULL,
  duplicate     INTEGER NOT NULL,
  open_intent   TEXT NOT NULL,
  closed_intent TEXT NOT NULL,
  label_space   TEXT NOT NULL,
  PRIMARY KEY (data, task)
) STRICT, WITHOUT ROWID;

-- The canonical inputs of answer keys, all but the visible hash: many answers share one.
CREATE TABLE identity (
  id     INTEGER PRIMARY KEY,
  hash   TEXT NOT NULL UNIQUE,
  inputs TEXT NOT NULL                  -- canonical JSON: key version, kind, code version, settings, provider, seed, fit
) STRICT;

CREATE TABLE prediction (
  id               INTEGER PRIMARY KEY,
  key              TEXT NOT NULL,
  generation       INTEGER NOT NULL,
  identity         INTEGER NOT NULL REFERENCES identity,
  visible          TEXT NOT NULL,       -- visible hash
  state            TEXT NOT NULL,       -- answered, failed
  for_good         INTEGER NOT NULL DEFAULT 0,
  closed_intent    TEXT NOT NULL DEFAULT '',
  confidence       REAL,
  predicted_intent TEXT NOT NULL DEFAULT '',
  topk             TEXT NOT NULL DEFAULT '',
  error            TEXT NOT NULL DEFAULT '',
  detail           TEXT NOT NULL DEFAULT '',
  input_tokens     INTEGER NOT NULL DEFAULT 0,
  output_tokens    INTEGER NOT NULL DEFAULT 0,
  cost_usd         REAL NOT NULL DEFAULT 0,
  attempts         INTEGER NOT NULL DEFAULT 1,
  UNIQUE (key, generation)
) STRICT;

CREATE TABLE task (
  cell       INTEGER NOT NULL REFERENCES cell,
  task       TEXT NOT NULL,
  prediction INTEGER REFERENCES prediction,
  state      TEXT NOT NULL,             -- answered, abstained, invalid_label, method_error, missing, not_asked, not_applicable
  PRIMARY KEY (cell, task)
) STRICT, WITHOUT ROWID;

CREATE TABLE judge (
  id          INTEGER PRIMARY KEY,
  fingerprint TEXT NOT NULL UNIQUE,
  identity    TEXT NOT NULL             -- canonical inputs of the fingerprint
) STRICT;

CREATE TABLE verdict (
  id        INTEGER PRIMARY KEY,
  key       TEXT NOT NULL UNIQUE,
  judge     INTEGER NOT NULL REFERENCES judge,
  gold      TEXT NOT NULL,
  predicted TEXT NOT NULL,
  state     TEXT NOT NULL,
  score     REAL,
  level     INTEGER,
  reason    TEXT NOT NULL DEFAULT '',
  raw       TEXT NOT NULL DEFAULT '',
  flags     TEXT NOT NULL DEFAULT ''    -- blank-separated, e.g. prediction_truncated
) STRICT;

CREATE TABLE score (
  cell    INTEGER NOT NULL REFERENCES cell,
  task    TEXT NOT NULL,
  judge   INTEGER NOT NULL REFERENCES judge,
  verdict INTEGER REFERENCES verdict,
  score   REAL,
  state   TEXT NOT NULL,
  PRIMARY KEY (cell, task, judge)
) STRICT, WITHOUT ROWID;

-- Derived: the per-ratio record that the product promises.
CREATE TABLE ratio_score (
  cell           INTEGER NOT NULL REFERENCES cell,
  part           TEXT NOT NULL,
  measure        TEXT NOT NULL,         -- 'closed' or a judge's fingerprint
  ratio          INTEGER NOT NULL,
  n              INTEGER NOT NULL,
  sum            REAL NOT NULL,
  value          REAL,
  metric_version INTEGER NOT NULL,
  PRIMARY KEY (cell, part, measure, ratio)
) STRICT, WITHOUT ROWID;

CREATE TABLE fit (
  key      TEXT PRIMARY KEY,
  hash     TEXT NOT NULL,               -- SHA-256 of the artefact
  inputs   TEXT NOT NULL,               -- canonical inputs of the key
  artefact BLOB NOT NULL                -- zstd
) STRICT, WITHOUT ROWID;

CREATE TABLE event (
  id         INTEGER PRIMARY KEY,
  invocation INTEGER NOT NULL REFERENCES invocation,
  at_ms      INTEGER NOT NULL,
  kind       TEXT NOT NULL,
  cell       INTEGER,
  text       TEXT NOT NULL
) STRICT;
