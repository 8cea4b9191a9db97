// SPDX-License-Identifier: Apache-2.0
// What an agent meets at a real API server: one that hangs, a network that is cut, a credential that ends, definitions
// that come and go.
import { afterAll, beforeAll, expect, test } from "vitest";
import { virtualServiceKind } from "../../src/kinds/istio/virtual-service-kind.ts";
import { createObject, define, undefine } from "../e2e/fleet/definitions.ts";
import { eventually } from "../e2e/fleet/eventually.ts";
import { TcpProxy } from "../e2e/fleet/tcp-proxy.ts";
import { describeOnKit } from "./describe-on-kit.ts";
import type { KubeClient } from "./kube-client.ts";
import { RealFleet } from "./real-fleet.ts";
import { type KubernetesCluster, startCluster } from "./start-cluster.ts";

const configMaps = "/api/v1/namespaces/default/configmaps";
const account = "/api/v1/namespaces/flotilla/serviceaccounts/flotilla-agent";

// The connection falls three times at the most: more would be flapping, which is shown live later (HE6).
describeOnKit("a fleet whose API server fails", [], (kit) => {
  const fleet = new RealFleet();
  let cluster: KubernetesCluster;
  let admin: KubeClient;
  let proxy: TcpProxy;

  beforeAll(async () => {
    [cluster] = await Promise.all([startCluster({ kit }), fleet.startHub()]);
    admin = cluster.connect();
    await fleet.install("only", cluster, kit);
    proxy = await TcpProxy.open(Number(new URL(cluster.url).port));
    fleet.startAgent("only", cluster, { apiServerPort: proxy.port });
    await fleet.hub.untilEqual("only", admin);
  });

  afterAll(async () => {
    await fleet.close();
    await proxy.close();
    await cluster.stop();
  });

  test("[N-6] a definition that is deleted and made again: its rows go and come, without a restart", async () => {
    await define(admin, virtualServiceKind);
    await createObject(admin, virtualServiceKind, "default", "first");
    await fleet.hub.untilRow("only", "networking.istio.io/virtualservices default/first");
    await undefine(admin, virtualServiceKind);
    await fleet.hub.untilRow("only", "networking.istio.io/virtualservices default/first", false);
    await eventually(() => define(admin, virtualServiceKind));
    await createObject(admin, virtualServiceKind, "default", "second");
    await fleet.hub.untilRow("only", "networking.istio.io/virtualservices default/second");
    const rows = await fleet.hub.untilEqual("only", admin);
    expect(Object.hasOwn(rows, "networking.istio.io/virtualservices default/first")).toBe(false);
  });

  test("[R-4][N-42] a network that is cut with resets: rows stay, and what happened meanwhile is known after", async () => {
    await admin.ask("POST", configMaps, { body: { metadata: { name: "doomed" } } });
    await fleet.hub.untilRow("only", "configmaps default/doomed");
    proxy.set("reset");
    await fleet.hub.untilState("only", "disconnected");
    expect((await fleet.hub.cluster("only")).connection?.reason).toBe("tcp");
    const kept = await fleet.hub.rows("only");
    await admin.ask("DELETE", `${configMaps}/doomed`);
    await admin.ask("POST", configMaps, { body: { metadata: { name: "made" } } });
    expect(await fleet.hub.rows("only")).toEqual(kept);
    proxy.set("open");
    await fleet.hub.untilRow("only", "configmaps default/doomed", false);
    const rows = await fleet.hub.untilEqual("only", admin);
    expect(Object.hasOwn(rows, "configmaps default/made")).toBe(true);
  });

  test("[R-9][N-42] a network that swallows everything is noticed by time alone", async () => {
    proxy.set("silent");
    await fleet.hub.untilState("only", "disconnected");
    expect((await fleet.hub.cluster("only")).connection?.reason).toBe("timeout");
    await admin.ask("DELETE", `${configMaps}/made`);
    proxy.set("open");
    await fleet.hub.untilRow("only", "configmaps default/made", false);
    await fleet.hub.untilEqual("only", admin);
  });

  test("[R-11] a credential that has ended is told as such, and another in its file is taken up without a restart", async () => {
    await admin.ask("DELETE", account);
    await admin.ask("POST", "/api/v1/namespaces/flotilla/serviceaccounts", {
      body: { metadata: { name: "flotilla-agent" } },
    });
    await fleet.hub.untilState("only", "disconnected");
    expect((await fleet.hub.cluster("only")).connection?.reason).toBe("unauthorized");
    await admin.ask("POST", configMaps, { body: { metadata: { name: "unseen" } } });
    await fleet.issueToken("only", admin);
    await fleet.hub.untilRow("only", "configmaps default/unseen");
    await fleet.hub.untilEqual("only", admin);
  });
});
