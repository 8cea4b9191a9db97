// SPDX-License-Identifier: Apache-2.0
import { FlotillaError } from "../../base/error.ts";
import { isCanonicalResourceId, type ResourceId } from "../gvr.ts";
import type { Hasher } from "../hasher.ts";
import { statuses } from "../status.ts";
import { ByteReader } from "./byte-reader.ts";
import { type BatchColumn, readColumn } from "./column.ts";
import { checkBytes, formatVersion, magic, maxBatchBytes, maxColumnCount, maxRowCount } from "./format.ts";
import { type GroupTable, groupCount, readGroupTable } from "./group-table.ts";
import { readIds } from "./ids.ts";
import { anyInteger, readInts } from "./ints.ts";
import { readPresence, spread } from "./optional.ts";
import { type OwnerTable, readOwnerTable } from "./owner-table.ts";
import { RowBatch } from "./row-batch.ts";
import type { KeyFields, RowFields } from "./row-batch-parts.ts";
import { readStringTable, type StringTable } from "./string-table.ts";
import { readTokens } from "./token-column.ts";
import { readUids } from "./uid-column.ts";

/** Bytes before the string table: magic and version. */
const headBytes = magic.length + 1;

/** Fewest bytes of a row: its hash. */
const minRowBytes = 8;

function checkHead(bytes: Uint8Array): void {
  const isOurs = bytes.length > magic.length && magic.every((byte, at) => bytes[at] === byte);
  if (!isOurs) throw new FlotillaError("MALFORMED", "these bytes are not a row batch: they do not begin with FLRB");
  const version = bytes[magic.length];
  if (version !== formatVersion)
    throw new FlotillaError(
      "UNSUPPORTED_VERSION",
      `a row batch of version ${version}; this build reads version ${formatVersion}: upgrade the older side`,
    );
}

/** The bytes between head and check, once the check is found right. */
function checkedBody(bytes: Uint8Array, hasher: Hasher): Uint8Array {
  if (bytes.length > maxBatchBytes)
    throw new FlotillaError("MALFORMED", `a row batch has ${bytes.length} bytes, the most is ${maxBatchBytes}`);
  const end = bytes.length - checkBytes;
  if (end < headBytes)
    throw new FlotillaError("MALFORMED", `row batch is damaged: it ends after ${bytes.length} bytes`);
  const check = new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(end, true);
  const body = bytes.subarray(0, end);
  if (hasher.hash64(body) !== check)
    throw new FlotillaError("MALFORMED", "row batch is damaged: its check does not fit its bytes");
  return body;
}

function readResource(reader: ByteReader, strings: StringTable): { resource: ResourceId; kind: string } {
  const [group = "", resource = "", kind = ""] = [0, 1, 2].map(() => strings.get(reader.id("string", strings.count)));
  const id: ResourceId = { group, resource };
  if (!isCanonicalResourceId(id)) reader.malformed("it names no resource");
  return { resource: id, kind };
}

function readKeys(reader: ByteReader, count: number, strings: StringTable): KeyFields {
  const namespaceIds = readIds(reader, count, strings.count);
  const nameIds = readIds(reader, count, strings.count);
  const uids = readUids(reader, count, strings.count);
  for (let at = 1; at < count; at += 1) {
    // Ids are in the order of their texts, so comparing them compares the texts.
    const namespaces = (namespaceIds[at - 1] ?? 0) - (namespaceIds[at] ?? 0);
    const names = (nameIds[at - 1] ?? 0) - (nameIds[at] ?? 0);
    if (namespaces > 0 || (namespaces === 0 && names >= 0)) reader.malformed("keys are not in order");
  }
  return { namespaceIds, nameIds, uids };
}

function readRows(
  reader: ByteReader,
  tables: { readonly strings: StringTable; readonly maps: GroupTable; readonly owners: OwnerTable },
): RowFields {
  const { strings, maps, owners } = tables;
  const count = reader.count("rows", minRowBytes, maxRowCount);
  const hashes = reader.takeView(count * minRowBytes);
  const keys = readKeys(reader, count, strings);
  const resourceVersions = readTokens(reader, count, strings.count);
  const generations = readInts(reader, count, anyInteger);
  const createdAts = readInts(reader, count, anyInteger);
  const presence = readPresence(reader, count);
  const deletedAts = spread(
    presence,
    readInts(reader, presence.presentCount, anyInteger),
    reader.newFloat64Array(count),
    Number.NaN,
  );
  const statusNumbers = reader.newUint8Array(count);
  statusNumbers.set(readIds(reader, count, statuses.length));
  return {
    count,
    hashes,
    ...keys,
    resourceVersions,
    generations,
    createdAts,
    deletedAts,
    statuses: statusNumbers,
    reasonIds: readIds(reader, count, strings.count),
    messageIds: readIds(reader, count, strings.count),
    labelsIds: readIds(reader, count, groupCount(maps)),
    annotationsIds: readIds(reader, count, groupCount(maps)),
    ownerIds: readIds(reader, count, owners.nameIds.length + 1),
  };
}

function readColumns(reader: ByteReader, rowCount: number, strings: StringTable, lists: GroupTable): BatchColumn[] {
  const count = reader.count("columns", 2, maxColumnCount);
  const columns: BatchColumn[] = [];
  let lastNameId = -1;
  for (let at = 0; at < count; at += 1) {
    const { nameId, ...column } = readColumn(reader, rowCount, strings, lists);
    if (nameId <= lastNameId) reader.malformed("columns are not in order");
    lastNameId = nameId;
    columns.push(column);
  }
  return columns;
}

/**
 * The batch in these bytes, wholly checked: no call on it fails later. It borrows `bytes` (CO34). Throws MALFORMED or
 * UNSUPPORTED_VERSION and nothing else, whatever the bytes are (CO30, CO31).
 */
export function decodeRowBatch(bytes: Uint8Array, hasher: Hasher): RowBatch {
  checkHead(bytes);
  const reader = new ByteReader(checkedBody(bytes, hasher), headBytes);
  const strings = readStringTable(reader);
  const { resource, kind } = readResource(reader, strings);
  const maps = readGroupTable(reader, "map", strings.count);
  const lists = readGroupTable(reader, "list", strings.count);
  const owners = readOwnerTable(reader, strings);
  const fields = readRows(reader, { strings, maps, owners });
  const columns = readColumns(reader, fields.count, strings, lists);
  const deleteCount = reader.count("deletes", 1, maxRowCount);
  const deletes = readKeys(reader, deleteCount, strings);
  if (reader.remaining > 0) reader.malformed(`${reader.remaining} bytes are left over`);
  return new RowBatch({
    resource,
    kind,
    strings,
    maps,
    lists,
    owners,
    fields,
    columns,
    deletes,
    decodedBytes: reader.decodedBytes,
  });
}
