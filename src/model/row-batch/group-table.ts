// SPDX-License-Identifier: Apache-2.0
// Tables whose entries are sequences of string ids: maps (labels, annotations) and lists. Entry 0 is empty and not
// stored.
import type { ByteReader } from "./byte-reader.ts";
import { readIds, skipIds, writeIds } from "./ids.ts";
import { readInts, skipInts, writeInts } from "./ints.ts";
import { toIds, type WriteStep } from "./step.ts";
import type { StringTable } from "./string-table.ts";

/** The kind of elements: pairs of key and value, or single texts. */
export type GroupKind = "map" | "list";

/** Numbers sequences of texts at first use. A map's sequence alternates keys and values. */
export class GroupInterner {
  readonly #kind: GroupKind;
  readonly #numbers = new Map<string, number>();
  readonly #groups: (readonly number[])[] = [];

  constructor(kind: GroupKind) {
    this.#kind = kind;
  }

  /** The number of a sequence of text numbers; 0 is the empty one. */
  number(group: readonly number[]): number {
    if (group.length === 0) return 0;
    const key = group.join(",");
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    this.#groups.push(group);
    this.#numbers.set(key, this.#groups.length);
    return this.#groups.length;
  }

  /**
   * Adds these sequences to another table, in the order of their first use here, and replaces `numbers` by their
   * numbers there. NaN stays.
   */
  moveTo<Numbers extends Uint32Array | Float64Array>(other: GroupInterner, numbers: Numbers): Numbers {
    const there = [0, ...this.#groups.map((group) => other.number(group))];
    for (const [at, number] of numbers.entries()) if (!Number.isNaN(number)) numbers[at] = there[number] ?? 0;
    return numbers;
  }

  /** The step that writes the table. The table must be complete. */
  collect(): WriteStep {
    const stride = this.#kind === "map" ? 2 : 1;
    const sizes = this.#groups.map((group) => group.length / stride);
    const texts = this.#groups.flat();
    return (writer, idOf) => {
      writer.varint(sizes.length);
      if (sizes.length === 0) return;
      writer.varint(texts.length / stride);
      writeInts(writer, sizes);
      const ids = toIds(texts, idOf);
      for (let part = 0; part < stride; part += 1)
        writeIds(
          writer,
          ids.filter((_, at) => at % stride === part),
          1,
        );
    };
  }
}

/**
 * Sequences of string ids: entry `id` spans `offsets[id]` to `offsets[id + 1]`. For maps `ids` are the values and
 * `keyIds` their keys.
 */
export interface GroupTable {
  readonly offsets: Uint32Array;
  readonly ids: Uint32Array;
  /** Empty for lists. */
  readonly keyIds: Uint32Array;
}

/** The number of entries, including the empty one. */
export function groupCount(table: GroupTable): number {
  return table.offsets.length - 1;
}

/** Reads a table of sequences. Every element takes at least a byte, so few bytes cannot announce many elements. */
export function readGroupTable(reader: ByteReader, kind: GroupKind, stringCount: number): GroupTable {
  const count = reader.count("groups", 1);
  const elementCount = count === 0 ? 0 : reader.count("elements", kind === "map" ? 2 : 1);
  const sizes = readInts(reader, count, { min: 1, max: elementCount });
  const offsets = reader.newUint32Array(count + 2);
  let end = 0;
  for (let id = 1; id <= count; id += 1) {
    end += sizes[id - 1] ?? 0;
    if (end > elementCount) break;
    offsets[id + 1] = end;
  }
  if (end !== elementCount) reader.malformed("the groups are not of the size announced");
  const keyIds = readIds(reader, kind === "map" ? elementCount : 0, stringCount, 1);
  const ids = readIds(reader, elementCount, stringCount, 1);
  const table = { offsets, ids, keyIds };
  if (kind === "map") checkKeys(reader, table);
  return table;
}

/** Skips a table of sequences without a look at it. */
export function skipGroupTable(reader: ByteReader, kind: GroupKind): void {
  const count = reader.count("groups", 1);
  if (count === 0) return;
  const elementCount = reader.count("elements", kind === "map" ? 2 : 1);
  skipInts(reader, count);
  if (kind === "map") skipIds(reader, elementCount);
  skipIds(reader, elementCount);
}

/** Refuses a map whose keys are not strictly ascending, and so a repeated key. Ids are in the order of their texts. */
function checkKeys(reader: ByteReader, { offsets, keyIds }: GroupTable): void {
  for (let id = 1; id < offsets.length - 1; id += 1) {
    const end = offsets[id + 1] ?? 0;
    for (let at = (offsets[id] ?? 0) + 1; at < end; at += 1)
      if ((keyIds[at - 1] ?? 0) >= (keyIds[at] ?? 0)) reader.malformed("keys of a map are not in order");
  }
}

/** Builds maps and lists as JavaScript values, each once, shared by its rows. */
export class GroupValues {
  readonly #table: GroupTable;
  readonly #strings: StringTable;
  readonly #maps: ReadonlyMap<string, string>[] = [];
  readonly #lists: (readonly string[])[] = [];

  constructor(table: GroupTable, strings: StringTable) {
    this.#table = table;
    this.#strings = strings;
  }

  /** The list with this id. */
  list(id: number): readonly string[] {
    const made = this.#lists[id];
    if (made !== undefined) return made;
    const ids = this.#table.ids.subarray(this.#table.offsets[id], this.#table.offsets[id + 1]);
    const list = Array.from(ids, (text) => this.#strings.get(text));
    this.#lists[id] = list;
    return list;
  }

  /** The map with this id. */
  map(id: number): ReadonlyMap<string, string> {
    const made = this.#maps[id];
    if (made !== undefined) return made;
    const { offsets, keyIds, ids } = this.#table;
    const map = new Map<string, string>();
    const end = offsets[id + 1] ?? 0;
    for (let at = offsets[id] ?? 0; at < end; at += 1)
      map.set(this.#strings.get(keyIds[at] ?? 0), this.#strings.get(ids[at] ?? 0));
    this.#maps[id] = map;
    return map;
  }
}
