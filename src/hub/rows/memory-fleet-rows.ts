// SPDX-License-Identifier: Apache-2.0

import { parseResourceId } from "../../model/gvr.ts";
import { type Digest, emptyDigest } from "../../model/rows/digest.ts";
import type { Hasher } from "../../model/rows/hasher.ts";
import type { Row } from "../../model/rows/row.ts";
import { type Status, statusRank } from "../../model/status.ts";
import type { ClusterSize } from "./cluster-limits.ts";
import type { KindPosition, KindSummary, StatusCounts, WorstRowsRequest } from "./fleet-reader.ts";
import type { FoldPart, FoldPlace, HeldKindFacts, KindSnapshot, PreparedFold } from "./fold-types.ts";
import { FoldedKind, stepRowCount } from "./folded-kind.ts";
import { type HeldKind, moveTo, prepareFold } from "./prepare-fold.ts";
import { placeOf } from "./row-segment.ts";

interface HeldCluster {
  readonly kinds: Map<string, HeldKind>;
  isRbacComplete: boolean;
}

/**
 * The fleet's rows in memory, stored as batches of columns: in total some 500 bytes for a pod with its labels and five
 * columns. A change of one cluster touches only that cluster's kinds.
 */
export class MemoryFleetRows {
  readonly #hasher: Hasher;
  readonly #directRowCount: number;
  readonly #clusters = new Map<string, HeldCluster>();

  /** `directRowCount`: the largest flush, in rows, that is applied without a fork. */
  constructor(hasher: Hasher, directRowCount = stepRowCount) {
    this.#hasher = hasher;
    this.#directRowCount = directRowCount;
  }

  prepare<Part extends FoldPart>(cluster: string, parts: readonly Part[], isExact = false): PreparedFold<Part> {
    const kinds = {
      size: () => this.size(cluster),
      get: (resource: string) => this.#clusters.get(cluster)?.kinds.get(resource),
      open: (resource: string) => this.#openKind(cluster, resource),
      createRows: () => new FoldedKind(this.#hasher),
    };
    return prepareFold(kinds, parts, isExact ? -1 : this.#directRowCount);
  }

  load(cluster: string, part: FoldPart, place: FoldPlace): void {
    const held = this.#openKind(cluster, part.resource);
    held.rows.apply(part, () => undefined);
    moveTo(held, place);
  }

  kindDigest(cluster: string, resource: string): Digest {
    return this.#clusters.get(cluster)?.kinds.get(resource)?.rows.digest ?? emptyDigest;
  }

  bucketDigests(cluster: string, resource: string): readonly Digest[] {
    return this.#clusters.get(cluster)?.kinds.get(resource)?.rows.bucketDigests() ?? [];
  }

  rowCount(cluster: string): number {
    let count = 0;
    for (const { rows } of this.#clusters.get(cluster)?.kinds.values() ?? []) count += rows.rowCount;
    return count;
  }

  size(cluster: string): ClusterSize {
    const { kinds } = this.#clusters.get(cluster) ?? {};
    let [rowCount, bytes] = [0, 0];
    for (const { rows } of kinds?.values() ?? []) {
      rowCount += rows.rowCount;
      bytes += rows.sizeBytes;
    }
    return { rowCount, kindCount: kinds?.size ?? 0, bytes };
  }

  getRow(
    cluster: string,
    resource: string,
    key: { readonly namespace: string; readonly name: string },
  ): Row | undefined {
    const held = this.#clusters.get(cluster)?.kinds.get(resource);
    return held?.rows.get(placeOf(key));
  }

  /** Maintained with every fold, so reading is cheap. All zero for an unknown cluster or kind. */
  statusCounts(cluster: string, resource: string): StatusCounts {
    return statusCountsOf(this.#clusters.get(cluster)?.kinds.get(resource)?.rows);
  }

  /** All kinds of a cluster, with the status of their rows. Reads no row. */
  summarizeKinds(cluster: string): readonly KindSummary[] {
    return Array.from(this.#clusters.get(cluster)?.kinds ?? [], ([resource, { rows, receivedAtMs, position }]) => ({
      resource,
      kind: rows.kind,
      rowCount: rows.rowCount,
      receivedAtMs,
      position,
      statusCounts: statusCountsOf(rows),
      troubledSinceMs: rows.troubles.oldestMs,
      isWhole: true,
    }));
  }

  /**
   * The worst rows first; rows of one status in key order. Reads a byte or two of each row and builds only the returned
   * rows.
   */
  worstRows(cluster: string, resource: string, request: WorstRowsRequest): readonly Row[] {
    return this.#clusters.get(cluster)?.kinds.get(resource)?.rows.worstRows(request) ?? [];
  }

  /**
   * The time since when an object is in trouble, by the hub's wall clock. Undefined if it is not, or if the time is
   * unknown (HE18).
   */
  troubledSinceMs(
    cluster: string,
    resource: string,
    key: { readonly namespace: string; readonly name: string },
  ): number | undefined {
    return this.#clusters.get(cluster)?.kinds.get(resource)?.rows.troubles.get(key);
  }

  snapshot(cluster: string, resource: string): KindSnapshot | undefined {
    const held = this.#clusters.get(cluster)?.kinds.get(resource);
    if (held === undefined) return undefined;
    const segments = held.rows.snapshot();
    return {
      resource: parseResourceId(resource),
      rowCount: held.rows.digest.rowCount,
      position: held.position,
      groups: segments,
      *rows() {
        for (const segment of segments) yield* segment.rows();
      },
    };
  }

  /** The position and digest of one kind. All zero for an unknown one. */
  kindFacts(cluster: string, resource: string): HeldKindFacts {
    const { rows, receivedAtMs, position } = this.#openKind(cluster, resource);
    return { resource, kind: rows.kind, rowCount: rows.rowCount, receivedAtMs, position, digest: rows.digest };
  }

  kinds(cluster: string): readonly KindPosition[] {
    return Array.from(this.#clusters.get(cluster)?.kinds ?? [], ([resource, { rows, receivedAtMs, position }]) => {
      return { resource, kind: rows.kind, rowCount: rows.rowCount, receivedAtMs, position };
    });
  }

  clusters(): readonly string[] {
    return [...this.#clusters.keys()];
  }

  isRbacComplete(cluster: string): boolean {
    return this.#clusters.get(cluster)?.isRbacComplete ?? false;
  }

  setRbacComplete(cluster: string, isComplete: boolean): void {
    if (isComplete || this.#clusters.has(cluster)) this.#openCluster(cluster).isRbacComplete = isComplete;
  }

  removeCluster(cluster: string): void {
    this.#clusters.delete(cluster);
  }

  #openCluster(cluster: string): HeldCluster {
    const held = this.#clusters.get(cluster) ?? { kinds: new Map(), isRbacComplete: false };
    this.#clusters.set(cluster, held);
    return held;
  }

  #openKind(cluster: string, resource: string): HeldKind {
    const { kinds } = this.#openCluster(cluster);
    const held = kinds.get(resource) ?? { rows: new FoldedKind(this.#hasher), receivedAtMs: 0, position: 0 };
    kinds.set(resource, held);
    return held;
  }
}

function statusCountsOf(rows: FoldedKind | undefined): StatusCounts {
  const countOf = (status: Status): number => rows?.statusCount(statusRank(status)) ?? 0;
  return {
    unhealthy: countOf("unhealthy"),
    degraded: countOf("degraded"),
    progressing: countOf("progressing"),
    terminating: countOf("terminating"),
    suspended: countOf("suspended"),
    unknown: countOf("unknown"),
    healthy: countOf("healthy"),
    completed: countOf("completed"),
  };
}
