// SPDX-License-Identifier: Apache-2.0

/** Many times the turns that a call over the in-process transport takes. */
const maxTurnCount = 1_000;

/**
 * Repeats the check after every turn of the event loop until it passes; rejects with its last error. The bound is a
 * number of turns, because a busy machine makes turns slower, not more.
 */
export async function soon(check: () => void): Promise<void> {
  for (let turn = 1; ; turn += 1) {
    try {
      check();
      return;
    } catch (reason) {
      if (turn === maxTurnCount) throw reason;
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
}
