// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { SimulationError, World } from "./world.ts";

test("[SI1] the same seed gives the same trace and hash, another seed another", async () => {
  const runOnce = async (seed: number): Promise<string> => {
    const world = new World(seed);
    const random = world.random.fork("task");
    world.spawn("task", async (signal) => {
      for (let turn = 0; turn < 20; turn += 1) {
        await world.clock.sleep(random.int(50), signal);
        world.trace.add(`turn ${turn}`);
      }
    });
    await world.quiesce(10_000);
    await world.close();
    return world.trace.hash();
  };
  const first = await runOnce(7);
  expect(await runOnce(7)).toBe(first);
  expect(await runOnce(8)).not.toBe(first);
});

test("[SI2] what one part draws does not depend on what others draw", () => {
  const draw = (othersDraw: number): number[] => {
    const world = new World(3);
    const other = world.random.fork("new part");
    for (let count = 0; count < othersDraw; count += 1) other.next();
    const part = world.random.fork("network");
    return [part.next(), part.next(), part.fork("stream 1").next()];
  };
  expect(draw(100)).toEqual(draw(0));
});

test("[SI3] tasks meet each other in order of virtual time, with all ready callbacks run in between", async () => {
  const world = new World(1);
  const seen: string[] = [];
  const tick = (name: string, everyMs: number) => async (signal: AbortSignal) => {
    for (let count = 0; count < 3; count += 1) {
      await world.clock.sleep(everyMs, signal);
      await Promise.resolve();
      seen.push(`${name}@${world.clock.nowMs()}`);
    }
  };
  world.spawn("slow", tick("slow", 10));
  world.spawn("quick", tick("quick", 4));
  await world.run(20);
  expect(seen).toEqual(["quick@4", "quick@8", "slow@10", "quick@12", "slow@20"]);
  expect(world.clock.nowMs()).toBe(20);
  await world.run(10);
  await world.close();
});

test("[SI3] a wait for a tiny rest of an interval moves the clock", async () => {
  const world = new World(1);
  await world.run(0.1);
  world.spawn("waiter", (signal) => world.clock.sleep(1e-13, signal));
  await world.quiesce(10);
  expect(world.clock.nowMs()).toBeGreaterThan(0.1);
  await world.close();
});

test("[SI4] a condition that nothing can bring about any more is a deadlock that names who waits", async () => {
  const world = new World(1);
  const { promise, resolve } = Promise.withResolvers<void>();
  world.spawn("waits for ever", () => promise);
  await expect(world.runUntil("the answer", () => false, 1_000)).rejects.toThrow(
    'deadlock: "the answer" waits for something that no timer will bring; at 0 ms 0 timers wait, and still running: waits for ever',
  );
  resolve();
});

test("[SI4] a world that never rests, or whose time stands still, is ended with a sentence", async () => {
  const periodic = new World(1);
  periodic.spawn("heartbeat", async (signal) => {
    for (;;) await periodic.clock.sleep(100, signal);
  });
  await expect(periodic.quiesce(1_000)).rejects.toThrow('"rest" did not come about within 1000 ms');

  const still = new World(1);
  const again = (): void => void still.clock.setTimer(0, again);
  again();
  await expect(still.run(10)).rejects.toThrow("time stands still");
});

test("[SI5] a task that throws fails the world, by name", async () => {
  const world = new World(1);
  world.spawn("faulty", async (signal) => {
    await world.clock.sleep(5, signal);
    throw new TypeError("no such thing");
  });
  await expect(world.run(10)).rejects.toThrow(new SimulationError("task faulty failed: TypeError: no such thing"));
});

test("[SI5] a crashed task's errors are discarded, and it can be started anew", async () => {
  const world = new World(1);
  let starts = 0;
  const task = world.spawn("crashing", async (signal) => {
    starts += 1;
    try {
      await world.clock.sleep(100, signal);
    } catch (cause) {
      throw new Error("a last cry", { cause });
    }
  });
  await world.run(10);
  task.crash();
  expect(task.isRunning).toBe(false);
  task.start();
  await world.run(200);
  expect(starts).toBe(2);
  await world.close();
});

test("[SI5] a task that fails while it is stopped fails the world; its own cancellation does not", async () => {
  const world = new World(1);
  world.spawn("orderly", (signal) => world.clock.sleep(1_000, signal));
  world.spawn("sloppy", async (signal) => {
    try {
      await world.clock.sleep(1_000, signal);
    } finally {
      world.trace.add("closing");
    }
  });
  world.spawn("broken", async (signal) => {
    await world.clock.sleep(1_000, signal).catch(() => world.clock.sleep(1));
    throw new Error("could not save");
  });
  await world.run(10);
  await expect(world.close()).rejects.toThrow("task broken failed: Error: could not save");
});

test("[SI7] a timer, an unfinished task or something a part reports is a leak at the end", async () => {
  const withTimer = new World(1);
  withTimer.clock.setTimer(1_000, () => undefined);
  await expect(withTimer.close()).rejects.toThrow("left behind at the end of the world: 1 timers");

  const withPart = new World(1);
  withPart.onClose(() => ["a lock"]);
  await expect(withPart.close()).rejects.toThrow("left behind at the end of the world: a lock");

  const withZombie = new World(1);
  const task = withZombie.spawn("deaf", () => new Promise(() => undefined));
  task.crash();
  await expect(withZombie.close()).rejects.toThrow("still running: deaf");
});
