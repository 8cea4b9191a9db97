// SPDX-License-Identifier: Apache-2.0
import { abortReason, onAbort } from "../../base/abort.ts";

/**
 * Resolves with the result of `shared`, or rejects with the signal's reason as soon as it aborts. The work behind
 * `shared` continues for its other waiters. A failure after all waiters have left is ignored.
 */
export async function waitFor<T>(shared: Promise<T>, signal: AbortSignal): Promise<T> {
  let unlisten: (() => void) | undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    unlisten = onAbort(signal, () => reject(abortReason(signal)));
  });
  try {
    return await Promise.race([aborted, shared]);
  } finally {
    unlisten?.();
  }
}
