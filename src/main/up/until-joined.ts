// SPDX-License-Identifier: Apache-2.0
import type { Clock } from "../../base/time/clock.ts";
import type { ClusterHealth } from "../../hub/health/cluster-health.ts";
import { parseClusterId } from "../../model/cluster-id.ts";

/**
 * 20 s: an agent joins within two seconds of its start. Fifty that start together on two cores may take longer; they
 * are then listed as they join.
 */
const maxWaitMs = 20_000;

/**
 * Resolves when the hub knows all these clusters, so that they are in the list when `ready` is printed. Also resolves
 * after `maxWaitMs`, or when the signal aborts.
 */
export async function untilJoined(
  health: ClusterHealth,
  ids: readonly string[],
  { clock, onProgress }: { readonly clock: Clock; readonly onProgress: (text: string) => void },
  signal: AbortSignal,
): Promise<void> {
  const clusters = ids.map(parseClusterId);
  const changes = health.subscribe();
  const endMs = clock.nowMs() + maxWaitMs;
  try {
    while (!signal.aborted) {
      const joinedCount = clusters.filter((cluster) => health.get(cluster) !== undefined).length;
      const leftMs = endMs - clock.nowMs();
      if (joinedCount === clusters.length || leftMs <= 0) return;
      onProgress(`${joinedCount} of ${clusters.length} clusters connected`);
      await changes.take(leftMs, signal);
    }
  } finally {
    changes.close();
  }
}
