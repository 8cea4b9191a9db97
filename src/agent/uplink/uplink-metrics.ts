// SPDX-License-Identifier: Apache-2.0

import type { Counter, Gauge, Metrics } from "../../base/metrics.ts";
import { metricNames } from "../../telemetry/metric-names.ts";

/** The metrics of the uplink. */
export interface UplinkMetrics {
  readonly attempts: Counter<never>;
  readonly endings: Counter<"reason">;
  readonly flushes: Counter<never>;
  readonly flushBytes: Counter<never>;
  readonly unknownMessages: Counter<never>;
  readonly isLive: Gauge<never>;
  readonly waitingRows: Gauge<never>;
}

/** Registers the metrics of the uplink. */
export function createUplinkMetrics(metrics: Metrics): UplinkMetrics {
  return {
    attempts: metrics.counter({
      name: metricNames.agentSessionAttempts,
      help: "Attempts to open a session with the hub.",
    }),
    endings: metrics.counter({
      name: metricNames.agentSessionEndings,
      help: "Ended sessions and failed attempts: a reason of the hub, or the code of an error.",
      labels: ["reason"],
    }),
    flushes: metrics.counter({ name: metricNames.agentFlushes, help: "Flushes sent to the hub." }),
    flushBytes: metrics.counter({
      name: metricNames.agentFlushBytes,
      help: "Bytes of flushes sent to the hub, compressed.",
    }),
    unknownMessages: metrics.counter({
      name: metricNames.agentUnknownMessages,
      help: "Messages of the hub that this agent does not know and has skipped.",
    }),
    isLive: metrics.gauge({ name: metricNames.agentSessionLive, help: "1 while a session with the hub is live." }),
    waitingRows: metrics.gauge({
      name: metricNames.agentWaitingRows,
      help: "Changes that wait to be sent, as of the last heartbeat.",
    }),
  };
}
