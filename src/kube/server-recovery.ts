// SPDX-License-Identifier: Apache-2.0

import { WakeUp } from "../base/queues/wake-up.ts";
import type { Random } from "../base/random.ts";
import type { Clock } from "../base/time/clock.ts";

/**
 * Watches that wait for the API server resume within this time after its return, at a random moment each, so that they
 * do not all come at once (KU14).
 */
export const recoverySpreadMs = 1_500;

/** Notifies waiting retries that the API server answers again. No order between listeners. */
export class ServerRecovery {
  readonly #listeners = new Set<() => void>();

  /** Calls `listener` at each return. Returns a function that removes it. The listener must not throw. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Called when a probe succeeds after the server was lost or degraded. */
  announce(): void {
    for (const listener of this.#listeners) listener();
  }
}

/**
 * Waits for `limitMs`, or until shortly after the server's return if that is sooner. True if the server returned.
 * Rejects with the signal's reason.
 */
export async function waitForRecovery(
  { clock, random, returns }: { readonly clock: Clock; readonly random: Random; readonly returns: ServerRecovery },
  limitMs: number,
  signal: AbortSignal,
): Promise<boolean> {
  const startMs = clock.nowMs();
  const wakeUp = new WakeUp();
  const unlisten = returns.listen(() => wakeUp.wake());
  try {
    if (!(await wakeUp.waitAtMost(clock, limitMs, signal))) return false;
  } finally {
    unlisten();
  }
  const leftMs = startMs + limitMs - clock.nowMs();
  await clock.sleep(Math.max(0, Math.min(leftMs, recoverySpreadMs * random.next())), signal);
  return true;
}
