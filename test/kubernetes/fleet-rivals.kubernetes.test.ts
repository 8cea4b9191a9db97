// SPDX-License-Identifier: Apache-2.0
// Two agents that want the same cluster, as processes beside real API servers.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { BackgroundProgram } from "../e2e/fleet/background-program.ts";
import { eventually } from "../e2e/fleet/eventually.ts";
import { describeOnWholeRun } from "./describe-on-kit.ts";
import type { KubeClient } from "./kube-client.ts";
import { RealFleet } from "./real-fleet.ts";
import { type KubernetesCluster, startCluster } from "./start-cluster.ts";

const configMaps = "/api/v1/namespaces/default/configmaps";

describeOnWholeRun("a fleet with rivals", [], (kit) => {
  const fleet = new RealFleet();
  let east: KubernetesCluster;
  let west: KubernetesCluster;
  let admin: KubeClient;
  let first: BackgroundProgram;
  let ofWest: BackgroundProgram;

  beforeAll(async () => {
    [east, west] = await Promise.all([startCluster({ kit }), startCluster({ kit }), fleet.startHub()]);
    admin = east.connect();
    await fleet.install("east", east, kit);
    await fleet.install("west", west, kit);
    first = fleet.startAgent("east", east);
    ofWest = fleet.startAgent("west", west);
    await fleet.hub.untilEqual("east", admin);
    await fleet.hub.untilEqual("west", west.connect());
  });

  afterAll(async () => {
    await fleet.close();
    await Promise.all([east.stop(), west.stop()]);
  });

  test("[N-26] the key of one cluster cannot speak for another", async () => {
    const before = await fleet.hub.rows("west");
    const session = (await fleet.hub.cluster("west")).session;
    const honest = fleet.startAgent("east", east, {}, "west");
    expect(await honest.ended()).not.toBe(0);
    expect(honest.stderr).toContain('the key stored here is of cluster "east", not of "west"');
    const key = readFileSync(join(fleet.folder.path, "east.key"), "utf8");
    writeFileSync(join(fleet.folder.path, "forged.key"), key.replace('"east"', '"west"'), { mode: 0o600 });
    fleet.copyFiles("east", "forged");
    const forger = fleet.startAgent("forged", east, {}, "west");
    await eventually(() => expect(forger.stderr.slice(-2_000)).toContain("WRONG_CLUSTER"));
    await forger.end();
    expect(await fleet.hub.rows("west")).toEqual(before);
    const after = (await fleet.hub.cluster("west")).session;
    expect([after?.agentId, after?.epoch]).toEqual([session?.agentId, session?.epoch]);
    expect(await fleet.hub.state("west")).toBe("live");
  });

  test("[N-34] a copied agent is turned away, and the first does not notice", async () => {
    const before = (await fleet.hub.cluster("east")).session;
    const copy = fleet.startAgent("east", east);
    await eventually(() => expect(copy.stderr).toContain("ACTIVE_SESSION"));
    expect((await fleet.hub.cluster("east")).refusedAgent?.reason).toBe("ACTIVE_SESSION");
    await admin.ask("POST", configMaps, { body: { metadata: { name: "unbroken" } } });
    await fleet.hub.untilRow("east", "configmaps default/unbroken");
    const after = (await fleet.hub.cluster("east")).session;
    expect([after?.agentId, after?.epoch]).toEqual([before?.agentId, before?.epoch]);
    expect(await fleet.hub.state("east")).toBe("live");
    await copy.end();
  });

  test("[L5] an agent that is begun anew beside a cluster in which nothing changed sends no row", async () => {
    const before = (await fleet.hub.cluster("west")).session;
    const sentCount = await fleet.hub.counter("flotilla_ingest_rows_total", "west");
    expect(sentCount).toBeGreaterThan(100);
    await ofWest.end("SIGKILL");
    ofWest = fleet.startAgent("west", west);
    await eventually(async () => expect((await fleet.hub.cluster("west")).session?.epoch).not.toBe(before?.epoch));
    await fleet.hub.untilEqual("west", west.connect());
    expect(await fleet.hub.counter("flotilla_ingest_rows_total", "west")).toBe(sentCount);
  });

  test("[N-48][N-49] another agent takes over from one that froze; when that goes on it writes nothing", async () => {
    const before = (await fleet.hub.cluster("east")).session;
    const rowCount = Object.keys(await fleet.hub.rows("east")).length;
    first.send("SIGSTOP");
    await fleet.hub.untilState("east", "disconnected");
    expect(Object.keys(await fleet.hub.rows("east")).length).toBe(rowCount);
    const second = fleet.startAgent("east", east);
    await fleet.hub.untilState("east", "live");
    const taken = (await fleet.hub.cluster("east")).session;
    expect(taken?.epoch).toBeGreaterThan(before?.epoch ?? 0n);
    first.send("SIGCONT");
    await eventually(() => expect(first.stderr).toContain("ACTIVE_SESSION"));
    await admin.ask("POST", configMaps, { body: { metadata: { name: "by-the-second" } } });
    await fleet.hub.untilRow("east", "configmaps default/by-the-second");
    const after = (await fleet.hub.cluster("east")).session;
    expect([after?.agentId, after?.epoch]).toEqual([taken?.agentId, taken?.epoch]);
    await fleet.hub.untilEqual("east", admin);
    await second.end();
  });
});
