// SPDX-License-Identifier: Apache-2.0
// The receiver's check of decoded rows (CO64). It refuses the same rows as a sealer, for bytes from any source. It
// works on columns, because it runs for every row that a hub receives: each text is checked once for all its rows.
import { isDnsLabelBytes } from "../dns-name.ts";
import { maxNameBytes } from "../object-name.ts";
import { isGeneration, isRowTime, maxTokenBytes, rowFaults } from "../rows/row-check.ts";
import { maxRowBytes } from "../rows/row-sealer.ts";
import type { ByteReader } from "./byte-reader.ts";
import type { KeyFields, RowBatchParts, RowFields } from "./row-batch-parts.ts";
import { type MeasuredParts, RowSizes } from "./row-sizes.ts";
import type { StringTable } from "./string-table.ts";

/** The result of a check. */
export interface RowFindings {
  /** 1 for a row that fails; empty if all pass. */
  readonly badRows: Uint8Array;
  /** 1 for a delete that fails; empty if all pass. */
  readonly badDeletes: Uint8Array;
  readonly badCount: number;
  /** The first failure: its place, and the end of the sentence with the reason. */
  readonly first: { readonly keys: KeyFields; readonly at: number; readonly fault: string } | undefined;
  /** The bytes of all rows as CO24 counts them, each with all its texts. */
  readonly expandedBytes: number;
}

const slash = 0x2f;
const percent = 0x25;
const dot = 0x2e;

/** The bits of a text's verdict: whether it was checked and whether it is valid, as a namespace and as a name. */
const [asNamespace, asName] = [0, 2];
const [isSeen, isRight] = [1, 2];

/** Rows measured at a time: 2 KiB of sizes. */
const measuredCount = 256;

class KeyCheck {
  readonly #strings: StringTable;
  readonly #verdicts: Uint8Array;

  constructor(reader: ByteReader, strings: StringTable) {
    this.#strings = strings;
    this.#verdicts = reader.newUint8Array(strings.count);
    // The empty text is a valid namespace but not a valid name.
    this.#verdicts[0] = ((isSeen | isRight) << asNamespace) | (isSeen << asName);
  }

  faultAt({ namespaceIds, nameIds, uids }: KeyFields, at: number): string | undefined {
    if (!this.#isNamespace(namespaceIds[at] ?? 0)) return rowFaults.namespace;
    if (!this.#isName(nameIds[at] ?? 0)) return rowFaults.name;
    return uids.form === "text" && !this.isToken(uids.ids[at] ?? 0) ? rowFaults.uid : undefined;
  }

  isToken(id: number): boolean {
    const { offsets } = this.#strings;
    return (offsets[id + 1] ?? 0) - (offsets[id] ?? 0) <= maxTokenBytes;
  }

  #isNamespace(id: number): boolean {
    const known = (this.#verdicts[id] ?? 0) >> asNamespace;
    if ((known & isSeen) !== 0) return (known & isRight) !== 0;
    const { bytes, offsets } = this.#strings;
    return this.#note(id, asNamespace, isDnsLabelBytes(bytes, offsets[id] ?? 0, offsets[id + 1] ?? 0));
  }

  #isName(id: number): boolean {
    const known = (this.#verdicts[id] ?? 0) >> asName;
    if ((known & isSeen) !== 0) return (known & isRight) !== 0;
    const { bytes, offsets } = this.#strings;
    return this.#note(id, asName, isNameBytes(bytes, offsets[id] ?? 0, offsets[id + 1] ?? 0));
  }

  #note(id: number, shift: number, passes: boolean): boolean {
    this.#verdicts[id] = (this.#verdicts[id] ?? 0) | ((passes ? isSeen | isRight : isSeen) << shift);
    return passes;
  }
}

/** CO9, for bytes that are known to be UTF-8. */
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
 * Checks every row and delete of a decoded batch (CO64): the rules of `faultOfRow`, and the size of CO24. The reader
 * counts its allocations (CO31). Column numbers are finite, because reading them has checked that.
 */
export function checkRows(reader: ByteReader, parts: MeasuredParts & Pick<RowBatchParts, "deletes">): RowFindings {
  const { strings, fields, deletes } = parts;
  const sizes = new RowSizes(reader, parts);
  const keys = new KeyCheck(reader, strings);
  const rows = new BadPlaces(reader, fields, fields.count);
  const gone = new BadPlaces(reader, deletes, deletes.nameIds.length);
  const measured = reader.newFloat64Array(Math.min(measuredCount, fields.count));
  let expandedBytes = 0;
  for (let from = 0; from < fields.count; from += measured.length) {
    const some = measured.subarray(0, Math.min(measured.length, fields.count - from));
    sizes.measure(from, some);
    for (let slot = 0; slot < some.length; slot += 1) {
      const at = from + slot;
      const byteCount = some[slot] ?? 0;
      expandedBytes += byteCount;
      const fault = keys.faultAt(fields, at) ?? faultOfFields(fields, at, keys) ?? faultOfSize(byteCount);
      if (fault !== undefined) rows.note(at, fault);
    }
  }
  for (let at = 0; at < deletes.nameIds.length; at += 1) {
    const fault = keys.faultAt(deletes, at);
    if (fault !== undefined) gone.note(at, fault);
  }
  return {
    badRows: rows.flags,
    badDeletes: gone.flags,
    badCount: rows.count + gone.count,
    first: rows.first ?? gone.first,
    expandedBytes,
  };
}

/** The places that fail. Allocates only if there is one. */
class BadPlaces {
  readonly #reader: ByteReader;
  readonly #keys: KeyFields;
  readonly #placeCount: number;
  flags: Uint8Array = new Uint8Array();
  count = 0;
  first: RowFindings["first"];

  constructor(reader: ByteReader, keys: KeyFields, placeCount: number) {
    this.#reader = reader;
    this.#keys = keys;
    this.#placeCount = placeCount;
  }

  note(at: number, fault: string): void {
    if (this.count === 0) this.flags = this.#reader.newUint8Array(this.#placeCount);
    this.first ??= { keys: this.#keys, at, fault };
    this.flags[at] = 1;
    this.count += 1;
  }
}

function faultOfSize(byteCount: number): string | undefined {
  return byteCount > maxRowBytes ? `has ${byteCount} bytes, the most is ${maxRowBytes}` : undefined;
}
