// SPDX-License-Identifier: Apache-2.0
import type { Server } from "node:net";
import type { Clock } from "../base/clock.ts";
import type { ConnectionSet } from "./connection-set.ts";

/** What a drain had to break off. */
export interface DrainReport {
  /** Requests that were still open at the deadline. */
  readonly cutCount: number;
}

/** 1 s: what a peer on a slow link needs to take the last bytes and close, once all answers are written. */
const closeGraceMs = 1_000;

/**
 * Closes a listener in good order: it stops accepting, sends GOAWAY, closes idle connections, lets open requests finish
 * up to the deadline, then cuts what is left. Resolves when no connection remains. It does not end streams by itself:
 * whoever serves them does.
 */
export async function drainListener(
  server: Server,
  options: { readonly connections: ConnectionSet; readonly clock: Clock; readonly deadlineMs: number },
): Promise<DrainReport> {
  const { connections, clock, deadlineMs } = options;
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  connections.drain();
  await within(connections.idle(), clock, deadlineMs);
  const cutCount = connections.openCount;
  if (cutCount === 0) await within(closed, clock, Math.min(deadlineMs, closeGraceMs));
  connections.destroyAll();
  await closed;
  return { cutCount };
}

/** Resolves with the work or at the limit, whichever is first; leaves no timer. A limit of 0 waits for nothing. */
async function within(work: Promise<void>, clock: Clock, limitMs: number): Promise<void> {
  if (limitMs <= 0) return;
  const stop = new AbortController();
  const limit = clock.sleep(limitMs, stop.signal).catch(() => undefined); // the reason is our own stop
  await Promise.race([work, limit]);
  stop.abort(new Error("the work is done"));
  await limit;
}
