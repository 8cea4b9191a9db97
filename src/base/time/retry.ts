// SPDX-License-Identifier: Apache-2.0
import { abortReason, isCancellation, throwIfAborted } from "../abort.ts";
import { assert } from "../assert.ts";
import { FlotillaError } from "../error.ts";
import type { Logger } from "../log.ts";
import type { Random } from "../random.ts";
import { Backoff, type BackoffOptions, retryAfterMsOf } from "./backoff.ts";
import type { Clock } from "./clock.ts";

export interface RetryOptions {
  /** The retried operation, for the log: "session with the hub". */
  readonly what: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly backoff: BackoffOptions;
  /** Maximum number of attempts; then the last error is thrown. Default: unlimited (L12). */
  readonly attemptLimit?: number;
}

/**
 * One attempt. It calls `markHealthy` once it works (connected, first answer): from then on time counts towards
 * `stableMs`; time spent connecting does not.
 */
export type Attempt<T> = (signal: AbortSignal, markHealthy: () => void) => Promise<T>;

/** Waits below 1 s are normal; from 10 s on users notice them. */
const infoFromMs = 1_000;
const warnFromMs = 10_000;

/**
 * Retries until an attempt succeeds; the only loop that retries calls. It retries a FlotillaError whose next move is
 * "retry" or "resume"; any other error is thrown at once. Between attempts it waits the backoff plus the peer's
 * `retryAfterMs`. When the signal aborts it throws the signal's reason and logs nothing.
 */
export async function retry<T>(attempt: Attempt<T>, options: RetryOptions, signal: AbortSignal): Promise<T> {
  const { clock, random, attemptLimit = Number.POSITIVE_INFINITY } = options;
  assert(attemptLimit >= 1, "attemptLimit must be 1 or more");
  const backoff = new Backoff(options.backoff);
  for (let attemptCount = 1; ; attemptCount += 1) {
    throwIfAborted(signal);
    let healthyAtMs: number | undefined;
    try {
      return await attempt(signal, () => {
        healthyAtMs ??= clock.nowMs();
      });
    } catch (reason) {
      if (isCancellation(signal, reason)) throw abortReason(signal);
      if (!isRetried(reason) || attemptCount >= attemptLimit) throw reason;
      throwIfAborted(signal);
      if (healthyAtMs !== undefined) backoff.succeededFor(clock.nowMs() - healthyAtMs);
      const askedMs = retryAfterMsOf(reason);
      const longestMs = askedMs + backoff.ceilingMs;
      const delayMs = askedMs + backoff.next(random);
      logFailure(options, reason, { attemptCount, delayMs: Math.round(delayMs), longestMs });
      await clock.sleep(delayMs, signal);
    }
  }
}

function isRetried(reason: unknown): reason is FlotillaError {
  return reason instanceof FlotillaError && (reason.next === "retry" || reason.next === "resume");
}

/** The finer fault class of an adapter's error, such as that of a request to an API server. */
function faultOf(error: FlotillaError): { readonly fault?: string } {
  return "fault" in error && typeof error.fault === "string" ? { fault: error.fault } : {};
}

function logFailure(
  { log, what }: RetryOptions,
  error: FlotillaError,
  { longestMs, ...fields }: { readonly attemptCount: number; readonly delayMs: number; readonly longestMs: number },
): void {
  const message = "attempt failed, will try again";
  const named = { what, code: error.code, ...faultOf(error), detail: error.message, ...fields };
  if (longestMs >= warnFromMs) log.warn(message, named, error);
  else if (longestMs >= infoFromMs) log.info(message, named);
  else log.debug(message, named);
}
