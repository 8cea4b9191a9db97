// SPDX-License-Identifier: Apache-2.0
import { isCancellation } from "./abort.ts";

/**
 * Runs loops together until the signal aborts or one of them ends, with or without error. Then the others are aborted,
 * and this resolves, or throws the first error, once all have ended. No loop is left running.
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
        ending.abort(new Error("another loop of this group has ended"));
      }
    }),
  );
  if (failures.length > 0) throw failures[0];
}
