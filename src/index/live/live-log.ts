// SPDX-License-Identifier: Apache-2.0
import type { ChangedObject } from "../fold/table-delta.ts";
import type { TablePlace } from "../scan/table-test.ts";

/** What changed in one table, for views that know it as it was before. */
export interface LoggedChanges extends TablePlace {
  /** The number of the table's slot. */
  readonly slot: number;
  /** The version of the slots that first includes the changes. */
  readonly version: number;
  /** The version of the table that includes them. */
  readonly tableVersion: number;
  readonly changes: readonly ChangedObject[];
  /** An estimate of the memory of the changes. */
  readonly sizeBytes: number;
}

/** The changes of all tables, in order, for all live views together. The oldest are dropped when it is full. */
export class LiveLog {
  readonly #maxBytes: number;
  #entries: LoggedChanges[] = [];
  /** Entries before this place are dropped. They are removed many at a time. */
  #first = 0;
  #sizeBytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  add(entry: LoggedChanges): void {
    this.#entries.push(entry);
    this.#sizeBytes += entry.sizeBytes;
  }

  /** Drops the oldest changes until there is room for more of this size. Returns what is dropped. */
  makeRoom(bytes: number): readonly LoggedChanges[] {
    const dropped: LoggedChanges[] = [];
    while (this.#sizeBytes + bytes > this.#maxBytes) {
      const oldest = this.#entries[this.#first];
      if (oldest === undefined) break;
      dropped.push(oldest);
      this.#first += 1;
      this.#sizeBytes -= oldest.sizeBytes;
    }
    if (this.#first * 2 > this.#entries.length) {
      this.#entries.splice(0, this.#first);
      this.#first = 0;
    }
    return dropped;
  }

  /** The changes after a version of the slots. */
  since(version: number): readonly LoggedChanges[] {
    let [low, high] = [this.#first, this.#entries.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#entries[middle]?.version ?? 0) > version) high = middle;
      else low = middle + 1;
    }
    return this.#entries.slice(low);
  }

  clear(): void {
    this.#entries = [];
    this.#first = 0;
    this.#sizeBytes = 0;
  }
}
