// SPDX-License-Identifier: Apache-2.0
import { onAbort } from "../../base/abort.ts";
import { type Revision, toRevision } from "../../model/revision.ts";
import type { WatchProgress } from "../../store/store.ts";

interface Waiter {
  readonly revision: number;
  readonly resolve: () => void;
  readonly reject: (reason: Error) => void;
}

/**
 * The requests that wait until memory has a revision. It is the progress that a watch of the store is asked for, so that a logical
 * cluster in which nothing changes is told how far the store has come when a request needs to know, and not with every commit.
 */
export class RevisionWaiters implements WatchProgress {
  readonly #waiting = new Set<Waiter>();
  readonly #wakers = new Set<() => void>();

  get wanted(): Revision | undefined {
    let lowest: number | undefined;
    for (const { revision } of this.#waiting) if (lowest === undefined || revision < lowest) lowest = revision;
    return lowest === undefined ? undefined : toRevision(lowest);
  }

  onWanted(wake: () => void): () => void {
    this.#wakers.add(wake);
    return () => void this.#wakers.delete(wake);
  }

  /** Resolves at the `advance` to that revision; rejects with the signal's reason, and with that of `end`. */
  wait(revision: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      let forget = (): void => undefined;
      const waiter: Waiter = {
        revision,
        resolve: () => {
          forget();
          resolve();
        },
        reject: (reason) => {
          forget();
          reject(reason);
        },
      };
      this.#waiting.add(waiter);
      if (signal !== undefined) {
        forget = onAbort(signal, () => {
          this.#waiting.delete(waiter);
          reject(signal.reason as Error);
        });
      }
      for (const wake of this.#wakers) wake();
    });
  }

  /** Memory has everything up to this revision. */
  advance(revision: number): void {
    for (const waiter of this.#waiting) {
      if (waiter.revision > revision) continue;
      this.#waiting.delete(waiter);
      waiter.resolve();
    }
  }

  /** No revision will come any more. */
  end(reason: Error): void {
    for (const waiter of this.#waiting) waiter.reject(reason);
    this.#waiting.clear();
  }
}
