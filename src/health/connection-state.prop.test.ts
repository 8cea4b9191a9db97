// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { rbacResources } from "../model/rbac-resources.ts";
import { type HealthStep, stepHealth } from "./connection-state.ts";
import type { HealthInput } from "./health-input.ts";
import { createHealthState, type HealthState, isBehind } from "./health-state.ts";
import {
  answers,
  arrival,
  beat,
  followed,
  heartbeatMs,
  live,
  lostBy,
  report,
  thresholds,
  timePassed,
  unseen,
} from "./testing/health-kit.ts";

const epoch = fc.integer({ min: 1, max: 3 });
const duration = fc.nat({ max: 200_000 });

const anyInput: fc.Arbitrary<HealthInput> = fc.oneof(
  epoch.map((e): HealthInput => ({ kind: "sessionBegan", epoch: e, heartbeatMs })),
  fc
    .tuple(epoch, fc.constantFrom("left" as const, "lost" as const))
    .map(([e, ending]): HealthInput => ({ kind: "sessionEnded", epoch: e, ending, detail: "" })),
  fc
    .constantFrom("ACTIVE_SESSION", "GRACE_PERIOD", "UNAUTHORIZED", "WRONG_CLUSTER", "PROTOCOL", "OVERLOADED", "PAUSED")
    .map((reason): HealthInput => ({ kind: "attemptRejected", reason, retryAfterMs: 1_000, detail: "" })),
  fc.tuple(epoch, fc.option(duration, { nil: undefined }), fc.constantFrom("", "", "", "tcp", "odd"), duration).map(
    ([e, oldestWaitingMs, fault, sinceMsAgo]): HealthInput => ({
      kind: "heartbeat",
      epoch: e,
      apiServer: fault === "" ? answers : lostBy(fault, { sinceMsAgo }),
      oldestWaitingMs,
    }),
  ),
  fc
    .tuple(
      epoch,
      fc.constantFrom(...followed),
      fc.constantFrom("listing", "watching", "polling", "notInstalled", "failed", "unknown"),
      fc.option(duration, { nil: undefined }),
    )
    .map(([e, resource, state, currentMsAgo]): HealthInput => {
      const kinds = [report(resource, { state: state as "failed", currentMsAgo })];
      return { kind: "kindStatuses", epoch: e, kinds };
    }),
  fc
    .tuple(epoch, fc.subarray([...followed]), fc.subarray([...followed], { maxLength: 1 }))
    .map(([e, equal, differing]): HealthInput => ({ kind: "compared", epoch: e, equal, differing })),
  // A healthy arrival makes live states common enough to say something about.
  epoch.chain((e) => fc.constantFrom(...arrival(e))),
);

/** Inputs with the time before each; an arrival first in half of the runs. */
const anyRun = fc
  .tuple(fc.boolean(), fc.array(fc.tuple(fc.nat({ max: 9_000 }), anyInput), { maxLength: 40 }))
  .map(([arrives, inputs]) => [
    ...(arrives ? arrival(1).map((input): [number, HealthInput] => [0, input]) : []),
    ...inputs,
  ]);

/** An independent reading of HE2's bounds: what is wrong with calling this `live` now. */
function faultsOfLive({ session, kinds }: HealthState, nowMs: number): readonly string[] {
  const faults: string[] = [];
  if (session === undefined) return ["no session"];
  const { heartbeat } = session;
  if (heartbeat === undefined) return ["no heartbeat"];
  if (nowMs - heartbeat.atMs >= 1.5 * session.heartbeatMs) faults.push("heartbeat");
  if (heartbeat.apiServer.fault !== "") faults.push("API server");
  if (heartbeat.oldestWaitingMs !== undefined && nowMs - heartbeat.atMs + heartbeat.oldestWaitingMs >= 30_000) {
    faults.push("backlog");
  }
  for (const resource of rbacResources) {
    const record = kinds.get(resource);
    if (record?.epoch !== session.epoch || record.asOfMs === undefined) faults.push(`${resource} unknown`);
    else if (!record.isFollowed && nowMs - record.asOfMs >= 150_000) faults.push(`${resource} behind`);
  }
  return faults;
}

/**
 * Plays a run with the state machine's own timer and without readers. Calls back at every time at which something could
 * have changed, and between those times.
 */
function play(
  start: HealthState,
  run: readonly (readonly [number, HealthInput])[],
  look: (step: HealthStep, nowMs: number) => void,
): HealthStep {
  let nowMs = 0;
  let step = stepHealth(start, timePassed, nowMs);
  for (const [afterMs, input] of run) {
    const atMs = nowMs + afterMs;
    while (step.nextDueMs !== undefined && step.nextDueMs <= atMs) {
      look(step, (nowMs + step.nextDueMs) / 2);
      nowMs = step.nextDueMs;
      step = stepHealth(step.state, timePassed, nowMs);
      look(step, nowMs);
    }
    look(step, (nowMs + atMs) / 2);
    nowMs = atMs;
    step = stepHealth(step.state, input, nowMs);
    look(step, nowMs);
  }
  return step;
}

describe("connection state, whatever comes", () => {
  test("[HE4, L11] live is never said while any input is beyond its bound, at any moment and without a reader", () => {
    let liveCount = 0;
    fc.assert(
      fc.property(anyRun, (run) => {
        play(unseen(), run, ({ state }, nowMs) => {
          if (state.shown.state !== "live") return;
          liveCount += 1;
          expect(faultsOfLive(state, nowMs)).toEqual([]);
        });
      }),
      { numRuns: 400 },
    );
    expect(liveCount).toBeGreaterThan(100);
  });

  test("[HE4] time alone changes what is shown exactly at the due time that was announced, and at no other", () => {
    fc.assert(
      fc.property(anyRun, fc.nat({ max: 700_000 }), (run, laterMs) => {
        let nowMs = 0;
        let step = play(unseen(), run, (_step, atMs) => {
          nowMs = Math.max(nowMs, atMs);
        });
        const untilMs = nowMs + laterMs;
        while (step.nextDueMs !== undefined && step.nextDueMs <= untilMs) {
          const { nextDueMs, state } = step;
          expect(nextDueMs).toBeGreaterThan(nowMs);
          expect(stepHealth(state, timePassed, nextDueMs - 0.001).state.shown).toEqual(state.shown);
          const due = stepHealth(state, timePassed, nextDueMs);
          expect(due.nextDueMs ?? Number.POSITIVE_INFINITY).toBeGreaterThan(nextDueMs);
          nowMs = nextDueMs;
          step = due;
        }
        expect(stepHealth(step.state, timePassed, untilMs).state.shown).toEqual(step.state.shown);
      }),
      { numRuns: 200 },
    );
  });

  test("[HE6] live never follows a loss directly", () => {
    fc.assert(
      fc.property(anyRun, (run) => {
        let before = unseen().shown.state;
        play(unseen(), run, ({ state: { shown } }) => {
          if (shown.state === "live") expect(isBehind(before)).toBe(false);
          before = shown.state;
        });
      }),
      { numRuns: 200 },
    );
  });

  test("[HE10] the rejection of a rival changes nothing of a cluster whose agent lives", () => {
    fc.assert(
      fc.property(anyRun, (run) => {
        play(live(), run, ({ state }, nowMs) => {
          if (state.session === undefined) return;
          for (const reason of ["ACTIVE_SESSION", "UNAUTHORIZED", "PROTOCOL", "OVERLOADED"] as const) {
            const input: HealthInput = { kind: "attemptRejected", reason, retryAfterMs: 1, detail: "a rival" };
            const settled = stepHealth(state, timePassed, nowMs);
            expect(stepHealth(state, input, nowMs)).toEqual(settled);
          }
        });
      }),
      { numRuns: 60 },
    );
  });

  test("[HE9, CO60, L20] no clock is compared: the same run at another time of the receiver's clock shows the same", () => {
    fc.assert(
      fc.property(anyRun, fc.integer({ min: -1e9, max: 1e9 }), (run, shiftMs) => {
        const seen: unknown[] = [];
        play(unseen(), run, ({ state: { shown } }, nowMs) => seen.push([nowMs, shown.state, shown.reason]));
        let nowMs = shiftMs;
        const shifted: unknown[] = [];
        let step = stepHealth(createHealthState({ thresholds, nowMs }), timePassed, nowMs);
        const look = (atMs: number): unknown =>
          shifted.push([atMs - shiftMs, step.state.shown.state, step.state.shown.reason]);
        for (const [afterMs, input] of run) {
          const atMs = nowMs + afterMs;
          while (step.nextDueMs !== undefined && step.nextDueMs <= atMs) {
            look((nowMs + step.nextDueMs) / 2);
            nowMs = step.nextDueMs;
            step = stepHealth(step.state, timePassed, nowMs);
            look(nowMs);
          }
          look((nowMs + atMs) / 2);
          nowMs = atMs;
          step = stepHealth(step.state, input, nowMs);
          look(nowMs);
        }
        expect(shifted).toEqual(seen);
      }),
      { numRuns: 100 },
    );
  });

  test("hostile texts and names are kept as plain keys and bounded", () => {
    fc.assert(
      fc.property(
        fc.string({ maxLength: 5_000 }),
        fc.constantFrom("__proto__", "constructor", "toString"),
        (text, name) => {
          const kinds = [report(name, { state: "failed", fault: name, error: text })];
          const state = stepHealth(live(), { kind: "kindStatuses", epoch: 1, kinds }, 1_000).state;
          expect(state.kinds.get(name)?.text.length).toBeLessThanOrEqual(240);
          const lost = stepHealth(state, beat(1, { apiServer: lostBy(name, { error: text }) }), 1_000).state.shown;
          expect(lost.reason).toBe("serverError");
          expect(lost.detail).not.toMatch(/[\n\r]/);
        },
      ),
      { numRuns: 50 },
    );
  });
});
