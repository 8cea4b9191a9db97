// SPDX-License-Identifier: Apache-2.0
// The reading side of the Kubernetes client in the simulated world: seeded writes and faults, and the same trace twice.
import { expect, test } from "vitest";
import { ApiServerMonitor } from "../../../src/agent/api-server-monitor.ts";
import { Discovery } from "../../../src/kube/discovery/discovery.ts";
import { defaultReflectorSettings } from "../../../src/kube/reflector/reflector-options.ts";
import { runReflector } from "../../../src/kube/reflector/run-reflector.ts";
import { ListedNamespaces } from "../../../src/kube/reflector/scope/listed-namespaces.ts";
import { runScoped } from "../../../src/kube/reflector/scope/run-scoped.ts";
import { FoldedObjects } from "../../../src/kube/reflector/testing/folded-objects.ts";
import type { ReflectorEvent } from "../../../src/kube/reflector-event.ts";
import { openSimApiServer, type SimApiServer } from "./sim-api-server.ts";
import type { SimFault } from "./sim-api-server-faults.ts";
import { seedsToRun, simulate } from "./simulate.ts";
import type { World } from "./world.ts";

const namespaceResource = { group: "", version: "v1", resource: "namespaces", kind: "Namespace", isNamespaced: false };
const pods = { group: "", version: "v1", resource: "pods", kind: "Pod", isNamespaced: true };
const gateways = { group: "istio.io", version: "v1", resource: "gateways", kind: "Gateway", isNamespaced: true };
const settings = {
  ...defaultReflectorSettings,
  pageSize: 3,
  watchSilenceMs: 90_000,
  requestTimeoutMs: 10_000,
  maxSyncIntervalMs: 60_000,
};
const faults: readonly SimFault[] = [
  { kind: "status", status: 500 },
  { kind: "status", status: 410 },
  { kind: "status", status: 403 },
  { kind: "status", status: 429, retryAfterMs: 3_000 },
  { kind: "hang" },
  { kind: "reset" },
  { kind: "cutBody" },
  { kind: "slowBody", delayMs: 4_000 },
  { kind: "silentWatch" },
];
const names = ["a", "b", "c", "d", "e"];

function truthOf(server: SimApiServer): ReadonlyMap<string, string> {
  return new Map(
    server.list(pods).map(({ namespace, name, resourceVersion }) => [`${namespace}/${name}`, resourceVersion]),
  );
}

/** One thing that happens, drawn. */
function disturb(server: SimApiServer, draw: (count: number) => number): void {
  const namespace = names[draw(3)] ?? "a";
  const name = names[draw(names.length)] ?? "a";
  const chance = draw(20);
  if (chance < 7) server.put(pods, { metadata: { name, namespace } });
  else if (chance < 11) server.delete(pods, namespace, name);
  else if (chance === 11) server.breakWatches((["reset", "end", "silence", "expire"] as const)[draw(4)] ?? "end");
  else if (chance === 12) server.compact();
  else if (chance === 13) server.setState((["up", "down", "unreachable"] as const)[draw(3)] ?? "up");
  else if (chance < 16)
    server.faults.add({ fault: faults[draw(faults.length)] ?? { kind: "reset" }, count: 1 + draw(3) });
  else if (chance === 16) server.serve(gateways);
  else if (chance === 17 && server.isServed(gateways)) server.unserve(gateways);
  else if (chance === 18) server.put(namespaceResource, { metadata: { name: namespace } });
  else {
    for (const each of server.list(pods)) if (each.namespace === namespace) server.delete(pods, namespace, each.name);
    server.delete(namespaceResource, "", namespace);
  }
}

/** What was told and what the server has in the end, with how many resources discovery told and the server serves. */
interface Ending {
  readonly told: ReadonlyMap<string, string>;
  readonly truth: ReadonlyMap<string, string>;
  readonly servedCounts: readonly [number, number];
}

async function scenario(world: World, mayListAll: boolean): Promise<Ending> {
  const random = world.random.fork("scenario");
  const draw = (count: number): number => random.int(count);
  const server = openSimApiServer(world, "one", {
    offersWatchList: draw(2) === 0,
    offersAggregatedDiscovery: draw(2) === 0,
  });
  server.serve(namespaceResource);
  server.serve(pods);
  for (const name of names.slice(0, 3)) server.put(namespaceResource, { metadata: { name } });
  if (!mayListAll) server.isAllowed = ({ gvr, namespace }) => gvr?.resource !== "pods" || namespace !== "";
  const options = { source: server, clock: world.clock, log: world.trace.logger("reading"), settings };
  const namespaces = new ListedNamespaces();
  const folded = new FoldedObjects();
  const trace = (event: ReflectorEvent): void => world.trace.add(`told ${event.kind}`);
  const monitor = new ApiServerMonitor({
    ...options,
    random: world.random.fork("monitor"),
    reload: () => Promise.resolve(),
    settings: {
      probeIntervalMs: 10_000,
      probeTimeoutMs: 5_000,
      degradedLimitCount: 3,
      isPolled: true,
      retry: { firstMs: 1_000, factor: 2, capMs: 10_000 },
    },
    onVerdict: ({ verdict }) => world.trace.add(`judged ${verdict}`),
  });
  let servedCount = 0;
  const discovery = new Discovery({
    ...options,
    random: world.random.fork("discovery"),
    intervalMs: 60_000,
    requestTimeoutMs: 5_000,
    onServed: ({ resources }) => {
      servedCount = resources.length;
      world.trace.add(`served ${servedCount}`);
    },
  });
  world.spawn("namespaces", (signal) =>
    runReflector(
      {
        ...options,
        random: world.random.fork("namespaces"),
        resource: namespaceResource,
        sink: (event) => namespaces.take(event),
      },
      signal,
    ),
  );
  world.spawn("pods", (signal) =>
    runScoped(
      {
        ...options,
        random: world.random.fork("pods"),
        resource: pods,
        isNamespaced: true,
        filter: {},
        namespaces,
        onDoubt: () => monitor.noteDoubt(),
        sink: async (event) => {
          trace(event);
          if (draw(4) === 0) await world.clock.sleep(draw(200));
          folded.take(event);
        },
      },
      signal,
    ),
  );
  world.spawn("monitor", (signal) => monitor.run(signal));
  world.spawn("discovery", (signal) => discovery.run(signal));
  for (let step = 0; step < 60; step += 1) {
    disturb(server, draw);
    await world.run([1, 5, 500, 5_000][draw(4)] ?? 1);
  }
  server.setState("up");
  server.faults.clear();
  // Pods of a namespace that is not there are followed by nobody who goes by namespace; a real server has none.
  for (const name of names.slice(0, 3)) server.put(namespaceResource, { metadata: { name } });
  await world.run(1_400_000);
  return {
    told: folded.objects,
    truth: truthOf(server),
    servedCounts: [servedCount, server.isServed(gateways) ? 3 : 2],
  };
}

test.each(seedsToRun(30))(
  "[KU10][KU12][KU19] seed %i: what was told comes to what the server has, as a whole",
  async (seed) => {
    const { result } = await simulate(seed, (world) => scenario(world, true));
    expect(result.told).toEqual(result.truth);
    expect(result.servedCounts[0]).toBe(result.servedCounts[1]);
  },
);

test.each(seedsToRun(30))(
  "[KU10][KU12][KU19] seed %i: what was told comes to what the server has, namespace by namespace",
  async (seed) => {
    const { result } = await simulate(seed, (world) => scenario(world, false));
    expect(result.told).toEqual(result.truth);
    expect(result.servedCounts[0]).toBe(result.servedCounts[1]);
  },
);

test.each(seedsToRun(3))("[SI1] seed %i: two runs are the same, line by line", async (seed) => {
  const run = () => simulate(seed, (world) => scenario(world, seed % 2 === 0));
  expect(await run()).toEqual(await run());
});
