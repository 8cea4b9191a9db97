// SPDX-License-Identifier: Apache-2.0
import { FlotillaError } from "./error.ts";
import type { Random } from "./random.ts";

/** How delays grow: `firstMs`, then `factor` times more after each further failure, never over `capMs`. */
export interface BackoffCurve {
  readonly firstMs: number;
  readonly factor: number;
  readonly capMs: number;
}

/** A curve for something that connects and stays: its failures are forgotten once it was healthy for `stableMs`. */
export interface BackoffOptions extends BackoffCurve {
  readonly stableMs: number;
}

/** Refuses a curve or options that cannot work, with one sentence that names all that is wrong. */
export function assertBackoff(options: BackoffCurve & Partial<BackoffOptions>): void {
  const { firstMs, factor, capMs, stableMs = 0 } = options;
  const mistakes: string[] = [];
  if (!(Number.isFinite(firstMs) && firstMs > 0)) mistakes.push(`firstMs must be over 0, not ${firstMs}`);
  if (!(Number.isFinite(factor) && factor >= 1)) mistakes.push(`factor must be 1 or more, not ${factor}`);
  if (!Number.isFinite(capMs)) mistakes.push(`capMs must be a number, not ${capMs}`);
  else if (capMs < firstMs) mistakes.push(`capMs (${capMs}) must not be below firstMs (${firstMs})`);
  if (!(Number.isFinite(stableMs) && stableMs >= 0)) mistakes.push(`stableMs must be 0 or more, not ${stableMs}`);
  if (mistakes.length > 0) throw new FlotillaError("INVALID_ARGUMENT", `backoff cannot work: ${mistakes.join("; ")}`);
}

/** The longest delay after that many failures in a row before this one. The delay itself is drawn below it. */
export function backoffCeilingMs(curve: BackoffCurve, earlierFailureCount: number): number {
  return Math.min(curve.capMs, curve.firstMs * curve.factor ** earlierFailureCount);
}

/** A delay anywhere in [0, ceiling): full jitter, so that many who failed together do not return together (L12). */
export function backoffDelayMs(curve: BackoffCurve, earlierFailureCount: number, random: Random): number {
  return backoffCeilingMs(curve, earlierFailureCount) * random.next();
}

/** The delays of one connection. A success by itself resets nothing: a peer that accepts and drops is still failing (L12). */
export class Backoff {
  readonly #options: BackoffOptions;
  #failureCount = 0;

  constructor(options: BackoffOptions) {
    assertBackoff(options);
    this.#options = options;
  }

  /** Failures in a row that `next` has answered. */
  get failureCount(): number {
    return this.#failureCount;
  }

  /** What the next delay is drawn below. */
  get ceilingMs(): number {
    return backoffCeilingMs(this.#options, this.#failureCount);
  }

  /** The delay before the next attempt; each call counts one failure. */
  next(random: Random): number {
    const delayMs = backoffDelayMs(this.#options, this.#failureCount, random);
    this.#failureCount += 1;
    return delayMs;
  }

  /** Told how long the connection was healthy before it was lost; forgets earlier failures if that was long enough. */
  succeededFor(healthyMs: number): void {
    if (healthyMs >= this.#options.stableMs) this.#failureCount = 0;
  }
}
