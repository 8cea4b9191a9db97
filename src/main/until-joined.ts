// SPDX-License-Identifier: Apache-2.0
import type { Clock } from "../base/clock.ts";
import type { ClusterHealth } from "../hub/health/cluster-health.ts";
import { parseClusterId } from "../model/cluster-id.ts";

/** An agent joins within two seconds of its start; fifty that start at once on two cores take longer, and are then shown as they come. */
const longestWaitMs = 20_000;

/** Resolves when the hub knows all these clusters, so that whoever is told `ready` finds them in the list; after a while, or when the signal aborts, also without some. */
export async function untilJoined(
  health: ClusterHealth,
  ids: readonly string[],
  { clock, onProgress }: { readonly clock: Clock; readonly onProgress: (text: string) => void },
  signal: AbortSignal,
): Promise<void> {
  const clusters = ids.map(parseClusterId);
  const changes = health.subscribe();
  const endMs = clock.nowMs() + longestWaitMs;
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
