// SPDX-License-Identifier: Apache-2.0
import type { ResourceId } from "../gvr.ts";
import { hashName, hashNamespace } from "../rows/bucket.ts";
import type { Hasher } from "../rows/hasher.ts";
import type { ByteReader } from "./byte-reader.ts";
import { skipColumn } from "./column.ts";
import { minRowBytes, openBatch, readResource } from "./decode.ts";
import { maxColumnCount, maxRowCount } from "./format.ts";
import { skipGroupTable } from "./group-table.ts";
import { readIds, skipIds } from "./ids.ts";
import { skipInts } from "./ints.ts";
import { readPresence } from "./optional.ts";
import { skipOwnerTable } from "./owner-table.ts";
import { readStringTable, type StringTable } from "./string-table.ts";
import { skipTokens } from "./token-column.ts";
import { skipUids } from "./uid-column.ts";

/** The objects that a batch is about: the hashes of their keys, which also determine their buckets (CO45). */
export interface BatchKeys {
  readonly resource: ResourceId;
  readonly kind: string;
  /** By row, in key order. */
  readonly rows: Uint32Array;
  /** By delete, in key order. */
  readonly deletes: Uint32Array;
}

/** The columns of ids between the status and the end of a row: status, reason, message, labels, annotations, owner. */
const lastIdColumns = 6;

/**
 * Reads only the keys of a batch, in a fifth of the time that `decodeRowBatch` takes. All other values are skipped: use
 * it for batches that were checked before, such as those of the fleet log. Throws MALFORMED or UNSUPPORTED_VERSION.
 */
export function decodeKeys(bytes: Uint8Array, hasher: Hasher): BatchKeys {
  const reader = openBatch(bytes, hasher);
  const strings = readStringTable(reader);
  const { resource, kind } = readResource(reader, strings);
  skipGroupTable(reader, "map");
  skipGroupTable(reader, "list");
  skipOwnerTable(reader);
  const rowCount = reader.count("rows", minRowBytes, maxRowCount);
  reader.skip(rowCount * minRowBytes);
  const rows = readHashes(reader, rowCount, strings);
  skipFields(reader, rowCount);
  const columnCount = reader.count("columns", 2, maxColumnCount);
  for (let at = 0; at < columnCount; at += 1) skipColumn(reader, rowCount);
  const deletes = readHashes(reader, reader.count("deletes", 1, maxRowCount), strings);
  if (reader.remaining > 0) reader.malformed(`${reader.remaining} bytes are left over`);
  return { resource, kind, rows, deletes };
}

function readHashes(reader: ByteReader, count: number, strings: StringTable): Uint32Array {
  const { bytes, offsets } = strings;
  const namespaceIds = readIds(reader, count, strings.count);
  const nameIds = readIds(reader, count, strings.count);
  skipUids(reader, count);
  let [namespace, state] = [-1, 0];
  for (let at = 0; at < count; at += 1) {
    const next = namespaceIds[at] ?? 0;
    if (next !== namespace) state = hashNamespace(bytes, offsets[next] ?? 0, offsets[next + 1] ?? 0);
    namespace = next;
    const name = nameIds[at] ?? 0;
    // The ids are not needed any more.
    nameIds[at] = hashName(state, bytes, offsets[name] ?? 0, offsets[name + 1] ?? 0);
  }
  return nameIds;
}

/** The fields of rows after their keys. */
function skipFields(reader: ByteReader, count: number): void {
  skipTokens(reader, count);
  skipInts(reader, count);
  skipInts(reader, count);
  skipInts(reader, readPresence(reader, count).presentCount);
  for (let column = 0; column < lastIdColumns; column += 1) skipIds(reader, count);
}
