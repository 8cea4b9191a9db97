-- SPDX-License-Identifier: Apache-2.0
-- Administrative changes, hash-chained. `id` is the sequence number in 16 digits. `old_value` and `new_value` are JSON
-- objects of the fields that changed.

CREATE TABLE audit_records (
  workspace_id  TEXT    NOT NULL,
  id            TEXT    NOT NULL,
  at_ms         INTEGER NOT NULL,
  actor         TEXT    NOT NULL,
  token_id      TEXT    NOT NULL,
  address       TEXT    NOT NULL,
  request_id    TEXT    NOT NULL,
  action        TEXT    NOT NULL,
  target_kind   TEXT    NOT NULL,
  target        TEXT    NOT NULL,
  old_value     TEXT    NOT NULL,
  new_value     TEXT    NOT NULL,
  previous_hash TEXT    NOT NULL,
  hash          TEXT    NOT NULL,
  revision      INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, id)
) STRICT, WITHOUT ROWID;

-- The newest record of the chain, and the oldest that retention left.
CREATE TABLE audit_heads (
  workspace_id TEXT    NOT NULL,
  seq          INTEGER NOT NULL,
  hash         TEXT    NOT NULL,
  first_seq    INTEGER NOT NULL,
  revision     INTEGER NOT NULL,
  PRIMARY KEY (workspace_id)
) STRICT, WITHOUT ROWID;
