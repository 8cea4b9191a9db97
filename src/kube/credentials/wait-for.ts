// SPDX-License-Identifier: Apache-2.0
import { abortReason, onAbort } from "../../base/abort.ts";

/**
 * What `shared` gives, or the signal's reason as soon as it aborts. The work behind `shared` goes on for its other waiters; a failure that comes when
 * nobody waits any more is looked at here and is nobody's.
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
