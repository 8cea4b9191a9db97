// SPDX-License-Identifier: Apache-2.0
import type { Rejection } from "../../session/hub/session-rejections.ts";

/**
 * The limit on concurrent sessions of one cluster: its collector, and more delivering shards than any cluster runs. The
 * agent chooses its shard, so a limit is needed.
 */
const maxSessionsOfCluster = 16;

/** The delay before an agent retries when its cluster has reached the limit. */
const excessRetryMs = 60_000;

/** Returns the rejection if the cluster has reached its session limit (RP47), otherwise undefined. */
export function checkSessionCount(
  cluster: string,
  liveSessions: readonly { readonly cluster: string }[],
): Rejection | undefined {
  const count = liveSessions.filter((session) => session.cluster === cluster).length;
  if (count < maxSessionsOfCluster) return undefined;
  const detail = `${cluster} already has ${count} sessions, the limit for one cluster`;
  return { reason: "OVERLOADED", retryAfterMs: excessRetryMs, detail };
}
