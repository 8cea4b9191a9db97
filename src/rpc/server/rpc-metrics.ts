// SPDX-License-Identifier: Apache-2.0

import type { Metrics } from "../../base/metrics.ts";
import { metricNames } from "../../telemetry/metric-names.ts";
import type { CutReason } from "../listener/session-watch.ts";

/** The label of requests that match no method or route, so that clients cannot create label sets. */
export const otherMethod = "other";

/** One finished request. */
export interface FinishedCall {
  /** A method's path, a route's path, or `otherMethod`. */
  readonly method: string;
  /** `ok`, the wire name of a Connect code, or `http_` and the status of a response that is not an RPC's. */
  readonly code: string;
  readonly tookMs: number;
}

/** The metrics of this folder. Label sets are bounded by the number of methods and routes. */
export interface RpcMetrics {
  callFinished(call: FinishedCall): void;
  streamOpened(method: string): void;
  streamClosed(method: string): void;
  connectionCount(listener: string, count: number): void;
  connectionCut(reason: CutReason): void;
}

/** From 1 ms (a cached answer) to 30 s (the default deadline of a unary call), by steps of about three. */
const durationBuckets: readonly number[] = [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30];

export function createRpcMetrics(metrics: Metrics): RpcMetrics {
  const requests = metrics.counter({
    name: metricNames.rpcRequests,
    help: "Requests answered, by method and code.",
    labels: ["method", "code"],
  });
  const duration = metrics.histogram({
    name: metricNames.rpcDuration,
    help: "Time from the headers of a request to the end of its response; for a stream its whole duration.",
    labels: ["method"],
    buckets: durationBuckets,
  });
  const streams = metrics.gauge({ name: metricNames.rpcStreams, help: "Open streams, by method.", labels: ["method"] });
  const connections = metrics.gauge({
    name: metricNames.rpcConnections,
    help: "Open connections, by listener.",
    labels: ["listener"],
  });
  const cuts = metrics.counter({
    name: metricNames.rpcConnectionsCut,
    help: "Connections or requests ended by the hub for a limit or a deadline, by reason.",
    labels: ["reason"],
  });
  const openStreams = new Map<string, number>();
  const addStream = (method: string, by: number): void => {
    const count = (openStreams.get(method) ?? 0) + by;
    openStreams.set(method, count);
    streams.set({ method }, count);
  };
  return {
    callFinished({ method, code, tookMs }) {
      requests.add({ method, code });
      duration.observe({ method }, tookMs / 1_000);
    },
    streamOpened: (method) => addStream(method, 1),
    streamClosed: (method) => addStream(method, -1),
    connectionCount: (listener, count) => connections.set({ listener }, count),
    connectionCut: (reason) => cuts.add({ reason }),
  };
}
