// SPDX-License-Identifier: Apache-2.0
import { abortReason, onAbort, throwIfAborted } from "../../base/abort.ts";

/**
 * What `shared` gives, or the signal's reason as soon as it aborts. The work behind `shared` goes on for its other waiters; its owner
 * must look at its failure too.
 */
export async function waitFor<T>(shared: Promise<T>, signal: AbortSignal): Promise<T> {
  throwIfAborted(signal);
  let unlisten: (() => void) | undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    unlisten = onAbort(signal, () => reject(abortReason(signal)));
  });
  try {
    return await Promise.race([shared, aborted]);
  } finally {
    unlisten?.();
  }
}
