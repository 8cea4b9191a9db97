// SPDX-License-Identifier: Apache-2.0
import type { Server } from "node:net";
import type { Clock } from "../../base/time/clock.ts";
import type { ConnectionSet } from "./connection-set.ts";

/** The result of a drain. */
export interface DrainReport {
  /** Requests that were still open at the deadline. */
  readonly cutCount: number;
}

/** 1 s: time for a peer on a slow link to receive the last bytes and close, after all responses are written. */
const closeGraceMs = 1_000;

/**
 * Closes a listener gracefully: stops accepting, sends GOAWAY, closes idle connections, lets open requests finish until
 * the deadline, then cuts the rest. Resolves when no connection remains. Streams are not ended here; the endpoint's
 * `closing` signal ends them.
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

/** Resolves when the work is done or at the limit, whichever is first. Leaves no timer. A limit of 0 does not wait. */
async function within(work: Promise<void>, clock: Clock, limitMs: number): Promise<void> {
  if (limitMs <= 0) return;
  const stop = new AbortController();
  const limit = clock.sleep(limitMs, stop.signal).catch(() => undefined); // rejects only because of our own abort
  await Promise.race([work, limit]);
  stop.abort(new Error("the work is done"));
  await limit;
}
