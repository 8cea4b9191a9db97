// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { type HealthState, kindFreshness } from "./health-state.ts";
import type { KindFreshness } from "./kind-freshness.ts";
import { beat, ended, feed, live, lostBy, report, statuses } from "./testing/health-kit.ts";

function kindOf(state: HealthState, resource: string, nowMs: number): KindFreshness | undefined {
  return kindFreshness(state, nowMs).find((kind) => kind.resource === resource);
}

/** Heartbeats of a healthy agent until this moment. */
function beatUntil(start: HealthState, fromMs: number, untilMs: number): HealthState {
  let state = start;
  for (let nowMs = fromMs; nowMs <= untilMs; nowMs += 5_000) state = feed(state, [beat()], nowMs).state;
  return state;
}

describe("kind freshness", () => {
  test("[HE3, N-40] after 5 min of failures on Services they are as of 5 min ago, and Pods stay current", () => {
    const failed = report("services", { state: "failed", fault: "serverError", error: "500", currentMsAgo: 0 });
    const state = beatUntil(feed(live(), [statuses(1, [failed])], 0).state, 0, 300_000);
    expect(state.shown.state).toBe("live");
    expect(kindOf(state, "services", 300_000)).toEqual({
      resource: "services",
      state: "failed",
      isCurrent: false,
      ageMs: 300_000,
      fault: "serverError",
      text: "500",
    });
    expect(kindOf(state, "pods", 300_000)).toMatchObject({ isCurrent: true, ageMs: 0 });
  });

  test("[R-2, L9] when the session is lost every kind has the age of the agent's last word, and none is current", () => {
    const state = feed(beatUntil(live(), 0, 20_000), [ended("lost")], 22_000).state;
    for (const { isCurrent, ageMs } of kindFreshness(state, 62_000)) {
      expect({ isCurrent, ageMs }).toEqual({ isCurrent: false, ageMs: 42_000 });
    }
    expect(kindFreshness(state, 62_000)).toHaveLength(6);
  });

  test("[L9] while the API server is lost the rows age from its loss, though heartbeats come", () => {
    const apiServer = lostBy("timeout", { sinceMsAgo: 12_000 });
    const state = feed(beatUntil(live(), 0, 5_000), [beat(1, { apiServer })], 30_000).state;
    expect(kindOf(state, "pods", 31_000)).toMatchObject({ isCurrent: false, ageMs: 13_000 });
  });

  test("[HE9] a polled kind is as old as the agent said, and the time since", () => {
    const polled = report("pods", { state: "polling", currentMsAgo: 4_000 });
    const state = feed(live(), [statuses(1, [polled])], 1_000).state;
    expect(kindOf(state, "pods", 3_000)).toMatchObject({ isCurrent: false, ageMs: 6_000 });
  });

  test("a kind that was never listed has no age", () => {
    const listing = report("example.com/widgets", { state: "listing", currentMsAgo: undefined });
    const state = feed(live(), [statuses(1, [listing])], 1_000).state;
    expect(kindOf(state, "example.com/widgets", 3_000)).toMatchObject({ isCurrent: false, ageMs: undefined });
  });

  test("a kind whose new session has no complete list yet keeps the age of the rows that are shown", () => {
    const away = feed(live(), [ended("lost")], 1_000).state;
    const again = feed(
      away,
      [
        { kind: "sessionBegan", epoch: 2, heartbeatMs: 5_000 },
        statuses(2, [report("pods", { state: "listing", currentMsAgo: undefined })]),
      ],
      60_000,
    ).state;
    expect(kindOf(again, "pods", 60_000)).toMatchObject({ state: "listing", isCurrent: false, ageMs: 60_000 });
  });

  test("[HE21] a kind that the agent of a new session does not name, and without rows, is forgotten", () => {
    const kinds = ["example.com/widgets", "example.com/gadgets"].map((resource) => report(resource));
    const before = feed(live(), [statuses(1, kinds), ended("lost")], 1_000).state;
    const named = new Set(["pods", "example.com/gadgets"]);
    const after = feed(before, [{ kind: "sessionBegan", epoch: 2, heartbeatMs: 5_000, kinds: named }], 2_000).state;
    expect(after.kinds.has("example.com/widgets")).toBe(false);
    expect(kindOf(after, "example.com/gadgets", 3_000)).toMatchObject({ isCurrent: false });
    expect(kindOf(after, "pods", 3_000)).toMatchObject({ isCurrent: false });
  });

  test("an agent that tells of kinds without end fills no memory", () => {
    const kinds = Array.from({ length: 10_000 }, (_, index) => report(`example.com/kind${index}`));
    const { state } = feed(live(), [statuses(1, kinds)], 1_000);
    expect(state.kinds.size).toBe(4_096);
    expect(state.kinds.has("pods")).toBe(true);
  });
});
