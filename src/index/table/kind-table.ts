// SPDX-License-Identifier: Apache-2.0

import type { BatchColumn } from "../../model/row-batch/column.ts";
import { absentBoolean, absentId } from "../../model/row-batch/format.ts";
import type { RowBatchParts } from "../../model/row-batch/row-batch-parts.ts";
import { uidAt } from "../../model/row-batch/uid-column.ts";
import { bucketHash, sessionBucketCount } from "../../model/rows/bucket.ts";
import { BucketDigests, type Digest } from "../../model/rows/digest.ts";
import { type ColumnType, type RowHash, toRowHash } from "../../model/rows/row.ts";
import { uuidBytes, uuidText } from "../../model/rows/uuid.ts";
import { statuses } from "../../model/status.ts";
import { BatchMapping } from "./batch-mapping.ts";
import type { ClusterTexts } from "./cluster-texts.ts";
import { KeyIndex } from "./key-index.ts";
import { TableColumn } from "./table-column.ts";

/** The initial number of rows. Most kinds of most clusters have fewer. */
const firstCapacity = 16;

/** A kind's own column. Texts and lists are ids; the marks for absent are those of a batch. */
export type KindColumnValues =
  | { readonly type: "string" | "stringList"; readonly column: TableColumn<Uint32Array<ArrayBuffer>> }
  | { readonly type: "integer" | "float"; readonly column: TableColumn<Float64Array<ArrayBuffer>> }
  | { readonly type: "boolean"; readonly column: TableColumn<Uint8Array<ArrayBuffer>> };

/** What happened to a row, for `TableSink`. */
export type TableChange = "added" | "changed" | "removed";

/** Called for each change, before a removed row is overwritten. */
export type TableSink = (change: TableChange, row: number) => void;

/**
 * The rows of one (cluster, resource) in columns. Rows are dense and in no order: a removed row's place is taken by the
 * last one. There is no JavaScript value per row; texts are ids in the cluster's dictionaries.
 */
export class KindTable {
  readonly cluster: ClusterTexts;
  /** The kind's name in the newest rows; "" before the first row. */
  kind = "";
  #count = 0;
  #capacity = firstCapacity;
  #index = new KeyIndex();
  #sum = new BigUint64Array(1);
  #statusCounts = new Uint32Array(statuses.length);
  /** The rows in key order; undefined after a row was added or removed. */
  #order: Uint32Array | undefined;

  /** Numbers of namespaces. */
  namespaces = new TableColumn(Uint32Array, firstCapacity);
  names = new TableColumn(Uint32Array, firstCapacity);
  statuses = new TableColumn(Uint8Array, firstCapacity);
  reasons = new TableColumn(Uint32Array, firstCapacity);
  messages = new TableColumn(Uint32Array, firstCapacity);
  createdAts = new TableColumn(Float64Array, firstCapacity);
  labels = new TableColumn(Uint32Array, firstCapacity);
  annotations = new TableColumn(Uint32Array, firstCapacity);
  owners = new TableColumn(Uint32Array, firstCapacity);
  #hashLows = new TableColumn(Uint32Array, firstCapacity);
  #hashHighs = new TableColumn(Uint32Array, firstCapacity);
  #uuids = new TableColumn(Uint8Array, firstCapacity, uuidBytes);
  #resourceVersions = new TableColumn(Float64Array, firstCapacity);
  #generations = new TableColumn(Float64Array, firstCapacity);
  /** Rare values by row: uids and versions that are texts, times of deletion. */
  #uidTexts = new Map<number, number>();
  #versionTexts = new Map<number, number>();
  #deletedAts = new Map<number, number>();
  #columns = new Map<string, KindColumnValues>();

  constructor(cluster: ClusterTexts) {
    this.cluster = cluster;
  }

  get count(): number {
    return this.#count;
  }

  get digest(): Digest {
    return { rowCount: this.#count, sum: this.#sum[0] ?? 0n };
  }

  /** The number of rows with the status of this rank. */
  statusCount(rank: number): number {
    return this.#statusCounts[rank] ?? 0;
  }

  /** A kind's own column; undefined if no row ever had it with this type. */
  column(name: string, type: ColumnType): KindColumnValues | undefined {
    return this.#columns.get(`${type} ${name}`);
  }

  columns(): Iterable<readonly [name: string, values: KindColumnValues]> {
    return Array.from(this.#columns, ([key, values]) => [key.slice(key.indexOf(" ") + 1), values] as const);
  }

  get sizeBytes(): number {
    return this.#all().reduce((sum, { sizeBytes }) => sum + sizeBytes, this.#index.sizeBytes);
  }

  bucketDigests(): readonly Digest[] {
    const digests = new BucketDigests(sessionBucketCount);
    this.#index.forEach((row, bucket) => digests.add(bucket, this.rowHash(row)));
    return digests.list();
  }

  rowHash(row: number): RowHash {
    return toRowHash((BigInt(this.#hashHighs.values[row] ?? 0) << 32n) | BigInt(this.#hashLows.values[row] ?? 0));
  }

  /** The rows in the order of namespace and name, bytewise. Borrowed until the next fold. */
  order(): Uint32Array {
    if (this.#order !== undefined) return this.#order;
    const { texts, namespaces } = this.cluster;
    const [spaces, names] = [this.namespaces.values, this.names.values];
    const order = Uint32Array.from({ length: this.#count }, (_, row) => row);
    order.sort((a, b) => {
      const [left, right] = [spaces[a] ?? 0, spaces[b] ?? 0];
      if (left !== right) return texts.compare(namespaces[left] ?? 0, namespaces[right] ?? 0);
      return texts.compare(names[a] ?? 0, names[b] ?? 0);
    });
    this.#order = order;
    return order;
  }

  /**
   * Applies a batch: its deletes, then its rows. With a bucket it replaces the bucket: rows of the bucket that the batch
   * does not have are removed.
   */
  fold(parts: RowBatchParts, sink: TableSink, bucket?: number): void {
    const { fields } = parts;
    this.#applyDeletes(parts, sink);
    if (fields.count > 0) this.kind = parts.kind;
    const mapping = new BatchMapping(parts, this.cluster);
    const columns = parts.columns.map((column) => [column, this.#openColumn(column)] as const);
    const kept = new Set<number>();
    for (let at = 0; at < fields.count; at += 1) kept.add(this.#upsert(parts, at, mapping, columns, sink));
    if (bucket === undefined) return;
    const others = this.#index.inBucket(bucket).filter((row) => !kept.has(row));
    // Removing moves the last row, so the highest goes first: no row that is still to go is moved.
    for (const row of others.sort((a, b) => b - a)) this.#removeSlot(this.#slotOfRow(row), sink);
  }

  /** "" if the object has none. */
  uidOf(row: number): string {
    const text = this.#uidTexts.get(row);
    return text === undefined ? uuidText(this.#uuids.values, row * uuidBytes) : this.cluster.texts.get(text);
  }

  resourceVersionOf(row: number): string {
    const text = this.#versionTexts.get(row);
    return text === undefined ? String(this.#resourceVersions.values[row]) : this.cluster.texts.get(text);
  }

  generationOf(row: number): number {
    return this.#generations.values[row] ?? 0;
  }

  /** Undefined unless the object is being deleted. */
  deletedAtOf(row: number): number | undefined {
    return this.#deletedAts.get(row);
  }

  /** A delete names one object: a later object of the same key stays (L4). */
  #applyDeletes({ strings, deletes }: RowBatchParts, sink: TableSink): void {
    for (let at = 0; at < deletes.nameIds.length; at += 1) {
      const namespace = strings.bytesOf(deletes.namespaceIds[at] ?? 0);
      const slot = this.#slotOf(namespace, strings.bytesOf(deletes.nameIds[at] ?? 0));
      if (slot === -1) continue;
      const [wanted, held] = [uidAt(deletes.uids, at, strings), this.uidOf(this.#index.refAt(slot))];
      if (wanted === held || wanted === "" || held === "") this.#removeSlot(slot, sink);
    }
  }

  #upsert(
    parts: RowBatchParts,
    at: number,
    mapping: BatchMapping,
    columns: readonly (readonly [BatchColumn, KindColumnValues])[],
    sink: TableSink,
  ): number {
    const { strings, fields } = parts;
    const namespace = strings.bytesOf(fields.namespaceIds[at] ?? 0);
    const name = strings.bytesOf(fields.nameIds[at] ?? 0);
    const hash = bucketHash(namespace, name);
    const slot = this.#findSlot(hash, namespace, name);
    const low = fields.hashes.getUint32(at * 8, true);
    const high = fields.hashes.getUint32(at * 8 + 4, true);
    let row: number;
    if (slot === -1) {
      row = this.#append();
      this.#index.insert(hash, row);
      this.namespaces.values[row] = this.cluster.namespaceNumber(mapping.text(fields.namespaceIds[at] ?? 0));
      this.names.values[row] = mapping.text(fields.nameIds[at] ?? 0);
    } else {
      row = this.#index.refAt(slot);
      if (this.#hashLows.values[row] === low && this.#hashHighs.values[row] === high) return row;
      this.#sum[0] = (this.#sum[0] ?? 0n) - this.rowHash(row);
      this.#countStatus(row, -1);
    }
    this.#write(row, parts, at, mapping, columns);
    this.#hashLows.values[row] = low;
    this.#hashHighs.values[row] = high;
    this.#sum[0] = (this.#sum[0] ?? 0n) + this.rowHash(row);
    this.#countStatus(row, 1);
    sink(slot === -1 ? "added" : "changed", row);
    return row;
  }

  #write(
    row: number,
    { fields }: RowBatchParts,
    at: number,
    mapping: BatchMapping,
    columns: readonly (readonly [BatchColumn, KindColumnValues])[],
  ): void {
    this.statuses.values[row] = fields.statuses[at] ?? 0;
    this.reasons.values[row] = mapping.text(fields.reasonIds[at] ?? 0);
    this.messages.values[row] = mapping.text(fields.messageIds[at] ?? 0);
    this.createdAts.values[row] = fields.createdAts[at] ?? 0;
    this.labels.values[row] = mapping.map(fields.labelsIds[at] ?? 0);
    this.annotations.values[row] = mapping.map(fields.annotationsIds[at] ?? 0);
    this.owners.values[row] = mapping.owner(fields.ownerIds[at] ?? 0);
    this.#generations.values[row] = fields.generations[at] ?? 0;
    const { uids, resourceVersions } = fields;
    if (uids.form === "uuid")
      this.#uuids.values.set(uids.bytes.subarray(at * uuidBytes, (at + 1) * uuidBytes), row * uuidBytes);
    setRare(this.#uidTexts, row, uids.form === "text" ? mapping.text(uids.ids[at] ?? 0) : undefined);
    const isDecimal = resourceVersions.form === "decimal";
    this.#resourceVersions.values[row] = isDecimal ? (resourceVersions.numbers[at] ?? 0) : 0;
    setRare(this.#versionTexts, row, isDecimal ? undefined : mapping.text(resourceVersions.ids[at] ?? 0));
    const deletedAt = fields.deletedAts[at] ?? Number.NaN;
    setRare(this.#deletedAts, row, Number.isNaN(deletedAt) ? undefined : deletedAt);
    for (const own of this.#columns.values()) own.column.values[row] = absentOf(own);
    for (const [column, { column: own }] of columns) own.values[row] = valueAt(column, at, mapping);
  }

  #openColumn({ name, type }: BatchColumn): KindColumnValues {
    const key = `${type} ${name}`;
    const known = this.#columns.get(key);
    if (known !== undefined) return known;
    const opened = createColumn(type, this.#capacity);
    opened.column.values.fill(absentOf(opened));
    this.#columns.set(key, opened);
    return opened;
  }

  #append(): number {
    this.#order = undefined;
    if (this.#count === this.#capacity) {
      this.#capacity = Math.ceil(this.#capacity * 1.5);
      for (const column of this.#all()) column.resize(this.#capacity, this.#count);
    }
    this.#count += 1;
    return this.#count - 1;
  }

  /** Removes a row: the last row takes its place. */
  #removeSlot(slot: number, sink: TableSink): void {
    const row = this.#index.refAt(slot);
    this.#order = undefined;
    sink("removed", row);
    this.#sum[0] = (this.#sum[0] ?? 0n) - this.rowHash(row);
    this.#countStatus(row, -1);
    this.#index.removeAt(slot);
    this.#count -= 1;
    const last = this.#count;
    if (last !== row) {
      this.#index.setRef(this.#slotOfRow(last), row);
      for (const column of this.#all()) column.move(last, row);
    }
    for (const rare of [this.#uidTexts, this.#versionTexts, this.#deletedAts]) {
      setRare(rare, row, last === row ? undefined : rare.get(last));
      rare.delete(last);
    }
  }

  #countStatus(row: number, by: 1 | -1): void {
    const rank = this.statuses.values[row] ?? 0;
    this.#statusCounts[rank] = this.statusCount(rank) + by;
  }

  #slotOfRow(row: number): number {
    const { texts, namespaces } = this.cluster;
    return this.#slotOf(
      texts.bytesOf(namespaces[this.namespaces.values[row] ?? 0] ?? 0),
      texts.bytesOf(this.names.values[row] ?? 0),
    );
  }

  #slotOf(namespace: Uint8Array, name: Uint8Array): number {
    return this.#findSlot(bucketHash(namespace, name), namespace, name);
  }

  #findSlot(hash: number, namespace: Uint8Array, name: Uint8Array): number {
    const { texts, namespaces } = this.cluster;
    return this.#index.find(
      hash,
      (row) =>
        isSame(texts.bytesOf(this.names.values[row] ?? 0), name) &&
        isSame(texts.bytesOf(namespaces[this.namespaces.values[row] ?? 0] ?? 0), namespace),
    );
  }

  #all(): readonly Pick<TableColumn<Uint8Array<ArrayBuffer>>, "resize" | "move" | "sizeBytes">[] {
    return [
      this.namespaces,
      this.names,
      this.statuses,
      this.reasons,
      this.messages,
      this.createdAts,
      this.labels,
      this.annotations,
      this.owners,
      this.#hashLows,
      this.#hashHighs,
      this.#uuids,
      this.#resourceVersions,
      this.#generations,
      ...Array.from(this.#columns.values(), ({ column }) => column),
    ];
  }
}

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  for (let at = 0; at < a.length; at += 1) if (a[at] !== b[at]) return false;
  return true;
}

function setRare(rare: Map<number, number>, row: number, value: number | undefined): void {
  if (value !== undefined) rare.set(row, value);
  else if (rare.size > 0) rare.delete(row);
}

function createColumn(type: ColumnType, capacity: number): KindColumnValues {
  switch (type) {
    case "string":
    case "stringList":
      return { type, column: new TableColumn(Uint32Array, capacity) };
    case "integer":
    case "float":
      return { type, column: new TableColumn(Float64Array, capacity) };
    case "boolean":
      return { type, column: new TableColumn(Uint8Array, capacity) };
  }
}

function absentOf({ type }: KindColumnValues): number {
  if (type === "boolean") return absentBoolean;
  return type === "integer" || type === "float" ? Number.NaN : absentId;
}

function valueAt(column: BatchColumn, at: number, mapping: BatchMapping): number {
  if (column.type === "string") return mapping.optionalText(column.values[at] ?? absentId);
  if (column.type === "stringList") return mapping.list(column.values[at] ?? absentId);
  return column.values[at] ?? Number.NaN;
}
