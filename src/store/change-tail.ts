// SPDX-License-Identifier: Apache-2.0
import { assert } from "../base/assert.ts";
import type { EngineChange } from "./store-engine.ts";

/** Bytes counted for a change beside its body: the record, its strings, its place in the array. */
const changeOverheadBytes = 256;

/**
 * The newest changes of the whole store, in one place for all watches (ST15). Bounded in bytes: older changes leave it and are
 * read from the log instead. Revisions have no gap, so a position is found by subtraction.
 */
export class ChangeTail {
  readonly #limitBytes: number;
  /** Changes before `#start` have left, and their places are empty; the array is cut when they are half of it. */
  #changes: (EngineChange | undefined)[] = [];
  #start = 0;
  #bytes = 0;
  #revision: number;
  /** The newest change of each table. */
  readonly #newestByTable = new Map<string, number>();
  /** The newest change of each table that has left; where there is none, nothing has left since the tail began. */
  readonly #leftByTable = new Map<string, number>();
  readonly #beganAt: number;
  /** By table; those of undefined are woken by every change. */
  readonly #wakers = new Map<string | undefined, Set<() => void>>();

  constructor(revision: number, limitBytes: number) {
    this.#revision = revision;
    this.#beganAt = revision;
    this.#limitBytes = limitBytes;
  }

  /** The newest revision here. */
  get revision(): number {
    return this.#revision;
  }

  get byteLength(): number {
    return this.#bytes;
  }

  /** Adds the next changes of the line and wakes who waits for their tables. */
  append(changes: readonly EngineChange[]): void {
    const touched = new Set<string | undefined>(changes.length === 0 ? [] : [undefined]);
    for (const change of changes) {
      assert(change.revision === this.#revision + 1, "the tail takes revisions without a gap");
      this.#changes.push(change);
      this.#bytes += change.body.length + changeOverheadBytes;
      this.#revision = change.revision;
      this.#newestByTable.set(change.table, change.revision);
      touched.add(change.table);
    }
    this.#trim();
    for (const table of touched) for (const wake of this.#wakers.get(table) ?? []) wake();
  }

  /** Changes of a table after `revision`, or undefined where some of them have left the tail already. */
  since(table: string, revision: number): readonly EngineChange[] | undefined {
    // What left of other tables does not matter: a quiet table is followed without the log, however busy the others are.
    if (revision < (this.#leftByTable.get(table) ?? this.#beganAt)) return undefined;
    if ((this.#newestByTable.get(table) ?? 0) <= revision) return [];
    const first = this.#changes[this.#start]?.revision ?? this.#revision + 1;
    const found: EngineChange[] = [];
    for (let index = this.#start + Math.max(0, revision + 1 - first); index < this.#changes.length; index += 1) {
      const change = this.#changes[index];
      if (change?.table === table) found.push(change);
    }
    return found;
  }

  /** Calls `wake` whenever a change of the table, or of any if none is named, arrives, until undone. */
  onChange(table: string | undefined, wake: () => void): () => void {
    let wakers = this.#wakers.get(table);
    if (wakers === undefined) {
      wakers = new Set();
      this.#wakers.set(table, wakers);
    }
    wakers.add(wake);
    return () => void wakers.delete(wake);
  }

  /** Wakes every watch, whatever it waits for. */
  wakeAll(): void {
    for (const wakers of this.#wakers.values()) for (const wake of wakers) wake();
  }

  #trim(): void {
    while (this.#bytes > this.#limitBytes) {
      const leaving = this.#changes[this.#start];
      if (leaving === undefined) break;
      this.#bytes -= leaving.body.length + changeOverheadBytes;
      this.#leftByTable.set(leaving.table, leaving.revision);
      this.#changes[this.#start] = undefined;
      this.#start += 1;
    }
    if (this.#start > 1024 && this.#start * 2 > this.#changes.length) {
      this.#changes = this.#changes.slice(this.#start);
      this.#start = 0;
    }
  }
}
