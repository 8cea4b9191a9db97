// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { KeyedMutex } from "./keyed-mutex.ts";

test("work of one key goes one after the other, also past one that failed; other keys do not wait, and one at rest is forgotten", async () => {
  const mutex = new KeyedMutex();
  const order: string[] = [];
  const first = Promise.withResolvers<void>();
  const runs = [
    mutex.run("a", async () => {
      await first.promise;
      order.push("first");
      throw new Error("failed");
    }),
    mutex.run("a", () => Promise.resolve(order.push("second"))),
    mutex.run("b", () => Promise.resolve(order.push("other"))),
  ];
  await runs[2];
  expect(order).toEqual(["other"]);
  expect([mutex.isBusy("a"), mutex.isBusy("c")]).toEqual([true, false]);
  first.resolve();
  await Promise.allSettled(runs);
  expect(order).toEqual(["other", "first", "second"]);
  await Promise.resolve();
  expect([mutex.isBusy("a"), mutex.isBusy("b")]).toEqual([false, false]);
});
