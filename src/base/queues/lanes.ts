// SPDX-License-Identifier: Apache-2.0
import { assert } from "../assert.ts";
import { type Defined, LinkedList } from "./linked-list.ts";

/** `fresh`: just changed by a user or event; `backlog`: processed because of a start or a periodic check (L6). */
export type Lane = "fresh" | "backlog";

/** Gives the backlog a ninth of the workers under a steady load of fresh changes. */
const defaultFreshPerBacklog = 8;

/**
 * Two FIFO queues. The fresh one has priority, but while both have values one backlog value is taken after each
 * `freshPerBacklog` fresh ones.
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

  /** Appends to a lane. The returned function removes the value; it does nothing after the value was taken. */
  push(value: T, lane: Lane): () => void {
    return lane === "fresh" ? this.#fresh.push(value) : this.#backlog.push(value);
  }

  /** Takes the next value. */
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
