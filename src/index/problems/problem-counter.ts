// SPDX-License-Identifier: Apache-2.0
import { assert } from "../../base/assert.ts";
import { statuses } from "../../model/status.ts";
import { comparePlaces, type PlacedRow, placeId, type VisibleCluster } from "../relations/visible-cluster.ts";
import { earlier, type Problem, problemSampleCount, sumKinds } from "./problem.ts";
import type { ProblemGroup } from "./problem-group.ts";

/** Counts the groups of one cluster that have one signature. */
export class ProblemCounter {
  readonly #cluster: VisibleCluster;
  readonly #kinds = new Map<string, { readonly resource: string; readonly kind: string; count: number }>();
  readonly #namespaces = new Set<number>();
  readonly #rootPlaces = new Set<number>();
  /** The first ones in key order. */
  readonly #roots: PlacedRow[] = [];
  readonly #objects: PlacedRow[] = [];
  #first: ProblemGroup | undefined;
  #rank = statuses.length - 1;
  #objectCount = 0;
  #sinceMs: number | undefined;

  constructor(cluster: VisibleCluster) {
    this.#cluster = cluster;
  }

  add(group: ProblemGroup): void {
    const { root, signatureRow, members } = group;
    if (this.#first === undefined || comparePlaces(signatureRow, this.#first.signatureRow) < 0) this.#first = group;
    // Groups that a Node explains have one root.
    if (!this.#rootPlaces.has(placeId(root))) sample(this.#roots, root);
    this.#rootPlaces.add(placeId(root));
    for (const placed of members) this.#addMember(placed);
  }

  problem(): Problem {
    assert(this.#first !== undefined, "a problem without a group");
    const { id, signature, signatureRow } = this.#first;
    return {
      ...signature,
      id,
      sampleMessage: signatureRow.table.messageOf(signatureRow.row),
      status: statuses[this.#rank] ?? "unknown",
      kindCounts: sumKinds([...this.#kinds.values()]),
      objectCount: this.#objectCount,
      clusterCount: 1,
      namespaceCount: this.#namespaces.size,
      sinceMs: this.#sinceMs,
      rootCount: this.#rootPlaces.size,
      roots: this.#roots.map((placed) => this.#cluster.keyOf(placed)),
      objects: this.#objects.map((placed) => this.#cluster.keyOf(placed)),
    };
  }

  #addMember(placed: PlacedRow): void {
    const { table, row } = placed;
    const { resource, kind } = table;
    this.#objectCount += 1;
    this.#rank = Math.min(this.#rank, table.statusRankOf(row));
    if (table.namespaceNumberOf(row) !== 0) this.#namespaces.add(table.namespaceNumberOf(row));
    const counted = this.#kinds.get(resource);
    if (counted === undefined) this.#kinds.set(resource, { resource, kind, count: 1 });
    else counted.count += 1;
    this.#sinceMs = earlier(this.#sinceMs, table.troubledSinceMs(row));
    sample(this.#objects, placed);
  }
}

/** Keeps the rows with the least keys, in order. */
function sample(kept: PlacedRow[], placed: PlacedRow): void {
  const last = kept.at(-1);
  if (kept.length === problemSampleCount && last !== undefined && comparePlaces(last, placed) < 0) return;
  const at = kept.findIndex((each) => comparePlaces(placed, each) < 0);
  kept.splice(at === -1 ? kept.length : at, 0, placed);
  kept.length = Math.min(kept.length, problemSampleCount);
}
