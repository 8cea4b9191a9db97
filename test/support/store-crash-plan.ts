// SPDX-License-Identifier: Apache-2.0
// What the writer of the crash test writes. A commit follows from its id alone, so the writer reports ids and the
// parent knows from them what each commit was.
import { createSeededRandom } from "../../src/base/random.ts";
import { type Key, put, remove, type Write } from "../../src/store/store.ts";
import { objects, tokens } from "../../src/store/tables.ts";
import { body, tokenValue } from "./store-rows.ts";

/** Rows of each kind; few enough that most writes replace or delete something. */
const namesPerKind = 60;

export interface PlannedWrite {
  readonly table: typeof objects | typeof tokens;
  readonly key: Key;
  readonly isDelete: boolean;
}

export interface PlannedCommit {
  readonly id: string;
  readonly writes: readonly PlannedWrite[];
  /** What every put of the commit writes: the id, how many puts there are, and padding up to 1.4 KB. */
  readonly text: string;
}

/** The commit with that id: one to four rows, of which the first is put and the others are put or deleted. */
export function planCommit(id: string): PlannedCommit {
  const random = createSeededRandom(id);
  const places = new Map<string, PlannedWrite>();
  for (let count = 1 + random.int(4); count > 0; count -= 1) {
    const kind = random.int(3);
    const name = `n${random.int(namesPerKind)}`;
    const isDelete = places.size > 0 && random.int(3) === 0;
    const table = kind === 0 ? tokens : objects;
    const key = kind === 0 ? ["root", name] : ["root", kind === 1 ? "secrets" : "configmaps", "default", name];
    places.set(JSON.stringify(key), { table, key, isDelete: isDelete && !places.has(JSON.stringify(key)) });
  }
  const writes = [...places.values()];
  const putCount = writes.filter(({ isDelete }) => !isDelete).length;
  return { id, writes, text: `${id} ${putCount} ${"x".repeat(random.int(1400))}` };
}

export function toWrite({ text }: PlannedCommit, { table, key, isDelete }: PlannedWrite): Write {
  if (isDelete) return remove(table, key);
  return table.name === "objects" ? put(table, key, body(text)) : put(table, key, tokenValue(text));
}

/** The id of the commit that wrote this text. */
export function commitIdOf(text: string): string {
  return text.split(" ", 1)[0] ?? "";
}
