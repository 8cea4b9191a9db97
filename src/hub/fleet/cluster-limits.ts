// SPDX-License-Identifier: Apache-2.0
// How much one cluster may have at the hub: an agent decides what it sends, so the hub decides what it keeps (L14).

/** How much a cluster has, or may have. */
export interface ClusterSize {
  readonly rowCount: number;
  /** Kinds that have or had rows since the hub's start. */
  readonly kindCount: number;
  /** Memory that the rows take, with the indexes over them. */
  readonly bytes: number;
}

/**
 * The defaults of `--max-cluster-rows`, `--max-cluster-kinds` and `--max-cluster-size`. The largest clusters that Kubernetes supports have 150,000 Pods
 * and some 500,000 objects of the kinds that are followed; clusters with a thousand CRDs exist; a row takes about 500 bytes, and 2 KiB leave room.
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
 * Why a cluster may not grow to this size, with what to do; undefined where it may. What stays over a limit without growing may be: a limit that was
 * lowered keeps nobody from changing or removing objects.
 */
export function faultOfGrowth(before: ClusterSize, after: ClusterSize, limits: ClusterSize): string | undefined {
  for (const [measure, what, option] of measures)
    if (after[measure] > limits[measure] && after[measure] > before[measure])
      return `the cluster would have ${after[measure]} ${what}, the most is ${limits[measure]}; collect less, or raise ${option} of the hub`;
  return undefined;
}
