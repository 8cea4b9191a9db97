-- SPDX-License-Identifier: Apache-2.0
-- Reading the log of all clusters by position.

-- The newest removal of each cluster. Its position is taken from the line of segments.
CREATE TABLE removals (
  position INTEGER PRIMARY KEY,
  cluster  TEXT    NOT NULL UNIQUE
) STRICT;

-- One row. Retention has removed segments up to this position: a reader that stands before it has to load anew.
CREATE TABLE follow_horizon (
  id       INTEGER PRIMARY KEY CHECK (id = 1),
  position INTEGER NOT NULL
) STRICT;
INSERT INTO follow_horizon SELECT 1, coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'segments';
