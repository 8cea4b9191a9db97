// SPDX-License-Identifier: Apache-2.0
import type { CancelTimer } from "../../src/base/time/clock.ts";

interface Timer {
  readonly dueMs: number;
  readonly callback: () => void;
}

/** The processor time of this thread. What other work on the machine takes is not in it. */
export function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

/**
 * The time of a thread that has a core of its own, on a machine of any load: it passes with the processor time of this
 * thread, and jumps to the next timer while there is nothing to do.
 */
export class ThreadClock {
  readonly #startedCpuMs = threadCpuMs();
  #idleMs = 0;
  readonly #timers = new Set<Timer>();
  readonly #paused: (() => void)[] = [];
  /** The longest step between two pauses. */
  longestMs = 0;

  nowMs(): number {
    return threadCpuMs() - this.#startedCpuMs + this.#idleMs;
  }

  wallMs(): number {
    return Date.UTC(2026, 0, 1) + Math.floor(this.nowMs());
  }

  setTimer(delayMs: number, callback: () => void): CancelTimer {
    const timer = { dueMs: this.nowMs() + delayMs, callback };
    this.#timers.add(timer);
    return () => void this.#timers.delete(timer);
  }

  /** Resolves after other work had the chance to run. */
  readonly pause = (): Promise<void> => new Promise((resolve) => void this.#paused.push(resolve));

  /** Runs timers and paused work in turns until that time. */
  async runUntil(endMs: number): Promise<void> {
    await settle();
    while (this.nowMs() < endMs) {
      const next = this.#firstTimer();
      const work = next !== undefined && next.dueMs <= this.nowMs() ? this.#take(next) : this.#paused.shift();
      if (work !== undefined) await this.#step(work);
      else this.#idleMs += Math.max(0, Math.min(next?.dueMs ?? endMs, endMs) - this.nowMs());
    }
  }

  #firstTimer(): Timer | undefined {
    let first: Timer | undefined;
    for (const timer of this.#timers) if (first === undefined || timer.dueMs < first.dueMs) first = timer;
    return first;
  }

  #take(timer: Timer): () => void {
    this.#timers.delete(timer);
    return timer.callback;
  }

  async #step(work: () => void): Promise<void> {
    const beganMs = threadCpuMs();
    work();
    await settle();
    this.longestMs = Math.max(this.longestMs, threadCpuMs() - beganMs);
  }
}

/** Resolves when all that follows from the last step has run. */
function settle(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}
