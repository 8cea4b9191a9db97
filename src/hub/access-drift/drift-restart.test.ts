// SPDX-License-Identifier: Apache-2.0
// Drift in the store: over restarts of the hub, between hubs, and with a store that fails.
import { expect, test } from "vitest";
import { FlotillaError } from "../../base/error.ts";
import { remove, type Store } from "../../store/store.ts";
import { accessDrift, clusters } from "../../store/tables.ts";
import { DriftRig, eastKey, listIn, registerEast } from "./testing/drift-rig.ts";

const minuteMs = 60_000;
const drifted = "flotilla_access_drifted_clusters";

/** A rig whose cluster denies alice what the hub allows her. */
async function driftedRig(samplesPerMinute?: number): Promise<DriftRig> {
  const rig = await DriftRig.open(samplesPerMinute);
  rig.ours.add("alice shop");
  rig.drawn = [listIn("alice", "shop"), listIn("bob", "shop")];
  await rig.run(async () => {
    rig.begin();
    await rig.clock.advance(2 * minuteMs);
    expect(rig.checks.drift.of("east")).toBe("shownButDenied");
  });
  return rig;
}

test("[RB83] a restarted hub keeps the cluster withheld until samples agree again", async () => {
  const first = await driftedRig();
  const rig = await first.another();
  expect(rig.checks.evidence.of("east").drift).toBe("shownButDenied");
  expect(rig.checks.drift.view("east").sentence).toContain("(alice, list pods in shop)");
  expect(rig.metrics.get(drifted, "shownButDenied")).toBe(1);
  expect(rig.changed).toEqual(["east"]);
  await rig.run(async () => {
    // Without the agent nothing is proved.
    await rig.clock.advance(10 * minuteMs);
    rig.ours.clear();
    rig.begin();
    rig.drawn = [];
    await rig.clock.advance(2 * minuteMs);
    expect(rig.checks.drift.of("east")).toBe("shownButDenied");
    expect(new Set(rig.asked)).toEqual(new Set(["alice shop"]));
    await rig.clock.advance(3 * minuteMs);
    expect(rig.checks.drift.of("east")).toBe("none");
  });
  expect(await rig.stored()).toBeUndefined();
  expect((await rig.another()).checks.drift.of("east")).toBe("none");
});

test("[RB83] clean rounds are counted on over a restart", async () => {
  const first = await driftedRig();
  const rig = await first.another();
  rig.ours.clear();
  await rig.run(async () => {
    rig.begin();
    while ((await rig.stored())?.shown_clean_rounds !== 2) await rig.clock.advance(minuteMs / 4);
  });
  const next = await rig.another();
  await next.run(async () => {
    next.begin();
    await next.clock.advance(1.2 * minuteMs);
    expect(next.checks.drift.of("east")).toBe("none");
  });
});

test("[RB83] no sample is asked with the option 0, and the cluster stays withheld", async () => {
  const first = await driftedRig();
  first.ours.clear();
  const rig = await first.another({ samplesPerMinute: 0 });
  await rig.run(async () => {
    rig.begin();
    await rig.clock.advance(10 * minuteMs);
    expect(rig.checks.drift.view("east")).toMatchObject({
      drift: "shownButDenied",
      sentence: expect.stringContaining("reviews no access now"),
    });
  });
});

test("[RB83] the number of stored requests is bounded, also by a smaller option after a restart, and drift still ends", async () => {
  const rig = await DriftRig.open(30);
  for (let at = 0; at < 40; at += 1) rig.ours.add(`alice ns-${at}`);
  rig.drawn = Array.from({ length: 40 }, (_none, at) => listIn("alice", `ns-${at}`));
  await rig.run(async () => {
    rig.begin();
    await rig.clock.advance(5 * minuteMs);
  });
  expect(JSON.parse((await rig.stored())?.differing ?? "")).toHaveLength(15);
  const next = await rig.another({ samplesPerMinute: 4 });
  next.ours.clear();
  await next.run(async () => {
    next.begin();
    await next.clock.advance(6 * minuteMs);
    expect(next.checks.drift.of("east")).toBe("none");
  });
});

test("[RB83] [L5] drift that goes on unchanged writes nothing, and neither does a restart", async () => {
  const rig = await driftedRig();
  const { revision } = rig.store;
  const next = await rig.another();
  await next.run(async () => {
    next.begin();
    await next.clock.advance(10 * minuteMs);
  });
  expect(next.checks.drift.of("east")).toBe("shownButDenied");
  expect(next.store.revision).toBe(revision);
});

test("[RB83] another hub on the store withholds the cluster too, goes on with its rounds, and both show it again", async () => {
  const one = await DriftRig.open();
  const two = await one.another({ pollMs: 1_000 });
  one.ours.add("alice shop");
  for (const rig of [one, two]) rig.drawn = [listIn("alice", "shop"), listIn("bob", "shop")];
  await one.run(() =>
    two.run(async () => {
      one.begin();
      await one.clock.advance(2 * minuteMs);
      expect([one.checks.drift.of("east"), two.checks.drift.of("east")]).toEqual(["shownButDenied", "shownButDenied"]);
      expect(two.changed).toEqual(["east"]);
      one.end();
      two.begin();
      one.ours.clear();
      await one.clock.advance(6 * minuteMs);
      expect(two.checks.drift.of("east")).toBe("none");
      expect(await two.stored()).toBeUndefined();
      // The first hub has not polled the store: its state is joined with what it finds there.
      expect(one.checks.drift.of("east")).toBe("shownButDenied");
      two.end();
      one.begin();
      await one.clock.advance(6 * minuteMs);
      expect(one.checks.drift.of("east")).toBe("none");
    }),
  );
  await two.store.close();
});

test("[RB83] drift of a removed cluster is neither kept nor stored by a round under way, and its name begins anew", async () => {
  const rig = await driftedRig();
  const next = await rig.another();
  const removal = (): Promise<unknown> => next.store.commit([remove(clusters, eastKey), remove(accessDrift, eastKey)]);
  await next.run(async () => {
    next.begin();
    next.ours.clear();
    next.onOrder = () => void removal();
    await next.clock.advance(2 * minuteMs);
    expect(await next.stored()).toBeUndefined();
    next.checks.forget("east");
    expect(next.checks.drift.of("east")).toBe("none");
    next.onOrder = () => undefined;
    await registerEast(next.store);
    await next.clock.advance(2 * minuteMs);
  });
  expect(next.checks.drift.of("east")).toBe("none");
});

/** Makes commits fail while `isFailing`. */
function failCommits(store: Store, isFailing: () => boolean): void {
  const commit = store.commit.bind(store);
  store.commit = async (writes, options) => {
    if (isFailing()) throw new FlotillaError("UNAVAILABLE", "the disk is full");
    return commit(writes, options);
  };
}

test("[RB83] a store that fails delays no withholding, and what it missed is stored afterwards", async () => {
  const rig = await DriftRig.open();
  let isFailing = true;
  failCommits(rig.store, () => isFailing);
  rig.ours.add("alice shop");
  rig.drawn = [listIn("alice", "shop")];
  await rig.run(async () => {
    rig.begin();
    await rig.clock.advance(2 * minuteMs);
    expect(rig.checks.drift.of("east")).toBe("shownButDenied");
    expect(rig.warnings).toContain("the access drift of a cluster could not be stored");
    expect(await rig.stored()).toBeUndefined();
    isFailing = false;
    rig.answers = false;
    await rig.clock.advance(3 * minuteMs);
    expect((await rig.stored())?.shown_clean_rounds).toBe(0);
  });
});

test("[RB83] drift does not end while its end cannot be stored", async () => {
  const rig = await driftedRig();
  const next = await rig.another();
  let isFailing = false;
  failCommits(next.store, () => isFailing);
  next.ours.clear();
  await next.run(async () => {
    next.begin();
    while ((await next.stored())?.shown_clean_rounds !== 2) await next.clock.advance(minuteMs / 4);
    isFailing = true;
    await next.clock.advance(5 * minuteMs);
    expect(next.checks.drift.of("east")).toBe("shownButDenied");
    isFailing = false;
    await next.clock.advance(1.2 * minuteMs);
    expect(next.checks.drift.of("east")).toBe("none");
  });
});

test.each([
  ["a text that is no list", { shown_clean_rounds: 0, hidden_clean_rounds: null, differing: "}" }],
  ["a number that no drift has", { shown_clean_rounds: null, hidden_clean_rounds: 3, differing: "[]" }],
  [
    "a request that no user could make",
    { shown_clean_rounds: 0, hidden_clean_rounds: null, differing: '[{"request":{}}]' },
  ],
  ["no direction", { shown_clean_rounds: null, hidden_clean_rounds: null, differing: "[]" }],
])("[RB83] [L16] stored drift with %s withholds the cluster until three clean rounds", async (_what, value) => {
  const first = await DriftRig.open();
  await first.store.commit([{ table: accessDrift, key: eastKey, value, expect: "absent" }]);
  const rig = await first.another();
  rig.drawn = [listIn("bob", "shop")];
  expect(rig.checks.drift.of("east")).toBe("shownButDenied");
  await rig.run(async () => {
    rig.begin();
    await rig.clock.advance(5 * minuteMs);
    expect(rig.checks.drift.of("east")).toBe("none");
  });
  expect(await rig.stored()).toBeUndefined();
});
