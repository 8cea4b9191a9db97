// SPDX-License-Identifier: Apache-2.0

/** Many times what a call over the transport inside this process takes. */
const maxTurnCount = 1_000;

/**
 * Looks again after every turn of the event loop until the check passes; fails with its last complaint. Of what happens inside this process a number of turns
 * is the bound: a busy machine makes them slow, and not more.
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
