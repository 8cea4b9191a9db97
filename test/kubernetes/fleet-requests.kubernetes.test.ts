// SPDX-License-Identifier: Apache-2.0
// What following a cluster costs its API server, by the server's own audit log.
import { afterAll, beforeAll, expect, test } from "vitest";
import type { BackgroundProgram } from "../e2e/fleet/background-program.ts";
import { eventually } from "../e2e/fleet/eventually.ts";
import { TcpProxy } from "../e2e/fleet/tcp-proxy.ts";
import { describeOnWholeRun } from "./describe-on-kit.ts";
import type { KubeClient } from "./kube-client.ts";
import { RealFleet } from "./real-fleet.ts";
import { type AuditedRequest, AuditLog, isDiscovery, isProbe } from "./real-fleet-audit.ts";
import { type KubernetesCluster, startCluster } from "./start-cluster.ts";

const configMaps = "/api/v1/namespaces/default/configmaps";

/** Cluster, hub and agent, each a process, on a machine that is busy. */
const startLimitMs = 120_000;

/** As long as it takes to write 100 MB through an API server, and to read them twice. */
const largeLimitMs = 180_000;

/** Probes that are waited for: some seconds at the pace of these tests, in which anything periodic would show. */
const probeCount = 3;

/** Half the interval of probes: one may be late, and the next in time. */
const minGapMs = 1_500;

const isWatch = ({ verb }: AuditedRequest): boolean => verb === "watch";

describeOnWholeRun("what a fleet asks of its API server", [], (kit) => {
  const fleet = new RealFleet();
  const audit = new AuditLog(fleet.folder.path);
  let cluster: KubernetesCluster;
  let admin: KubeClient;
  let proxy: TcpProxy;
  let agent: BackgroundProgram;

  beforeAll(async () => {
    [cluster] = await Promise.all([startCluster({ kit, apiserverFlags: audit.flags }), fleet.startHub()]);
    admin = cluster.connect();
    await fleet.install("only", cluster, kit);
    proxy = await TcpProxy.open(Number(new URL(cluster.url).port));
    agent = fleet.startAgent("only", cluster, { apiServerPort: proxy.port });
    await fleet.hub.untilEqual("only", admin);
  }, startLimitMs);

  afterAll(async () => {
    await fleet.close();
    await proxy.close();
    await cluster.stop();
  });

  /** What the agent asks until it has probed some times more. */
  const untilProbed = async (): Promise<readonly AuditedRequest[]> => {
    const before = audit.requests().length;
    await eventually(() => expect(audit.since(before).filter(isProbe).length).toBeGreaterThanOrEqual(probeCount));
    return audit.since(before);
  };
  const others = (requests: readonly AuditedRequest[]): readonly string[] =>
    requests.filter((request) => !isProbe(request) && !isDiscovery(request)).map(({ verb, uri }) => `${verb} ${uri}`);

  test("[U-66] an unchanged cluster is asked for nothing but probes, and one of some hundred objects more for nothing more", async () => {
    expect(others(await untilProbed())).toEqual([]);
    for (let number = 0; number < 300; number += 10) {
      const names = Array.from({ length: 10 }, (_, at) => `extra-${number + at}`);
      await Promise.all(names.map((name) => admin.ask("POST", configMaps, { body: { metadata: { name } } })));
    }
    await fleet.hub.untilEqual("only", admin);
    expect(others(await untilProbed())).toEqual([]);
  });

  test("[R-25] a hundred viewers of /health add no probe: they come at their interval, never closer", async () => {
    const over = new AbortController();
    const viewers = await Promise.all(
      Array.from({ length: 100 }, () => fleet.hub.fetch("/health", { accept: "text/event-stream" }, over.signal)),
    );
    expect(viewers.map(({ status }) => status)).toEqual(viewers.map(() => 200));
    const probes = (await untilProbed()).filter(isProbe);
    over.abort();
    const gaps = probes.slice(1).map(({ atMs }, index) => atMs - (probes[index]?.atMs ?? 0));
    expect(gaps.filter((gap) => gap < minGapMs)).toEqual([]);
  });

  test("[R-34] [lesson uds-R7] a short cut of the network: every watch goes on where it was, and nothing is listed again", async () => {
    const before = audit.requests().length;
    proxy.set("reset");
    await fleet.hub.untilState("only", "disconnected");
    await admin.ask("DELETE", `${configMaps}/extra-0`);
    proxy.set("open");
    await fleet.hub.untilRow("only", "configmaps default/extra-0", false);
    await fleet.hub.untilEqual("only", admin);
    const asked = audit.since(before);
    expect(asked.filter(({ verb }) => verb === "list").map(({ uri }) => uri)).toEqual([]);
    const watches = asked.filter(isWatch);
    expect(watches.length).toBeGreaterThan(10);
    expect(watches.filter(({ uri }) => !/[?&]resourceVersion=[1-9]/.test(uri)).map(({ uri }) => uri)).toEqual([]);
  });

  test(
    "[N-57] a cluster of 100 MB comes to the hub whole with every limit at its default, also to an agent that begins with it",
    async () => {
      const value = "x".repeat(200_000);
      for (let number = 0; number < 500; number += 20) {
        const names = Array.from({ length: 20 }, (_, at) => `large-${number + at}`);
        const bodies = names.map((name) => ({ metadata: { name }, data: { [name]: value } }));
        await Promise.all(bodies.map((body) => admin.ask("POST", configMaps, { body })));
      }
      await fleet.hub.untilRow("only", "configmaps default/large-499");
      await agent.end();
      agent = fleet.startAgent("only", cluster, { apiServerPort: proxy.port });
      await eventually(async () => expect((await fleet.hub.cluster("only")).session?.isActive).toBe(true));
      await admin.ask("DELETE", `${configMaps}/large-0`);
      await fleet.hub.untilRow("only", "configmaps default/large-0", false);
      await fleet.hub.untilEqual("only", admin);
    },
    largeLimitMs,
  );
});
