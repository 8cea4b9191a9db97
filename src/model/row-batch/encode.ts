// SPDX-License-Identifier: Apache-2.0
import { assert } from "../../base/assert.ts";
import { FlotillaError } from "../../base/error.ts";
import { ByteWriter } from "../byte-writer.ts";
import { toCanonicalMap } from "../canonical-map.ts";
import { isCanonicalResourceId, type ResourceId, resourceIdText } from "../gvr.ts";
import type { Hasher } from "../hasher.ts";
import type { ColumnSpec, ColumnValue, Row, RowDelete } from "../row.ts";
import { statusRank } from "../status.ts";
import { compareUtf8 } from "../text.ts";
import { collectColumn } from "./column.ts";
import { formatVersion, magic, maxBatchBytes, maxColumnCount, maxRowCount } from "./format.ts";
import { GroupInterner } from "./group-table.ts";
import { writeIds } from "./ids.ts";
import { writeInts } from "./ints.ts";
import { writePresence } from "./optional.ts";
import { OwnerInterner } from "./owner-table.ts";
import { type Step, toIds } from "./step.ts";
import { StringInterner } from "./string-interner.ts";
import { collectTokens } from "./token-column.ts";
import { collectUids } from "./uid-column.ts";

/** What goes into one batch: the changes of one resource of one cluster (CO27). */
export interface RowBatchContent {
  readonly resource: ResourceId;
  /** The kind's name as Kubernetes writes it: `Pod`. */
  readonly kind: string;
  /** The kind's columns, in any order; every column that a row has a value for. */
  readonly columns: readonly ColumnSpec[];
  /** Sealed rows in any order, a key at most once. */
  readonly rows: readonly Row[];
  /** In any order, a key at most once; applied before the rows. */
  readonly deletes: readonly RowDelete[];
}

interface Named {
  readonly namespace: string;
  readonly name: string;
}

function compareNamed(a: Named, b: Named): number {
  return compareUtf8(a.namespace, b.namespace) || compareUtf8(a.name, b.name);
}

function isInKeyOrder(all: readonly Named[]): boolean {
  for (let at = 1; at < all.length; at += 1) {
    const before = all[at - 1];
    const keyed = all[at];
    if (before !== undefined && keyed !== undefined && compareNamed(before, keyed) >= 0) return false;
  }
  return true;
}

/** In key order, each key once; what comes from a list is so already. */
function inKeyOrder<Keyed extends Named>(all: readonly Keyed[]): readonly Keyed[] {
  if (isInKeyOrder(all)) return all;
  const ordered = all.toSorted(compareNamed);
  assert(isInKeyOrder(ordered), "a key comes once in a row batch");
  return ordered;
}

function checkLimits(content: RowBatchContent): void {
  const counts: readonly (readonly [string, number, number])[] = [
    ["rows", content.rows.length, maxRowCount],
    ["deletes", content.deletes.length, maxRowCount],
    ["columns", content.columns.length, maxColumnCount],
  ];
  for (const [what, count, max] of counts)
    if (count > max)
      throw new FlotillaError(
        "TOO_LARGE",
        `a row batch of ${resourceIdText(content.resource)} has ${count} ${what}, the most is ${max}`,
      );
}

class BatchEncoder {
  readonly #strings = new StringInterner();
  readonly #maps = new GroupInterner("map");
  readonly #lists = new GroupInterner("list");
  readonly #owners = new OwnerInterner(this.#strings);
  /** What comes behind the tables, collected; it can be written only when the tables are complete. */
  readonly #steps: Step[] = [];

  #mapNumber(map: ReadonlyMap<string, string>): number {
    if (map.size === 0) return 0;
    const numbers: number[] = [];
    for (const [key, value] of toCanonicalMap(map))
      numbers.push(this.#strings.number(key), this.#strings.number(value));
    return this.#maps.number(numbers);
  }

  #addTexts(texts: readonly string[]): void {
    const numbers = texts.map((text) => this.#strings.number(text));
    this.#steps.push((writer, idOf) => writeIds(writer, toIds(numbers, idOf)));
  }

  #addEntries(numbers: readonly number[]): void {
    this.#steps.push((writer) => writeIds(writer, numbers));
  }

  #addInts(values: readonly number[]): void {
    this.#steps.push((writer) => writeInts(writer, values));
  }

  #addKeys(keyed: readonly (Named & { readonly uid: string })[]): void {
    this.#addTexts(keyed.map((row) => row.namespace));
    this.#addTexts(keyed.map((row) => row.name));
    this.#steps.push(
      collectUids(
        keyed.map((row) => row.uid),
        this.#strings,
      ),
    );
  }

  addRows(rows: readonly Row[]): void {
    this.#steps.push((writer) => {
      writer.varint(rows.length);
      for (const row of rows) writer.u64(row.rowHash);
    });
    this.#addKeys(rows);
    this.#steps.push(
      collectTokens(
        rows.map((row) => row.resourceVersion),
        this.#strings,
      ),
    );
    this.#addInts(rows.map((row) => row.generation));
    this.#addInts(rows.map((row) => row.createdAt));
    const deletedAts = rows.map((row) => row.deletedAt);
    this.#steps.push((writer) => writeInts(writer, writePresence(writer, deletedAts)));
    this.#addEntries(rows.map((row) => statusRank(row.status)));
    this.#addTexts(rows.map((row) => row.reason));
    this.#addTexts(rows.map((row) => row.message));
    this.#addEntries(rows.map((row) => this.#mapNumber(row.labels)));
    this.#addEntries(rows.map((row) => this.#mapNumber(row.annotations)));
    this.#addEntries(rows.map((row) => this.#owners.number(row.owner)));
  }

  addColumns(specs: readonly ColumnSpec[], rows: readonly Row[]): void {
    const ordered = specs.toSorted((a, b) => compareUtf8(a.name, b.name));
    const valuesOf = new Map<string, (ColumnValue | undefined)[]>();
    for (const { name } of ordered) valuesOf.set(name, Array.from<undefined>({ length: rows.length }));
    assert(valuesOf.size === specs.length, "a column is declared once");
    // One walk over each row's map: looking every column up in every row costs three times as much.
    for (const [at, row] of rows.entries())
      row.columns.forEach((value, name) => {
        const values = valuesOf.get(name);
        assert(values !== undefined, `column ${name} is not declared`);
        values[at] = value;
      });
    this.#steps.push((writer) => writer.varint(specs.length));
    const interners = { strings: this.#strings, lists: this.#lists };
    for (const spec of ordered) this.#steps.push(collectColumn(spec, valuesOf.get(spec.name) ?? [], interners));
  }

  addDeletes(deletes: readonly RowDelete[]): void {
    this.#steps.push((writer) => writer.varint(deletes.length));
    this.#addKeys(deletes);
  }

  finish(resource: ResourceId, kind: string, hasher: Hasher): Uint8Array<ArrayBuffer> {
    const names = [resource.group, resource.resource, kind].map((text) => this.#strings.number(text));
    const writeNames: Step = (writer, idOf) => {
      for (const id of toIds(names, idOf)) writer.varint(id);
    };
    const steps = [writeNames, this.#maps.collect(), this.#lists.collect(), this.#owners.collect(), ...this.#steps];
    const writer = new ByteWriter(65_536);
    for (const byte of magic) writer.u8(byte);
    writer.u8(formatVersion);
    const idOf = this.#strings.write(writer);
    for (const step of steps) step(writer, idOf);
    writer.u64(hasher.hash64(writer.view()));
    return writer.take();
  }
}

/**
 * The bytes of one batch (CO36). Equal content gives equal bytes, in whatever order it comes. Throws TOO_LARGE over the
 * limits of CO32: the caller cuts its rows into several batches. A repeated key, an undeclared column or a resource that is not canonical is a bug.
 */
export function encodeRowBatch(content: RowBatchContent, hasher: Hasher): Uint8Array<ArrayBuffer> {
  assert(isCanonicalResourceId(content.resource), "a row batch is of a canonical resource");
  checkLimits(content);
  const rows = inKeyOrder(content.rows);
  const encoder = new BatchEncoder();
  encoder.addRows(rows);
  encoder.addColumns(content.columns, rows);
  encoder.addDeletes(inKeyOrder(content.deletes));
  const bytes = encoder.finish(content.resource, content.kind, hasher);
  if (bytes.length > maxBatchBytes)
    throw new FlotillaError(
      "TOO_LARGE",
      `a row batch of ${resourceIdText(content.resource)} has ${bytes.length} bytes, the most is ${maxBatchBytes}`,
    );
  return bytes;
}
