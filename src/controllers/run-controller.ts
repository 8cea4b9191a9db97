// SPDX-License-Identifier: Apache-2.0
// Controllers as Kubernetes means them, for every part that has some: the API server, playground clusters, agents.
// Reads and writes are the caller's; this folder decides only which key is worked on when.
import type { Clock } from "../base/clock.ts";
import { KeyedQueue, type Outcome } from "../base/keyed-queue.ts";
import type { Logger } from "../base/log.ts";
import type { Random } from "../base/random.ts";

export interface ControllerDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

/** Where a controller learns that something changed. The listener must not throw and returns at once. */
export interface ControllerFeed<Change> {
  /** Gives the function that ends it. */
  subscribe(listener: (change: Change) => void): () => void;
}

/** Something that brings objects to where they should be, one key at a time, from state alone. */
export interface Controller<Change> {
  /** For logs. */
  readonly name: string;
  /** Keys to look at when it starts. */
  readonly keys: () => Iterable<string>;
  /** Keys that a change concerns. */
  readonly keysOf: (change: Change) => Iterable<string>;
  readonly reconcile: (key: string, signal: AbortSignal) => Promise<Outcome>;
}

/** Keys worked on at once: enough to keep a group commit busy, few enough that requests of users are not crowded out. */
const workers = 16;
/** As Kubernetes' controllers: from 5 ms, doubled, to some minutes. */
const backoff = { firstMs: 5, factor: 2, capMs: 300_000 };

/** Runs a controller until the signal aborts. A key that fails is tried again with backoff; no key is worked on twice at a time. */
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
      deps.log.warn("a controller will try again", { controller: name, key, failureCount }, error),
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
