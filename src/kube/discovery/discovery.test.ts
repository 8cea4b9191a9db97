// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { SimApiServer, type SimApiServerOptions } from "../../../test/support/sim/sim-api-server.ts";
import { silentLogger } from "../../base/log.ts";
import { createSeededRandom } from "../../base/random.ts";
import { ManualClock } from "../../base/testing/manual-clock.ts";
import { gvrText } from "../../model/gvr.ts";
import type { KubeError } from "../kube-error.ts";
import { Discovery } from "./discovery.ts";
import type { Served } from "./served-resource.ts";

const pods = { group: "", version: "v1", resource: "pods", kind: "Pod", isNamespaced: true };
const deployments = { group: "apps", version: "v1", resource: "deployments", kind: "Deployment", isNamespaced: true };
const gateways = {
  group: "networking.istio.io",
  version: "v1",
  resource: "gateways",
  kind: "Gateway",
  isNamespaced: true,
};

function openRig(options: Partial<SimApiServerOptions> = {}) {
  const clock = new ManualClock();
  const asked: { readonly path: string; readonly atMs: number }[] = [];
  const server = new SimApiServer({
    clock,
    random: createSeededRandom(1),
    onRequest: ({ path }) => asked.push({ path, atMs: clock.nowMs() }),
    ...options,
  });
  server.serve(pods);
  server.serve(deployments);
  const told: Served[] = [];
  const statuses: number[] = [];
  const failures: KubeError[] = [];
  const discovery = new Discovery({
    source: {
      async request(request, signal) {
        const answer = await server.request(request, signal);
        statuses.push(answer.status);
        return answer;
      },
    },
    clock,
    random: createSeededRandom(2),
    log: silentLogger,
    intervalMs: 60_000,
    requestTimeoutMs: 5_000,
    onServed: (served) => void told.push(served),
    onFailed: (error) => failures.push(error),
  });
  const stop = new AbortController();
  const running = discovery.run(stop.signal);
  running.catch(() => undefined);
  return {
    clock,
    server,
    discovery,
    told,
    failures,
    asked,
    statuses,
    get names() {
      return told.map(({ resources }) => resources.map(gvrText));
    },
    async [Symbol.asyncDispose]() {
      stop.abort(new Error("over"));
      await expect(running).rejects.toThrow("over");
      expect(clock.timerCount).toBe(0);
    },
  };
}

const both = ["apps/v1/deployments", "v1/pods"];
const three = ["apps/v1/deployments", "networking.istio.io/v1/gateways", "v1/pods"];

describe.each([true, false])("aggregated: %s", (offersAggregatedDiscovery) => {
  test("[KU18] it tells what is served, and again when that changed, without a restart", async () => {
    await using rig = openRig({ offersAggregatedDiscovery });
    await rig.clock.advance(200_000);
    expect(rig.names).toEqual([both]);
    rig.server.serve(gateways);
    await rig.clock.advance(70_000);
    rig.server.unserve(gateways);
    await rig.clock.advance(70_000);
    expect(rig.names).toEqual([both, three, both]);
    expect(rig.told[1]?.resources[1]).toEqual({ ...gateways, verbs: ["get", "list", "watch"] });
  });

  test("[KU18][L4] a group that cannot be told keeps what was known of it, and one never told is not taken for absent", async () => {
    await using rig = openRig({ offersAggregatedDiscovery });
    rig.server.serve(gateways);
    await rig.clock.advance(1_000);
    rig.server.staleGroupVersions.add("networking.istio.io/v1");
    rig.server.staleGroupVersions.add("apps/v1");
    await rig.clock.advance(200_000);
    expect(rig.names).toEqual([three]);
    expect(rig.told[0]?.unknownGroupVersions).toEqual([]);
    await using late = openRig({ offersAggregatedDiscovery });
    late.server.serve(gateways);
    late.server.staleGroupVersions.add("networking.istio.io/v1");
    await late.clock.advance(1_000);
    expect(late.told).toMatchObject([{ unknownGroupVersions: ["networking.istio.io/v1"] }]);
    late.server.staleGroupVersions.clear();
    await late.clock.advance(70_000);
    expect(late.names).toEqual([both, three]);
    expect(late.told[1]?.unknownGroupVersions).toEqual([]);
  });
});

test("[KU18] told that definitions changed it asks at once and soon again, bounded however often it is told", async () => {
  await using rig = openRig();
  await rig.clock.advance(10_000);
  rig.discovery.askNow();
  await rig.clock.advance(100);
  expect(rig.asked.filter(({ atMs }) => atMs >= 10_000)).toHaveLength(2);
  await rig.clock.advance(1_000);
  rig.server.serve(gateways);
  await rig.clock.advance(2_500);
  expect(rig.names).toEqual([both, three]);
  const before = rig.asked.length;
  for (let atMs = 0; atMs < 5_000; atMs += 10) {
    rig.discovery.askNow();
    await rig.clock.advance(10);
  }
  expect(rig.asked.length - before).toBeLessThanOrEqual(2 * 6);
});

test("[KU18] an unchanged server is asked twice a minute, by tag, and the answer has no body", async () => {
  await using rig = openRig();
  await rig.clock.advance(1_000);
  const before = rig.asked.length;
  await rig.clock.advance(600_000);
  expect(rig.asked.length - before).toBeGreaterThanOrEqual(18);
  expect(rig.asked.length - before).toBeLessThanOrEqual(24);
  expect(new Set(rig.statuses.slice(2))).toEqual(new Set([304]));
});

test("[KU18] a question that fails is told and tried again; what was told stays", async () => {
  await using rig = openRig();
  await rig.clock.advance(1_000);
  rig.server.setState("down");
  await rig.clock.advance(300_000);
  expect(rig.failures[0]).toMatchObject({ fault: "tcp" });
  expect(rig.names).toEqual([both]);
  rig.server.serve(gateways);
  rig.server.setState("up");
  await rig.clock.advance(70_000);
  expect(rig.names).toEqual([both, three]);
});

test("[KU18] half an answer at the start tells nothing: what is missing would be taken for not installed", async () => {
  await using rig = openRig();
  rig.server.faults.add({ fault: { kind: "status", status: 503 }, matches: ({ path }) => path === "/apis", count: 2 });
  await rig.clock.advance(900);
  expect(rig.told).toEqual([]);
  await rig.clock.advance(10_000);
  expect(rig.names).toEqual([both]);
});
