// SPDX-License-Identifier: Apache-2.0
// The receiver's check of decoded rows (CO64): what a sealer refuses is refused here too, whoever made the bytes. It works on columns, because
// it runs for every row that a hub takes: each text is looked at once, however many rows have it.
import { isDnsLabel, maxDnsLabelLength } from "../dns-name.ts";
import { maxNameBytes } from "../object-key.ts";
import { isGeneration, isRowTime, maxTokenBytes, rowFaults } from "../row-check.ts";
import { maxRowBytes } from "../row-sealer.ts";
import type { ByteReader } from "./byte-reader.ts";
import type { KeyFields, RowBatchParts, RowFields } from "./row-batch-parts.ts";
import { type MeasuredParts, measureRows } from "./row-sizes.ts";
import type { StringTable } from "./string-table.ts";

/** What a check found. */
export interface RowFindings {
  /** 1 for a row that does not pass. */
  readonly badRows: Uint8Array;
  /** 1 for a delete that does not pass. */
  readonly badDeletes: Uint8Array;
  readonly badCount: number;
  /** The first that does not pass: where, and the end of the sentence that says why. */
  readonly first: { readonly keys: KeyFields; readonly at: number; readonly fault: string } | undefined;
  /** Bytes of all rows as CO24 counts them, each with all its texts. */
  readonly expandedBytes: number;
}

const slash = 0x2f;
const percent = 0x25;
const dot = 0x2e;

/** A text as a part of keys: 0 not looked at, 1 right, 2 wrong. */
type Verdicts = Uint8Array;

class KeyCheck {
  readonly #strings: StringTable;
  readonly #namespaces: Verdicts;
  readonly #names: Verdicts;

  constructor(reader: ByteReader, strings: StringTable) {
    this.#strings = strings;
    this.#namespaces = reader.newUint8Array(strings.count);
    this.#names = reader.newUint8Array(strings.count);
    this.#namespaces[0] = 1;
    this.#names[0] = 2;
  }

  faultAt({ namespaceIds, nameIds, uids }: KeyFields, at: number): string | undefined {
    if (!this.#passes(this.#namespaces, namespaceIds[at] ?? 0, isNamespaceBytes)) return rowFaults.namespace;
    if (!this.#passes(this.#names, nameIds[at] ?? 0, isNameBytes)) return rowFaults.name;
    return uids.form === "text" && this.#lengthOf(uids.ids[at] ?? 0) > maxTokenBytes ? rowFaults.uid : undefined;
  }

  isToken(id: number): boolean {
    return this.#lengthOf(id) <= maxTokenBytes;
  }

  #lengthOf(id: number): number {
    return (this.#strings.offsets[id + 1] ?? 0) - (this.#strings.offsets[id] ?? 0);
  }

  #passes(verdicts: Verdicts, id: number, isRight: (bytes: Uint8Array, from: number, end: number) => boolean): boolean {
    const known = verdicts[id] ?? 0;
    if (known !== 0) return known === 1;
    const { bytes, offsets } = this.#strings;
    const passes = isRight(bytes, offsets[id] ?? 0, offsets[id + 1] ?? 0);
    verdicts[id] = passes ? 1 : 2;
    return passes;
  }
}

function isNamespaceBytes(bytes: Uint8Array, from: number, end: number): boolean {
  return end - from <= maxDnsLabelLength && isDnsLabel(String.fromCharCode(...bytes.subarray(from, end)));
}

/** CO9 on bytes that are known to be UTF-8. */
function isNameBytes(bytes: Uint8Array, from: number, end: number): boolean {
  if (end - from > maxNameBytes) return false;
  for (let at = from; at < end; at += 1) {
    const byte = bytes[at];
    if (byte === slash || byte === percent) return false;
  }
  const isDots = bytes[from] === dot && (end - from === 1 || (end - from === 2 && bytes[from + 1] === dot));
  return !isDots;
}

function faultOfFields(fields: RowFields, at: number, keys: KeyCheck): string | undefined {
  const { resourceVersions, generations, createdAts, deletedAts } = fields;
  if (resourceVersions.form === "text" && !keys.isToken(resourceVersions.ids[at] ?? 0))
    return rowFaults.resourceVersion;
  if (!isGeneration(generations[at] ?? 0)) return rowFaults.generation;
  if (!isRowTime(createdAts[at] ?? 0)) return rowFaults.createdAt;
  const deletedAt = deletedAts[at] ?? Number.NaN;
  return Number.isNaN(deletedAt) || isRowTime(deletedAt) ? undefined : rowFaults.deletedAt;
}

/**
 * Checks every row and delete of a decoded batch (CO64): the same rules as `faultOfRow`, and the size of CO24. What it allocates is counted by the
 * reader (CO31). Numbers of columns are finite because reading them has checked that.
 */
export function checkRows(reader: ByteReader, parts: MeasuredParts & Pick<RowBatchParts, "deletes">): RowFindings {
  const { strings, fields, deletes } = parts;
  const rowBytes = measureRows(reader, parts);
  const keys = new KeyCheck(reader, strings);
  const badRows = reader.newUint8Array(fields.count);
  const badDeletes = reader.newUint8Array(deletes.nameIds.length);
  let first: RowFindings["first"];
  let badCount = 0;
  let expandedBytes = 0;
  const note = (flags: Uint8Array, keysOf: KeyFields, at: number, fault: string): void => {
    flags[at] = 1;
    badCount += 1;
    first ??= { keys: keysOf, at, fault };
  };
  for (let at = 0; at < badRows.length; at += 1) {
    const byteCount = rowBytes[at] ?? 0;
    expandedBytes += byteCount;
    const fault = keys.faultAt(fields, at) ?? faultOfFields(fields, at, keys) ?? faultOfSize(byteCount);
    if (fault !== undefined) note(badRows, fields, at, fault);
  }
  for (let at = 0; at < badDeletes.length; at += 1) {
    const fault = keys.faultAt(deletes, at);
    if (fault !== undefined) note(badDeletes, deletes, at, fault);
  }
  return { badRows, badDeletes, badCount, first, expandedBytes };
}

function faultOfSize(byteCount: number): string | undefined {
  return byteCount > maxRowBytes ? `has ${byteCount} bytes, the most is ${maxRowBytes}` : undefined;
}
