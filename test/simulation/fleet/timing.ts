// SPDX-License-Identifier: Apache-2.0
// The settings of the fleet's world: those that ship, some times shorter, so that a minute of virtual time holds what
// happens in ten.
import type { AgentOptions } from "../../../src/agent/agent.ts";
import { createThresholds } from "../../../src/health/thresholds.ts";
import { defaultFleetSettings, type FleetSettings } from "../../../src/hub/fleet/fleet.ts";
import { defaultReflectorSettings } from "../../../src/kube/reflector/reflector-options.ts";
import { defaultSessionLimits } from "../../../src/session/hub/session-limits.ts";

/** Time between two heartbeats of a session. */
export const heartbeatMs = 2_000;

/**
 * So small that digests of buckets travel in chunks; below the window of a simulated stream, which no message may
 * exceed.
 */
const maxMessageBytes = 24 * 1024;

/** Between two bookmarks of a simulated API server; a watch without one for `watchSilenceMs` is taken for dead. */
export const bookmarkEveryMs = 2_000;

const watchSilenceMs = 5_000;
const requestTimeoutMs = 2_000;
const retry = { firstMs: 200, factor: 2, capMs: 3_000 };

/** Time between two root digests, and so between two proofs that hub and agent hold the same. */
export const syncIntervalMs = 6_000;

export const thresholds = createThresholds({
  staleAfterMs: 4_000,
  grantsBehindMs: 25_000,
  flapQuietMs: 5_000,
  probeIntervalMs: 4_000,
  probeTimeoutMs: 2_000,
});

export const fleetSettings: Partial<FleetSettings> = {
  ...defaultFleetSettings,
  limits: { ...defaultSessionLimits, maxMessageBytes, heartbeatMs, greetingMs: 4_000 },
  claimGraceMs: 3_000,
  drainMs: 1_000,
};

/** How long the work that one hub does for all is left undone when that hub dies. */
export const taskLeaseMs = 3_000;

/**
 * How long a cluster may be `live`, and a kind current, while a row is behind its object: a silent watch is noticed,
 * and the news of it travel on a link that is slow without being so slow that heartbeats are missed.
 */
export const honestMs = watchSilenceMs + 2 * heartbeatMs + thresholds.heartbeatIntervalCount * heartbeatMs;

/** What an agent of this world is set to. */
export const agentSettings: Pick<
  AgentOptions,
  "reflector" | "session" | "reconnect" | "apiServer" | "discoveryIntervalMs" | "dialTimeoutMs" | "filter"
> = {
  reflector: {
    ...defaultReflectorSettings,
    requestTimeoutMs,
    watchSilenceMs,
    pageSize: 4,
    backoff: { ...retry, stableMs: 2_000 },
    syncIntervalMs,
    minSyncIntervalMs: 1_000,
    maxSyncIntervalMs: 20_000,
    rewatchIntervalMs: 20_000,
  },
  session: { syncIntervalMs, minFlushIntervalMs: 100, maxFlushIntervalMs: 1_000 },
  reconnect: { ...retry, stableMs: 4_000 },
  apiServer: {
    probeIntervalMs: thresholds.probeIntervalMs,
    probeTimeoutMs: thresholds.probeTimeoutMs,
    degradedLimitCount: thresholds.degradedLimitCount,
    isPolled: true,
    retry,
  },
  discoveryIntervalMs: 8_000,
  dialTimeoutMs: 3_000,
  filter: {},
};
