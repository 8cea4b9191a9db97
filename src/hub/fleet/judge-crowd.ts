// SPDX-License-Identifier: Apache-2.0
import type { Rejection } from "../../session/hub/session-rejections.ts";

/** Sessions of one cluster at a time: its collector, and more delivering shards than any cluster runs. An agent chooses its shard, so there is a bound. */
const maxSessionsOfCluster = 16;

/** When an agent comes back whose cluster has as many sessions as it may. */
const crowdedRetryMs = 60_000;

/** Why the cluster may have no session under another claim; undefined where it may (RP47). */
export function judgeCrowd(
  cluster: string,
  liveSessions: readonly { readonly cluster: string }[],
): Rejection | undefined {
  const count = liveSessions.filter((session) => session.cluster === cluster).length;
  if (count < maxSessionsOfCluster) return undefined;
  const detail = `${cluster} has ${count} sessions of other shards, the most it may`;
  return { reason: "OVERLOADED", retryAfterMs: crowdedRetryMs, detail };
}
