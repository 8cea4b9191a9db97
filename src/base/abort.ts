// SPDX-License-Identifier: Apache-2.0
// Merge signals with AbortSignal.any, which releases its sources by garbage collection. For one signal per request of a
// long-lived signal use `openDeadline`, which releases them on dispose.

/** The reason given to `abort()`, as an Error. Cancellation is not a failure: do not log or count it. */
export function abortReason(signal: AbortSignal): Error {
  const reason: unknown = signal.reason;
  return reason instanceof Error ? reason : new Error(String(reason), { cause: reason });
}

/** Throws the signal's reason if it is already aborted. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw abortReason(signal);
}

/**
 * Runs `callback` once when the signal aborts, or at once if it already has. Call the returned function to remove the
 * listener; a listener left on a long-lived signal is a leak.
 */
export function onAbort(signal: AbortSignal, callback: () => void): () => void {
  if (signal.aborted) {
    callback();
    return () => undefined;
  }
  signal.addEventListener("abort", callback, { once: true });
  return () => signal.removeEventListener("abort", callback);
}

/**
 * The work's result, or the signal's reason as soon as it aborts. The work itself goes on for its other waiters; its
 * failure after the abort is ignored.
 */
export async function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let unlisten: (() => void) | undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    unlisten = onAbort(signal, () => reject(abortReason(signal)));
  });
  try {
    return await Promise.race([aborted, work]);
  } finally {
    unlisten?.();
  }
}

/** Waits for nothing but the abort, then throws the signal's reason. */
export function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise<never>((_resolve, reject) => {
    onAbort(signal, () => reject(abortReason(signal)));
  });
}

/** Bound of the loop over causes; ends a circular chain. Real chains are shorter. */
const maxCauseDepth = 16;

/**
 * True if `reason` was thrown because the signal aborted: it is the signal's reason or has it as a cause. Any other
 * failure after the abort is still a failure.
 */
export function isCancellation(signal: AbortSignal, reason: unknown): boolean {
  if (!signal.aborted) return false;
  let link = reason;
  for (let depth = 0; depth < maxCauseDepth; depth += 1) {
    if (link === signal.reason) return true;
    if (!(link instanceof Error)) return false;
    link = link.cause;
  }
  return false;
}
