// SPDX-License-Identifier: Apache-2.0
import { expect } from "vitest";
import { createSeededRandom } from "../../random.ts";
import { ManualClock } from "../../testing/manual-clock.ts";
import { KeyedQueue, type KeyedQueueOptions, type Outcome, type ReconcileFailure } from "../keyed-queue.ts";

/** A Random whose `next` is just below 1, so that retry delays show the backoff ceiling. */
const high = { ...createSeededRandom(1), next: () => 1 - 2 ** -53 };
export const fresh = { lane: "fresh" } as const;
export const backlog = { lane: "backlog" } as const;

type Work = (key: string, signal: AbortSignal) => Promise<Outcome>;

/** A queue for tests. `worked` records the start of each reconcile as `key@time`. */
export function startQueue(options: Partial<KeyedQueueOptions<string>> = {}) {
  const clock = new ManualClock();
  const stop = new AbortController();
  const worked: string[] = [];
  const failures: ReconcileFailure<string>[] = [];
  const queue = new KeyedQueue<string>({
    clock,
    random: high,
    workers: 1,
    backoff: { firstMs: 100, factor: 2, capMs: 1_000 },
    onFailure: (failure) => failures.push(failure),
    ...options,
  });
  const run = (work: Work = async () => ({})): Promise<void> =>
    queue.run((key, signal) => {
      worked.push(`${key}@${Math.round(clock.nowMs())}`);
      return work(key, signal);
    }, stop.signal);
  const end = async (running: Promise<void>): Promise<void> => {
    stop.abort(new Error("closing"));
    await running;
    expect(clock.timerCount).toBe(0);
  };
  return { clock, stop, queue, worked, failures, run, end };
}
