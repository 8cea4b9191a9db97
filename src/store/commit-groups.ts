// SPDX-License-Identifier: Apache-2.0
import { FlotillaError } from "../base/error.ts";
import type { EngineUnit, StorePort, UnitOutcome } from "./store-engine.ts";

/** The limit on writes in one engine transaction. A larger group only increases the latency (bench/store.ts). */
const groupWrites = 256;
/** The limit on bytes in one group. It keeps one transaction within milliseconds. */
const groupBytes = 8 * 1024 * 1024;
/** The limit on queued bytes (ST9): a few seconds of writing at full speed. */
const waitingBytesLimit = 64 * 1024 * 1024;

/** Groups that the engine processes at a time: it writes one while this thread prepares and answers the other. */
const groupsUnderWay = 2;
/** A group may have this many commits even if they are more than half: sharing a sync saves more than a split would. */
const smallGroup = 16;

/** Microtask turns from an answer to the caller's next commit: a few layers of async functions. */
const gatherTurns = 8;

interface Waiting {
  readonly unit: EngineUnit;
  readonly bytes: number;
  readonly resolve: (outcome: UnitOutcome) => void;
  readonly reject: (reason: unknown) => void;
}

type GroupListener = (units: readonly EngineUnit[], outcomes: readonly UnitOutcome[]) => Promise<void> | void;

/**
 * Groups commits (ST8): commits that arrive while the engine writes form the next group. Two groups run at a time, each
 * with at most half of the pending commits, so that engine and callers work in parallel. `onCommitted` gets each
 * group's outcomes before its callers are answered: a read after the answer sees at least what was written.
 */
export class CommitGroups {
  readonly #port: StorePort;
  readonly #onCommitted: GroupListener;
  #waiting: Waiting[] = [];
  #waitingBytes = 0;
  /** Commits that the engine is processing. */
  #underWay = 0;
  /** Writers that will check the queue again. */
  #openWriters = 0;
  /** The open writers, and writers that are just ending. */
  readonly #writers = new Set<Promise<void>>();

  constructor(port: StorePort, onCommitted: GroupListener) {
    this.#port = port;
    this.#onCommitted = onCommitted;
  }

  commit(unit: EngineUnit): Promise<UnitOutcome> {
    const bytes = unit.writes.reduce((sum, write) => sum + write.key.length + (write.body?.length ?? 0), 0);
    if (bytes > waitingBytesLimit) {
      return Promise.reject(
        new FlotillaError("TOO_LARGE", `a commit has ${bytes} bytes; the limit is ${waitingBytesLimit}`),
      );
    }
    if (this.#waitingBytes + bytes > waitingBytesLimit) {
      return Promise.reject(
        new FlotillaError("OVERLOADED", "the write queue of the store is full; try again in a moment"),
      );
    }
    this.#waitingBytes += bytes;
    return new Promise((resolve, reject) => {
      this.#waiting.push({ unit, bytes, resolve, reject });
      if (this.#openWriters < groupsUnderWay) this.#startWriter();
    });
  }

  /** Resolves when all commits accepted so far have been answered. */
  async drain(): Promise<void> {
    while (this.#writers.size > 0) await Promise.all(this.#writers);
  }

  #startWriter(): void {
    const writer = this.#runWriter().then(() => void this.#writers.delete(writer));
    this.#writers.add(writer);
  }

  async #runWriter(): Promise<void> {
    this.#openWriters += 1;
    for (await this.#gather(); this.#waiting.length > 0; await this.#gather())
      await this.#writeGroup(this.#takeGroup());
    // Runs in the same step in which the queue was empty. A later commit must not wait for a writer that has already
    // checked the queue.
    this.#openWriters -= 1;
  }

  /**
   * Waits, within this turn of the event loop, while commits arrive. Callers that the previous group answered commit
   * again now. Without this wait the first of them would form a group alone, and a group of one takes as long as a full
   * one.
   */
  async #gather(): Promise<void> {
    for (let seen = 0; seen < this.#waiting.length && seen < groupWrites; ) {
      seen = this.#waiting.length;
      for (let turn = 0; turn < gatherTurns; turn += 1) await Promise.resolve();
    }
  }

  #takeGroup(): readonly Waiting[] {
    const half = Math.ceil((this.#waiting.length + this.#underWay) / groupsUnderWay);
    const most = Math.max(smallGroup, half);
    let writes = 0;
    let bytes = 0;
    const end = this.#waiting.findIndex(({ unit, bytes: unitBytes }, index) => {
      writes += unit.writes.length;
      bytes += unitBytes;
      return index > 0 && (index >= most || writes > groupWrites || bytes > groupBytes);
    });
    const group = end === -1 ? this.#waiting : this.#waiting.slice(0, end);
    this.#waiting = end === -1 ? [] : this.#waiting.slice(end);
    return group;
  }

  async #writeGroup(group: readonly Waiting[]): Promise<void> {
    this.#underWay += group.length;
    try {
      const units = group.map(({ unit }) => unit);
      const outcomes = await this.#port.commit(units);
      await this.#onCommitted(units, outcomes);
      for (const [index, outcome] of outcomes.entries()) group[index]?.resolve(outcome);
    } catch (reason) {
      for (const { reject } of group) reject(reason);
    } finally {
      this.#underWay -= group.length;
      for (const { bytes } of group) this.#waitingBytes -= bytes;
    }
  }
}
