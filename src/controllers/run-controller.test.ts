// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { silentLogger } from "../base/log.ts";
import type { Outcome } from "../base/queues/keyed-queue.ts";
import { createSeededRandom } from "../base/random.ts";
import { ManualClock, settle } from "../base/testing/manual-clock.ts";
import { combineControllers, type ResourceChange, type ResourceController } from "./combine-controllers.ts";
import { type ControllerFeed, runController } from "./run-controller.ts";

/** A feed that a test speaks through; it knows no API server. */
class TestFeed implements ControllerFeed<ResourceChange> {
  readonly listeners = new Set<(change: ResourceChange) => void>();

  subscribe(listener: (change: ResourceChange) => void): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  change(resource: string, name: string): void {
    for (const listener of this.listeners) listener({ resource, namespace: "shop", name });
  }
}

function podController(reconcile: ResourceController<ResourceChange>["reconcile"]): ResourceController<ResourceChange> {
  return { name: "pods", resource: "pods", watches: { services: ({ name }) => [`shop/${name}`] }, reconcile };
}

const options = {
  name: "test",
  namesOf: (resource: string) => (resource === "pods" ? [{ namespace: "shop", name: "old" }] : []),
};

test("[L6] a controller begins with all objects, then works on what changed, and leaves its feed when it ends", async () => {
  const clock = new ManualClock();
  const feed = new TestFeed();
  const seen: string[] = [];
  const controller = combineControllers(
    [podController(({ name }) => Promise.resolve(void seen.push(name)).then((): Outcome => ({})))],
    options,
  );
  const ending = new AbortController();
  const deps = { clock, random: createSeededRandom("controllers"), log: silentLogger };
  const running = runController(feed, controller, deps, ending.signal);
  await settle();
  expect(seen).toEqual(["old"]);
  feed.change("pods", "new");
  feed.change("services", "other");
  feed.change("secrets", "foreign");
  await settle();
  expect(seen).toEqual(["old", "new", "other"]);
  ending.abort(new Error("the test is over"));
  await running;
  expect([feed.listeners.size, clock.timerCount]).toEqual([0, 0]);
});

test("[L6] a key that fails is tried again later, and a failure that is moot is not", async () => {
  const clock = new ManualClock();
  const feed = new TestFeed();
  const attempts: string[] = [];
  const failing = podController(({ name }) => {
    attempts.push(name);
    return attempts.filter((each) => each === name).length < 3 ? Promise.reject(new Error(name)) : Promise.resolve({});
  });
  const isMoot = (_reason: unknown, { name }: { readonly name: string }): boolean => name === "moot";
  const controller = combineControllers([failing], { ...options, isMoot });
  const ending = new AbortController();
  const deps = { clock, random: createSeededRandom("controllers"), log: silentLogger };
  const running = runController(feed, controller, deps, ending.signal);
  feed.change("pods", "moot");
  await clock.advance(60_000);
  expect(attempts.filter((each) => each === "old")).toHaveLength(3);
  expect(attempts.filter((each) => each === "moot")).toHaveLength(1);
  ending.abort(new Error("the test is over"));
  await running;
});
