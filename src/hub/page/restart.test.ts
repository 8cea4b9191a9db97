// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { ManualClock, settle } from "../../base/testing/manual-clock.ts";
import { createDisk } from "../fleet/testing/test-fleet.ts";
import { cellMs, restartDoubtMs } from "../history/strip.ts";
import { PageRig } from "./testing/page-rig.ts";
import { clusterView, fleetView } from "./testing/test-viewer.ts";

const letters = ".nlcsdr";

test("[PG23] a strip goes on across restarts of the hub: what was, what is, and half hours in which no hub ran", async () => {
  const clock = new ManualClock({ wallStartMs: 1_000_000 * cellMs - 5_000 });
  let rig = await PageRig.start(createDisk(clock));
  await rig.arrive("a");
  await rig.advance(10_000);
  await rig.lose("a");
  await rig.clock.advance(cellMs);
  await rig.stop();
  await rig.clock.advance(4 * cellMs);
  rig = await PageRig.start(rig.disk);
  await rig.arrive("a");
  await rig.clock.advance(500);
  const stream = await rig.viewer("root").open(fleetView(1), clusterView("a", 2));
  await rig.clock.advance(500);
  await settle();
  const { strip } = stream.fleet().clusters.get("a") ?? {};
  const drawn = Array.from(strip ?? [], (code) => letters[code]).join("");
  expect(drawn.slice(-8)).toBe(".cdd...c");
  const whats = stream.clusterUpdates(2).flatMap(({ history }) => history?.entries.map(({ what }) => what) ?? []);
  expect(whats).toContain("ended");
  await stream.close();
  await rig.stop();
  expect(rig.clock.timerCount).toBe(0);
});

test("[PG23] a restart of the hub is no absence of the clusters that come back, in this run and in those that follow", async () => {
  const clock = new ManualClock({ wallStartMs: 1_000_000 * cellMs - 5_000 });
  let rig = await PageRig.start(createDisk(clock));
  await rig.arrive("back");
  await rig.arrive("gone");
  await rig.advance(15_000);
  const drawn: string[] = [];
  for (const _round of [1, 2]) {
    await rig.stop();
    rig = await PageRig.start(rig.disk);
    await rig.clock.advance(20_000);
    await rig.arrive("back");
    await rig.advance(restartDoubtMs, ["back"]);
    const stream = await rig.viewer("root").open(fleetView());
    for (const name of ["back", "gone"])
      drawn.push(Array.from(stream.fleet().clusters.get(name)?.strip ?? [], (code) => letters[code]).join(""));
    await stream.close();
  }
  expect(drawn.map((strip) => strip.slice(-3))).toEqual([".cc", ".cd", ".cc", ".cd"]);
  await rig.stop();
});
