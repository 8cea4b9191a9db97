// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { firstHopState, type HopEvent, type HopState, stepHop, toHubHop } from "./hop-state.ts";

const middle = (): number => 0.5;

function run(state: HopState, events: readonly (readonly [number, HopEvent])[]): HopState {
  return events.reduce((current, [nowMs, event]) => stepHop(current, event, { nowMs, random: middle }), state);
}

const failed = (sentence: string): HopEvent => ({ kind: "failed", sentence });

test("[PG14] waits half a second at first, then twice as long each time up to ten seconds, a random part of it", () => {
  let state: HopState = firstHopState;
  const waits: number[] = [];
  for (let count = 0; count < 7; count += 1) {
    state = run(state, [[1_000, failed("refused")]]);
    if (state.kind === "waiting") waits.push((state.nextAttemptMs - 1_000) / middle());
    state = run(state, [[1_000, { kind: "wake" }]]);
  }
  expect(waits).toEqual([500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000]);
});

test("[PG18] a loss is as old as its first failure, through every attempt, and over with the first message", () => {
  const lost = run(firstHopState, [
    [10, { kind: "heard" }],
    [5_000, failed("the hub closed the stream")],
    [6_000, { kind: "wake" }],
    [7_000, failed("connection refused")],
    [8_000, { kind: "wake" }],
  ]);
  expect(toHubHop(lost)).toEqual({
    kind: "lost",
    sinceMs: 5_000,
    sentence: "connection refused",
    attemptCount: 2,
    nextAttemptMs: undefined,
  });
  expect(toHubHop(run(lost, [[9_000, { kind: "heard" }]]))).toEqual({ kind: "open", sinceMs: 9_000 });
});

test("[PG14] a hub that does not know us is not asked again until somebody logged in", () => {
  const refused = run(firstHopState, [[0, { kind: "refused", sentence: "the login has expired" }]]);
  expect(toHubHop(refused)).toEqual({ kind: "loginNeeded", sentence: "the login has expired" });
  expect(run(refused, [[1, failed("late")]])).toBe(refused);
  expect(run(refused, [[2, { kind: "wake" }]])).toEqual(firstHopState);
});

const states: Readonly<Record<HopState["kind"], HopState>> = {
  opening: firstHopState,
  open: { kind: "open", sinceMs: 0 },
  waiting: { kind: "waiting", lost: { sinceMs: 0, sentence: "", failureCount: 1 }, nextAttemptMs: 9 },
  loginNeeded: { kind: "loginNeeded", sentence: "" },
};

const outcomes: Readonly<Record<HopState["kind"], Readonly<Record<HopEvent["kind"], HopState["kind"]>>>> = {
  opening: { heard: "open", failed: "waiting", refused: "loginNeeded", wake: "opening" },
  open: { heard: "open", failed: "waiting", refused: "loginNeeded", wake: "open" },
  waiting: { heard: "waiting", failed: "waiting", refused: "waiting", wake: "opening" },
  loginNeeded: { heard: "loginNeeded", failed: "loginNeeded", refused: "loginNeeded", wake: "opening" },
};

const events: Readonly<Record<HopEvent["kind"], HopEvent>> = {
  heard: { kind: "heard" },
  failed: failed(""),
  refused: { kind: "refused", sentence: "" },
  wake: { kind: "wake" },
};

test.each(
  Object.entries(outcomes).flatMap(([state, row]) =>
    Object.entries(row).map(([event, outcome]) => [state, event, outcome] as const),
  ),
)("in %s, %s leads to %s", (state, event, outcome) => {
  const from = states[state as HopState["kind"]];
  expect(run(from, [[1, events[event as HopEvent["kind"]]]]).kind).toBe(outcome);
});
