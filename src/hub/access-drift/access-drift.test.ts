// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { judgeGrants } from "../../index/access/judge-grants.ts";
import { DriftRig, listIn } from "./testing/drift-rig.ts";

const minuteMs = 60_000;
const differences = "flotilla_access_drift_total";
const drifted = "flotilla_access_drifted_clusters";

/** A rig whose users all have the same rights at both ends: alice in shop, bob nowhere. */
async function rigInAgreement(samplesPerMinute?: number): Promise<DriftRig> {
  const rig = await DriftRig.open(samplesPerMinute);
  for (const pairs of [rig.ours, rig.theirs]) pairs.add("alice shop").add("alice pay");
  rig.drawn = [listIn("alice", "shop"), listIn("bob", "shop"), listIn("alice", "pay"), listIn("bob", "pay")];
  return rig;
}

test("[RB79] [RB81] samples of a cluster that agree are counted and change nothing, at the rate that is set", async () => {
  const rig = await rigInAgreement();
  await rig.run(async () => {
    rig.begin();
    await rig.clock.advance(10 * minuteMs);
    expect(rig.asked.length).toBeGreaterThanOrEqual(32);
    expect(rig.asked.length).toBeLessThanOrEqual(40);
    expect(rig.outcomes("agreed")).toBe(rig.asked.length);
    expect(rig.checks.evidence.of("east")).toEqual({ authorizers: "rbac", drift: "none" });
    expect(rig.checks.drift.view("east")).toEqual({ drift: "none", sentence: "" });
    expect(rig.warnings).toEqual([]);
  });
});

test("[RB79] no user of the cluster itself is sampled", async () => {
  const rig = await rigInAgreement();
  rig.drawn = [
    listIn("system:serviceaccount:shop:web", "shop"),
    listIn("alice", "shop"),
    listIn("system:admin", "pay"),
  ];
  await rig.run(async () => {
    rig.begin();
    await rig.clock.advance(5 * minuteMs);
    expect(new Set(rig.asked)).toEqual(new Set(["alice shop"]));
  });
});

test.each<[string, (rig: DriftRig) => void, number?]>([
  ["the option is 0", (rig) => rig.begin(), 0],
  ["there is no session", () => undefined],
  ["the agent is older and reports nothing", (rig) => rig.beginSilently()],
  ["the agent may not create reviews", (rig) => rig.begin({ authorizers: "rbac", detail: "", reviews: "forbidden" })],
  ["the agent's policy forbids it", (rig) => rig.begin({ authorizers: "rbac", detail: "", reviews: "off" })],
  ["the session has ended", (rig) => (rig.begin(), rig.end())],
  ["the RBAC rows are not current", (rig) => ((rig.isCurrent = false), rig.begin())],
])("[RB79] [RB82] nothing is asked and nothing changes while %s", async (_why, prepare, samplesPerMinute = 4) => {
  const rig = await rigInAgreement(samplesPerMinute);
  rig.theirs.clear();
  await rig.run(async () => {
    prepare(rig);
    await rig.clock.advance(10 * minuteMs);
    expect(rig.orders).toEqual([]);
    expect(rig.checks.drift.of("east")).toBe("none");
  });
});

test("[RB81] shown by us and denied there withholds the cluster, until the same and new samples agree in three rounds", async () => {
  const rig = await rigInAgreement();
  await rig.run(async () => {
    rig.begin();
    await rig.clock.advance(2 * minuteMs);
    rig.theirs.delete("alice shop");
    await rig.clock.advance(2 * minuteMs);
    expect(rig.checks.drift.of("east")).toBe("shownButDenied");
    const { sentence } = rig.checks.drift.view("east");
    expect(sentence).toContain("denies a request that its RBAC objects allow (alice, list pods in shop)");
    expect(sentence).toContain("3 rounds");
    const evidence = rig.checks.evidence.of("east");
    const judged = judgeGrants({ isRbacComplete: true, grantsBehindMs: 0, mode: "rbacFirst", ...evidence });
    expect(judged).toMatchObject({ kind: "withheld", cause: "shownButDenied" });
    expect(rig.metrics.get(differences, "east", "shownButDenied")).toBeGreaterThan(0);
    expect(rig.metrics.get(drifted, "shownButDenied")).toBe(1);
    // The RBAC object that revokes the right has reached the hub at last.
    rig.ours.delete("alice shop");
    const before = rig.asked.length;
    await rig.clock.advance(2 * minuteMs);
    expect(rig.checks.drift.of("east")).toBe("shownButDenied");
    expect(rig.asked.slice(before)).toContain("alice shop");
    await rig.clock.advance(3 * minuteMs);
    expect(rig.checks.drift.of("east")).toBe("none");
    expect(rig.metrics.get(drifted, "shownButDenied")).toBe(0);
    expect(rig.log.lines.at(-1)).toMatchObject({ level: "info", fields: { cluster: "east" } });
  });
});

test("[RB81] a difference is logged with names and nothing else", async () => {
  const rig = await rigInAgreement();
  rig.theirs.delete("alice shop");
  await rig.run(async () => {
    rig.begin();
    await rig.clock.advance(2 * minuteMs);
    const [line] = rig.log.lines;
    expect(line).toMatchObject({ level: "warn", message: "an access decision differs from the cluster's own" });
    expect(line?.fields).toEqual({
      cluster: "east",
      direction: "shownButDenied",
      user: "alice",
      verb: "list",
      apiGroup: "",
      resource: "pods",
      namespace: "shop",
      name: "",
    });
  });
});

test("[RB81] hidden by us and allowed there marks the cluster as incomplete and withholds nothing", async () => {
  const rig = await rigInAgreement();
  rig.theirs.add("bob pay");
  await rig.run(async () => {
    rig.begin();
    await rig.clock.advance(2 * minuteMs);
    const evidence = rig.checks.evidence.of("east");
    const judged = judgeGrants({ isRbacComplete: true, grantsBehindMs: 0, mode: "rbacFirst", ...evidence });
    expect(judged).toMatchObject({ kind: "open", cause: "hiddenButAllowed" });
    expect(rig.metrics.get(drifted, "hiddenButAllowed")).toBe(1);
    await rig.clock.advance(10 * minuteMs);
    expect(rig.checks.drift.of("east")).toBe("hiddenButAllowed");
    rig.theirs.delete("bob pay");
    await rig.clock.advance(6 * minuteMs);
    expect(rig.checks.drift.of("east")).toBe("none");
  });
});

test("[RB79] reviews that are repeated count against the rate", async () => {
  const rig = await rigInAgreement();
  rig.theirs.clear();
  await rig.run(async () => {
    rig.begin();
    await rig.clock.advance(10 * minuteMs);
    expect(rig.asked.length).toBeGreaterThan(20);
    expect(rig.asked.length).toBeLessThanOrEqual(44);
  });
});

test("[RB80] a change of RBAC that reaches the hub within seconds is no drift, in either order", async () => {
  const rig = await rigInAgreement();
  await rig.run(async () => {
    rig.begin();
    await rig.clock.advance(minuteMs);
    // The cluster has revoked; the row arrives between the verdict and the second look.
    rig.theirs.delete("alice shop");
    rig.onOrder = () => void rig.clock.setTimer(2_000, () => rig.ours.delete("alice shop"));
    await rig.clock.advance(2 * minuteMs);
    expect(rig.outcomes("raced")).toBe(1);
    // The row arrives before the verdict that still had the right.
    rig.theirs.add("bob shop");
    rig.onOrder = () => void rig.ours.add("bob shop");
    await rig.clock.advance(2 * minuteMs);
    expect(rig.checks.drift.of("east")).toBe("none");
    expect(rig.metrics.get(differences, "east", "shownButDenied")).toBe(0);
    expect(rig.metrics.get(differences, "east", "hiddenButAllowed")).toBe(0);
  });
});

test("[RB82] an agent that stops answering, or whose session ends, neither begins nor ends a drift", async () => {
  const rig = await rigInAgreement();
  await rig.run(async () => {
    rig.begin();
    rig.answers = false;
    rig.theirs.clear();
    await rig.clock.advance(5 * minuteMs);
    expect(rig.checks.drift.of("east")).toBe("none");
    expect(rig.outcomes("unanswered")).toBeGreaterThan(0);
    rig.answers = true;
    await rig.clock.advance(3 * minuteMs);
    expect(rig.checks.drift.of("east")).toBe("shownButDenied");
    rig.ours.clear();
    rig.end();
    await rig.clock.advance(10 * minuteMs);
    expect(rig.checks.drift.view("east")).toMatchObject({
      drift: "shownButDenied",
      sentence: expect.stringContaining("reviews no access now"),
    });
    rig.begin();
    await rig.clock.advance(6 * minuteMs);
    expect(rig.checks.drift.of("east")).toBe("none");
    rig.checks.forget("east");
    expect(rig.checks.evidence.of("east")).toEqual({ authorizers: "unknown", drift: "none" });
  });
  expect(rig.clock.timerCount).toBe(0);
});

test("[RB82] a sampler that fails costs a round, not the comparison", async () => {
  const rig = await rigInAgreement();
  const isAllowed = rig.ours.has.bind(rig.ours);
  await rig.run(async () => {
    rig.begin();
    rig.ours.has = () => {
      throw new Error("the index is closed");
    };
    await rig.clock.advance(2 * minuteMs);
    expect(rig.warnings).toContain("access samples of a cluster could not be compared");
    rig.ours.has = isAllowed;
    await rig.clock.advance(2 * minuteMs);
    expect(rig.outcomes("agreed")).toBeGreaterThan(0);
  });
});
