// SPDX-License-Identifier: Apache-2.0
import type { Clock } from "../../base/clock.ts";
import { KeyedQueue, type Outcome } from "../../base/keyed-queue.ts";
import type { Logger } from "../../base/log.ts";
import type { Random } from "../../base/random.ts";
import type { ObjectChange, ObjectFeed } from "../resources/object-reader.ts";

export interface ControllerDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

/** Something that brings objects to where they should be, one key at a time, from state alone. */
export interface Controller {
  /** For logs. */
  readonly name: string;
  /** Keys to look at when it starts. */
  readonly keys: () => Iterable<string>;
  /** Keys that a change concerns. */
  readonly keysOf: (change: ObjectChange) => Iterable<string>;
  readonly reconcile: (key: string, signal: AbortSignal) => Promise<Outcome>;
}

/** Keys worked on at once: enough to keep a group commit busy, few enough that requests of users are not crowded out. */
const workers = 16;
/** As Kubernetes' controllers: from 5 ms, doubled, to some minutes. */
const backoff = { firstMs: 5, factor: 2, capMs: 300_000 };

/** Runs a controller until the signal aborts. */
export async function runController(
  feed: ObjectFeed,
  controller: Controller,
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
