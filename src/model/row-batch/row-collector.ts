// SPDX-License-Identifier: Apache-2.0
import { assert } from "../../base/assert.ts";
import { ByteWriter } from "../rows/byte-writer.ts";
import { toWellFormedMap, visitInKeyOrder } from "../rows/canonical-map.ts";
import type { ColumnSpec, Row, RowDelete } from "../rows/row.ts";
import { statusRank } from "../status.ts";
import { compareUtf8 } from "../text.ts";
import { ColumnCollector } from "./column.ts";
import { GroupInterner } from "./group-table.ts";
import { writeIds } from "./ids.ts";
import { writeInts } from "./ints.ts";
import { writePresence } from "./optional.ts";
import { OwnerInterner } from "./owner-table.ts";
import { toIds, type WriteStep } from "./step.ts";
import type { StringInterner } from "./string-interner.ts";
import { collectTokens } from "./token-column.ts";
import { collectUids } from "./uid-column.ts";

interface Named {
  readonly namespace: string;
  readonly name: string;
}

/** The order of keys in a batch. */
export function compareNamed(a: Named, b: Named): number {
  return compareUtf8(a.namespace, b.namespace) || compareUtf8(a.name, b.name);
}

/** Keys and uids, added in key order. */
class KeyCollector {
  readonly #strings: StringInterner;
  readonly #namespaces: Uint32Array;
  readonly #names: Uint32Array;
  readonly #uids: string[] = [];
  #last: Named | undefined;

  constructor(strings: StringInterner, count: number) {
    this.#strings = strings;
    this.#namespaces = new Uint32Array(count);
    this.#names = new Uint32Array(count);
  }

  get count(): number {
    return this.#uids.length;
  }

  add(key: RowDelete): void {
    assert(
      this.#last === undefined || compareNamed(this.#last, key) < 0,
      "a key comes once in a row batch, and keys come in order",
    );
    this.#last = key;
    this.#namespaces[this.count] = this.#strings.number(key.namespace);
    this.#names[this.count] = this.#strings.number(key.name);
    this.#uids.push(key.uid);
  }

  steps(): readonly WriteStep[] {
    const texts = (numbers: Uint32Array): WriteStep => {
      return (writer, idOf) => writeIds(writer, toIds(numbers, idOf));
    };
    return [texts(this.#namespaces), texts(this.#names), collectUids(this.#uids, this.#strings)];
  }
}

/** The maps of one field of all rows, numbered at first use. */
class MapCollector {
  readonly groups = new GroupInterner("map");
  readonly numbers: Uint32Array;
  readonly #strings: StringInterner;
  #last: ReadonlyMap<string, string> = new Map();
  #lastNumber = 0;

  constructor(strings: StringInterner, rowCount: number) {
    this.#strings = strings;
    this.numbers = new Uint32Array(rowCount);
  }

  set(at: number, map: ReadonlyMap<string, string>): void {
    // Adjacent rows of one Deployment share the map that they were read with.
    if (map !== this.#last) {
      this.#last = map;
      this.#lastNumber = this.#numberOf(map);
    }
    this.numbers[at] = this.#lastNumber;
  }

  #numberOf(map: ReadonlyMap<string, string>): number {
    const numbers: number[] = [];
    visitInKeyOrder(toWellFormedMap(map), (value, key) => {
      numbers.push(this.#strings.number(key), this.#strings.number(value));
    });
    return this.groups.number(numbers);
  }
}

/** Collects `rowCount` rows in key order, one by one. Keeps only numbers, and texts that are new. */
export class RowCollector {
  readonly #strings: StringInterner;
  readonly #keys: KeyCollector;
  readonly #hashes = new ByteWriter();
  readonly #tokens: string[] = [];
  readonly #generations: Float64Array;
  readonly #createdAts: Float64Array;
  /** NaN if absent. */
  readonly #deletedAts: Float64Array;
  readonly #statuses: Uint8Array;
  readonly #reasons: Uint32Array;
  readonly #messages: Uint32Array;
  readonly #labels: MapCollector;
  readonly #annotations: MapCollector;
  readonly #owners: OwnerInterner;
  readonly #ownerNumbers: Uint32Array;
  readonly #columns = new Map<string, ColumnCollector>();

  constructor(specs: readonly ColumnSpec[], strings: StringInterner, rowCount: number) {
    this.#strings = strings;
    this.#keys = new KeyCollector(strings, rowCount);
    this.#generations = new Float64Array(rowCount);
    this.#createdAts = new Float64Array(rowCount);
    this.#deletedAts = new Float64Array(rowCount).fill(Number.NaN);
    this.#statuses = new Uint8Array(rowCount);
    this.#reasons = new Uint32Array(rowCount);
    this.#messages = new Uint32Array(rowCount);
    this.#labels = new MapCollector(strings, rowCount);
    this.#annotations = new MapCollector(strings, rowCount);
    this.#owners = new OwnerInterner(strings);
    this.#ownerNumbers = new Uint32Array(rowCount);
    for (const spec of specs.toSorted((a, b) => compareUtf8(a.name, b.name)))
      this.#columns.set(spec.name, new ColumnCollector(spec, strings, rowCount));
    assert(this.#columns.size === specs.length, "a column is declared once");
  }

  /** The number of rows so far. */
  get rowCount(): number {
    return this.#keys.count;
  }

  /** A value without a declared column, or of another type than the column's, is a bug of the kind. */
  add(row: Row): void {
    const at = this.#keys.count;
    this.#keys.add(row);
    this.#hashes.u64(row.rowHash);
    this.#tokens.push(row.resourceVersion);
    this.#generations[at] = row.generation;
    this.#createdAts[at] = row.createdAt;
    if (row.deletedAt !== undefined) this.#deletedAts[at] = row.deletedAt;
    this.#statuses[at] = statusRank(row.status);
    this.#reasons[at] = this.#strings.number(row.reason);
    this.#messages[at] = this.#strings.number(row.message);
    this.#labels.set(at, row.labels);
    this.#annotations.set(at, row.annotations);
    this.#ownerNumbers[at] = this.#owners.number(row.owner);
    row.columns.forEach((value, name) => {
      const column = this.#columns.get(name);
      assert(column !== undefined, `column ${name} is not declared`);
      column.set(at, value);
    });
  }

  /**
   * The steps that write the tables of maps, lists and owners, then the rows: everything between the names and the
   * deletes. Call after all rows were added.
   */
  steps(): readonly WriteStep[] {
    const maps = this.#labels.groups;
    const annotationNumbers = this.#annotations.groups.moveTo(maps, this.#annotations.numbers);
    const lists = new GroupInterner("list");
    const columns = Array.from(this.#columns.values(), (column) => column.collect(lists));
    return [
      maps.collect(),
      lists.collect(),
      this.#owners.collect(),
      (writer) => {
        writer.varint(this.#keys.count);
        writer.bytes(this.#hashes.view());
      },
      ...this.#keys.steps(),
      collectTokens(this.#tokens, this.#strings),
      (writer) => writeInts(writer, this.#generations),
      (writer) => writeInts(writer, this.#createdAts),
      (writer) => writeInts(writer, writePresence(writer, this.#deletedAts)),
      (writer) => writeIds(writer, this.#statuses),
      (writer, idOf) => writeIds(writer, toIds(this.#reasons, idOf)),
      (writer, idOf) => writeIds(writer, toIds(this.#messages, idOf)),
      (writer) => writeIds(writer, this.#labels.numbers),
      (writer) => writeIds(writer, annotationNumbers),
      (writer) => writeIds(writer, this.#ownerNumbers),
      (writer) => writer.varint(columns.length),
      ...columns,
    ];
  }
}

/** The deletes of a batch, in key order. */
export function collectDeletes(deletes: readonly RowDelete[], strings: StringInterner): readonly WriteStep[] {
  const keys = new KeyCollector(strings, deletes.length);
  for (const each of deletes) keys.add(each);
  return [(writer) => writer.varint(deletes.length), ...keys.steps()];
}
