// SPDX-License-Identifier: Apache-2.0
import { FlotillaError } from "../../base/error.ts";
import { maxDnsLabelLength } from "../dns-name.ts";
import { isCanonicalResourceId, type ResourceId, resourceIdText } from "../gvr.ts";
import type { Hasher } from "../rows/hasher.ts";
import { statuses } from "../status.ts";
import { quote } from "../text.ts";
import { ByteReader } from "./byte-reader.ts";
import { checkRows, type RowFindings } from "./check-rows.ts";
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

/** The fewest bytes of a row: its hash. */
export const minRowBytes = 8;

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

/** Verifies the checksum. Returns the bytes before it. */
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

/** A reader of a batch, after its magic and version. Throws MALFORMED or UNSUPPORTED_VERSION. */
export function openBatch(bytes: Uint8Array, hasher: Hasher): ByteReader {
  checkHead(bytes);
  return new ByteReader(checkedBody(bytes, hasher), headBytes);
}

/** Kubernetes allows no kind name longer than a DNS label (CO65). */
export function readResource(reader: ByteReader, strings: StringTable): { resource: ResourceId; kind: string } {
  const ids = [0, 1, 2].map(() => reader.id("string", strings.count));
  if (strings.bytesOf(ids[2] ?? 0).length > maxDnsLabelLength) reader.malformed("its kind has too long a name");
  const [group = "", resource = "", kind = ""] = ids.map((id) => strings.get(id));
  const id: ResourceId = { group, resource };
  if (!isCanonicalResourceId(id)) reader.malformed("it names no resource");
  return { resource: id, kind };
}

function readKeys(reader: ByteReader, count: number, strings: StringTable): KeyFields {
  const namespaceIds = readIds(reader, count, strings.count);
  const nameIds = readIds(reader, count, strings.count);
  const uids = readUids(reader, count, strings.count);
  for (let at = 1; at < count; at += 1) {
    // Ids are in the order of their texts, so comparing ids compares texts.
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

/** A batch, and the faults of its rows. */
export interface UncheckedRowBatch {
  readonly batch: RowBatch;
  readonly findings: RowFindings;
}

/**
 * Decodes a batch and returns faulty rows as findings instead of refusing the batch: for bytes that were stored before
 * a rule existed, whose valid rows are kept. Otherwise throws as `decodeRowBatch` does.
 */
export function decodeUnchecked(bytes: Uint8Array, hasher: Hasher): UncheckedRowBatch {
  const reader = openBatch(bytes, hasher);
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
  const heldBytes = bytes.length + reader.decodedBytes;
  const parts = { strings, maps, lists, owners, fields, columns, deletes };
  const findings = checkRows(reader, parts);
  const { expandedBytes } = findings;
  const { decodedBytes } = reader;
  return { batch: new RowBatch({ resource, kind, ...parts, decodedBytes, heldBytes, expandedBytes }), findings };
}

/** The sentence about the first row that fails. */
export function sentenceOfBadRow({ parts }: RowBatch, first: NonNullable<RowFindings["first"]>): string {
  const { keys, at, fault } = first;
  const [namespace, name] = [keys.namespaceIds, keys.nameIds].map((ids) => parts.strings.get(ids[at] ?? 0));
  return `the row of ${resourceIdText(parts.resource)} ${quote(`${namespace}/${name}`)} ${fault}`;
}

/**
 * Decodes and checks a batch: no later call on it fails, and every row passes the check of CO64. It borrows `bytes`
 * (CO34). Throws only MALFORMED or UNSUPPORTED_VERSION, for any bytes (CO30, CO31).
 */
export function decodeRowBatch(bytes: Uint8Array, hasher: Hasher): RowBatch {
  const { batch, findings } = decodeUnchecked(bytes, hasher);
  if (findings.first === undefined) return batch;
  const { decodedBytes } = batch.parts;
  throw new FlotillaError("MALFORMED", sentenceOfBadRow(batch, findings.first), { ids: { decodedBytes } });
}
