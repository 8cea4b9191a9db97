// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { rbacResources } from "../model/rbac-resources.ts";
import { stepHealth } from "./connection-state.ts";
import { connectionSentence, createHealthState, type HealthState } from "./health-state.ts";
import {
  arrival,
  beat,
  began,
  ended,
  equal,
  feed,
  followed,
  heartbeatMs,
  live,
  lostBy,
  rejected,
  report,
  statuses,
  thresholds,
  timePassed,
  unseen,
} from "./testing/health-kit.ts";

const stateOf = (state: HealthState): string => state.shown.state;

/**
 * Steps at each due time that the machine announces, until `untilMs`; the states it shows on the way, with their
 * moments.
 */
function runAlone(start: HealthState, fromMs: number, untilMs: number): readonly string[] {
  const seen: string[] = [];
  let step = stepHealth(start, timePassed, fromMs);
  while (step.nextDueMs !== undefined && step.nextDueMs <= untilMs) {
    const nowMs = step.nextDueMs;
    const before = stateOf(step.state);
    step = stepHealth(step.state, timePassed, nowMs);
    if (stateOf(step.state) !== before) seen.push(`${nowMs}: ${stateOf(step.state)} ${step.state.shown.reason}`);
  }
  return seen;
}

describe("bounds", () => {
  test("[HE2, Q-29] an agent that freezes turns its cluster stale within two heartbeats, whatever it said last", () => {
    expect(runAlone(live(), 0, 60_000)).toEqual(["7500: stale heartbeatMissed"]);
    expect(7_500).toBeLessThan(2 * heartbeatMs);
  });

  test("[HE4] a session that sends nothing is never live, and is stale from one and a half intervals after its start", () => {
    const fresh = feed(unseen(), [began()], 1_000).state;
    expect(stateOf(fresh)).toBe("catchingUp");
    expect(runAlone(fresh, 1_000, 60_000)).toEqual(["8500: stale heartbeatMissed"]);
  });

  test.each(["sessionBegan", "kindStatuses", "heartbeat", "compared"])(
    "[HE4] without its %s a session is not live",
    (missing) => {
      const inputs = arrival().filter(({ kind }) => kind !== missing);
      expect(inputs).toHaveLength(3);
      expect(stateOf(feed(unseen(), inputs, 0).state)).not.toBe("live");
    },
  );

  test("[HE2, HE4] a change that waits is stale from stale-after on, also between two heartbeats", () => {
    const waiting = feed(live(), [beat(1, { oldestWaitingMs: 27_000 })], 1_000).state;
    expect(stateOf(waiting)).toBe("live");
    expect(runAlone(waiting, 1_000, 4_000)).toEqual(["4000: stale backlog"]);
    const drained = feed(waiting, [beat()], 3_999).state;
    expect(runAlone(drained, 3_999, 4_000)).toEqual([]);
  });

  test.each(rbacResources)("[HE2] the picture of %s is behind by 150 s: stale", (resource) => {
    const failed = report(resource, { state: "failed", fault: "forbidden", currentMsAgo: 148_000 });
    const state = feed(live(), [beat(), statuses(1, [failed])], 0).state;
    expect(stateOf(state)).toBe("live");
    expect(runAlone(state, 0, 3_000)).toEqual(["2000: stale grantsBehind"]);
  });

  test("[HE4] an RBAC kind that nobody speaks of in a session keeps it from live and makes it stale in time", () => {
    const kinds = followed.filter((kind) => kind !== rbacResources[0]);
    const inputs = [
      began(),
      statuses(
        1,
        kinds.map((kind) => report(kind)),
      ),
      beat(),
      equal(1, kinds),
    ];
    let state = feed(unseen(), inputs, 0).state;
    expect(stateOf(state)).toBe("catchingUp");
    for (let nowMs = 5_000; nowMs < 150_000; nowMs += 5_000) state = feed(state, [beat()], nowMs).state;
    expect(stateOf(state)).toBe("catchingUp");
    expect(stateOf(feed(state, [beat()], 150_000).state)).toBe("stale");
  });

  test("[HE2] grants of an earlier session say nothing of this one: after an hour away it catches up", () => {
    const away = feed(live(), [ended("lost")], 1_000).state;
    expect(stateOf(feed(away, [began(2), beat(2)], 3_600_000).state)).toBe("catchingUp");
  });
});

describe("getting better", () => {
  test("[HE6, U-53] a cluster that returns goes from disconnected through catchingUp to live", () => {
    const away = feed(live(), [ended("lost")], 1_000).state;
    const seen = [began(2), statuses(2), beat(2), equal(2)].reduce<{ state: HealthState; names: string[] }>(
      ({ state, names }, input) => {
        const next = stepHealth(state, input, 2_000).state;
        return { state: next, names: [...names, stateOf(next)] };
      },
      { state: away, names: [stateOf(away)] },
    );
    expect(seen.names).toEqual(["disconnected", "catchingUp", "catchingUp", "catchingUp", "live"]);
  });

  test("[HE6] stale shows live again only after digests that were compared since", () => {
    const stale = feed(live(), [timePassed], 8_000).state;
    const compared = feed(stale, [equal()], 8_500).state;
    expect(stateOf(compared)).toBe("stale");
    const back = feed(compared, [beat()], 9_000).state;
    expect(stateOf(back)).toBe("catchingUp");
    expect(stateOf(feed(back, [equal()], 9_500).state)).toBe("live");
  });

  test("[HE6] a late heartbeat does not hide the time without one", () => {
    expect(stateOf(feed(live(), [beat()], 8_000).state)).toBe("catchingUp");
  });

  test("[HE2] a first list that is under way holds a cluster in catchingUp until it is equal too", () => {
    const listing = statuses(1, [report("pods", { state: "listing", currentMsAgo: undefined })]);
    const state = feed(unseen(), [began(), statuses(), listing, beat(), equal()], 0).state;
    expect(stateOf(state)).toBe("catchingUp");
    const listed = feed(state, [statuses(1, [report("pods")])], 1_000).state;
    expect(stateOf(listed)).toBe("live");
  });

  test("a kind that a new session no longer follows is not waited for", () => {
    const away = feed(live(), [ended("lost")], 1_000).state;
    const kinds = followed.filter((kind) => kind !== "services");
    const reports = kinds.map((kind) => report(kind));
    const back = feed(away, [began(2), statuses(2, reports), beat(2), equal(2, kinds)], 2_000).state;
    expect(stateOf(back)).toBe("live");
  });

  test("[HE3] a kind that comes later does not take a live cluster back", () => {
    const listing = statuses(1, [report("example.com/widgets", { state: "listing", currentMsAgo: undefined })]);
    expect(stateOf(feed(live(), [listing], 1_000).state)).toBe("live");
  });

  test("[HE6] after more than three falls in ten minutes live waits for 30 s of quiet, and flapping is told", () => {
    let state = live();
    let nowMs = 0;
    const fall = (epoch: number): void => {
      nowMs += 5_000;
      state = feed(state, [beat(epoch), ended("lost", epoch), ...arrival(epoch + 1)], nowMs).state;
    };
    for (const epoch of [1, 2, 3]) {
      fall(epoch);
      expect(state.shown).toMatchObject({ state: "live", isFlapping: false });
    }
    fall(4);
    expect(state.shown).toMatchObject({ state: "catchingUp", isFlapping: true });
    expect(connectionSentence(state.shown)).toContain("flapping");
    const fellMs = nowMs;
    for (; nowMs <= fellMs + 25_000; nowMs += 5_000) state = feed(state, [beat(5)], nowMs).state;
    expect(stateOf(feed(state, [beat(5)], fellMs + 29_999).state)).toBe("catchingUp");
    expect(runAlone(feed(state, [beat(5)], fellMs + 29_000).state, fellMs + 29_000, fellMs + 30_000)).toEqual([
      `${fellMs + 30_000}: live none`,
    ]);
  });

  test("[HE6] flapping ends when the oldest of the falls is ten minutes old", () => {
    let state = live();
    for (const epoch of [1, 2, 3, 4])
      state = feed(state, [ended("lost", epoch), ...arrival(epoch + 1)], 1_000 * epoch).state;
    expect(state.shown.isFlapping).toBe(true);
    const away = feed(state, [ended("left", 5)], 20_000).state;
    expect(stepHealth(away, timePassed, 30_000).nextDueMs).toBe(602_000);
    expect(stepHealth(away, timePassed, 601_999).state.shown.isFlapping).toBe(true);
    expect(stepHealth(away, timePassed, 602_000).state.shown.isFlapping).toBe(false);
  });
});

describe("reasons", () => {
  test("[HE7, R-16] a refused connection, an expired certificate and a 401 give three different reasons", () => {
    const reasons = ["tcp", "tls", "unauthorized"].map(
      (fault) => feed(live(), [beat(1, { apiServer: lostBy(fault) })], 1_000).state.shown,
    );
    expect(reasons.map(({ state }) => state)).toEqual(["disconnected", "disconnected", "disconnected"]);
    expect(reasons.map(({ reason }) => reason)).toEqual(["tcp", "tls", "unauthorized"]);
    expect(new Set(reasons.map((shown) => connectionSentence(shown))).size).toBe(3);
  });

  test("[HE1, R-16] a lost API server comes with the agent's attempts and the time of the next one", () => {
    const apiServer = lostBy("dns", { attemptCount: 4, retryInMs: 2_500, error: "no such host" });
    const { shown } = feed(live(), [beat(1, { apiServer })], 1_000).state;
    expect(shown).toMatchObject({ attemptCount: 4, nextAttemptMs: 3_500, sinceMs: 1_000, detail: "no such host" });
  });

  test("a fault that this release does not know is still a loss", () => {
    const shown = feed(live(), [beat(1, { apiServer: lostBy("constructor") })], 1_000).state.shown;
    expect(shown).toMatchObject({ state: "disconnected", reason: "serverError" });
  });

  test("[HE7] an agent that left and one that was lost are told apart", () => {
    expect(feed(live(), [ended("left")], 1_000).state.shown.reason).toBe("agentLeft");
    expect(feed(live(), [ended("lost")], 1_000).state.shown.reason).toBe("agentLost");
  });

  test("[HE7] after a restart of the hub a cluster is disconnected, with the age of its last word, until its agent returns", () => {
    const state = createHealthState({ thresholds, nowMs: 10_000, lastSeenMsAgo: 42_000 });
    expect(state.shown).toMatchObject({ state: "disconnected", reason: "hubRestarted" });
    expect(10_000 - (state.lastSeenMs ?? 0)).toBe(42_000);
    expect(stateOf(feed(state, arrival(7), 12_000).state)).toBe("live");
  });
});

describe("sessions that are not the present one", () => {
  test("[R-27] the late word of a replaced session causes no change and no new outage", () => {
    const state = feed(live(), [...arrival(2)], 1_000).state;
    for (const late of [ended("lost", 1), beat(1, { apiServer: lostBy("tcp") }), statuses(1, []), equal(1)]) {
      expect(stepHealth(state, late, 1_000).state.shown).toEqual(state.shown);
    }
    expect(stepHealth(state, began(1), 1_000).state.session?.epoch).toBe(2);
  });

  test("a session that was superseded is no loss while its successor may still come, and one when it does not", () => {
    const state = feed(live(), [{ kind: "sessionEnded", epoch: 1, ending: "superseded", detail: "" }], 1_000).state;
    expect(stateOf(state)).toBe("live");
    expect(stateOf(feed(state, arrival(2), 2_000).state)).toBe("live");
    expect(runAlone(state, 1_000, 60_000)).toEqual(["7500: disconnected agentLost"]);
  });

  test("[R-30] a forbidden kind, a missing CRD and an overloaded kind change their own status alone", () => {
    const before = live();
    const kinds = [
      report("pods", { state: "failed", fault: "forbidden", currentMsAgo: 900_000 }),
      report("services", { state: "notInstalled", currentMsAgo: undefined }),
      report("example.com/widgets", { state: "failed", fault: "overloaded", currentMsAgo: undefined }),
    ];
    const after = feed(before, [statuses(1, kinds)], 1_000).state;
    expect(after.shown).toEqual(before.shown);
    expect(after.kinds.get("pods")).toMatchObject({ state: "failed", fault: "forbidden" });
  });

  test("[HE2] the newest rejection decides: overloaded after unauthorized is disconnected again", () => {
    const away = feed(live(), [ended("lost"), rejected("UNAUTHORIZED")], 1_000).state;
    expect(away.shown.state).toBe("rejected");
    expect(feed(away, [rejected("OVERLOADED")], 2_000).state.shown).toMatchObject({
      state: "disconnected",
      attemptCount: 2,
    });
  });
});
