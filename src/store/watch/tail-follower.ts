// SPDX-License-Identifier: Apache-2.0
// Updates the tail with the commits of other processes to the same store (ST40, ST41).

import { hasCode } from "../../base/error.ts";
import type { CancelTimer, Clock } from "../../base/time/clock.ts";
import type { EngineState, StorePort } from "../store-engine.ts";
import type { ChangeTail } from "./change-tail.ts";

export interface TailFollowerOptions {
  readonly port: StorePort;
  readonly tail: ChangeTail;
  readonly clock: Clock;
  /** The interval between two polls. Undefined: no polls. */
  readonly pollMs: number | undefined;
  /** The limits on changes and bytes per read. */
  readonly page: { readonly limit: number; readonly bytesLimit: number };
  /** Called when compaction has passed the tail and the tail restarts at this state. */
  readonly onReset: (state: EngineState) => void;
}

/** Reads the change log after the tail: on request, at a wake-up, and by polling. */
export class TailFollower {
  readonly #options: TailFollowerOptions;
  /** The newest revision of all wake-ups. */
  #notedRevision = 0;
  #following: Promise<void> | undefined;
  #cancelPoll: CancelTimer | undefined;
  #isClosed = false;

  constructor(options: TailFollowerOptions) {
    this.#options = options;
    this.#schedulePoll();
  }

  /**
   * Reports that another process committed up to `revision`. Never throws. After a failed read, the next note or poll
   * reads again.
   */
  note(revision: number): void {
    this.#notedRevision = Math.max(this.#notedRevision, revision);
    if (this.#notedRevision > this.#options.tail.revision) this.#follow();
  }

  /**
   * Reads up to the newest revision of the store. Rejects with the engine's error, except if compaction has passed the
   * tail.
   */
  async catchUp(): Promise<void> {
    const { port, tail, page } = this.#options;
    for (let behind = true; behind; ) {
      try {
        const { changes, headRevision } = await port.changes({ after: tail.revision, ...page });
        tail.append(changes.filter((change) => change.revision > tail.revision));
        behind = tail.revision < headRevision;
      } catch (reason) {
        if (!hasCode(reason, "GONE")) throw reason;
        await this.#reset();
      }
    }
  }

  /** Stops polling, and waits for a running read. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelPoll?.();
    await this.#following;
  }

  /** Watches before the new start read the log and end with GONE (ST17). */
  async #reset(): Promise<void> {
    const state = await this.#options.port.state();
    // A commit of this store may have advanced the tail meanwhile.
    if (state.compactedRevision <= this.#options.tail.revision) return;
    this.#options.tail.restartAt(state.revision);
    this.#options.onReset(state);
  }

  #schedulePoll(): void {
    const { clock, pollMs } = this.#options;
    if (pollMs === undefined || this.#isClosed) return;
    this.#cancelPoll = clock.setTimer(pollMs, () => {
      this.#follow();
      this.#schedulePoll();
    });
  }

  /** Runs one read at a time. Its next round covers notes that arrive during it. */
  #follow(): void {
    if (this.#isClosed) return;
    this.#following ??= this.#readToNoted().finally(() => {
      this.#following = undefined;
    });
  }

  async #readToNoted(): Promise<void> {
    const { tail } = this.#options;
    try {
      for (let reached = -1; !this.#isClosed && reached < tail.revision; ) {
        reached = tail.revision;
        await this.catchUp();
        if (tail.revision >= this.#notedRevision) return;
      }
    } catch (reason) {
      // The engine does not answer. Callers of the store get the same failure; watches continue at the next note or
      // poll.
      void reason;
    }
  }
}
