// SPDX-License-Identifier: Apache-2.0
import { assert } from "./assert.ts";
import { type Defined, LinkedList } from "./linked-list.ts";

/** `fresh`: somebody just changed it and waits; `backlog`: it is gone through because of a start or a periodic check (L6). */
export type Lane = "fresh" | "backlog";

/** Leaves a backlog a ninth of the workers under a steady load of fresh changes, and costs those as little. */
const defaultFreshPerBacklog = 8;

/**
 * Two lines of which the fresh one goes first, but not for ever: while both wait, one backlog value is taken after each
 * `freshPerBacklog` fresh ones. Each line is first in, first out.
 */
export class Lanes<T extends Defined> {
  readonly #fresh = new LinkedList<T>();
  readonly #backlog = new LinkedList<T>();
  readonly #freshPerBacklog: number;
  /** Fresh values taken since the last backlog one, while the backlog waited. */
  #overtakenCount = 0;

  constructor(freshPerBacklog = defaultFreshPerBacklog) {
    assert(freshPerBacklog >= 1, "at least one fresh value goes before each of the backlog");
    this.#freshPerBacklog = freshPerBacklog;
  }

  get freshCount(): number {
    return this.#fresh.length;
  }

  get backlogCount(): number {
    return this.#backlog.length;
  }

  /** Adds at the end of a lane. What it returns takes the value out again; calling that after the value left does nothing. */
  push(value: T, lane: Lane): () => void {
    return lane === "fresh" ? this.#fresh.push(value) : this.#backlog.push(value);
  }

  /** Takes the value whose turn it is. */
  take(): T | undefined {
    const isBacklogDue = this.#backlog.length > 0 && this.#overtakenCount >= this.#freshPerBacklog;
    if (this.#fresh.length === 0 || isBacklogDue) {
      this.#overtakenCount = 0;
      return this.#backlog.shift();
    }
    this.#overtakenCount = this.#backlog.length > 0 ? this.#overtakenCount + 1 : 0;
    return this.#fresh.shift();
  }
}
