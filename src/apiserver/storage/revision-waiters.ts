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
 * Requests that wait until the cache reaches a revision. As a `WatchProgress` it requests progress from the store's
 * watch only while a request waits, so that an idle logical cluster is not notified of every commit.
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

  /**
   * Resolves when `advance` reaches the revision. Rejects with the signal's reason or with the reason given to `end`.
   */
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

  /** Resolves the requests that wait for this revision or an earlier one. */
  advance(revision: number): void {
    for (const waiter of this.#waiting) {
      if (waiter.revision > revision) continue;
      this.#waiting.delete(waiter);
      waiter.resolve();
    }
  }

  /** Rejects all waiting requests: the store is no longer followed. */
  end(reason: Error): void {
    for (const waiter of this.#waiting) waiter.reject(reason);
    this.#waiting.clear();
  }
}
