// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { untilAborted } from "../../base/abort.ts";
import { settle } from "../../base/testing/manual-clock.ts";
import { newestReports } from "./report-progress.ts";

const never = new AbortController().signal;

test("[L13] a slow reader gets the newest report, and the last one before the end", async () => {
  const gate = Promise.withResolvers<void>();
  const reports = newestReports<number>(async (report) => {
    for (const value of [1, 2, 3]) report(value);
    await gate.promise;
    for (const value of [4, 5]) report(value);
  }, never);
  expect((await reports.next()).value).toBe(3);
  gate.resolve();
  await settle();
  expect((await reports.next()).value).toBe(5);
  expect(await reports.next()).toEqual({ done: true, value: undefined });
});

test("a failure of the work ends the reports, and a reader that stops ends the work", async () => {
  const failing = newestReports<number>(() => Promise.reject(new Error("broken")), never);
  await expect(failing.next()).rejects.toThrow("broken");
  let ended = "";
  const stopped = newestReports<number>(async (report, signal) => {
    report(1);
    await untilAborted(signal).catch((reason: unknown) => {
      ended = (reason as Error).message;
    });
  }, never);
  await stopped.next();
  await stopped.return();
  await settle();
  expect(ended).toBe("the reader of the progress has gone");
});
