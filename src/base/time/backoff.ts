// SPDX-License-Identifier: Apache-2.0
import { FlotillaError } from "../error.ts";
import type { Random } from "../random.ts";

/** Growth of delays: `firstMs`, multiplied by `factor` after each further failure, at most `capMs`. */
export interface BackoffCurve {
  readonly firstMs: number;
  readonly factor: number;
  readonly capMs: number;
}

/** A curve for a long-lived connection: failures are reset once it was healthy for `stableMs`. */
export interface BackoffOptions extends BackoffCurve {
  readonly stableMs: number;
}

/** Throws INVALID_ARGUMENT with one sentence that names all mistakes of a curve or options. */
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

/** The maximum delay after `earlierFailureCount` earlier failures in a row. The actual delay is random below it. */
export function backoffCeilingMs(curve: BackoffCurve, earlierFailureCount: number): number {
  return Math.min(curve.capMs, curve.firstMs * curve.factor ** earlierFailureCount);
}

/** A random delay in [0, ceiling): full jitter, so that clients that failed together do not retry together (L12). */
export function backoffDelayMs(curve: BackoffCurve, earlierFailureCount: number, random: Random): number {
  return backoffCeilingMs(curve, earlierFailureCount) * random.next();
}

/**
 * The delays of one connection. A success alone does not reset them: a peer that accepts and then drops is still
 * failing (L12).
 */
export class Backoff {
  readonly #options: BackoffOptions;
  #failureCount = 0;

  constructor(options: BackoffOptions) {
    assertBackoff(options);
    this.#options = options;
  }

  /** Failures in a row: the number of `next` calls since the last reset. */
  get failureCount(): number {
    return this.#failureCount;
  }

  /** Upper bound of the next delay. */
  get ceilingMs(): number {
    return backoffCeilingMs(this.#options, this.#failureCount);
  }

  /** The delay before the next attempt; each call counts one failure. */
  next(random: Random): number {
    const delayMs = backoffDelayMs(this.#options, this.#failureCount, random);
    this.#failureCount += 1;
    return delayMs;
  }

  /** Resets the failures if the connection was healthy for at least `stableMs` before it was lost. */
  succeededFor(healthyMs: number): void {
    if (healthyMs >= this.#options.stableMs) this.#failureCount = 0;
  }
}

/** 1 hour: a peer may request a delay, but cannot keep us away for ever (L12). */
export const longestRetryAfterMs = 3_600_000;

/** The delay that the peer requested, from `retryAfterMs` of the error's ids; 0 if none, at most one hour. */
export function retryAfterMsOf(reason: unknown): number {
  if (!(reason instanceof FlotillaError)) return 0;
  const asked = reason.ids["retryAfterMs"];
  return typeof asked === "number" && asked > 0 ? Math.min(asked, longestRetryAfterMs) : 0;
}
