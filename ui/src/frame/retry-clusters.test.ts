// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { type RetryOutcome, retryClusters } from "./retry-clusters.ts";

const failureSentence = (reason: unknown): string => (reason instanceof Error ? reason.message : "?");

function name(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `c-${index}`);
}

test("[PG19] for one cluster the hub's sentence is shown, or why the call failed", async () => {
  const retry = (id: string): Promise<RetryOutcome> =>
    Promise.resolve({ wasAsked: true, sentence: `${id} was asked.` });
  expect(await retryClusters(["east"], { retry, failureSentence })).toBe("east was asked.");
  const fail = (): Promise<RetryOutcome> => Promise.reject(new Error("The hub cannot be reached."));
  expect(await retryClusters(["east"], { retry: fail, failureSentence })).toBe("The hub cannot be reached.");
  expect(await retryClusters([], { retry, failureSentence })).toBe("");
});

test("[PG19] of several it is counted what came of them, and one that fails stops none", async () => {
  const retry = async (id: string): Promise<RetryOutcome> => {
    if (id === "c-3") throw new Error("You may not.");
    return { wasAsked: Number(id.slice(2)) < 58, sentence: id };
  };
  expect(await retryClusters(name(60), { retry, failureSentence })).toBe(
    "57 agents were asked to try now. 2 agents are not connected and dial the hub by themselves. 1 cluster could not be retried: You may not.",
  );
  expect(await retryClusters(["c-1", "c-58"], { retry, failureSentence })).toBe(
    "1 agent was asked to try now. 1 agent is not connected and dials the hub by itself.",
  );
});

test("[PG19] at most 20 calls are under way together, each cluster is asked once", async () => {
  const asked: string[] = [];
  const ends: (() => void)[] = [];
  let most = 0;
  const retry = async (id: string): Promise<RetryOutcome> => {
    asked.push(id);
    const { promise, resolve } = Promise.withResolvers<void>();
    ends.push(resolve);
    most = Math.max(most, ends.length);
    await promise;
    return { wasAsked: true, sentence: "" };
  };
  const done = retryClusters(name(55), { retry, failureSentence });
  for (let turn = 0; turn < 1_000 && asked.length + ends.length > 0; turn += 1) {
    ends.shift()?.();
    await Promise.resolve();
  }
  expect(await done).toBe("55 agents were asked to try now.");
  expect(most).toBe(20);
  expect(new Set(asked).size).toBe(55);
  expect(asked).toHaveLength(55);
});
