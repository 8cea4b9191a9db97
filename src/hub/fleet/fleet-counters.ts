// SPDX-License-Identifier: Apache-2.0

import type { Counter, Gauge, Metrics } from "../../base/metrics.ts";
import { metricNames } from "../../telemetry/metric-names.ts";

/** The metrics of the hub's side of the sessions. The metrics registry bounds the cluster and kind labels. */
export interface FleetCounters {
  /** Rows and deletes received and durable (N-58). */
  readonly rows: Counter<"cluster" | "resource">;
  /** Bytes of compressed row batches (N-58). */
  readonly bytes: Counter<"cluster" | "resource">;
  /** Rows that received data added, changed or removed (N-28). */
  readonly changes: Counter<"cluster" | "resource" | "change">;
  /** Messages refused as a whole, by reason (N-25). */
  readonly refusals: Counter<"cluster" | "reason">;
  /** Stored rows and deletes that failed the row check at load (CO66). */
  readonly droppedRows: Counter<"cluster" | "resource">;
  /** Messages of a type unknown to this build (SE3). */
  readonly unknownMessages: Counter<never>;
  readonly rejections: Counter<"reason">;
  /** Sessions that were lost, by reason. */
  readonly losses: Counter<"reason">;
  readonly liveSessions: Gauge<never>;
  /** Bytes received and not durable yet. */
  readonly ingestBytes: Gauge<never>;
}

/** Declares the metrics. */
export function createFleetCounters(metrics: Metrics): FleetCounters {
  return {
    rows: metrics.counter({
      name: metricNames.ingestRows,
      help: "Rows and deletes received and durable.",
      labels: ["cluster", "resource"],
    }),
    bytes: metrics.counter({
      name: metricNames.ingestBytes,
      help: "Bytes of row batches received and durable, compressed.",
      labels: ["cluster", "resource"],
    }),
    changes: metrics.counter({
      name: metricNames.rowChanges,
      help: "Rows added, changed and removed.",
      labels: ["cluster", "resource", "change"],
    }),
    refusals: metrics.counter({
      name: metricNames.sessionRefusals,
      help: "Messages of agents refused whole, by reason.",
      labels: ["cluster", "reason"],
    }),
    droppedRows: metrics.counter({
      name: metricNames.restoreDroppedRows,
      help: "Stored rows and deletes dropped at a start because they fail the check of rows.",
      labels: ["cluster", "resource"],
    }),
    unknownMessages: metrics.counter({
      name: metricNames.sessionUnknownMessages,
      help: "Messages of a kind that this hub does not know.",
    }),
    rejections: metrics.counter({
      name: metricNames.sessionRejections,
      help: "Sessions not accepted, by reason.",
      labels: ["reason"],
    }),
    losses: metrics.counter({
      name: metricNames.sessionLosses,
      help: "Sessions that ended without a goodbye, by reason.",
      labels: ["reason"],
    }),
    liveSessions: metrics.gauge({ name: metricNames.sessions, help: "Live sessions." }),
    ingestBytes: metrics.gauge({ name: metricNames.ingestWaitingBytes, help: "Bytes received and not durable yet." }),
  };
}
