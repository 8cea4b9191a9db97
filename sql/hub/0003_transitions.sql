-- SPDX-License-Identifier: Apache-2.0
-- Changes of clusters' connection states, for history. `id` sorts by time within a cluster.

CREATE TABLE transitions (
  workspace_id     TEXT    NOT NULL,
  cluster          TEXT    NOT NULL,
  id               TEXT    NOT NULL,
  at_ms            INTEGER NOT NULL,
  seq              INTEGER NOT NULL,
  from_state       TEXT    NOT NULL,
  to_state         TEXT    NOT NULL,
  reason           TEXT    NOT NULL,
  sentence         TEXT    NOT NULL,
  revision         INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, cluster, id)
) STRICT, WITHOUT ROWID;
