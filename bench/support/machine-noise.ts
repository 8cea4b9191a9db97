// SPDX-License-Identifier: Apache-2.0
import { quantile } from "./promise.ts";

/** How often it looks. */
const everyMs = 10;

/**
 * How late timers of this process, which does little, are called: what the machine adds to any delay that is measured
 * beside.
 */
export class MachineNoise {
  readonly #lateMs: number[] = [];
  readonly #timer: NodeJS.Timeout;
  #dueMs = performance.now() + everyMs;

  constructor() {
    this.#timer = setInterval(() => {
      const nowMs = performance.now();
      this.#lateMs.push(Math.max(0, nowMs - this.#dueMs));
      this.#dueMs = nowMs + everyMs;
    }, everyMs);
  }

  /** Ends it; the 99th percentile and the worst. */
  stop(): { readonly noiseP99Ms: number; readonly noiseMaxMs: number } {
    clearInterval(this.#timer);
    const sorted = this.#lateMs.toSorted((a, b) => a - b);
    return { noiseP99Ms: quantile(sorted, 0.99), noiseMaxMs: sorted.at(-1) ?? 0 };
  }
}
