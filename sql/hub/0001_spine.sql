-- SPDX-License-Identifier: Apache-2.0
-- Desired state: one revision line (`changes`), values by revision (`bodies`), what is current (`objects` and typed tables).

CREATE TABLE meta (
  id                 INTEGER PRIMARY KEY CHECK (id = 1),
  store_id           TEXT    NOT NULL,
  revision           INTEGER NOT NULL,
  compacted_revision INTEGER NOT NULL
) STRICT;

-- One record for each effective write. `key` is the key's parts joined by U+001F, which sorts below every character a part
-- may hold, so its order is the order of the parts. previous_revision is 0 where there was no row.
CREATE TABLE changes (
  revision          INTEGER PRIMARY KEY,
  kind              TEXT    NOT NULL,
  key               TEXT    NOT NULL,
  is_delete         INTEGER NOT NULL,
  previous_revision INTEGER NOT NULL,
  at_ms             INTEGER NOT NULL
) STRICT;

-- The value a row got at that revision; kept while the row is current or a retained change replaced it.
CREATE TABLE bodies (
  revision INTEGER PRIMARY KEY,
  key_id   TEXT,
  body     BLOB NOT NULL
) STRICT;

CREATE TABLE objects (
  workspace_id     TEXT    NOT NULL,
  resource         TEXT    NOT NULL,
  namespace        TEXT    NOT NULL,
  name             TEXT    NOT NULL,
  revision         INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, resource, namespace, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE tokens (
  workspace_id     TEXT    NOT NULL,
  id               TEXT    NOT NULL,
  secret_hash      BLOB    NOT NULL,
  user_name        TEXT    NOT NULL,
  group_names      TEXT    NOT NULL,
  description      TEXT    NOT NULL,
  created_at_ms    INTEGER NOT NULL,
  expires_at_ms    INTEGER,
  revision         INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE leases (
  name          TEXT    PRIMARY KEY,
  holder        TEXT    NOT NULL,
  epoch         INTEGER NOT NULL,
  expires_at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
