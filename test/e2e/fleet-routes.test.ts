// SPDX-License-Identifier: Apache-2.0
// Every way to read the hub, before and after a cluster went away and came back: none is bound to what was known
// before.
import { createClient } from "@connectrpc/connect";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ClusterStateService } from "../../src/gen/flotilla/fleet/v1/cluster_state_pb.ts";
import { type Cluster, ClusterService, RowService } from "../../src/gen/flotilla/fleet/v1/fleet_pb.ts";
import type { KubeClient } from "../kubernetes/kube-client.ts";
import { loadAllServices } from "../support/all-services.ts";
import { eventually } from "./fleet/eventually.ts";
import { PlaygroundUp } from "./fleet/playground-up.ts";

const eu = "eu-west-1";
const services = "/api/v1/namespaces/shop/services";

/**
 * Methods of the fleet that write, or read nothing of a cluster's objects. A method that is neither here nor read below
 * fails the test.
 */
const others = new Set([
  "ClusterService.UpdateCluster",
  "ClusterService.RemoveCluster",
  "ClusterService.RotateKey",
  "ClusterService.RetryCluster",
  "ClusterService.ImportCluster",
  "HintService.HintObject",
  "JoinCodeService.CreateJoinCode",
  "JoinCodeService.WatchJoin",
  "JoinTokenService.CreateJoinToken",
  "JoinTokenService.ListJoinTokens",
  "JoinTokenService.RevokeJoinToken",
]);

function serviceCount({ kinds }: Cluster): number {
  return Number(kinds.find(({ resource }) => resource === "services")?.rowCount ?? 0n);
}

async function collect<T>(stream: AsyncIterable<T>, into: T[]): Promise<void> {
  for await (const message of stream) into.push(message);
}

describe("every route after a cluster came back", () => {
  // Nothing is polled here: that an API server is gone is known by its watches alone.
  const fleet = new PlaygroundUp(1, { FLOTILLA_HEALTH_POLL: "false" });
  const over = new AbortController();
  const changes: { readonly changes: readonly { readonly name: string }[] }[] = [];
  let healthText = "";
  /** How long that was when the cluster went away, each time. */
  const outagesAt: number[] = [];
  let reading: Promise<unknown> = Promise.resolve();
  let client: KubeClient;
  let hubPid = 0;

  beforeAll(async () => {
    await fleet.start();
    hubPid = fleet.program.pid;
    client = fleet.connect(eu);
    await fleet.hub.untilState(eu, "live");
    const { transport } = fleet.hub;
    const { signal } = over;
    const health = await fleet.hub.fetch("/health", { accept: "text/event-stream" }, signal);
    expect(health.status).toBe(200);
    const body: AsyncIterable<Uint8Array> = health.body ?? expect.unreachable("a stream has a body");
    const decoder = new TextDecoder();
    const readHealth = async (): Promise<void> => {
      for await (const bytes of body) healthText += decoder.decode(bytes, { stream: true });
    };
    reading = Promise.allSettled([
      collect(createClient(RowService, transport).watchChanges({ clusterIds: [eu] }, { signal }), changes),
      readHealth(),
    ]);
  });

  afterAll(async () => {
    over.abort();
    await reading;
    expect(await fleet.close()).toBe(0);
  });

  /** What the stream of /health told, which tells every state, from one length of its text to another. */
  const statesTold = (from: number, to?: number): readonly string[] =>
    [...healthText.slice(from, to).matchAll(/^data: .*"state":"(\w+)"/gm)].map(([, state = ""]) => state);
  const make = (name: string): Promise<unknown> =>
    client.ask("POST", services, { body: { metadata: { name }, spec: { ports: [{ port: 80 }] } } });

  test("on its return a cluster is shown as catching up before it is live, and what happened meanwhile is known", async () => {
    await make("doomed");
    await fleet.hub.untilRow(eu, "services shop/doomed");
    const before = serviceCount(await fleet.hub.cluster(eu));
    const pids = fleet.agentPids(eu);
    outagesAt.push(healthText.length);
    for (const pid of pids) process.kill(pid, "SIGSTOP");
    await fleet.hub.untilState(eu, "disconnected");
    for (const name of ["made-1", "made-2", "made-3"]) await make(name);
    await client.ask("DELETE", `${services}/doomed`);
    const toldLength = healthText.length;
    for (const pid of pids) process.kill(pid, "SIGCONT");
    await eventually(() => expect(statesTold(toldLength)).toContain("live"));
    const states = statesTold(toldLength);
    expect(states.slice(0, states.indexOf("live"))).toContain("catchingUp");
    await eventually(async () => expect(serviceCount(await fleet.hub.cluster(eu))).toBe(before + 2));
    await fleet.hub.untilEqual(eu, client);
  });

  test("[R-24][R-31] [lesson uds-R3] each reads the newest state: an object made after the return is in all of them, in the same process", async () => {
    outagesAt.push(healthText.length);
    expect(await fleet.run("playground", "stop", eu)).toMatchObject({ code: 0 });
    await fleet.hub.untilState(eu, "disconnected");
    expect(await fleet.run("playground", "start", eu)).toMatchObject({ code: 0 });
    await fleet.hub.untilState(eu, "live");
    const before = serviceCount(await fleet.hub.cluster(eu));
    await make("after-return");
    const { transport } = fleet.hub;
    const { signal } = over;
    const counts = (cluster: Cluster | undefined): void => expect(cluster && serviceCount(cluster)).toBe(before + 1);
    const reads: Readonly<Record<string, () => void | Promise<void>>> = {
      "RowService.ListRows": async () =>
        expect(Object.keys(await fleet.hub.rows(eu))).toContain("services shop/after-return"),
      "RowService.WatchChanges": () =>
        expect(changes.flatMap((message) => message.changes.map(({ name }) => name))).toContain("after-return"),
      "ClusterStateService.GetClusterState": async () => {
        const names: string[] = [];
        for await (const { state } of createClient(ClusterStateService, transport).getClusterState({ clusterId: eu }))
          names.push(...(state?.services ?? []).map(({ name }) => name));
        expect(names).toContain("after-return");
      },
      "ClusterService.GetCluster": async () => counts(await fleet.hub.cluster(eu)),
      "ClusterService.ListClusters": async () =>
        counts((await createClient(ClusterService, transport).listClusters({}, { signal })).clusters[0]),
      "ClusterService.WatchClusters": async () => {
        for await (const { cluster } of createClient(ClusterService, transport).watchClusters({}, { signal })) {
          counts(cluster);
          return;
        }
      },
    };
    for (const read of Object.values(reads)) await eventually(read);
    const known = new Set([...Object.keys(reads), ...others]);
    const methods = (await loadAllServices())
      .filter(({ typeName }) => typeName.startsWith("flotilla.fleet.v1."))
      .flatMap(({ name, methods: all }) => all.map((method) => `${name}.${method.name}`));
    expect(methods.filter((method) => !known.has(method))).toEqual([]);
    expect(fleet.program.pid).toBe(hubPid);
  });

  test("[R-24] the stream of /health that was opened before went through it all", async () => {
    await eventually(() => expect(statesTold(0).at(-1)).toBe("live"));
    const told = outagesAt.map((from, index) => statesTold(from, outagesAt[index + 1]));
    expect(told).toEqual([expect.arrayContaining(["disconnected"]), expect.arrayContaining(["disconnected", "live"])]);
  });

  test("[R-18] /health of the hub that runs is 401 without a token or with a wrong one, and tells nothing", async () => {
    for (const authorization of ["", "Bearer flt_wrong"]) {
      for (const accept of ["text/event-stream", "application/json"]) {
        const answer = await fleet.hub.fetch("/health", { authorization, accept });
        expect(answer.status).toBe(401);
        expect(await answer.text()).not.toContain(eu);
      }
    }
  });
});
