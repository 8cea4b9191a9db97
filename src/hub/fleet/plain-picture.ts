// SPDX-License-Identifier: Apache-2.0
import { type Digest, emptyDigest } from "../../model/digest.ts";
import { parseResourceId } from "../../model/gvr.ts";
import type { Hasher } from "../../model/hasher.ts";
import type { Row } from "../../model/row.ts";
import { decodeRowBatch } from "../../model/row-batch/decode.ts";
import { encodeRowBatch } from "../../model/row-batch/encode.ts";
import { KindRows } from "./kind-rows.ts";
import type {
  AppliedFlush,
  ChangeKind,
  FoldRequest,
  KindSnapshot,
  KindSummary,
  Picture,
  PicturePart,
  RowChange,
} from "./picture.ts";
import { type KeyPlace, uidOf } from "./row-segment.ts";

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** Texts are made here and not by the batch, which would keep them as long as its rows. */
function toChange(kind: ChangeKind, resource: string, place: KeyPlace): RowChange {
  const { strings, keys, at } = place;
  const namespace = decoder.decode(strings.bytesOf(keys.namespaceIds[at] ?? 0));
  const name = decoder.decode(strings.bytesOf(keys.nameIds[at] ?? 0));
  return { kind, resource, namespace, name, uid: uidOf(place) };
}

interface HeldKind {
  readonly rows: KindRows;
  receivedAtMs: number;
  position: number;
}

interface HeldCluster {
  readonly kinds: Map<string, HeldKind>;
  applied: AppliedFlush | undefined;
  isRbacComplete: boolean;
}

/**
 * The picture in memory, a batch of columns at a time: some 500 bytes of a pod with its labels and five columns, all told. A change of
 * one cluster touches that cluster's kinds and nothing else.
 */
export class PlainPicture implements Picture {
  readonly #hasher: Hasher;
  readonly #clusters = new Map<string, HeldCluster>();

  constructor(hasher: Hasher) {
    this.#hasher = hasher;
  }

  wouldChange(cluster: string, part: PicturePart): boolean {
    const held = this.#clusters.get(cluster)?.kinds.get(part.resource);
    if (held === undefined) return part.batch.rowCount > 0;
    return held.rows.wouldChange(part);
  }

  fold({ cluster, parts, position, receivedAtMs }: FoldRequest): readonly RowChange[] {
    const changes: RowChange[] = [];
    for (const part of parts) {
      const held = this.#openKind(cluster, part.resource);
      held.rows.apply(part, (kind, place) => changes.push(toChange(kind, part.resource, place)));
      held.receivedAtMs = Math.max(held.receivedAtMs, receivedAtMs);
      held.position = Math.max(held.position, position);
    }
    return changes;
  }

  applied(cluster: string): AppliedFlush | undefined {
    return this.#clusters.get(cluster)?.applied;
  }

  setApplied(cluster: string, applied: AppliedFlush): void {
    this.#openCluster(cluster).applied = applied;
  }

  kindDigest(cluster: string, resource: string): Digest {
    return this.#clusters.get(cluster)?.kinds.get(resource)?.rows.digest ?? emptyDigest;
  }

  bucketDigests(cluster: string, resource: string): readonly Digest[] {
    return this.#clusters.get(cluster)?.kinds.get(resource)?.rows.bucketDigests() ?? [];
  }

  rowCount(cluster: string): number {
    let count = 0;
    for (const { rows } of this.#clusters.get(cluster)?.kinds.values() ?? []) count += rows.digest.rowCount;
    return count;
  }

  getRow(
    cluster: string,
    resource: string,
    key: { readonly namespace: string; readonly name: string },
  ): Row | undefined {
    const held = this.#clusters.get(cluster)?.kinds.get(resource);
    return held?.rows.get(this.#placeOf(resource, key));
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

  kinds(cluster?: string): readonly KindSummary[] {
    const wanted = cluster === undefined ? [...this.#clusters.keys()] : [cluster];
    return wanted.flatMap((id) =>
      Array.from(this.#clusters.get(id)?.kinds ?? [], ([resource, { rows, receivedAtMs, position }]) => {
        return { cluster: id, resource, rowCount: rows.digest.rowCount, receivedAtMs, position };
      }),
    );
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
    const held = this.#clusters.get(cluster) ?? { kinds: new Map(), applied: undefined, isRbacComplete: false };
    this.#clusters.set(cluster, held);
    return held;
  }

  #openKind(cluster: string, resource: string): HeldKind {
    const { kinds } = this.#openCluster(cluster);
    const held = kinds.get(resource) ?? { rows: new KindRows(this.#hasher), receivedAtMs: 0, position: 0 };
    kinds.set(resource, held);
    return held;
  }

  /** A key as a place in a batch of its own, which is what rows are found by. */
  #placeOf(resource: string, key: { readonly namespace: string; readonly name: string }): KeyPlace {
    const content = {
      resource: parseResourceId(resource),
      kind: "",
      columns: [],
      rows: [],
      deletes: [{ ...key, uid: "" }],
    };
    const { parts } = decodeRowBatch(encodeRowBatch(content, this.#hasher), this.#hasher);
    return { strings: parts.strings, keys: parts.deletes, at: 0 };
  }
}
