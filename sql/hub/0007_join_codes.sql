-- SPDX-License-Identifier: Apache-2.0
-- Codes of join URLs. `id` is that of the join token that the manifest holds; the code itself is stored by its hash only. fetched_*: the latest
-- time that the manifest was fetched, and by which address. A code is deleted at the first session of its cluster.
CREATE TABLE join_codes (
  workspace_id  TEXT    NOT NULL,
  id            TEXT    NOT NULL,
  secret_hash   BLOB    NOT NULL,
  cluster       TEXT    NOT NULL,
  region        TEXT    NOT NULL,
  environment   TEXT    NOT NULL,
  object_reads  INTEGER NOT NULL,
  created_at_ms INTEGER NOT NULL,
  expires_at_ms INTEGER NOT NULL,
  fetch_count   INTEGER NOT NULL,
  fetched_at_ms INTEGER,
  fetched_from  TEXT    NOT NULL,
  revision      INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, id)
) STRICT, WITHOUT ROWID;
