-- SPDX-License-Identifier: Apache-2.0
-- Observed history: segments of row batches as they came, and checkpoints that sum them up.

-- How far each session got; the epoch only grows and outlives the cluster's segments.
CREATE TABLE progress (
  cluster        TEXT    NOT NULL,
  shard          TEXT    NOT NULL,
  epoch          INTEGER NOT NULL,
  incarnation    TEXT    NOT NULL,
  seq            INTEGER NOT NULL,
  received_at_ms INTEGER NOT NULL,
  PRIMARY KEY (cluster, shard)
) STRICT, WITHOUT ROWID;

-- Checkpoints that count, and those being written (completed = 0). position: the last segment a checkpoint covers.
CREATE TABLE checkpoints (
  id             INTEGER PRIMARY KEY AUTOINCREMENT,
  cluster        TEXT    NOT NULL,
  resource       TEXT    NOT NULL,
  position       INTEGER NOT NULL,
  received_at_ms INTEGER NOT NULL,
  completed      INTEGER NOT NULL
) STRICT;
CREATE INDEX checkpoints_by_resource ON checkpoints (cluster, resource, position);

CREATE TABLE checkpoint_pieces (
  checkpoint_id INTEGER NOT NULL,
  piece         INTEGER NOT NULL,
  bytes         BLOB    NOT NULL,
  PRIMARY KEY (checkpoint_id, piece)
) STRICT;

-- form: 0 delta, 1 replacement of one bucket. bucket is null for a delta.
CREATE TABLE segments (
  position       INTEGER PRIMARY KEY AUTOINCREMENT,
  cluster        TEXT    NOT NULL,
  resource       TEXT    NOT NULL,
  form           INTEGER NOT NULL,
  bucket         INTEGER,
  incarnation    TEXT    NOT NULL,
  seq            INTEGER NOT NULL,
  received_at_ms INTEGER NOT NULL,
  bytes          BLOB    NOT NULL
) STRICT;
CREATE INDEX segments_by_resource ON segments (cluster, resource, position);

-- What retention removed: a question about a time before this cannot be answered.
CREATE TABLE horizons (
  cluster     TEXT    NOT NULL,
  resource    TEXT    NOT NULL,
  earliest_ms INTEGER NOT NULL,
  PRIMARY KEY (cluster, resource)
) STRICT, WITHOUT ROWID;
