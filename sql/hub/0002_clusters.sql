-- SPDX-License-Identifier: Apache-2.0
-- Registered clusters, the tokens they join with, and who has a session for which of them.

-- labels: what the agent says, given_labels: what administrators add, both JSON lists of pairs. public_keys: a JSON list of keys with their state. rbac_complete_at_ms: when the rows of the
-- four RBAC kinds were first proven equal; null hides the cluster's rows.
CREATE TABLE clusters (
  workspace_id        TEXT    NOT NULL,
  id                  TEXT    NOT NULL,
  region              TEXT    NOT NULL,
  environment         TEXT    NOT NULL,
  version             TEXT    NOT NULL,
  kubernetes_version  TEXT    NOT NULL,
  labels              TEXT    NOT NULL,
  given_labels        TEXT    NOT NULL,
  included_namespaces TEXT    NOT NULL,
  excluded_namespaces TEXT    NOT NULL,
  public_keys         TEXT    NOT NULL,
  cluster_uid         TEXT    NOT NULL,
  is_paused           INTEGER NOT NULL,
  is_approved         INTEGER NOT NULL,
  source              TEXT    NOT NULL,
  created_at_ms       INTEGER NOT NULL,
  rbac_complete_at_ms INTEGER,
  revision            INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, id)
) STRICT, WITHOUT ROWID;

-- rotated: the one cluster whose key it replaces; empty for a token that registers.
CREATE TABLE join_tokens (
  workspace_id   TEXT    NOT NULL,
  id             TEXT    NOT NULL,
  secret_hash    BLOB    NOT NULL,
  uses_left      INTEGER NOT NULL,
  name_pattern   TEXT    NOT NULL,
  rotated        TEXT    NOT NULL,
  needs_approval INTEGER NOT NULL,
  description    TEXT    NOT NULL,
  created_at_ms  INTEGER NOT NULL,
  expires_at_ms  INTEGER,
  revision       INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, id)
) STRICT, WITHOUT ROWID;

-- The newest session of each (cluster, shard): written when it begins and when it ends. state: live, lost or left.
CREATE TABLE sessions (
  workspace_id    TEXT    NOT NULL,
  cluster         TEXT    NOT NULL,
  shard           TEXT    NOT NULL,
  agent_id        TEXT    NOT NULL,
  agent_version   TEXT    NOT NULL,
  address         TEXT    NOT NULL,
  epoch           INTEGER NOT NULL,
  incarnation     TEXT    NOT NULL,
  state           TEXT    NOT NULL,
  connected_at_ms INTEGER NOT NULL,
  ended_at_ms     INTEGER,
  revision        INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, cluster, shard)
) STRICT, WITHOUT ROWID;
