-- SPDX-License-Identifier: Apache-2.0
-- Since when, by the hub's wall clock, a cluster's RBAC rows are known to be behind its other rows by the bound. Null while they are not.
ALTER TABLE clusters ADD COLUMN grants_behind_at_ms INTEGER;
