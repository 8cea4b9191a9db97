-- SPDX-License-Identifier: Apache-2.0
-- What became of sessions, for history. `id` sorts by time within a cluster; the cluster '' is the hub itself.

CREATE TABLE session_events (
  workspace_id TEXT    NOT NULL,
  cluster      TEXT    NOT NULL,
  id           TEXT    NOT NULL,
  at_ms        INTEGER NOT NULL,
  what         TEXT    NOT NULL,
  reason       TEXT    NOT NULL,
  sentence     TEXT    NOT NULL,
  agent_id     TEXT    NOT NULL,
  address      TEXT    NOT NULL,
  epoch        INTEGER NOT NULL,
  revision     INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, cluster, id)
) STRICT, WITHOUT ROWID;
