// SPDX-License-Identifier: Apache-2.0
// What a Store promises, in one array: the model that the property test holds the engines against.
import type { Change, CommitOutcome, Key, Write } from "../../src/store/store.ts";
import type { TableSpec } from "../../src/store/table.ts";
import { revision } from "./store-rows.ts";

/** A change and the table it is of. */
export interface ModelChange {
  readonly table: TableSpec;
  readonly change: Change;
}

export interface ModelRow {
  readonly key: Key;
  readonly revision: bigint;
  readonly value: unknown;
}

/** Remembers every change ever made, compacted or not; every question is answered by walking over them. */
export class StoreModel {
  readonly log: ModelChange[] = [];
  compacted = 0;

  get head(): number {
    return this.log.length;
  }

  commit(writes: readonly Write[]): CommitOutcome {
    const found = writes.map(({ table, key }) => this.#current(table, key));
    for (const [writeIndex, { expect }] of writes.entries()) {
      const actual = found[writeIndex]?.revision ?? 0n;
      const isExpected = expect === "any" || (expect === "absent" ? actual === 0n : actual === expect);
      if (!isExpected) return { kind: "conflict", writeIndex, actual: revision(actual) };
    }
    const revisions = writes.map((write, index) => this.#apply(write, found[index]));
    const newest = revisions.reduce((most, one) => (one > most ? one : most), revision(0));
    return { kind: "committed", revision: newest, revisions };
  }

  /** The rows of a table under a prefix as they were at `at`, in key order. */
  list(table: TableSpec, prefix: Key, at: number): readonly ModelRow[] {
    const rows = new Map<string, ModelRow>();
    for (const { change } of this.changes(table, prefix, 0, at)) {
      const id = JSON.stringify(change.key);
      if (change.value === null) rows.delete(id);
      else rows.set(id, { key: change.key, revision: change.revision, value: change.value });
    }
    return [...rows.values()].sort((a, b) => compareBytes(a.key, b.key));
  }

  /** Changes of a table under a prefix after `after`, up to `upTo`. */
  changes(table: TableSpec, prefix: Key, after: number, upTo = this.head): readonly ModelChange[] {
    return this.log
      .slice(after, upTo)
      .filter((one) => one.table === table && prefix.every((part, index) => part === one.change.key[index]));
  }

  compact(keepCount: number): void {
    this.compacted = Math.max(this.compacted, this.head - keepCount);
  }

  #current(table: TableSpec, key: Key): Change | undefined {
    const id = JSON.stringify(key);
    const last = this.log.findLast((one) => one.table === table && JSON.stringify(one.change.key) === id)?.change;
    return last?.value === null ? undefined : last;
  }

  #apply({ table, key, value }: Write, current: Change | undefined): Change["revision"] {
    const previousRevision = current?.revision ?? revision(0);
    const isUnchanged = value === null ? current === undefined : isEqual(value, current?.value);
    if (isUnchanged) return previousRevision;
    const made = { revision: revision(this.head + 1), key, value, previousRevision };
    const removed = value === null ? current?.value : undefined;
    this.log.push({ table, change: removed === null || removed === undefined ? made : { ...made, removed } });
    return made.revision;
  }
}

function isEqual(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function compareBytes(a: Key, b: Key): number {
  for (const [index, part] of a.entries()) {
    const order = Buffer.compare(Buffer.from(part), Buffer.from(b[index] ?? ""));
    if (order !== 0) return order;
  }
  return 0;
}
