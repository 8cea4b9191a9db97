// SPDX-License-Identifier: Apache-2.0
// The names that log lines and metrics go by. Dashboards, alerts and searches are written against them, so a name is
// added here before it is used and is not renamed.

/** Keys that the logger itself writes. A field of the same name is kept under that name with `_` behind it. */
export const lineKeys = { time: "time", level: "level", message: "msg", error: "error" } as const;

/** Names of fields that lines of more than one part carry, so that one search finds them all. */
export const fieldNames = {
  cluster: "cluster",
  code: "code",
  component: "component",
  method: "method",
  path: "path",
  peer: "peer",
  requestId: "requestId",
  revision: "revision",
  sessionId: "sessionId",
  status: "status",
  storeId: "storeId",
  tookMs: "tookMs",
  user: "user",
  version: "version",
} as const;

/** Every metric of ours starts with this. */
export const metricPrefix = "flotilla_";

/** Metrics that keep the name a seed gave them, without our prefix: its users' dashboards know them by it (S-41 to S-43). */
export const seedMetricNames: ReadonlySet<string> = new Set([
  "syncer_resources_synced_total",
  "syncer_sync_duration_seconds",
  "syncer_sync_errors_total",
  "syncer_heartbeat_total",
  "syncer_connection_status",
]);

/** Names of the metrics that every process serves. */
export const metricNames = {
  buildInfo: "flotilla_build_info",
  labelOverflow: "flotilla_metrics_label_overflow_total",
} as const;

/** What a label set counts under once its metric has as many sets as it may. */
export const overflowLabel = "other";
