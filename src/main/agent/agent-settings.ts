// SPDX-License-Identifier: Apache-2.0
import type { AgentOptions } from "../../agent/agent.ts";
import { createThresholds } from "../../health/thresholds.ts";
import { defaultReflectorSettings } from "../../kube/reflector/reflector-options.ts";
import type { ConfigOf } from "../config/option-table.ts";

/** The configuration of `flotilla agent`. */
export type AgentConfig = ConfigOf<"agent">;

/** Minimum interval between lists, unless the sync interval itself is shorter: each list reads a whole kind. */
const minListIntervalMs = 5_000;

/** Flushes are at most 1 s apart under load; each then contains more changes. */
const busyFlushIntervalMs = 1_000;

type Settings = Pick<
  AgentOptions,
  "reflector" | "session" | "reconnect" | "apiServer" | "discoveryIntervalMs" | "dialTimeoutMs" | "filter"
>;

/** Converts the configuration to the settings of the agent's parts. */
export function toAgentSettings(config: AgentConfig): Settings {
  const factor = config.backoffFactor;
  const retry = { firstMs: config.retryFirstMs, factor, capMs: config.retryCapMs };
  const { probeIntervalMs, probeTimeoutMs, degradedLimitCount } = createThresholds({
    probeIntervalMs: config.healthIntervalMs,
    probeTimeoutMs: config.healthTimeoutMs,
  });
  const floorMs = Math.max(config.minSyncIntervalMs, Math.min(minListIntervalMs, config.syncIntervalMs));
  return {
    reflector: {
      ...defaultReflectorSettings,
      requestTimeoutMs: config.requestTimeoutMs,
      pageSize: config.pageSize,
      watchSilenceMs: config.watchSilenceMs,
      retryLimit: config.retryLimit,
      backoff: { ...retry, stableMs: defaultReflectorSettings.backoff.stableMs },
      syncIntervalMs: config.syncIntervalMs,
      minSyncIntervalMs: floorMs,
      maxSyncIntervalMs: config.maxSyncIntervalMs,
      maxObjectBytes: config.maxObjectSizeBytes,
      relistIntervalMs: config.relistIntervalMs === 0 ? undefined : config.relistIntervalMs,
    },
    session: {
      syncIntervalMs: config.syncIntervalMs,
      minFlushIntervalMs: config.minSyncIntervalMs,
      maxFlushIntervalMs: Math.max(config.minSyncIntervalMs, busyFlushIntervalMs),
    },
    reconnect: {
      firstMs: config.reconnectFirstMs,
      factor,
      capMs: config.reconnectCapMs,
      stableMs: config.reconnectStableMs,
    },
    apiServer: { probeIntervalMs, probeTimeoutMs, degradedLimitCount, isPolled: config.healthPoll, retry },
    discoveryIntervalMs: config.discoveryIntervalMs,
    dialTimeoutMs: config.connectTimeoutMs,
    filter: {
      ...(config.namespaces.length === 0 ? {} : { include: config.namespaces }),
      ...(config.excludeNamespaces.length === 0 ? {} : { exclude: config.excludeNamespaces }),
    },
  };
}
