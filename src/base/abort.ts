// SPDX-License-Identifier: Apache-2.0
// Signals are merged with AbortSignal.any, which lets go of its sources by garbage collection; for one per request of a
// long-lived signal use `openDeadline`, which lets go when disposed.

/** The reason given to `abort()`, as an Error. Cancellation is not a failure: whoever catches it neither logs nor counts it. */
export function abortReason(signal: AbortSignal): Error {
  const reason: unknown = signal.reason;
  return reason instanceof Error ? reason : new Error(String(reason), { cause: reason });
}

/** Throws the signal's reason if it is aborted already. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw abortReason(signal);
}

/**
 * Runs `callback` once when the signal aborts, at once if it has. Call what it returns when that is no longer of interest:
 * a listener left on a long-lived signal is a leak.
 */
export function onAbort(signal: AbortSignal, callback: () => void): () => void {
  if (signal.aborted) {
    callback();
    return () => undefined;
  }
  signal.addEventListener("abort", callback, { once: true });
  return () => signal.removeEventListener("abort", callback);
}

/** The work's result, or the signal's reason as soon as it aborts. The work itself goes on. */
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

/** Deeper chains of causes than this do not occur; the bound ends a chain that bites its own tail. */
const deepestCause = 16;

/**
 * True when `reason` was thrown because the signal aborted: it is the signal's reason, or was caused by it. A failure that
 * merely happened after the abort is still a failure.
 */
export function isCancellation(signal: AbortSignal, reason: unknown): boolean {
  if (!signal.aborted) return false;
  let link = reason;
  for (let depth = 0; depth < deepestCause; depth += 1) {
    if (link === signal.reason) return true;
    if (!(link instanceof Error)) return false;
    link = link.cause;
  }
  return false;
}
