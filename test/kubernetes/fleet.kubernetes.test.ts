// SPDX-License-Identifier: Apache-2.0
// Two real clusters, a hub and two agents, each a process of its own; everything that can fail does, and then rows
// equal objects.
import { afterAll, beforeAll, expect, test } from "vitest";
import type { BackgroundProgram } from "../e2e/fleet/background-program.ts";
import { eventually } from "../e2e/fleet/eventually.ts";
import { TcpProxy } from "../e2e/fleet/tcp-proxy.ts";
import { describeOnKit } from "./describe-on-kit.ts";
import type { KubeClient } from "./kube-client.ts";
import { RealFleet } from "./real-fleet.ts";
import { type KubernetesCluster, startCluster } from "./start-cluster.ts";

const deployments = "/apis/apps/v1/namespaces/default/deployments";
const configMaps = "/api/v1/namespaces/default/configmaps";

function deployment(name: string, replicas: number): object {
  const labels = { app: name };
  const containers = [{ name: "app", image: "example.com/app:1" }];
  const template = { metadata: { labels }, spec: { containers } };
  return { metadata: { name }, spec: { replicas, selector: { matchLabels: labels }, template } };
}

describeOnKit("a fleet of two clusters", ["controllers", "kwok"], (kit) => {
  const fleet = new RealFleet();
  let [east, west]: KubernetesCluster[] = [];
  let [eastAdmin, westAdmin]: KubeClient[] = [];
  let eastAgent: BackgroundProgram | undefined;
  let [toHub, toApiServer]: TcpProxy[] = [];

  const scale = async (admin: KubeClient, name: string, replicas: number): Promise<void> => {
    const headers = { "content-type": "application/merge-patch+json" };
    await admin.ask("PATCH", `${deployments}/${name}`, { body: { spec: { replicas } }, headers });
  };

  beforeAll(async () => {
    [east, west] = await Promise.all([
      startCluster({ kit, controllers: true, kwok: true }),
      startCluster({ kit }),
      fleet.startHub(),
    ]);
    eastAdmin = east.connect();
    westAdmin = west.connect();
    await fleet.install("east", east, kit);
    await fleet.install("west", west, kit);
    toHub = await TcpProxy.open(fleet.hubPort);
    toApiServer = await TcpProxy.open(Number(new URL(west.url).port));
    eastAgent = fleet.startAgent("east", east);
    fleet.startAgent("west", west, { hubPort: toHub.port, apiServerPort: toApiServer.port });
  });

  afterAll(async () => {
    await fleet.close();
    await toHub?.close();
    await toApiServer?.close();
    await Promise.all([east?.stop(), west?.stop()]);
  });

  test("[N-1] the hub has of each cluster what its API server has, with the rights of the manifest", async () => {
    const eastRows = await fleet.hub.untilEqual("east", eastAdmin!);
    const westRows = await fleet.hub.untilEqual("west", westAdmin!);
    expect(Object.keys(eastRows)).toContain("nodes /kwok-1");
    expect(Object.keys(westRows)).not.toContain("nodes /kwok-1");
    const { kinds } = await fleet.hub.cluster("east");
    expect(kinds.filter(({ state }) => state === "failed")).toEqual([]);
  });

  test("some hundred Pods come and go while agent and hub are killed", async () => {
    for (const name of ["a", "b"]) await eastAdmin!.ask("POST", deployments, { body: deployment(name, 60) });
    await fleet.hub.untilRow("east", "apps/deployments default/a");
    await eastAgent!.end("SIGKILL");
    await scale(eastAdmin!, "a", 5);
    eastAgent = fleet.startAgent("east", east!);
    await fleet.hubProgram.end("SIGKILL");
    await scale(eastAdmin!, "b", 110);
    await fleet.startHub();
    await scale(eastAdmin!, "b", 40);
    await eastAdmin!.ask("DELETE", `${deployments}/a?propagationPolicy=Background`);
    await eventually(async () => {
      const rows = await fleet.hub.rows("east");
      const pods = Object.keys(rows).filter((key) => key.startsWith("pods default/"));
      expect(pods.length).toBe(40);
    });
    await fleet.hub.untilEqual("east", eastAdmin!);
  });

  test("[N-42][N-44] a network to the hub that is cut, with and without a reset", async () => {
    for (const mode of ["reset", "silent"] as const) {
      const before = (await fleet.hub.cluster("west")).session;
      toHub!.set(mode);
      await fleet.hub.untilState("west", "disconnected");
      await westAdmin!.ask("POST", configMaps, { body: { metadata: { name: `during-${mode}` } } });
      toHub!.set("open");
      await fleet.hub.untilRow("west", `configmaps default/during-${mode}`);
      const after = (await fleet.hub.cluster("west")).session;
      expect(after?.agentId).toBe(before?.agentId);
      expect(after?.epoch).toBeGreaterThan(before?.epoch ?? 0n);
    }
    await fleet.hub.untilEqual("west", westAdmin!);
  });
});
