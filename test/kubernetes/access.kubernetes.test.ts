// SPDX-License-Identifier: Apache-2.0
// Users of a hub beside a real cluster whose RBAC objects change: lists, live views and objects follow them.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createClient } from "@connectrpc/connect";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { QueryService } from "../../src/gen/flotilla/query/v1/query_pb.ts";
import { listOf, textOf, textsOf } from "../../src/kinds/fields.ts";
import { rbacResources } from "../../src/model/rbac-resources.ts";
import { eventually } from "../e2e/fleet/eventually.ts";
import { TcpProxy } from "../e2e/fleet/tcp-proxy.ts";
import { findKubectls } from "../e2e/kubectl/find-kubectl.ts";
import { KubectlRunner } from "../e2e/kubectl/run-kubectl.ts";
import { watchLines } from "../e2e/kubectl/watch-lines.ts";
import { grants } from "./access/grant-access.ts";
import { LiveView } from "./access/live-view.ts";
import { WriteLoad } from "./access/write-load.ts";
import { describeOnWholeRun } from "./describe-on-kit.ts";
import type { KubeClient } from "./kube-client.ts";
import { impersonate } from "./rbac/impersonate.ts";
import { RealFleet } from "./real-fleet.ts";
import { type AuditedRequest, AuditLog, isDiscovery, isProbe } from "./real-fleet-audit.ts";
import { type KubernetesCluster, startCluster } from "./start-cluster.ts";

/** Cluster, hub and agent, each a process, on a machine that is busy. */
const startLimitMs = 180_000;
const kubectlLimitMs = 120_000;

const configMaps = "/api/v1/namespaces/shop/configmaps";
const deployments = "/apis/apps/v1/namespaces/shop/deployments";
const agentRole = "/apis/rbac.authorization.k8s.io/v1/clusterroles/flotilla-agent";
const rbacGroup = "rbac.authorization.k8s.io";
const names = ["a", "b", "c", "d", "e"];
const keys = names.map((name) => `shop/${name}`);
const user = { user: "vera", groups: ["flotilla:viewers", "team"] };

/** One row of each of `names`. */
const shopQuery = "kind:ConfigMap ns:shop label.shown=yes";

describeOnWholeRun("access to rows and objects", ["controllers"], (kit) => {
  const fleet = new RealFleet();
  const audit = new AuditLog(fleet.folder.path);
  let cluster: KubernetesCluster;
  let admin: KubeClient;
  let proxy: TcpProxy;
  let agentRules: readonly unknown[];

  beforeAll(async () => {
    [cluster] = await Promise.all([
      startCluster({ kit, controllers: true, apiserverFlags: audit.flags }),
      fleet.startHub(),
    ]);
    admin = cluster.connect();
    for (const name of ["shop", "busy"])
      await admin.ask("POST", "/api/v1/namespaces", { body: { metadata: { name } } });
    for (const name of names) await admin.ask("POST", configMaps, { body: configMap(name) });
    await fleet.install("only", cluster, kit, ["--object-reads"]);
    agentRules = listOf(await admin.ask("GET", agentRole), "rules");
    await setAgentRules(agentRules.filter((rule) => !textsOf(rule, "apiGroups").includes(rbacGroup)));
    proxy = await TcpProxy.open(Number(new URL(cluster.url).port));
    fleet.startAgent("only", cluster, { apiServerPort: proxy.port, flags: { "object-reads": "true" } });
  }, startLimitMs);

  afterAll(async () => {
    await fleet.close();
    await proxy.close();
    await cluster.stop();
  });

  function configMap(name: string, value = ""): object {
    return { metadata: { name, labels: { shown: "yes" } }, data: { value } };
  }

  async function setAgentRules(rules: readonly unknown[]): Promise<void> {
    const headers = { "content-type": "application/merge-patch+json" };
    await admin.ask("PATCH", agentRole, { body: { rules }, headers });
  }

  /** The agent's requests of the past are refused or not by the rights of then: its watches begin anew. */
  async function breakWatches(): Promise<void> {
    proxy.set("reset");
    await fleet.hub.untilState("only", "disconnected");
    proxy.set("open");
  }

  const adminQueries = () => createClient(QueryService, fleet.hub.transport);
  const kindState = async (resource: string): Promise<string | undefined> =>
    (await fleet.hub.cluster("only")).kinds.find((kind) => kind.resource === resource)?.state;

  test("[Q-34, Q-40] a cluster whose RBAC objects cannot be listed shows no row, with the reason, until all four kinds are collected", async () => {
    await eventually(async () => {
      expect(await kindState("configmaps")).toBe("watching");
      expect(await kindState(`${rbacGroup}/roles`)).toBe("failed");
    });
    const { total, coverage } = await adminQueries().listObjects({ query: "" });
    expect([total, coverage?.readCount, coverage?.isComplete]).toEqual([0n, 0, false]);
    expect(coverage?.clusters).toMatchObject([{ cluster: "only", isRead: false, reason: /RBAC/ }]);
    await setAgentRules(agentRules);
    const rows = Object.keys(await fleet.hub.untilEqual("only", admin));
    const collected = new Set(rows.map((key) => key.split(" ")[0]));
    expect(rbacResources.filter((resource) => !collected.has(resource))).toEqual([]);
    expect((await adminQueries().listObjects({ query: shopQuery })).total).toBe(5n);
  });

  describe.each([...findKubectls()])("kubectl $label --context fleet", ({ label, path }) => {
    test("[FA3, FA7, FA9, FA11] gets pages of all clusters, by label and live", {
      timeout: kubectlLimitMs,
    }, async () => {
      const token = (await fleet.createToken({ user: "admin", groups: ["flotilla:admins"] })) ?? "";
      const runner = new KubectlRunner({
        kubectl: { label, path },
        server: {
          url: `https://127.0.0.1:${fleet.hubPort}/fleet-api`,
          ca: readFileSync(join(fleet.folder.path, "hub", "tls", "ca.crt"), "utf8"),
          tokens: new Map([["fleet", token]]),
        },
        folder: join(fleet.folder.path, `kubectl-${label}`),
        namespace: "shop",
        cwd: fleet.folder.path,
      });
      const listed = await runner.run(
        "--context fleet get configmaps -A -l shown=yes --chunk-size=2 --no-headers".split(" "),
      );
      expect(listed).toMatchObject({ code: 0, stderr: "" });
      const columns = listed.stdout
        .trim()
        .split("\n")
        .map((line) => line.split(/ +/).slice(0, 3).join(" "));
      expect(columns.slice(0, 5)).toEqual(names.map((name) => `shop only ${name}`));

      const name = `web-${label.replaceAll(/[^0-9a-z]/g, "")}`;
      const labels = { app: name };
      const template = { metadata: { labels }, spec: { containers: [{ name: "a", image: "example.com/a:1" }] } };
      const spec = { replicas: 0, selector: { matchLabels: labels }, template };
      await using watched = watchLines(runner, `get deploy -l app=${name} -w --no-headers`.split(" "));
      await admin.ask("POST", deployments, { body: { metadata: { name, labels }, spec } });
      expect(await watched.next()).toMatch(new RegExp(`^only ${name} 0/0 `));
    });
  });

  test("[Q-14, L19] an object is read in its cluster at that moment: a field that has just changed is in the answer", async () => {
    const place = { cluster: "only", kind: "ConfigMap", namespace: "shop", name: "a" };
    for (const value of ["one", "two", "three"]) {
      await admin.ask("PUT", `${configMaps}/a`, { body: configMap("a", value) });
      const { object } = await adminQueries().getObject(place);
      expect(textOf(JSON.parse(object), "data", "value")).toBe(value);
    }
  });

  test("[Q-11, Q-14] lists ask nothing of the API server and are answered while it is unreachable; objects are not", async () => {
    await fleet.hub.untilEqual("only", admin);
    const before = audit.requests().length;
    for (let count = 0; count < 20; count += 1) {
      await adminQueries().listObjects({ query: shopQuery, facets: ["namespace"] });
      await adminQueries().problems({});
    }
    // The drift detector asks for reviews at a pace of its own (RB79).
    const isReview = ({ uri }: AuditedRequest): boolean => uri.includes("/subjectaccessreviews");
    const asked = audit.since(before).filter((each) => !isProbe(each) && !isDiscovery(each) && !isReview(each));
    expect(asked).toEqual([]);
    proxy.set("reset");
    await fleet.hub.untilState("only", "disconnected");
    const { total, coverage } = await adminQueries().listObjects({ query: shopQuery });
    expect([total, coverage?.staleCount]).toEqual([5n, 1]);
    const place = { cluster: "only", kind: "ConfigMap", namespace: "shop", name: "a" };
    await expect(adminQueries().getObject(place)).rejects.toMatchObject({ code: "UNAVAILABLE" });
    proxy.set("open");
    await fleet.hub.untilEqual("only", admin);
  });

  test.each(Object.entries(grants))(
    "[Q-42, QL22, L2] %s takes the rows out of lists, totals, facets and an open live view, while objects change",
    async (how, grant) => {
      const transport = await fleet.logIn(user);
      const list = () =>
        createClient(QueryService, transport).listObjects({ query: shopQuery, facets: ["namespace"], limit: 500 });
      const view = new LiveView(transport, shopQuery, ["namespace"]);
      const load = await WriteLoad.start(admin, "busy");
      const name = `grant-${Object.keys(grants).indexOf(how)}`;
      const revoke = await grant({ admin, namespace: "shop", user: user.user, group: "team" }, name);
      await eventually(async () => {
        const { total, facets } = await list();
        expect([total, facets[0]?.values.map(({ value }) => value)]).toEqual([5n, ["shop"]]);
        expect(view.state).toEqual({ keys, total: 5, facetValues: ["shop"] });
      });
      await revoke();
      await eventually(async () => {
        const { objects, total, facets } = await list();
        expect([objects, total, facets[0]?.values]).toEqual([[], 0n, []]);
        expect(view.state).toEqual({ keys: [], total: 0, facetValues: [] });
      });
      expect(await load.stop()).toBeGreaterThan(10);
      await view.close();
    },
  );

  test("[Q-46, Q-43] an object that the list still shows is refused by the cluster at once, and the age of the grants is shown", async () => {
    const transport = await fleet.logIn(user);
    const queries = createClient(QueryService, transport);
    const list = () => queries.listObjects({ query: shopQuery, fullCoverage: true });
    const place = { cluster: "only", kind: "ConfigMap", namespace: "shop", name: "a" };
    const grant = grants["a deleted RoleBinding of the user"]!;
    const revoke = await grant({ admin, namespace: "shop", user: user.user, group: "team" }, "opened");
    await eventually(async () => expect((await list()).total).toBe(5n));
    expect((await queries.getObject(place)).object).toContain('"ConfigMap"');

    // The agent loses the right to read RBAC objects, so that the list stays behind for as long as the test looks.
    await setAgentRules(agentRules.filter((rule) => !textsOf(rule, "apiGroups").includes(rbacGroup)));
    await breakWatches();
    await eventually(async () => expect(await kindState(`${rbacGroup}/rolebindings`)).toBe("failed"));
    await revoke();
    let refusal: unknown;
    await eventually(async () => {
      const { status, body } = await admin.send("GET", `${configMaps}/a`, { headers: impersonate(user) });
      expect(status).toBe(403);
      refusal = textOf(body, "message");
    });
    await expect(queries.getObject(place)).rejects.toMatchObject({ code: "PERMISSION_DENIED", message: refusal });
    expect((await list()).total).toBe(5n);
    await eventually(async () => {
      const { total, coverage } = await list();
      expect([total, coverage?.isComplete]).toEqual([5n, false]);
      const old = coverage?.clusters.flatMap(({ kinds }) => kinds) ?? [];
      expect(old.map(({ resource }) => resource)).toContain(`${rbacGroup}/rolebindings`);
      expect(old.map(({ asOfMsAgo = 0n }) => asOfMsAgo > 0n)).not.toContain(false);
    });

    await setAgentRules(agentRules);
    await eventually(async () => expect((await list()).total).toBe(0n));
    await fleet.hub.untilEqual("only", admin);
  });

  test("[Q-43, L17] rows are withheld with the reason while the RBAC objects alone are behind by the bound, also from an open live view and over a restart of the hub, and come back", async () => {
    // A bound above the time of a list and of a retry on a busy machine.
    const more = { "grants-bound": "6s" };
    await fleet.hubProgram.end("SIGTERM");
    await fleet.startHub({ more });
    const transport = await fleet.logIn(user);
    const queries = createClient(QueryService, transport);
    const list = () => queries.listObjects({ query: shopQuery, facets: ["namespace"] });
    const grant = grants["a deleted RoleBinding of the user"]!;
    const revoke = await grant({ admin, namespace: "shop", user: user.user, group: "team" }, "behind");
    const view = new LiveView(transport, shopQuery, ["namespace"]);
    const shown = { keys, total: 5, facetValues: ["shop"] };
    await fleet.hub.untilState("only", "live");
    await eventually(async () => {
      expect((await list()).total).toBe(5n);
      expect(view.state).toEqual(shown);
    });

    // The agent may no longer read RBAC objects. All other rows go on.
    await setAgentRules(agentRules.filter((rule) => !textsOf(rule, "apiGroups").includes(rbacGroup)));
    await breakWatches();
    await eventually(async () => expect(await kindState("configmaps")).toBe("watching"));
    await eventually(async () => {
      const { objects, total, facets, coverage } = await list();
      expect([objects, total, facets[0]?.values]).toEqual([[], 0n, []]);
      expect(coverage?.clusters).toMatchObject([{ cluster: "only", isRead: false, reason: /bound is 6 s/ }]);
      expect(view.state).toEqual({ keys: [], total: 0, facetValues: [] });
    });

    await view.close();

    await fleet.hubProgram.end("SIGKILL");
    await fleet.startHub({ more });
    const after = createClient(QueryService, await fleet.logIn(user));
    const listAgain = () => after.listObjects({ query: shopQuery });
    const totals = new Set<bigint>();
    await eventually(async () => {
      totals.add((await listAgain()).total);
      expect(await kindState("configmaps")).toBe("watching");
      expect(await kindState(`${rbacGroup}/rolebindings`)).toBe("failed");
    });
    totals.add((await listAgain()).total);
    expect(totals).toEqual(new Set([0n]));

    await setAgentRules(agentRules);
    await eventually(async () => {
      const { total, coverage } = await listAgain();
      expect([total, coverage?.clusters.filter(({ isRead }) => !isRead)]).toEqual([5n, []]);
    });
    await revoke();
    await fleet.hubProgram.end("SIGTERM");
    await fleet.startHub();
    await fleet.hub.untilEqual("only", admin);
  });

  // The last one: an agent that polls tries to watch again minutes later.
  test("[Q-50] where watch is forbidden the agent ends in the same rows, with more requests", async () => {
    /** Creates, changes and deletes objects; the requests that the agent makes until the hub has the result. */
    const change = async (round: string): Promise<number> => {
      const before = audit.requests().length;
      for (const name of ["x", "y"]) await admin.ask("POST", configMaps, { body: configMap(`${name}-${round}`) });
      await admin.ask("PUT", `${configMaps}/x-${round}`, { body: configMap(`x-${round}`, "changed") });
      await admin.ask("DELETE", `${configMaps}/y-${round}`);
      await fleet.hub.untilRow("only", `configmaps shop/x-${round}`);
      await fleet.hub.untilEqual("only", admin);
      return audit.since(before).filter((request) => !isProbe(request) && !isDiscovery(request)).length;
    };
    const watching = await change("watched");
    const withoutWatch = agentRules.map((rule) => {
      const verbs = textsOf(rule, "verbs");
      return { ...(rule as object), verbs: verbs.filter((verb) => verb !== "watch") };
    });
    await setAgentRules(withoutWatch);
    await breakWatches();
    await eventually(async () => expect(await kindState("configmaps")).toBe("polling"));
    const polling = await change("polled");
    expect(polling).toBeGreaterThan(watching);
  });
});
