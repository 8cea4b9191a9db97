// SPDX-License-Identifier: Apache-2.0
// The tables of desired state. A new one is a migration in sql/hub/ and an entry here.
import type { TableSpec } from "./table.ts";

/** Objects of workspaces and playground clusters: JSON bodies under their logical cluster. `resource` is the text of a resource id (CO2). */
export const objects = {
  name: "objects",
  key: ["workspace_id", "resource", "namespace", "name"],
  columns: { body: "bytes" },
} as const satisfies TableSpec;

/** Access tokens, by hash only (U-13). `group_names` is a JSON list. A revoked token is a deleted row. */
export const tokens = {
  name: "tokens",
  key: ["workspace_id", "id"],
  columns: {
    secret_hash: "bytes",
    user_name: "text",
    group_names: "text",
    description: "text",
    created_at_ms: "integer",
    expires_at_ms: "integer?",
  },
} as const satisfies TableSpec;

/** Every table, by name. */
export const allTables: readonly TableSpec[] = [objects, tokens];

/** The workspace that the hub's own rows belong to. */
export const rootWorkspace = "root";
