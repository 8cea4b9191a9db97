// SPDX-License-Identifier: Apache-2.0
import { isCancellation } from "./abort.ts";

/**
 * Runs loops that belong together until the signal aborts or one of them ends by itself, well or badly: then the others are aborted too, and
 * this resolves, or throws the first failure, once all have ended. Nothing goes on unowned.
 */
export async function runTogether(
  loops: readonly ((signal: AbortSignal) => Promise<void>)[],
  signal: AbortSignal,
): Promise<void> {
  const ending = new AbortController();
  const both = AbortSignal.any([signal, ending.signal]);
  const failures: unknown[] = [];
  await Promise.all(
    loops.map(async (loop) => {
      try {
        await loop(both);
      } catch (reason) {
        if (!isCancellation(both, reason)) failures.push(reason);
      } finally {
        ending.abort(new Error("a loop that this one belongs to has ended"));
      }
    }),
  );
  if (failures.length > 0) throw failures[0];
}
