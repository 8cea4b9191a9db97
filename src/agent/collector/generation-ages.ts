// SPDX-License-Identifier: Apache-2.0
import type { CancelTimer, Clock } from "../../base/time/clock.ts";
import { startDeadlineMs } from "../../kinds/start-status.ts";

interface Seen {
  readonly uid: string;
  readonly generation: number;
  /** By this process' clock; -Infinity if the object was found in this generation and is not known to be new. */
  readonly sinceMs: number;
}

/**
 * Most objects with a pending second look; each holds the whole object. An object beyond this is judged at its next
 * change.
 */
const maxWatchedCount = 1_000;

/** The current identity and age of an object. */
export interface SeenObject {
  readonly uid: string;
  readonly generation: number;
  /** Age of the object by the API server's own clock (L20); undefined where that is not known. */
  readonly objectForMs: number | undefined;
}

/**
 * How far in the future of the listing server an object's creation may lie: servers of one cluster differ by seconds.
 */
const maxServerDriftMs = 60_000;

/**
 * Since when this process has seen objects at their generation (KI20), and a second look at those that do not start in
 * time.
 */
export class GenerationAges {
  readonly #clock: Clock;
  readonly #lookAgain: (object: unknown) => void;
  readonly #looks = new Map<string, CancelTimer>();
  #seen = new Map<string, Seen>();
  #listed: Map<string, Seen> | undefined;
  #wasListed = false;

  /** `lookAgain` gets the object as it was last seen. */
  constructor(clock: Clock, lookAgain: (object: unknown) => void) {
    this.#clock = clock;
    this.#lookAgain = lookAgain;
  }

  beginList(): void {
    this.#listed = new Map();
  }

  /** Forgets objects that the list did not contain, unless part of the list was unreadable. */
  endList(keepsUnseen: boolean): void {
    const listed = this.#listed ?? new Map<string, Seen>();
    this.#seen = keepsUnseen ? new Map([...this.#seen, ...listed]) : listed;
    this.#listed = undefined;
    this.#wasListed = true;
    for (const key of this.#looks.keys()) if (!this.#seen.has(key)) this.#cancel(key);
  }

  /**
   * How long the object has been at this generation, counted from when this process first saw it there. In the first
   * list it is counted from the object's creation if that is within the deadline; otherwise it is Infinity. A different
   * uid under the same key is a different object.
   */
  note(key: string, { uid, generation, objectForMs }: SeenObject): number {
    const nowMs = this.#clock.nowMs();
    const known = this.#listed?.get(key) ?? this.#seen.get(key);
    const isSame = known?.uid === uid && known.generation === generation;
    const sinceMs = isSame ? known.sinceMs : this.#wasListed ? nowMs : nowMs - foundForMs(objectForMs);
    (this.#listed ?? this.#seen).set(key, { uid, generation, sinceMs });
    return nowMs - sinceMs;
  }

  /**
   * Schedules a second look at a progressing object for when its start deadline passes. Undefined `ageMs` only cancels.
   */
  watch(key: string, object: unknown, ageMs: number | undefined): void {
    this.#cancel(key);
    if (ageMs === undefined || ageMs >= startDeadlineMs || this.#looks.size >= maxWatchedCount) return;
    this.#looks.set(
      key,
      this.#clock.setTimer(startDeadlineMs - ageMs, () => this.#lookAgain(object)),
    );
  }

  forget(key: string): void {
    this.#seen.delete(key);
    this.#listed?.delete(key);
    this.#cancel(key);
  }

  clear(): void {
    for (const key of this.#looks.keys()) this.#cancel(key);
  }

  #cancel(key: string): void {
    this.#looks.get(key)?.();
    this.#looks.delete(key);
  }
}

/** An object younger than the deadline cannot have been without a ready Pod for longer than that (KI20). */
function foundForMs(objectForMs: number | undefined): number {
  const isNew = objectForMs !== undefined && objectForMs < startDeadlineMs && objectForMs > -maxServerDriftMs;
  return isNew ? Math.max(0, objectForMs) : Infinity;
}
