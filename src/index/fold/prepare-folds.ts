// SPDX-License-Identifier: Apache-2.0
// Folds a flush into the tables of a cluster. A small flush is applied to the tables themselves, in one step. A large
// flush is applied, in steps, to forks of its tables, which then replace the tables in one step. Readers see all of a
// flush or nothing, and their waiting time does not depend on its size.
import { assert } from "../../base/assert.ts";
import type { RowBatchParts } from "../../model/row-batch/row-batch-parts.ts";
import { parseBucketCode } from "../../model/rows/bucket.ts";
import type { ClusterTexts } from "../table/cluster-texts.ts";
import { KindTable } from "../table/kind-table.ts";
import { ChangePacker } from "./change-packer.ts";
import type { ClusterSize } from "./cluster-size.ts";
import { DeltaRecorder } from "./delta-recorder.ts";
import type { FoldPart, FoldPlace, PreparedFold } from "./fold-part.ts";
import type { HeldCluster } from "./held-cluster.ts";
import { PackedChanges } from "./packed-changes.ts";
import type { DeltaSink } from "./table-delta.ts";

/** Copying this much of a table that a snapshot uses takes some 5 ms. A flush that copies more is applied to a fork. */
const maxCopiedBytes = 4 * 1024 * 1024;

function rowCountOf(parts: readonly FoldPart[]): number {
  return parts.reduce((sum, { batch }) => sum + batch.rowCount + batch.deleteCount, 0);
}

class DirectFold<Part extends FoldPart> implements PreparedFold<Part> {
  readonly changing: readonly Part[];
  readonly #cluster: HeldCluster;
  readonly #options: FoldOptions;

  /** A part that changes nothing by itself is included if an earlier part changes its kind. */
  constructor(cluster: HeldCluster, parts: readonly Part[], options: FoldOptions) {
    this.#cluster = cluster;
    this.#options = options;
    const changed = new Set<string>();
    this.changing = parts.filter((part) => {
      if (!changed.has(part.resource) && !wouldChange(cluster, part)) return false;
      changed.add(part.resource);
      return true;
    });
  }

  get commitRowCount(): number {
    return rowCountOf(this.changing);
  }

  /** An upper bound: counts every row and text as new and none as removed. */
  get sizeAfter(): ClusterSize {
    return boundSize(this.#cluster, this.changing);
  }

  steps(): Iterable<void> {
    return [];
  }

  commit(place: FoldPlace): PackedChanges {
    const { onCommit, deltas } = this.#options;
    if (this.changing.length > 0) onCommit();
    const recorder = deltas?.wantsDeltas === true ? new DeltaRecorder() : undefined;
    const packers = this.changing.map((part) => {
      const packer = new ChangePacker(part.resource);
      const table = this.#cluster.open(part.resource);
      recorder?.note(part, table);
      table.apply(part, packer);
      this.#cluster.moveTo(part.resource, place);
      return packer.close();
    });
    this.#cluster.texts.commit();
    for (const delta of recorder?.close() ?? []) deltas?.noteDelta(delta);
    return new PackedChanges(packers);
  }
}

class ForkedFold<Part extends FoldPart> implements PreparedFold<Part> {
  readonly changing: Part[] = [];
  readonly commitRowCount = 0;
  readonly #cluster: HeldCluster;
  readonly #parts: readonly Part[];
  readonly #forks = new Map<string, KindTable>();
  readonly #packers: ChangePacker[] = [];
  readonly #texts: ClusterTexts;
  readonly #onCommit: () => void;

  constructor(cluster: HeldCluster, parts: readonly Part[], onCommit: () => void) {
    this.#cluster = cluster;
    this.#texts = cluster.texts;
    this.#parts = parts;
    this.#onCommit = onCommit;
  }

  *steps(): Generator<void, void, undefined> {
    yield; // the turn that is on was the decoder's
    for (const part of this.#parts) {
      const { resource } = part;
      const fork = this.#forks.get(resource) ?? (yield* this.#fork(part));
      this.#forks.set(resource, fork);
      const packer = new ChangePacker(resource);
      yield* fork.applyInSteps(part, packer);
      if (packer.length === 0) continue;
      this.changing.push(part);
      this.#packers.push(packer);
    }
  }

  get sizeAfter(): ClusterSize {
    let { rowCount, kindCount, bytes } = this.#cluster.size();
    for (const resource of new Set(this.changing.map((part) => part.resource))) {
      const before = this.#cluster.tables.get(resource);
      const after = this.#forks.get(resource);
      rowCount += (after?.count ?? 0) - (before?.count ?? 0);
      bytes += (after?.sizeBytes ?? 0) - (before?.sizeBytes ?? 0);
      if (before === undefined) kindCount += 1;
    }
    return { rowCount, kindCount, bytes };
  }

  commit(place: FoldPlace): PackedChanges {
    assert(this.#texts === this.#cluster.texts, "a cluster is not compacted while a flush is folded");
    if (this.changing.length > 0) this.#onCommit();
    for (const { resource } of this.changing) {
      const fork = this.#forks.get(resource);
      if (fork !== undefined) this.#cluster.tables.set(resource, fork);
      this.#cluster.moveTo(resource, place);
    }
    this.#cluster.texts.commit();
    return new PackedChanges(this.#packers.map((packer) => packer.close()));
  }

  /** Rows of a kind that is sent again replace its rows, so room for all of them is not needed. */
  *#fork({ resource, batch }: Part): Generator<void, KindTable, undefined> {
    const table = this.#cluster.tables.get(resource);
    if (table === undefined) return new KindTable(this.#cluster.texts);
    return yield* table.forkInSteps(Math.max(0, batch.rowCount - table.count));
  }
}

function wouldChange({ tables }: HeldCluster, part: FoldPart): boolean {
  return tables.get(part.resource)?.wouldChange(part) ?? part.batch.rowCount > 0;
}

function boundSize(cluster: HeldCluster, parts: readonly FoldPart[]): ClusterSize {
  const { texts, tables } = cluster;
  let { rowCount, kindCount, bytes } = cluster.size();
  const batches = parts.map(({ batch }) => batch.parts);
  const sumOf = (count: (parts: RowBatchParts) => number): number =>
    batches.reduce((sum, each) => sum + count(each), 0);
  const more = {
    textCount: sumOf(({ strings }) => strings.count),
    textBytes: sumOf(({ strings }) => strings.bytes.length),
    groupCount: sumOf(({ maps, lists, owners }) => maps.offsets.length + lists.offsets.length + owners.nameIds.length),
    idCount: sumOf(({ maps, lists, owners }) => maps.ids.length * 2 + lists.ids.length + owners.nameIds.length * 7),
  };
  const idCount = texts.idCount + more.textCount + more.groupCount;
  bytes += texts.boundBytes(more) - texts.sizeBytes;
  for (const resource of new Set(parts.map((part) => part.resource))) {
    const table = tables.get(resource) ?? new KindTable(texts);
    const own = parts.filter((part) => part.resource === resource).map(({ batch }) => batch.parts);
    const moreCount = own.reduce((sum, { fields }) => sum + fields.count, 0);
    const names = new Set(own.flatMap(({ columns }) => columns.map(({ type, name }) => `${type} ${name}`)));
    for (const { type, name } of table.columns()) names.delete(`${type} ${name}`);
    rowCount += moreCount;
    bytes += table.boundBytes(moreCount, names.size, idCount) - (tables.has(resource) ? table.sizeBytes : 0);
    if (!tables.has(resource)) kindCount += 1;
  }
  return { rowCount, kindCount, bytes };
}

/** The rows that a replaced bucket has on average: it may lose all of them. */
function replacedRowCount({ tables }: HeldCluster, { resource, form }: FoldPart): number {
  if (form.kind === "delta") return 0;
  const { bucketCount = 1 } = parseBucketCode(form.bucket) ?? {};
  return 1 + Math.ceil((tables.get(resource)?.count ?? 0) / bucketCount);
}

export interface FoldOptions {
  /** The largest flush that is applied directly, in rows, deletes and replaced rows: a fork would cost more. */
  readonly directRowCount: number;
  /** Called before the first change of a commit. Not called if nothing changes. */
  readonly onCommit: () => void;
  /** Gets the deltas of flushes that are applied directly. */
  readonly deltas: DeltaSink | undefined;
}

/** Prepares a fold. */
export function prepareFold<Part extends FoldPart>(
  cluster: HeldCluster,
  parts: readonly Part[],
  options: FoldOptions,
): PreparedFold<Part> {
  const replacedCount = parts.reduce((sum, part) => sum + replacedRowCount(cluster, part), 0);
  let copiedBytes = 0;
  for (const resource of new Set(parts.map((part) => part.resource)))
    copiedBytes += cluster.tables.get(resource)?.sharedBytes ?? 0;
  const isLarge = rowCountOf(parts) + replacedCount > options.directRowCount || copiedBytes > maxCopiedBytes;
  return isLarge ? new ForkedFold(cluster, parts, options.onCommit) : new DirectFold(cluster, parts, options);
}
