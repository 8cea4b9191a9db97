// SPDX-License-Identifier: Apache-2.0
// Brings the tail to what other processes committed to the same store (ST40, ST41).
import type { CancelTimer, Clock } from "../base/clock.ts";
import { hasCode } from "../base/error.ts";
import type { ChangeTail } from "./change-tail.ts";
import type { EngineState, StorePort } from "./store-engine.ts";

export interface TailFollowerOptions {
  readonly port: StorePort;
  readonly tail: ChangeTail;
  readonly clock: Clock;
  /** Time between two polls; no polls where left out. */
  readonly pollMs: number | undefined;
  /** Changes and bytes read in one call. */
  readonly page: { readonly limit: number; readonly bytesLimit: number };
  /** Called when the tail lost its place to compaction and starts again at this state. */
  readonly onReset: (state: EngineState) => void;
}

/** Reads the change log behind the tail: on request, at a wake-up, and by polling. */
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

  /** Another process committed up to `revision`. Never throws; a read that fails is made up for by the next note or poll. */
  note(revision: number): void {
    this.#notedRevision = Math.max(this.#notedRevision, revision);
    if (this.#notedRevision > this.#options.tail.revision) this.#follow();
  }

  /** Reads to the newest revision of the store. Rejects with what the engine throws, except that compaction has passed the tail. */
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

  /** Ends polling, and waits for a read that is under way. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelPoll?.();
    await this.#following;
  }

  /** Watches behind the new start read the log and end with GONE (ST17). */
  async #reset(): Promise<void> {
    const state = await this.#options.port.state();
    // A commit of this store may have moved the tail meanwhile.
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

  /** One read at a time; notes that come during it are covered by its next round. */
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
      // The engine does not answer now. Callers of the store meet the same failure; watches go on at the next note or poll.
      void reason;
    }
  }
}
