// SPDX-License-Identifier: Apache-2.0
import type { PartialVisibility, Visibility } from "../../rbac/visibility.ts";
import type { ClusterTexts } from "../table/cluster-texts.ts";
import { type CellMask, everyStatus } from "./cell-mask.ts";

/** Most masks that are kept per cluster: teams that ask at the same time. A mask has one byte per namespace. */
const maxKeptMasks = 32;

interface KeptMask {
  readonly mask: Uint8Array;
  readonly version: number;
}

/** Masks by cluster and visibility, the newest last. Visibilities are immutable and shared by a team. */
const kept = new WeakMap<ClusterTexts, Map<PartialVisibility, KeptMask>>();

/** What is visible of a table, by namespaces alone; undefined if names decide too. */
export function visibleMask(cluster: ClusterTexts, visibility: Visibility): CellMask | undefined {
  if (visibility.kind !== "some") return visibility.kind === "all" ? everyStatus : 0;
  const { names, namesIn, namespaceObjects } = visibility;
  if (names.size + namesIn.size + namespaceObjects.size > 0) return undefined;
  const ofCluster = kept.get(cluster) ?? new Map<PartialVisibility, KeptMask>();
  kept.set(cluster, ofCluster);
  const known = ofCluster.get(visibility);
  // A namespace that came later may be a visible one.
  if (known?.version === cluster.namespaceVersion) return known.mask;
  const mask = createMask(cluster, visibility);
  ofCluster.delete(visibility);
  ofCluster.set(visibility, { mask, version: cluster.namespaceVersion });
  const [oldest] = ofCluster.keys();
  if (ofCluster.size > maxKeptMasks && oldest !== undefined) ofCluster.delete(oldest);
  return mask;
}

function createMask(cluster: ClusterTexts, { namespaces }: PartialVisibility): Uint8Array {
  const mask = new Uint8Array(cluster.namespaceCount);
  for (const namespace of namespaces) {
    const number = cluster.findNamespace(namespace);
    // Number 0 is that of cluster-scoped objects, which no grant in a namespace shows.
    if (number !== undefined && number !== 0) mask[number] = everyStatus;
  }
  return mask;
}
