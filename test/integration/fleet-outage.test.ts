// SPDX-License-Identifier: Apache-2.0
// One cluster is lost and returns, in virtual time, with the hub and the agents that ship: what others notice of it,
// and what viewers cost.
import { expect, test } from "vitest";
import type { HealthChange } from "../../src/hub/health/cluster-view.ts";
import { rowsIn } from "../../src/hub/index/testing/in-thread-index.ts";
import type { KubeSource } from "../../src/kube/kube-source.ts";
import { type ClusterId, parseClusterId } from "../../src/model/cluster-id.ts";
import { startCast } from "../simulation/fleet/cast.ts";
import { simulate } from "../support/sim/simulate.ts";
import type { World } from "../support/sim/world.ts";

const [lost, other] = [parseClusterId("c0"), parseClusterId("c1")];

/** Time for a fleet of this world to come to rest. */
const restMs = 60_000;

/** What an API server was asked, each with its time, and how many probes were under way together at the most. */
class Notes {
  readonly requests: string[] = [];
  mostProbeCount = 0;
  #probeCount = 0;

  wrap =
    (world: World) =>
    (source: KubeSource): KubeSource => ({
      request: async (request, signal) => {
        this.requests.push(`${world.clock.nowMs()} ${request.method} ${request.path}`);
        if (request.path !== "/livez") return source.request(request, signal);
        this.#probeCount += 1;
        this.mostProbeCount = Math.max(this.mostProbeCount, this.#probeCount);
        return source.request(request, signal).finally(() => {
          this.#probeCount -= 1;
        });
      },
    });
}

interface Viewed {
  readonly notes: Notes;
  /** The changes that each viewer was told. */
  readonly told: readonly (readonly HealthChange[])[];
}

/** An outage of `c0`, with 20 signs of it, that `viewerCount` look at. */
async function runViewed(world: World, viewerCount: number): Promise<Viewed> {
  const notes = new Notes();
  const cast = startCast(world, { clusterCount: 1, wrapSource: notes.wrap(world) });
  const stateOf = (id: ClusterId): string => cast.hub.fleet?.health.get(id)?.connection.state ?? "";
  await world.runUntil("all are live", () => stateOf(lost) === "live", restMs);
  const hub = cast.hub.fleet;
  if (hub === undefined) throw new Error("the hub is not there");
  const viewers = Array.from({ length: viewerCount }, () => hub.health.subscribe());
  const { server } = cast.clusters[0] ?? expect.unreachable();
  server.setState("down");
  // Further signs of the one outage, while it is known and being mended.
  for (let sign = 0; sign < 20; sign += 1) {
    await world.run(500);
    server.breakWatches("reset");
  }
  server.setState("up");
  await world.runUntil("it is back", () => stateOf(lost) === "live", restMs);
  const told: (readonly HealthChange[])[] = [];
  for (const viewer of viewers) {
    told.push(await viewer.take(0, new AbortController().signal));
    viewer.close();
  }
  return { notes, told };
}

test("[R-25] the same outage with 0, 1, 2 and 500 viewers: the API server is asked the same at the same times, and each viewer is told every change", async () => {
  const runs: Viewed[] = [];
  for (const viewerCount of [0, 1, 2, 500]) {
    runs.push((await simulate(11, (world) => runViewed(world, viewerCount))).result);
  }
  const everything = runs[1]?.told[0] ?? [];
  expect(everything.length).toBeGreaterThanOrEqual(3);
  for (const { notes, told } of runs) {
    expect(notes.requests).toEqual(runs[0]?.notes.requests);
    for (const each of told) expect(each).toEqual(everything);
  }
});

test("[R-26] one outage with 20 signs of it and 500 viewers is one series of attempts, one at a time, and one loss", async () => {
  const { result } = await simulate(12, (world) => runViewed(world, 500));
  expect(result.notes.mostProbeCount).toBe(1);
  const connections = (result.told[0] ?? []).flatMap((change) => change.view?.connection ?? []);
  const path = connections.map(({ state }) => state).filter((state, index, all) => state !== all[index - 1]);
  expect(path).toEqual(["disconnected", "catchingUp", "live"]);
  const attempts = connections.filter(({ state }) => state === "disconnected").map(({ attemptCount }) => attemptCount);
  expect(attempts).toEqual(attempts.toSorted((a, b) => a - b));
});

test("[R-6] through ten minutes without one cluster the hub runs on, the other stays live, and its rows can be read at any moment", async () => {
  await simulate(7, async (world) => {
    const cast = startCast(world, { clusterCount: 2 });
    const hub = (): NonNullable<typeof cast.hub.fleet> => cast.hub.fleet ?? expect.unreachable("the hub is not there");
    const stateOf = (id: ClusterId): string => cast.hub.fleet?.health.get(id)?.connection.state ?? "";
    await world.runUntil("all are live", () => stateOf(lost) === "live" && stateOf(other) === "live", restMs);
    const before = hub();
    const viewer = before.health.subscribe();
    const [broken, whole] = cast.clusters;
    broken?.server.setState("unreachable");
    await world.runUntil("the loss is known", () => stateOf(lost) === "disconnected", restMs);
    const resources = whole?.truth.resources ?? [];
    for (let second = 0; second < 600; second += 1) {
      if (second % 5 === 0) whole?.write();
      await world.run(1_000);
      expect([stateOf(lost), stateOf(other)]).toEqual(["disconnected", "live"]);
      for (const resource of resources) {
        const rows = rowsIn(hub().fleet.index, other, resource);
        expect(whole?.truth.findDifferences(resource, rows, 1_000)).toEqual([]);
      }
    }
    expect(hub()).toBe(before);
    expect(hub().health.get(lost)?.connection.attemptCount).toBeGreaterThan(60);
    broken?.server.setState("up");
    await world.runUntil("it is back", () => stateOf(lost) === "live", restMs);
    const told = await viewer.take(0, new AbortController().signal);
    viewer.close();
    expect(told.flatMap((change) => ("cluster" in change ? [change.cluster] : []))).not.toContain(other);
  });
});

test.each([21, 22, 23, 24, 25])(
  "[U-53] seed %i: after a cut a cluster goes from disconnected through catchingUp to live, and by then all that happened meanwhile is at the hub",
  async (seed) => {
    await simulate(seed, async (world) => {
      const cast = startCast(world, { clusterCount: 1 });
      const stateOf = (): string => cast.hub.fleet?.health.get(lost)?.connection.state ?? "";
      const cluster = cast.clusters[0] ?? expect.unreachable();
      const differences = (): readonly string[] =>
        cluster.truth.resources.flatMap((resource) =>
          cluster.truth.findDifferences(
            resource,
            cast.hub.fleet === undefined ? [] : rowsIn(cast.hub.fleet.fleet.index, lost, resource),
            0,
          ),
        );
      await world.runUntil("it is live", () => stateOf() === "live", restMs);
      cast.network.partition("agent-c0", "hub");
      await world.runUntil("the loss is known", () => stateOf() === "disconnected", restMs);
      for (let write = 0; write < 60; write += 1) cluster.write();
      await world.run(1_000);
      expect(differences()).not.toEqual([]);
      cast.network.heal("agent-c0", "hub");
      const path: string[] = [];
      const isLive = (): boolean => {
        if (path.at(-1) !== stateOf()) path.push(stateOf());
        return stateOf() === "live";
      };
      await world.runUntil("it is back", isLive, restMs);
      expect(differences()).toEqual([]);
      expect(path[0]).toBe("disconnected");
      expect(path.slice(-2)).toEqual(["catchingUp", "live"]);
    });
  },
);
