// SPDX-License-Identifier: Apache-2.0
import type { Owner } from "../rows/row.ts";
import type { ByteReader } from "./byte-reader.ts";
import { readIds, skipIds, writeIds } from "./ids.ts";
import { toIds, type WriteStep } from "./step.ts";
import type { StringInterner } from "./string-interner.ts";
import type { StringTable } from "./string-table.ts";
import { collectUids, readUids, skipUids, type UidColumn, uidAt } from "./uid-column.ts";

/** Numbers owners at first use; 0 is no owner. */
export class OwnerInterner {
  readonly #numbers = new Map<string, number>();
  readonly #owners: Owner[] = [];
  readonly #strings: StringInterner;
  #last: Owner | undefined;
  #lastNumber = 0;

  constructor(strings: StringInterner) {
    this.#strings = strings;
  }

  /** The owner's number. Repeating the same object is cheap: adjacent rows of one owner share it. */
  number(owner: Owner | undefined): number {
    if (owner === undefined) return 0;
    if (owner !== this.#last) {
      this.#last = owner;
      this.#lastNumber = this.#numberOf(owner);
    }
    return this.#lastNumber;
  }

  #numberOf(owner: Owner): number {
    const parts = [owner.group, owner.kind, owner.name].map((text) => this.#strings.number(text));
    // The uid comes last, as text: it needs no escaping there, and a UUID must not enter the string table.
    const key = `${parts.join(",")},${owner.uid}`;
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    this.#owners.push(owner);
    this.#numbers.set(key, this.#owners.length);
    return this.#owners.length;
  }

  /** The step that writes the table. The table must be complete. */
  collect(): WriteStep {
    const columns = (["group", "kind", "name"] as const).map((part) =>
      this.#owners.map((owner) => this.#strings.number(owner[part])),
    );
    const writeUids = collectUids(
      this.#owners.map((owner) => owner.uid),
      this.#strings,
    );
    return (writer, idOf) => {
      writer.varint(this.#owners.length);
      for (const numbers of columns) writeIds(writer, toIds(numbers, idOf));
      writeUids(writer, idOf);
    };
  }
}

/** The owners of a batch. Owner `id` is at place `id - 1`; 0 is no owner. */
export interface OwnerTable {
  readonly groupIds: Uint32Array;
  readonly kindIds: Uint32Array;
  readonly nameIds: Uint32Array;
  readonly uids: UidColumn;
}

/** Reads the table. */
export function readOwnerTable(reader: ByteReader, strings: StringTable): OwnerTable {
  // Owners are distinct, so at least one of their columns takes a byte for each.
  const count = reader.count("owners", 1);
  return {
    groupIds: readIds(reader, count, strings.count),
    kindIds: readIds(reader, count, strings.count),
    nameIds: readIds(reader, count, strings.count),
    uids: readUids(reader, count, strings.count),
  };
}

/** Skips the table without a look at it. */
export function skipOwnerTable(reader: ByteReader): void {
  const count = reader.count("owners", 1);
  for (let column = 0; column < 3; column += 1) skipIds(reader, count);
  skipUids(reader, count);
}

/** An owner as a JavaScript value; undefined for 0. */
export function ownerAt(table: OwnerTable, id: number, strings: StringTable): Owner | undefined {
  if (id === 0) return undefined;
  const at = id - 1;
  return {
    group: strings.get(table.groupIds[at] ?? 0),
    kind: strings.get(table.kindIds[at] ?? 0),
    name: strings.get(table.nameIds[at] ?? 0),
    uid: uidAt(table.uids, at, strings),
  };
}
