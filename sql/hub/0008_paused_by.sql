-- SPDX-License-Identifier: Apache-2.0
-- Who paused a cluster, and when by the hub's wall clock. Null while it is not paused, and for pauses from before this column.
ALTER TABLE clusters ADD COLUMN paused_by TEXT;
ALTER TABLE clusters ADD COLUMN paused_at_ms INTEGER;
