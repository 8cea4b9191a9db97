// SPDX-License-Identifier: Apache-2.0
import { assert } from "../../base/assert.ts";
import type { EngineChange } from "../store-engine.ts";
import { coveringPrefixes, firstPart } from "../table.ts";
import { ChangeQueue } from "./change-queue.ts";

/** Bytes counted for a change in addition to its body: the record, its strings, its places in the queues. */
const changeOverheadBytes = 256;

/**
 * The limit on scopes with a recorded newest removed revision. A scope is a workspace of a table; 16,384 entries take
 * about 2 MB.
 */
const maxRemovedCount = 16_384;

/** Calls `wake` when the store has reached `revision`. */
interface RevisionWaker {
  readonly revision: number;
  readonly wake: () => void;
}

/**
 * The newest changes of the whole store, shared by all watches (ST15). It is bounded in bytes: older changes are
 * removed and then read from the log. Each table, and each first key part (the workspace) within it, has its own queue:
 * a watch of one workspace neither reads nor is woken by the changes of another (AP40).
 */
export class ChangeTail {
  readonly #limitBytes: number;
  #all = new ChangeQueue();
  /** By scope: a table, or a workspace of a table. An empty queue is removed. */
  readonly #queues = new Map<string, ChangeQueue>();
  /** The revision of the newest removed change per scope, oldest first. */
  readonly #removedByScope = new Map<string, number>();
  /** No change after this revision was removed from a scope that `#removedByScope` does not contain. */
  #removedElsewhere: number;
  #bytes = 0;
  #revision: number;
  /** By table, then by watched prefix. */
  readonly #wakers = new Map<string, Map<string, Set<() => void>>>();
  readonly #revisionWakers = new Set<RevisionWaker>();

  constructor(revision: number, limitBytes: number) {
    this.#revision = revision;
    this.#removedElsewhere = revision;
    this.#limitBytes = limitBytes;
  }

  /** The newest revision in the tail. */
  get revision(): number {
    return this.#revision;
  }

  get byteLength(): number {
    return this.#bytes;
  }

  /** Adds the next changes and wakes the watches whose rows changed. */
  append(changes: readonly EngineChange[]): void {
    const touched = new Set<Set<() => void>>();
    for (const change of changes) {
      assert(change.revision === this.#revision + 1, "revisions are appended without a gap");
      this.#all.push(change);
      for (const name of scopesOf(change)) this.#queue(name).push(change);
      this.#bytes += change.body.length + changeOverheadBytes;
      this.#revision = change.revision;
      for (const wakers of this.#wakersOf(change)) touched.add(wakers);
    }
    this.#trim();
    for (const wakers of touched) for (const wake of wakers) wake();
    for (const { revision, wake } of this.#revisionWakers) if (revision <= this.#revision) wake();
  }

  /**
   * The changes of a table after `revision`, or undefined if some of them are no longer in the tail. Only the first
   * part of the prefix (from joinPrefix) narrows the result: the caller filters by the rest.
   */
  since(table: string, prefix: string, revision: number): readonly EngineChange[] | undefined {
    const name = scopeOf(table, prefix);
    // Changes removed from other scopes do not matter: a quiet workspace is followed without the log, however busy the
    // others are.
    if (revision < (this.#removedByScope.get(name) ?? this.#removedElsewhere)) return undefined;
    return this.#queues.get(name)?.after(revision) ?? [];
  }

  /**
   * Calls `wake` whenever a row of the table under the prefix (from joinPrefix) changes. The returned function
   * unsubscribes.
   */
  onChange(table: string, prefix: string, wake: () => void): () => void {
    const byPrefix = this.#wakers.get(table) ?? new Map<string, Set<() => void>>();
    const wakers = byPrefix.get(prefix) ?? new Set();
    this.#wakers.set(table, byPrefix.set(prefix, wakers.add(wake)));
    return () => {
      wakers.delete(wake);
      if (wakers.size === 0 && byPrefix.get(prefix) === wakers) byPrefix.delete(prefix);
    };
  }

  /** Calls `wake` with each append from that revision on. The returned function unsubscribes. */
  onRevision(revision: number, wake: () => void): () => void {
    const waker = { revision, wake };
    this.#revisionWakers.add(waker);
    return () => void this.#revisionWakers.delete(waker);
  }

  #queue(name: string): ChangeQueue {
    let queue = this.#queues.get(name);
    if (queue === undefined) {
      queue = new ChangeQueue();
      this.#queues.set(name, queue);
    }
    return queue;
  }

  *#wakersOf({ table, key }: EngineChange): Generator<Set<() => void>> {
    const byPrefix = this.#wakers.get(table);
    if (byPrefix === undefined || byPrefix.size === 0) return;
    for (const prefix of coveringPrefixes(key)) {
      const wakers = byPrefix.get(prefix);
      if (wakers !== undefined) yield wakers;
    }
  }

  /**
   * Clears the tail and continues at `revision`. Earlier positions are read from the log from now on. Wakes every
   * watch.
   */
  restartAt(revision: number): void {
    this.#all = new ChangeQueue();
    this.#queues.clear();
    this.#removedByScope.clear();
    this.#removedElsewhere = revision;
    this.#bytes = 0;
    this.#revision = revision;
    this.wakeAll();
  }

  /** Wakes every watch. */
  wakeAll(): void {
    for (const byPrefix of this.#wakers.values()) {
      for (const wakers of byPrefix.values()) for (const wake of wakers) wake();
    }
    for (const { wake } of this.#revisionWakers) wake();
  }

  #trim(): void {
    while (this.#bytes > this.#limitBytes) {
      const oldestChange = this.#all.shift();
      if (oldestChange === undefined) break;
      this.#bytes -= oldestChange.body.length + changeOverheadBytes;
      for (const name of scopesOf(oldestChange)) this.#removeFrom(name, oldestChange.revision);
    }
  }

  #removeFrom(name: string, revision: number): void {
    const queue = this.#queues.get(name);
    queue?.shift();
    if (queue?.count === 0) this.#queues.delete(name);
    this.#removedByScope.delete(name);
    this.#removedByScope.set(name, revision);
    if (this.#removedByScope.size <= maxRemovedCount) return;
    // The removed entry has the lowest revision, so the bound for scopes without an entry rises as little as possible.
    for (const [oldest, left] of this.#removedByScope) {
      this.#removedByScope.delete(oldest);
      this.#removedElsewhere = left;
      return;
    }
  }
}

/** The scopes of a change: its table's, and its workspace's in that table. */
function scopesOf({ table, key }: EngineChange): readonly [string, string] {
  return [table, `${table}/${firstPart(key)}`];
}

/** The narrowest scope that holds all changes under a prefix from joinPrefix. */
function scopeOf(table: string, prefix: string): string {
  return prefix === "" ? table : `${table}/${firstPart(prefix)}`;
}
