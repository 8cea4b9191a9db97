// SPDX-License-Identifier: Apache-2.0
// Limits on the size of one cluster at the hub. An agent decides what it sends, so the hub limits what it keeps (L14).

/** The size of a cluster, or a limit on it. */
export interface ClusterSize {
  readonly rowCount: number;
  /** Kinds that have rows, or had rows since the hub started. */
  readonly kindCount: number;
  /** Memory of the rows, of their texts and of the indexes over them. */
  readonly bytes: number;
}

/**
 * The defaults of `--max-cluster-rows`, `--max-cluster-kinds` and `--max-cluster-size`. The largest clusters that
 * Kubernetes supports have 150,000 Pods and some 500,000 objects of the followed kinds. Clusters with a thousand CRDs
 * exist. A row takes about 200 bytes; 2 KiB leave room.
 */
export const defaultClusterLimits: ClusterSize = {
  rowCount: 1_000_000,
  kindCount: 2_000,
  bytes: 2 * 1024 * 1024 * 1024,
};

const measures = [
  ["rowCount", "rows", "--max-cluster-rows"],
  ["kindCount", "kinds", "--max-cluster-kinds"],
  ["bytes", "bytes in memory", "--max-cluster-size"],
] as const satisfies readonly (readonly [keyof ClusterSize, string, string])[];

/**
 * Returns why a cluster must not grow to this size and the remedy, or undefined if it may. A cluster over a limit may
 * change as long as that measure does not grow: after a limit is lowered, objects can still be changed and removed.
 */
export function faultOfGrowth(before: ClusterSize, after: ClusterSize, limits: ClusterSize): string | undefined {
  for (const [measure, what, option] of measures)
    if (after[measure] > limits[measure] && after[measure] > before[measure])
      return `the cluster would have ${after[measure]} ${what}, the most is ${limits[measure]}; collect less, or raise ${option} of the hub`;
  return undefined;
}
