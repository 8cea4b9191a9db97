// SPDX-License-Identifier: Apache-2.0
import type { CancelTimer, Clock } from "../../base/time/clock.ts";
import { stuckTerminatingAfterMs } from "../../model/status-rules.ts";

interface Terminating {
  readonly uid: string;
  readonly sinceMs: number;
  readonly cancel: CancelTimer;
}

/**
 * Most terminating objects that are watched at once; each holds the whole object, and a deleted namespace has thousands
 * for some seconds. An object beyond this is watched from its next change on, if there is room then.
 */
const maxWatchedCount = 1_000;

/**
 * Objects with a deletion timestamp: since when this process has seen it, and a second look when they count as stuck
 * (CO15).
 */
export class TerminatingObjects {
  readonly #clock: Clock;
  readonly #lookAgain: (object: unknown) => void;
  readonly #byKey = new Map<string, Terminating>();

  /** `lookAgain` gets the object as it was last seen. */
  constructor(clock: Clock, lookAgain: (object: unknown) => void) {
    this.#clock = clock;
    this.#lookAgain = lookAgain;
  }

  /** How long the object has been seen terminating. A different uid under the same key is a different object. */
  note(key: string, uid: string, object: unknown): number {
    const known = this.#byKey.get(key);
    const nowMs = this.#clock.nowMs();
    const sinceMs = known?.uid === uid ? known.sinceMs : nowMs;
    this.forget(key);
    const forMs = nowMs - sinceMs;
    if (this.#byKey.size < maxWatchedCount) {
      const leftMs = stuckTerminatingAfterMs - forMs;
      const cancel = leftMs > 0 ? this.#clock.setTimer(leftMs, () => this.#lookAgain(object)) : () => undefined;
      this.#byKey.set(key, { uid, sinceMs, cancel });
    }
    return forMs;
  }

  forget(key: string): void {
    if (this.#byKey.size === 0) return; // as a rule: it is asked of every object
    this.#byKey.get(key)?.cancel();
    this.#byKey.delete(key);
  }

  clear(): void {
    for (const { cancel } of this.#byKey.values()) cancel();
    this.#byKey.clear();
  }
}
