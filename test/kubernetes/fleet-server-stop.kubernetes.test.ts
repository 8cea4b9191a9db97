// SPDX-License-Identifier: Apache-2.0
// A real kube-apiserver that is itself frozen, and ended and begun anew, under an agent that runs in its cluster and
// goes on.
import { afterAll, beforeAll, expect, test } from "vitest";
import type { BackgroundProgram } from "../e2e/fleet/background-program.ts";
import { eventually } from "../e2e/fleet/eventually.ts";
import { describeOnWholeRun } from "./describe-on-kit.ts";
import type { KubeClient } from "./kube-client.ts";
import { RealFleet } from "./real-fleet.ts";
import { ServerSwitch } from "./real-fleet-server.ts";
import { type KubernetesCluster, startCluster } from "./start-cluster.ts";

const configMaps = "/api/v1/namespaces/default/configmaps";

/** Cluster, hub and agent, each a process, on a machine that is busy. */
const startLimitMs = 120_000;

describeOnWholeRun("a fleet whose API server stops", [], (kit) => {
  const fleet = new RealFleet();
  let cluster: KubernetesCluster;
  let server: ServerSwitch;
  let admin: KubeClient;
  let agent: BackgroundProgram;

  const make = (name: string): Promise<unknown> => admin.ask("POST", configMaps, { body: { metadata: { name } } });

  const outageCount = (of: string): Promise<number> => fleet.hub.counter(`flotilla_cluster_${of}_total`, "only");

  beforeAll(async () => {
    [cluster] = await Promise.all([startCluster({ kit }), fleet.startHub()]);
    server = new ServerSwitch(cluster, kit);
    admin = cluster.connect();
    await fleet.install("only", cluster, kit);
    agent = fleet.startAgent("only", cluster, { isPod: true });
    await make("before");
    await fleet.hub.untilRow("only", "configmaps default/before");
    await fleet.hub.untilEqual("only", admin);
  }, startLimitMs);

  afterAll(async () => {
    await fleet.close();
    await server.close();
  });

  test("[R-1][R-2][R-4][R-29] [lesson uds-R5] frozen with every connection open: told by time, rows kept with their age, and live again when it goes on", async () => {
    const kept = await fleet.hub.rows("only");
    const session = (await fleet.hub.cluster("only")).session;
    server.send("SIGSTOP");
    await fleet.hub.untilState("only", "disconnected");
    expect((await fleet.hub.cluster("only")).connection?.reason).toBe("timeout");
    await eventually(async () => {
      const ages = (await fleet.hub.cluster("only")).kinds.flatMap(({ currentMsAgo }) => currentMsAgo ?? []);
      expect(ages.length).toBeGreaterThan(10);
      expect(ages.filter((age) => age === 0n)).toEqual([]);
    });
    expect(await fleet.hub.rows("only")).toEqual(kept);
    server.send("SIGCONT");
    await make("after-freeze");
    await fleet.hub.untilRow("only", "configmaps default/after-freeze");
    await fleet.hub.untilEqual("only", admin);
    expect((await fleet.hub.cluster("only")).session?.epoch).toBe(session?.epoch);
  });

  test("[R-1][R-4][R-12][R-33] ended and begun anew: rows are as they were while it is away, and what comes after is known", async () => {
    const kept = await fleet.hub.rows("only");
    const [losses, attempts] = [await outageCount("losses"), await outageCount("reconnect_attempts")];
    await server.end();
    await fleet.hub.untilState("only", "disconnected");
    expect((await fleet.hub.cluster("only")).connection?.reason).toBe("tcp");
    expect(await fleet.hub.rows("only")).toEqual(kept);
    await server.begin();
    await make("after-end");
    await admin.ask("DELETE", `${configMaps}/before`);
    await fleet.hub.untilRow("only", "configmaps default/after-end");
    await fleet.hub.untilRow("only", "configmaps default/before", false);
    await fleet.hub.untilEqual("only", admin);
    expect(agent.hasEnded).toBe(false);
    expect(await outageCount("losses")).toBe(losses + 1);
    expect(await outageCount("reconnect_attempts")).toBeGreaterThan(attempts);
  });
});
