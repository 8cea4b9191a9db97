// SPDX-License-Identifier: Apache-2.0
// Controllers in the sense of Kubernetes, for the API server, playground clusters and agents. Callers do the reads and
// writes; this folder only decides when each key is reconciled.

import type { Logger } from "../base/log.ts";
import { KeyedQueue, type Outcome } from "../base/queues/keyed-queue.ts";
import type { Random } from "../base/random.ts";
import type { Clock } from "../base/time/clock.ts";

export interface ControllerDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

/** The source of changes. The listener must not throw and returns at once. */
export interface ControllerFeed<Change> {
  /** Returns the function that ends the subscription. */
  subscribe(listener: (change: Change) => void): () => void;
}

/** Reconciles objects one key at a time, from state only. */
export interface Controller<Change> {
  /** For logs. */
  readonly name: string;
  /** Keys to reconcile at the start. */
  readonly keys: () => Iterable<string>;
  /** Keys that a change affects. */
  readonly keysOf: (change: Change) => Iterable<string>;
  readonly reconcile: (key: string, signal: AbortSignal) => Promise<Outcome>;
}

/** Keys reconciled concurrently: enough to keep a group commit busy, few enough not to crowd out user requests. */
const workers = 16;
/** As in Kubernetes' controllers: from 5 ms, doubled each time, up to five minutes. */
const backoff = { firstMs: 5, factor: 2, capMs: 300_000 };

/**
 * Runs a controller until the signal aborts. A failed key is retried with backoff. A key is never reconciled twice at
 * the same time.
 */
export async function runController<Change>(
  feed: ControllerFeed<Change>,
  controller: Controller<Change>,
  deps: ControllerDeps,
  signal: AbortSignal,
): Promise<void> {
  const { name } = controller;
  const queue = new KeyedQueue<string>({
    clock: deps.clock,
    random: deps.random,
    workers,
    backoff,
    onFailure: ({ key, error, failureCount }) =>
      deps.log.warn("reconcile failed, will retry", { controller: name, key, failureCount }, error),
  });
  const stop = feed.subscribe((change) => {
    for (const key of controller.keysOf(change)) queue.add(key, { lane: "fresh" });
  });
  for (const key of controller.keys()) queue.add(key, { lane: "backlog" });
  try {
    await queue.run(controller.reconcile, signal);
  } finally {
    stop();
  }
}
