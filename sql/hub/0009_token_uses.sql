-- SPDX-License-Identifier: Apache-2.0
-- When each access token was last used, by the hub's wall clock. Apart from `tokens`, so that a use neither changes the token's revision
-- nor wakes the watches of tokens. Written at most once a minute for a token, and deleted with it.
CREATE TABLE token_uses (
  workspace_id TEXT    NOT NULL,
  id           TEXT    NOT NULL,
  used_at_ms   INTEGER NOT NULL,
  revision     INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, id)
) STRICT, WITHOUT ROWID;
