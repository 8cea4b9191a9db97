// SPDX-License-Identifier: Apache-2.0
import { onAbort } from "../../base/abort.ts";
import type { Clock } from "../../base/clock.ts";
import type { ClusterId } from "../../model/cluster-id.ts";
import type { HealthChange } from "./cluster-view.ts";

/** Changes that wait for a reader in order before they are folded to one per cluster; a burst of 100 clusters going through two states. */
const defaultBoundCount = 256;

/**
 * What waits for one subscriber. Pushing never waits and never fails (fleet-ui R1, R2). Up to the bound every change waits, in order;
 * beyond it only the newest of each cluster does, until the reader comes: it misses states in between, never the last one (HE12).
 */
export class ChangeBuffer {
  readonly #clock: Clock;
  readonly #boundCount: number;
  readonly #onClose: () => void;
  #waiting: HealthChange[] = [];
  /** Newest change by cluster, once the line was over its bound. */
  #folded: Map<ClusterId, HealthChange> | undefined;
  #wake: (() => void) | undefined;
  #isClosed = false;

  constructor(options: { readonly clock: Clock; readonly onClose: () => void; readonly boundCount?: number }) {
    this.#clock = options.clock;
    this.#onClose = options.onClose;
    this.#boundCount = options.boundCount ?? defaultBoundCount;
  }

  /** How many changes wait. */
  get length(): number {
    return this.#folded?.size ?? this.#waiting.length;
  }

  push(change: HealthChange): void {
    if (this.#isClosed) return;
    if (this.#folded === undefined && this.#waiting.length >= this.#boundCount) {
      this.#folded = new Map();
      for (const waiting of this.#waiting) this.#fold(waiting);
      this.#waiting = [];
    }
    if (this.#folded === undefined) this.#waiting.push(change);
    else this.#fold(change);
    this.#wake?.();
  }

  /**
   * All that waits, in order of position; waits for the first change, at most `waitMs`, and is empty after that time, after
   * `close` and when the signal aborts. One reader at a time.
   */
  async take(waitMs: number, signal: AbortSignal): Promise<readonly HealthChange[]> {
    if (this.length === 0 && !this.#isClosed && !signal.aborted) await this.#wait(waitMs, signal);
    const taken = this.#folded === undefined ? this.#waiting : [...this.#folded.values()];
    this.#waiting = [];
    this.#folded = undefined;
    return taken;
  }

  /** Ends a wait of the reader now, with whatever waits: for one who waits for something else too. */
  wake(): void {
    this.#wake?.();
  }

  /** Ends the subscription; nothing more is pushed. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#waiting = [];
    this.#folded = undefined;
    this.#wake?.();
    this.#onClose();
  }

  /** A cluster goes to the end of the line when it changes again, so the line stays in order of position. */
  #fold(change: HealthChange): void {
    this.#folded?.delete(change.cluster);
    this.#folded?.set(change.cluster, change);
  }

  async #wait(waitMs: number, signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    const cancel = this.#clock.setTimer(waitMs, resolve);
    const unlisten = onAbort(signal, resolve);
    await promise;
    this.#wake = undefined;
    cancel();
    unlisten();
  }
}
