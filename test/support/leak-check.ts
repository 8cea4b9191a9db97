// SPDX-License-Identifier: Apache-2.0
// Runs around every test file: whatever it opened (handle, timer, socket, worker) must be gone when it ends.
import { afterAll, beforeAll } from "vitest";
import { openTimerCount } from "./open-timers.ts";

/**
 * Kinds of resource that the test runner itself opens and closes at its own pace. Timers are counted by
 * `openTimerCount`.
 */
const ofTheRunner = new Set(["PipeWrap", "TTYWrap", "Immediate", "Timeout"]);

function countOpen(): Map<string, number> {
  const counts = new Map<string, number>([["timer", openTimerCount()]]);
  for (const kind of process.getActiveResourcesInfo()) {
    if (!ofTheRunner.has(kind)) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return counts;
}

function leaked(before: ReadonlyMap<string, number>): string[] {
  const found: string[] = [];
  for (const [kind, count] of countOpen()) {
    const extra = count - (before.get(kind) ?? 0);
    if (extra > 0) found.push(`${extra} x ${kind}`);
  }
  return found;
}

let before: ReadonlyMap<string, number> = new Map();

beforeAll(() => {
  before = countOpen();
});

// A closed handle leaves the list one or a few turns of the event loop later; a leaked one stays however long we look.
afterAll(async () => {
  for (let turn = 0; turn < 500 && leaked(before).length > 0; turn += 1) {
    await new Promise((resolve) => setImmediate(resolve));
  }
  const left = leaked(before);
  if (left.length > 0) throw new Error(`left open at the end of this file: ${left.join(", ")}`);
});
