// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { stepHealth } from "./connection-state.ts";
import type { HealthInput } from "./health-input.ts";
import {
  type ConnectionState,
  connectionSentence,
  connectionStates,
  type HealthState,
  kindFreshness,
} from "./health-state.ts";
import {
  arrival,
  beat,
  began,
  ended,
  equal,
  feed,
  live,
  lostBy,
  rejected,
  report,
  statuses,
  timePassed,
  unseen,
} from "./testing/health-kit.ts";

/**
 * One cluster in each state at 100 s; its session, where one lives, has epoch 1. Everything else about it is as it
 * commonly is.
 */
const states: Readonly<Record<ConnectionState, () => HealthState>> = {
  neverSeen: () => unseen(100_000),
  catchingUp: () => feed(unseen(100_000), [began(), statuses(), beat()], 100_000).state,
  live: () => live(100_000),
  stale: () => feed(live(90_000), [timePassed], 100_000).state,
  disconnected: () => feed(live(100_000), [ended("lost")], 100_000).state,
  rejected: () => feed(live(100_000), [ended("lost"), rejected("UNAUTHORIZED")], 100_000).state,
};

/** Every input that can come, by name. `old` is a session that was replaced. */
const inputs = {
  "session begins": began(2),
  "agent leaves": ended("left"),
  "session breaks": ended("lost"),
  "old session breaks": ended("lost", 0),
  "rival rejected: active": rejected("ACTIVE_SESSION"),
  "rival rejected: grace": rejected("GRACE_PERIOD"),
  "rejected: unauthorized": rejected("UNAUTHORIZED"),
  "rejected: wrong cluster": rejected("WRONG_CLUSTER"),
  "rejected: protocol": rejected("PROTOCOL"),
  "rejected: overloaded": rejected("OVERLOADED"),
  "rejected: paused": rejected("PAUSED"),
  heartbeat: beat(),
  "old heartbeat": beat(0, { apiServer: lostBy("tcp") }),
  "heartbeat, API server lost": beat(1, { apiServer: lostBy("tcp") }),
  "heartbeat, backlog": beat(1, { oldestWaitingMs: 30_000 }),
  "kinds follow": statuses(),
  "a kind fails": statuses(1, [report("pods", { state: "failed", fault: "forbidden", currentMsAgo: 400_000 })]),
  "a kind is gone": statuses(1, [report("pods", { state: "notInstalled", currentMsAgo: undefined })]),
  "grants behind": statuses(1, [
    report("rbac.authorization.k8s.io/roles", { state: "failed", fault: "serverError", currentMsAgo: 150_000 }),
  ]),
  "digests equal": equal(),
  "old digests equal": equal(0),
  "digests differ": { kind: "compared", epoch: 1, equal: [], differing: ["pods"] },
  unreached: { kind: "unreached", fault: "dns", detail: "no such host" },
  paused: { kind: "paused", pause: { by: "alice", pausedMsAgo: 0 } },
  "time passes": timePassed,
} as const satisfies Readonly<Record<string, HealthInput>>;

type InputName = keyof typeof inputs;

const stays = (state: ConnectionState): Record<InputName, ConnectionState> =>
  Object.fromEntries(Object.keys(inputs).map((name) => [name, state])) as Record<InputName, ConnectionState>;

/** What follows, for every state and every input: what is not written here leaves the state as it is. */
const table: Readonly<Record<ConnectionState, Readonly<Record<InputName, ConnectionState>>>> = {
  neverSeen: { ...stays("neverSeen"), "session begins": "catchingUp", unreached: "disconnected" },
  catchingUp: {
    ...stays("catchingUp"),
    "agent leaves": "disconnected",
    "session breaks": "disconnected",
    "heartbeat, API server lost": "disconnected",
    "heartbeat, backlog": "stale",
    "grants behind": "stale",
    "digests equal": "live",
    paused: "stale",
  },
  live: {
    ...stays("live"),
    "session begins": "catchingUp",
    "agent leaves": "disconnected",
    "session breaks": "disconnected",
    "heartbeat, API server lost": "disconnected",
    "heartbeat, backlog": "stale",
    "grants behind": "stale",
    "digests differ": "catchingUp",
    paused: "stale",
  },
  stale: {
    ...stays("stale"),
    "session begins": "catchingUp",
    "agent leaves": "disconnected",
    "session breaks": "disconnected",
    "heartbeat, API server lost": "disconnected",
    heartbeat: "catchingUp",
  },
  disconnected: {
    ...stays("disconnected"),
    "session begins": "catchingUp",
    "rejected: unauthorized": "rejected",
    "rejected: wrong cluster": "rejected",
    "rejected: protocol": "rejected",
  },
  rejected: {
    ...stays("rejected"),
    "session begins": "catchingUp",
    "rejected: overloaded": "disconnected",
    "rejected: paused": "disconnected",
  },
};

const cells = connectionStates.flatMap((state) =>
  (Object.keys(inputs) as InputName[]).map((input) => ({ state, input, outcome: table[state][input] })),
);

describe("every state takes every input", () => {
  test.each(cells)("[HE2] $state, $input: $outcome", ({ state, input, outcome }) => {
    const before = states[state]();
    expect(before.shown.state).toBe(state);
    const { state: after, nextDueMs } = stepHealth(before, inputs[input], 100_000);
    expect(after.shown.state).toBe(outcome);
    expect(nextDueMs ?? Number.POSITIVE_INFINITY).toBeGreaterThan(100_000);
  });

  test("[HE2] a cluster that could not be reached is told with the reason, until its first session; one that was seen is not judged by it", () => {
    const unreached: HealthInput = { kind: "unreached", fault: "dns", detail: "no such host" };
    const { state } = stepHealth(states.neverSeen(), unreached, 0);
    expect(state.shown).toMatchObject({ state: "disconnected", reason: "dns", detail: "no such host" });
    const lost = states.disconnected();
    expect(stepHealth(lost, unreached, 1).state.shown.reason).toBe(lost.shown.reason);
  });

  test("[HE1] a state comes with since-when, reason, sentence and attempts, and paused is a flag beside it", () => {
    const lost = feed(
      live(),
      [ended("lost"), { kind: "paused", pause: { by: "alice", pausedMsAgo: 0 } }, rejected("OVERLOADED", 7_000)],
      3_000,
    );
    expect(lost.state.pause).toMatchObject({ by: "alice" });
    expect(lost.state.shown).toMatchObject({
      state: "disconnected",
      sinceMs: 3_000,
      reason: "overloaded",
      attemptCount: 1,
      nextAttemptMs: 10_000,
    });
    const back = feed(lost.state, [...arrival(2), { kind: "paused", pause: undefined }, equal(2)], 4_000).state.shown;
    expect(back).toMatchObject({ state: "live", sinceMs: 4_000, attemptCount: 0, nextAttemptMs: undefined });
  });

  describe("[HE16] a paused cluster", () => {
    const pause: HealthInput = { kind: "paused", pause: { by: "alice", pausedMsAgo: 0 } };

    test("is not live: it is stale, says who paused it, and blames neither the hub nor the network however long it lasts", () => {
      const paused = feed(live(10_000), [pause], 10_000).state;
      expect(paused.shown).toMatchObject({ state: "stale", reason: "paused", detail: "by alice", sinceMs: 10_000 });
      expect(connectionSentence(paused.shown)).toContain("paused on purpose");
      const late = feed(paused, [beat(1, { oldestWaitingMs: 300_000 })], 15_000).state;
      expect(late.shown).toMatchObject({ state: "stale", reason: "paused", sinceMs: 10_000 });
      expect(late.fallsMs).toEqual(paused.fallsMs);
    });

    test("has rows as of its pause, which age while heartbeats and statuses go on", () => {
      const paused = feed(live(10_000), [pause], 10_000).state;
      const later = feed(paused, [beat(1), statuses(1, [report("pods")])], 70_000).state;
      const pods = kindFreshness(later, 70_000).find(({ resource }) => resource === "pods");
      expect(pods?.isCurrent).toBe(false);
      expect(pods?.ageMs).toBeGreaterThanOrEqual(60_000);
    });

    test("is lost as any other, and catches up when it goes on, which says so", () => {
      const paused = feed(live(10_000), [pause], 10_000).state;
      expect(feed(paused, [ended("lost")], 11_000).state.shown).toMatchObject({
        state: "disconnected",
        reason: "agentLost",
      });
      const resumed = feed(paused, [beat(1), { kind: "paused", pause: undefined }], 12_000).state;
      expect(resumed.shown.state).toBe("catchingUp");
      expect(connectionSentence(resumed.shown)).toContain("The cluster was resumed");
      expect(feed(resumed, [equal()], 12_500).state.shown.state).toBe("live");
    });
  });

  test("[HE20] the cluster and a kind that was cut off with its API server have one age, whatever the kind's last event was", () => {
    const lost = feed(live(10_000), [beat(1, { apiServer: lostBy("tcp", { sinceMsAgo: 2_000 }) })], 12_000).state;
    const failed = report("pods", { state: "failed", fault: "tcp", currentMsAgo: 45_000 });
    const told = feed(
      lost,
      [statuses(1, [failed]), beat(1, { apiServer: lostBy("tcp", { sinceMsAgo: 10_000 }) })],
      20_000,
    );
    expect(told.state.currentUntilMs).toBe(10_000);
    const pods = kindFreshness(told.state, 25_000).find(({ resource }) => resource === "pods");
    expect(pods?.ageMs).toBe(15_000);
    const repeated = feed(told.state, [statuses(1, [failed])], 25_000).state;
    expect(kindFreshness(repeated, 25_000).find(({ resource }) => resource === "pods")?.ageMs).toBe(15_000);
    const back = feed(told.state, [beat(1)], 30_000).state;
    expect([back.shown.state, back.currentUntilMs]).toEqual(["catchingUp", 10_000]);
  });

  test("[HE17] a cluster whose API server answers again says that, and not that the agent is back", () => {
    const lost = feed(live(), [beat(1, { apiServer: lostBy("tcp") })], 1_000).state;
    expect(lost.shown.state).toBe("disconnected");
    const back = feed(lost, [beat(1)], 2_000).state;
    expect(connectionSentence(back.shown)).toMatch(/^The API server answers again;/);
    const gone = feed(live(), [ended("lost")], 1_000).state;
    const returned = feed(gone, arrival(2).slice(0, 1), 2_000).state;
    expect(connectionSentence(returned.shown)).toMatch(/^The agent is back;/);
  });
});
