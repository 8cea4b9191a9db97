// SPDX-License-Identifier: Apache-2.0
import { assert } from "../../base/assert.ts";
import { FlotillaError } from "../../base/error.ts";
import { isCanonicalResourceId, type ResourceId, resourceIdText } from "../gvr.ts";
import { ByteWriter } from "../rows/byte-writer.ts";
import type { Hasher } from "../rows/hasher.ts";
import type { ColumnSpec, Row, RowDelete } from "../rows/row.ts";
import { formatVersion, magic, maxBatchBytes, maxColumnCount, maxRowCount } from "./format.ts";
import { collectDeletes, compareNamed, RowCollector } from "./row-collector.ts";
import { toIds, type WriteStep } from "./step.ts";
import { StringInterner } from "./string-interner.ts";

/** The content of one batch: the changes of one resource of one cluster (CO27). */
export interface RowBatchContent {
  readonly resource: ResourceId;
  /** The kind's name in Kubernetes: `Pod`. */
  readonly kind: string;
  /** The kind's columns, in any order. Every column with a value in a row must be declared. */
  readonly columns: readonly ColumnSpec[];
  /** Sealed rows in any order, each key at most once. */
  readonly rows: readonly Row[];
  /** In any order, each key at most once; applied before the rows. */
  readonly deletes: readonly RowDelete[];
}

/** The same content with rows in key order, each produced on demand. */
export interface RowBatchStream extends Omit<RowBatchContent, "rows"> {
  readonly rows: Iterable<Row> & { readonly length: number };
}

/** Sorts by key unless already sorted, as rows from a list are. */
function inKeyOrder<Keyed extends RowDelete>(all: readonly Keyed[]): readonly Keyed[] {
  for (let at = 1; at < all.length; at += 1) {
    const [before, keyed] = [all[at - 1], all[at]];
    if (before !== undefined && keyed !== undefined && compareNamed(before, keyed) > 0)
      return all.toSorted(compareNamed);
  }
  return all;
}

function checkLimits(content: RowBatchStream): void {
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

/**
 * Encodes one batch (CO36). Equal content gives equal bytes, in any input order. Throws TOO_LARGE over the limits of
 * CO32: the caller splits its rows into several batches. A repeated key, an undeclared column or a non-canonical
 * resource is a bug.
 */
export function encodeRowBatch(content: RowBatchContent, hasher: Hasher): Uint8Array<ArrayBuffer> {
  return encodeRowStream({ ...content, rows: inKeyOrder(content.rows) }, hasher);
}

/** `encodeRowBatch` for rows in key order, of which it holds one at a time. Rows in another order are a bug. */
export function encodeRowStream(content: RowBatchStream, hasher: Hasher): Uint8Array<ArrayBuffer> {
  const { resource, kind, columns, rows, deletes } = content;
  assert(isCanonicalResourceId(resource), "a row batch is of a canonical resource");
  checkLimits(content);
  const strings = new StringInterner();
  const collected = new RowCollector(columns, strings, rows.length);
  for (const row of rows) collected.add(row);
  assert(collected.rowCount === rows.length, "there are as many rows as were announced");
  const names = [resource.group, resource.resource, kind].map((text) => strings.number(text));
  const writeNames: WriteStep = (writer, idOf) => {
    for (const id of toIds(names, idOf)) writer.varint(id);
  };
  const bytes = writeBatch(
    [writeNames, ...collected.steps(), ...collectDeletes(inKeyOrder(deletes), strings)],
    strings,
    hasher,
  );
  if (bytes.length > maxBatchBytes)
    throw new FlotillaError(
      "TOO_LARGE",
      `a row batch of ${resourceIdText(resource)} has ${bytes.length} bytes, the most is ${maxBatchBytes}`,
    );
  return bytes;
}

/** The texts come first, and can be written only after everything is collected. */
function writeBatch(steps: readonly WriteStep[], strings: StringInterner, hasher: Hasher): Uint8Array<ArrayBuffer> {
  const writer = new ByteWriter(65_536);
  for (const byte of magic) writer.u8(byte);
  writer.u8(formatVersion);
  const idOf = strings.write(writer);
  for (const step of steps) step(writer, idOf);
  writer.u64(hasher.hash64(writer.view()));
  return writer.take();
}
