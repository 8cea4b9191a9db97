// SPDX-License-Identifier: Apache-2.0
// The tables of desired state. A new table needs a migration in sql/hub/ and an entry here.
import type { TableSpec } from "./table.ts";

/**
 * Objects of workspaces and playground clusters: JSON bodies under their logical cluster. `resource` is the text of a
 * resource id (CO2).
 */
export const objects = {
  name: "objects",
  key: ["workspace_id", "resource", "namespace", "name"],
  columns: { body: "bytes" },
} as const satisfies TableSpec;

/**
 * Access tokens, by hash only (U-13). `group_names` is a JSON list. `parent_id` is set for tokens of the page's
 * cookies: such a token ends with its parent (PG1). A revoked token is a deleted row.
 */
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
    parent_id: "text?",
  },
} as const satisfies TableSpec;

/**
 * The last use of each token (CL21). Separate from `tokens`, so that a use changes no token and wakes no watch of them.
 */
export const tokenUses = {
  name: "token_uses",
  key: ["workspace_id", "id"],
  columns: { used_at_ms: "integer" },
} as const satisfies TableSpec;

/**
 * Registered clusters. `labels` (of the agent) and `given_labels` (of administrators) are JSON lists of pairs, the
 * namespaces are JSON lists, `public_keys` is a JSON list of keys with their state. `source` is `agent`, `kubeconfig`
 * or `adopted`. `rbac_complete_at_ms` is when the RBAC rows were first proven equal (L2); null: rows are not shown yet.
 * `grants_behind_at_ms` is since when they are known to be behind the other rows (RB85); null: they are not.
 */
export const clusters = {
  name: "clusters",
  key: ["workspace_id", "id"],
  columns: {
    region: "text",
    environment: "text",
    version: "text",
    kubernetes_version: "text",
    labels: "text",
    given_labels: "text",
    included_namespaces: "text",
    excluded_namespaces: "text",
    public_keys: "text",
    cluster_uid: "text",
    is_paused: "integer",
    is_approved: "integer",
    source: "text",
    created_at_ms: "integer",
    rbac_complete_at_ms: "integer?",
    paused_by: "text?",
    paused_at_ms: "integer?",
    grants_behind_at_ms: "integer?",
  },
} as const satisfies TableSpec;

/**
 * Join tokens, by hash only (SE5). `rotated` names the cluster whose key the token replaces, if any (SE8). A revoked
 * token is a deleted row; a spent one stays, with no uses left.
 */
export const joinTokens = {
  name: "join_tokens",
  key: ["workspace_id", "id"],
  columns: {
    secret_hash: "bytes",
    uses_left: "integer",
    name_pattern: "text",
    rotated: "text",
    needs_approval: "integer",
    description: "text",
    created_at_ms: "integer",
    expires_at_ms: "integer?",
  },
} as const satisfies TableSpec;

/**
 * Codes of join URLs, by hash only. `id` is that of the join token in the manifest. `fetched_at_ms` and `fetched_from`
 * describe the latest fetch. A code is deleted at the first session of its cluster, and some time after its expiry.
 */
export const joinCodes = {
  name: "join_codes",
  key: ["workspace_id", "id"],
  columns: {
    secret_hash: "bytes",
    cluster: "text",
    region: "text",
    environment: "text",
    object_reads: "integer",
    created_at_ms: "integer",
    expires_at_ms: "integer",
    fetch_count: "integer",
    fetched_at_ms: "integer?",
    fetched_from: "text",
  },
} as const satisfies TableSpec;

/**
 * The newest session of each (cluster, shard), written at its beginning and end. `state` is `live`, `lost` or `left`.
 */
export const sessions = {
  name: "sessions",
  key: ["workspace_id", "cluster", "shard"],
  columns: {
    agent_id: "text",
    agent_version: "text",
    address: "text",
    epoch: "integer",
    incarnation: "text",
    state: "text",
    connected_at_ms: "integer",
    ended_at_ms: "integer?",
  },
} as const satisfies TableSpec;

/**
 * How the access decisions of each cluster differ from the hub's (RB83); no row without a difference. A number of clean
 * rounds is null without drift in that direction. `differing` is a JSON list of requests, the newest first. Deleted with
 * its cluster.
 */
export const accessDrift = {
  name: "access_drift",
  key: ["workspace_id", "cluster"],
  columns: {
    shown_clean_rounds: "integer?",
    hidden_clean_rounds: "integer?",
    differing: "text",
  },
} as const satisfies TableSpec;

/**
 * Changes of clusters' connection states, for history (HE12). `id` sorts by time: the time in 15 digits, the number
 * within the hub's run in 10, then the run. Rows are never changed; retention deletes them.
 */
export const transitions = {
  name: "transitions",
  key: ["workspace_id", "cluster", "id"],
  columns: {
    at_ms: "integer",
    seq: "integer",
    from_state: "text",
    to_state: "text",
    reason: "text",
    sentence: "text",
  },
} as const satisfies TableSpec;

/**
 * Session events, for history: `what` is `accepted`, `rejected`, `ended` or `fenced`. `id` is as in `transitions`. Rows
 * with the cluster "" are the hub's own: `watched`, once for each half hour in which it ran. `administered` rows are
 * written with audit records (AU9). Rows are never changed; retention deletes them.
 */
export const sessionEvents = {
  name: "session_events",
  key: ["workspace_id", "cluster", "id"],
  columns: {
    at_ms: "integer",
    what: "text",
    reason: "text",
    sentence: "text",
    agent_id: "text",
    address: "text",
    epoch: "integer",
  },
} as const satisfies TableSpec;

/**
 * Administrative changes (AU1 to AU4). `id` is the sequence number in 16 digits. `old_value` and `new_value` are JSON
 * objects of the changed fields. Rows are never changed; retention deletes them.
 */
export const auditRecords = {
  name: "audit_records",
  key: ["workspace_id", "id"],
  columns: {
    at_ms: "integer",
    actor: "text",
    token_id: "text",
    address: "text",
    request_id: "text",
    action: "text",
    target_kind: "text",
    target: "text",
    old_value: "text",
    new_value: "text",
    previous_hash: "text",
    hash: "text",
  },
} as const satisfies TableSpec;

/** The newest audit record of a workspace, and the oldest one that retention kept (AU5, AU7). */
export const auditHeads = {
  name: "audit_heads",
  key: ["workspace_id"],
  columns: { seq: "integer", hash: "text", first_seq: "integer" },
} as const satisfies TableSpec;

/**
 * The place of imported kubeconfigs: rows of `objects` named like their cluster. Their bodies are encrypted regardless
 * of the configuration (L18). No workspace can have this id, so they are never served.
 */
export const importedKubeconfigs = {
  workspace: "system:imports",
  resource: "fleet.flotilla.dev/kubeconfigs",
} as const;

/**
 * The place of standing queries' definitions: rows of `objects`. Bodies contain the secret of a webhook and are
 * encrypted regardless of the configuration (L18). No workspace can have this id, so they are never served.
 */
export const standingQueryPlace = {
  workspace: "system:queries",
  resource: "fleet.flotilla.dev/standingqueries",
} as const;

/** All tables. */
export const allTables: readonly TableSpec[] = [
  objects,
  tokens,
  tokenUses,
  clusters,
  joinTokens,
  joinCodes,
  sessions,
  transitions,
  sessionEvents,
  auditRecords,
  auditHeads,
  accessDrift,
];

/** The workspace of the hub's own rows, unless the store is opened with another. */
export const rootWorkspace = "root";
