// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { beginsAttempt, firstHopState, type HopEvent, type HopState, stepHop, toHubHop } from "./hop-state.ts";

const middle = (): number => 0.5;

function run(state: HopState, events: readonly (readonly [number, HopEvent])[]): HopState {
  return events.reduce((current, [nowMs, event]) => stepHop(current, event, { nowMs, random: middle }), state);
}

const first = firstHopState(0);
const opened: HopEvent = { kind: "opened", pageVersion: "" };
const failed = (sentence: string): HopEvent => ({ kind: "failed", sentence });

test("[PG14] waits half a second at first, then twice as long each time up to ten seconds, a random part of it", () => {
  let state: HopState = first;
  const waits: number[] = [];
  for (let count = 0; count < 7; count += 1) {
    state = run(state, [[1_000, failed("refused")]]);
    if (state.kind === "waiting") waits.push((state.nextAttemptMs - 1_000) / middle());
    state = run(state, [[1_000, { kind: "due" }]]);
  }
  expect(waits).toEqual([500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000]);
});

test("[PG18] a loss is as old as its first failure, through every attempt, and over with the first message", () => {
  const lost = run(first, [
    [10, opened],
    [5_000, failed("the hub closed the stream")],
    [6_000, { kind: "due" }],
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
  expect(toHubHop(run(lost, [[9_000, opened]]))).toMatchObject({ kind: "open", sinceMs: 9_000 });
});

test("[PG26] the page that a hub serves is known from its first message until it is lost", () => {
  const served = (pageVersion: string): HopEvent => ({ kind: "opened", pageVersion });
  const open = run(first, [[10, served("old")]]);
  expect(toHubHop(open)).toEqual({ kind: "open", sinceMs: 10, pageVersion: "old" });
  const lost = run(open, [[20, failed("the hub ended the stream")]]);
  expect(toHubHop(lost)).not.toHaveProperty("pageVersion");
  const back = run(lost, [
    [900, { kind: "due" }],
    [910, served("new")],
  ]);
  expect(toHubHop(back)).toEqual({ kind: "open", sinceMs: 910, pageVersion: "new" });
});

test("[PG14] a hub that refused the credential is not called again until a login", () => {
  const refused = run(first, [[0, { kind: "refused", sentence: "the login has expired" }]]);
  expect(toHubHop(refused)).toEqual({ kind: "loginNeeded", sentence: "the login has expired" });
  expect(run(refused, [[1, failed("late")]])).toBe(refused);
  expect(run(refused, [[2, { kind: "wake" }]])).toEqual(firstHopState(2));
});

test("[PG14] retry now gives up an attempt that has hung for a second, and a younger one when it has", () => {
  const hanging = run(first, [
    [10, failed("refused")],
    [5_000, { kind: "due" }],
  ]);
  const other = run(hanging, [[6_000, { kind: "wake" }]]);
  expect(beginsAttempt(hanging, other)).toBe(true);
  expect(toHubHop(other)).toMatchObject({ kind: "lost", sinceMs: 10, attemptCount: 2, nextAttemptMs: undefined });
  const asked = run(hanging, [[5_999, { kind: "wake" }]]);
  expect(asked).toEqual({ ...hanging, nextAttemptMs: 6_000 });
  expect(beginsAttempt(hanging, asked)).toBe(false);
  expect(toHubHop(asked)).toEqual(toHubHop(hanging));
  expect(run(asked, [[5_999, { kind: "wake" }]])).toBe(asked);
  expect(run(asked, [[6_000, { kind: "due" }]])).toEqual(other);
  expect(run(hanging, [[6_000, { kind: "due" }]])).toBe(hanging);
  expect(run(first, [[1_000, { kind: "wake" }]])).toEqual(firstHopState(1_000));
});

test("[PG14] retry now within a second of an attempt is over with its first message, and outlives its failure", () => {
  const asked = run(first, [[100, { kind: "wake" }]]);
  expect(run(asked, [[500, opened]])).toEqual(run(first, [[500, opened]]));
  const lost = { sinceMs: 0, sentence: "", failureCount: 9 };
  const again = run({ kind: "opening", begunMs: 5_000, lost, nextAttemptMs: undefined }, [[5_100, { kind: "wake" }]]);
  expect(run(again, [[5_200, failed("refused")]])).toMatchObject({ kind: "waiting", nextAttemptMs: 6_000 });
  // Its timer was late.
  expect(run(again, [[6_200, failed("refused")]])).toMatchObject({ kind: "opening", begunMs: 6_200 });
});

test("[PG14] retry now soon after an attempt brings the next one forward, to a second after that one, and never back", () => {
  const lost = { sinceMs: 0, sentence: "", failureCount: 9 };
  const waiting = run({ kind: "opening", begunMs: 5_000, lost, nextAttemptMs: undefined }, [
    [5_200, failed("refused")],
  ]);
  expect(waiting).toMatchObject({ kind: "waiting", nextAttemptMs: 10_200 });
  const sooner = run(waiting, [[5_300, { kind: "wake" }]]);
  expect(toHubHop(sooner)).toMatchObject({ nextAttemptMs: 6_000, attemptCount: 10 });
  expect(run(sooner, [[5_400, { kind: "wake" }]])).toBe(sooner);
  expect(run(sooner, [[6_000, { kind: "due" }]])).toMatchObject({ kind: "opening", begunMs: 6_000 });
  const near = run(first, [[100, failed("refused")]]);
  expect(near).toMatchObject({ nextAttemptMs: 350 });
  expect(run(near, [[120, { kind: "wake" }]])).toBe(near);
});

const states: Readonly<Record<HopState["kind"], HopState>> = {
  opening: first,
  open: { kind: "open", begunMs: 0, sinceMs: 0, pageVersion: "" },
  waiting: { kind: "waiting", begunMs: 0, lost: { sinceMs: 0, sentence: "", failureCount: 1 }, nextAttemptMs: 9 },
  loginNeeded: { kind: "loginNeeded", sentence: "" },
};

const outcomes: Readonly<Record<HopState["kind"], Readonly<Record<HopEvent["kind"], HopState["kind"]>>>> = {
  opening: { opened: "open", failed: "waiting", refused: "loginNeeded", due: "opening", wake: "opening" },
  open: { opened: "open", failed: "waiting", refused: "loginNeeded", due: "open", wake: "open" },
  waiting: { opened: "waiting", failed: "waiting", refused: "waiting", due: "opening", wake: "opening" },
  loginNeeded: {
    opened: "loginNeeded",
    failed: "loginNeeded",
    refused: "loginNeeded",
    due: "loginNeeded",
    wake: "opening",
  },
};

const events: Readonly<Record<HopEvent["kind"], HopEvent>> = {
  opened,
  failed: failed(""),
  refused: { kind: "refused", sentence: "" },
  due: { kind: "due" },
  wake: { kind: "wake" },
};

test.each(
  Object.entries(outcomes).flatMap(([state, row]) =>
    Object.entries(row).map(([event, outcome]) => [state, event, outcome] as const),
  ),
)("in %s, %s leads to %s", (state, event, outcome) => {
  const from = states[state as HopState["kind"]];
  expect(run(from, [[2_000, events[event as HopEvent["kind"]]]]).kind).toBe(outcome);
});
