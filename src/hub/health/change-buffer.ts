// SPDX-License-Identifier: Apache-2.0
import { onAbort } from "../../base/abort.ts";
import type { Clock } from "../../base/time/clock.ts";
import type { ClusterId } from "../../model/cluster-id.ts";
import type { HealthChange } from "./cluster-view.ts";

/**
 * Changes buffered in order before they are folded to one per cluster: a burst of 100 clusters going through two
 * states.
 */
const defaultBoundCount = 256;

/**
 * The buffer of one subscriber. Pushing never waits and never fails (fleet-ui R1, R2). Up to the bound it keeps every
 * change in order; beyond it only the newest of each cluster, until the next `take`. A slow reader misses intermediate
 * states, never the last one (HE12).
 */
export class ChangeBuffer {
  readonly #clock: Clock;
  readonly #boundCount: number;
  readonly #onClose: () => void;
  #waiting: HealthChange[] = [];
  /** Newest change by cluster, after the bound was exceeded. */
  #folded: Map<ClusterId, HealthChange> | undefined;
  #wake: (() => void) | undefined;
  #isClosed = false;

  constructor(options: { readonly clock: Clock; readonly onClose: () => void; readonly boundCount?: number }) {
    this.#clock = options.clock;
    this.#onClose = options.onClose;
    this.#boundCount = options.boundCount ?? defaultBoundCount;
  }

  /** Number of buffered changes. */
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
   * Takes all buffered changes in order of position. Waits up to `waitMs` for the first one; empty after that time,
   * after `close` and when the signal aborts. One reader at a time.
   */
  async take(waitMs: number, signal: AbortSignal): Promise<readonly HealthChange[]> {
    if (this.length === 0 && !this.#isClosed && !signal.aborted) await this.#wait(waitMs, signal);
    const taken = this.#folded === undefined ? this.#waiting : [...this.#folded.values()];
    this.#waiting = [];
    this.#folded = undefined;
    return taken;
  }

  /** Ends the reader's wait at once, for a reader that has other sources too. */
  wake(): void {
    this.#wake?.();
  }

  /** Ends the subscription. Buffered and later changes are dropped. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#waiting = [];
    this.#folded = undefined;
    this.#wake?.();
    this.#onClose();
  }

  /** A cluster that changes again moves to the end, which keeps the order of positions. */
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
