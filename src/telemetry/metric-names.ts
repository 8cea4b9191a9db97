// SPDX-License-Identifier: Apache-2.0
// Names of metrics, and the keys of log lines. Dashboards, alerts and searches depend on them, so a name is added here
// before it is used and is never renamed.

/** Keys that the logger itself writes. A field with the same name gets the suffix `_`. */
export const lineKeys = { time: "time", level: "level", message: "msg", error: "error" } as const;

/**
 * Metrics that keep the name they had in a seed project, without our prefix, because existing dashboards use it (S-41
 * to S-43).
 */
export const seedMetricNames: ReadonlySet<string> = new Set([
  "syncer_resources_synced_total",
  "syncer_sync_duration_seconds",
  "syncer_sync_errors_total",
  "syncer_heartbeat_total",
  "syncer_connection_status",
]);

/** Every metric of all our processes. A test compares the declared metrics with this list. */
export const metricNames = {
  // every process
  buildInfo: "flotilla_build_info",
  labelOverflow: "flotilla_metrics_label_overflow_total",
  taskFailures: "flotilla_task_failures_total",
  // listeners
  rpcConnections: "flotilla_rpc_connections",
  rpcConnectionsCut: "flotilla_rpc_connections_cut_total",
  rpcDuration: "flotilla_rpc_duration_seconds",
  rpcRequests: "flotilla_rpc_requests_total",
  rpcStreams: "flotilla_rpc_streams",
  // the hub's end of sessions
  ingestBytes: "flotilla_ingest_bytes_total",
  ingestRows: "flotilla_ingest_rows_total",
  ingestWaitingBytes: "flotilla_ingest_waiting_bytes",
  restoreDroppedRows: "flotilla_restore_dropped_rows_total",
  rowChanges: "flotilla_row_changes_total",
  sessionLosses: "flotilla_session_losses_total",
  sessionRefusals: "flotilla_session_refusals_total",
  sessionRejections: "flotilla_session_rejections_total",
  sessionUnknownMessages: "flotilla_session_unknown_messages_total",
  hints: "flotilla_hints_total",
  sessions: "flotilla_sessions",
  tunnels: "flotilla_tunnels_total",
  // connection health
  clusterFailingKinds: "flotilla_cluster_failing_kinds",
  clusterFlapping: "flotilla_cluster_flapping",
  clusterObjects: "flotilla_cluster_objects",
  clusterLosses: "flotilla_cluster_losses_total",
  clusterPaused: "flotilla_cluster_paused",
  clusterReconnectAttempts: "flotilla_cluster_reconnect_attempts_total",
  clusterReconnectSeconds: "flotilla_cluster_reconnect_seconds_total",
  clusterRelistedBytes: "flotilla_cluster_relisted_bytes_total",
  clusterRelistedObjects: "flotilla_cluster_relisted_objects_total",
  clusterState: "flotilla_cluster_state",
  // clusters that a management cluster declares
  gitopsClusters: "flotilla_gitops_clusters",
  // comparison of access decisions with the clusters' own
  accessDrift: "flotilla_access_drift_total",
  accessDriftedClusters: "flotilla_access_drifted_clusters",
  accessSamples: "flotilla_access_samples_total",
  // standing queries
  standingQueryDeliveries: "flotilla_standing_query_deliveries_total",
  standingQueryEvaluations: "flotilla_standing_query_evaluations_total",
  // pages of the web UI
  pageEncodedBytes: "flotilla_page_encoded_bytes_total",
  pageStreams: "flotilla_page_streams",
  pageSubscriptions: "flotilla_page_subscriptions",
  pageUpdates: "flotilla_page_updates_total",
  // agents
  agentFlushBytes: "flotilla_agent_flush_bytes_total",
  agentFlushes: "flotilla_agent_flushes_total",
  agentHints: "flotilla_agent_hints_total",
  agentSessionAttempts: "flotilla_agent_session_attempts_total",
  agentSessionEndings: "flotilla_agent_session_endings_total",
  agentSessionLive: "flotilla_agent_session_live",
  agentTunnels: "flotilla_agent_tunnels_total",
  agentUnknownMessages: "flotilla_agent_unknown_messages_total",
  agentWaitingRows: "flotilla_agent_waiting_rows",
} as const;

/** The label value for label sets beyond the limit of their metric. */
export const overflowLabel = "other";
