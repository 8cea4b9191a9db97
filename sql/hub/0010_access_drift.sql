-- SPDX-License-Identifier: Apache-2.0
-- How each cluster's own access decisions differ from the hub's. Clusters without a difference have no row. A number of clean rounds is
-- null without drift in that direction. `differing` is a JSON list of the requests that differed, the newest first.
CREATE TABLE access_drift (
  workspace_id        TEXT    NOT NULL,
  cluster             TEXT    NOT NULL,
  shown_clean_rounds  INTEGER,
  hidden_clean_rounds INTEGER,
  differing           TEXT    NOT NULL,
  revision            INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, cluster)
) STRICT, WITHOUT ROWID;
