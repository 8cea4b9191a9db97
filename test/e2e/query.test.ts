// SPDX-License-Identifier: Apache-2.0
// Questions to the whole fleet, as users ask them: over all clusters, under each cluster's own RBAC.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createClient } from "@connectrpc/connect";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { QueryService } from "../../src/gen/flotilla/query/v1/query_pb.ts";
import { fluxKinds } from "../../src/kinds/flux/flux-kinds.ts";
import { bucketKind, helmChartKind, helmRepositoryKind, ociRepositoryKind } from "../../src/kinds/flux/source-kinds.ts";
import { resourceIdText } from "../../src/model/gvr.ts";
import type { KubeClient } from "../kubernetes/kube-client.ts";
import { DocumentedHub, type DocumentOperation } from "../support/call-document.ts";
import { toObject } from "../support/check-json.ts";
import { openTempFolder } from "../support/temp-folder.ts";
import { callEveryOperation } from "./call-every-operation.ts";
import { expectRefusal } from "./expect-refusal.ts";
import { createObject, define } from "./fleet/definitions.ts";
import { eventually } from "./fleet/eventually.ts";
import { ImportingHub } from "./fleet/importing-hub.ts";
import { PlaygroundUp } from "./fleet/playground-up.ts";
import { listAnswers, startAgentApart } from "./hub-apart.ts";
import { refusingMethods } from "./known-requests.ts";

const [eu, us] = ["eu-west-1", "us-east-1"] as const;
const flux = "/apis/kustomize.toolkit.fluxcd.io/v1/namespaces/cool-ns/kustomizations";
const rbac = "/apis/rbac.authorization.k8s.io/v1";

interface ListedObjects {
  readonly total: number;
  readonly next: string;
  readonly objects: readonly Readonly<Record<string, unknown>>[];
  readonly facets: readonly { readonly field: string; readonly values: readonly { readonly value: string }[] }[];
  readonly coverage: { readonly isComplete: boolean; readonly clusterCount: number };
}

describe("the fleet is asked", () => {
  const fleet = new PlaygroundUp(2);
  const folder = openTempFolder();
  const clients = new Map<string, KubeClient>();

  /** Flags that ask as a user with a new token of these groups. */
  const asUser = async (user: string, ...groups: readonly string[]): Promise<readonly string[]> => {
    const { code, stdout } = await fleet.run("token", "create", "--user", user, "--groups", groups.join(","));
    expect(code).toBe(0);
    const file = join(folder.path, user);
    writeFileSync(file, stdout, { mode: 0o600 });
    return ["--token", `file:${file}`];
  };
  const query = async (text: string, ...flags: readonly string[]): Promise<ListedObjects> =>
    (await fleet.json("query", text, ...flags)) as ListedObjects;
  const namesOf = ({ objects }: ListedObjects): readonly string[] =>
    objects.map((object) => `${String(object["cluster"])} ${String(object["name"])}`);

  beforeAll(async () => {
    await fleet.start();
    for (const cluster of [eu, us]) {
      const client = fleet.connect(cluster);
      clients.set(cluster, client);
      await client.ask("POST", "/api/v1/namespaces", { body: { metadata: { name: "cool-ns" } } });
    }
    const failing = {
      apiVersion: "kustomize.toolkit.fluxcd.io/v1",
      kind: "Kustomization",
      metadata: { name: "my-kust" },
      spec: {
        interval: "1m",
        prune: true,
        sourceRef: { kind: "GitRepository", name: "none" },
        path: "./only-in-a-spec",
      },
    };
    await clients.get(eu)?.ask("POST", flux, { body: failing });
    for (const cluster of [eu, us]) await fleet.hub.untilState(cluster, "live");
    await eventually(async () =>
      expect((await query("kind:Kustomization name:my-kust status:unhealthy")).total).toBe(1),
    );
  });

  afterAll(async () => {
    expect(await fleet.close()).toBe(0);
    folder[Symbol.dispose]();
  });

  test("[Q-3] [Q-12] [Q-15] [Q-18] an object that fails anywhere is found by its status, with cluster, namespace, kind, name and message", async () => {
    const { stdout } = await fleet.run("query", "status=unhealthy kind:Kustomization", "-o", "csv");
    expect(stdout).toContain("my-kust");
    const found = await query("status:unhealthy kind:Kustomization");
    expect(found.objects).toMatchObject([
      {
        cluster: eu,
        namespace: "cool-ns",
        kind: "Kustomization",
        name: "my-kust",
        status: "unhealthy",
        message: expect.stringContaining("not found") as unknown,
      },
    ]);
    expect(found.coverage).toMatchObject({ isComplete: true, clusterCount: 2 });
  });

  test("[Q-9] text is searched in names, reasons and messages: a word of a spec finds nothing", async () => {
    expect((await query('"only-in-a-spec"')).total).toBe(0);
    expect((await query('"my-kust" kind:Kustomization')).total).toBe(1);
  });

  test("[N-32] a query selects rows by the region and environment of their cluster", async () => {
    const selected = await query("kind:Namespace name:cool-ns environment=playground region:us-*");
    expect(namesOf(selected)).toEqual([`${us} cool-ns`]);
    expect((await query("kind:Namespace environment=staging")).total).toBe(0);
  });

  test("[Q-4] every Flux kind is listed, in both clusters", async () => {
    // Playground clusters have objects of the other Flux kinds from their start.
    for (const client of clients.values()) {
      for (const kind of [helmRepositoryKind, helmChartKind, bucketKind, ociRepositoryKind]) {
        await define(client, kind);
        await createObject(client, kind, "cool-ns", "one");
      }
    }
    await eventually(async () => {
      const listed = await query(`kind:in(${fluxKinds.map(({ kind }) => kind).join(",")})`, "--limit", "0");
      const found = new Set(listed.objects.map(({ cluster, resource }) => `${String(cluster)} ${String(resource)}`));
      const wanted = fluxKinds.flatMap(({ resource }) => [eu, us].map((id) => `${id} ${resourceIdText(resource)}`));
      expect(wanted.filter((each) => !found.has(each))).toEqual([]);
    });
  });

  test("[Q-16] cluster-scoped objects are listed, with an empty namespace", async () => {
    const found = await query("kind:in(ClusterRole,Namespace) name:in(cool-ns,cluster-admin) cluster:eu-*");
    expect(namesOf(found)).toEqual([`${eu} cool-ns`, `${eu} cluster-admin`]);
    expect(found.objects.map((object) => object["namespace"] ?? "")).toEqual(["", ""]);
  });

  test("[Q-6] [Q-5] filters, sort, facets and pages agree with each other", async () => {
    const all = await query("kind:Pod", "--limit", "0", "--sort", "-age", "--facets", "cluster,status");
    expect(all.total).toBe(all.objects.length);
    const counted = all.facets.find(({ field }) => field === "cluster")?.values ?? [];
    expect(new Set(counted.map(({ value }) => value))).toEqual(new Set([eu, us]));
    const rpc = createClient(QueryService, fleet.hub.transport);
    const paged: string[] = [];
    for (let cursor = ""; ; ) {
      const page = await rpc.listObjects({ query: "kind:Pod", limit: 7, cursor });
      paged.push(...page.objects.map(({ cluster, row }) => `${cluster} ${row?.namespace}/${row?.name}`));
      cursor = page.next;
      if (cursor === "") break;
    }
    expect(new Set(paged).size).toBe(paged.length);
    expect(paged).toHaveLength((await query("kind:Pod", "--limit", "1")).total);
    const groups = await fleet.run("query", "kind:Pod", "--group-by", "namespace", "--measure", "field.restarts");
    expect(groups.stdout).toContain("shop");
  });

  test("[QL30] [QL31] [QL32] the past is asked for: before and after a change, what changed, and what was deleted", async () => {
    const path = "/api/v1/namespaces/cool-ns/configmaps";
    const atHub = async (): Promise<string> => {
      const { at } = (await fleet.json("query", "kind:Node at:now", "--limit", "1")) as { readonly at: string };
      return at;
    };
    const labelOf = async (at: string): Promise<unknown> => {
      const found = await query("kind:ConfigMap name:past-one", "--at", at);
      return found.objects.map((object) => (object["labels"] as { readonly step: string }).step);
    };
    const before = await atHub();
    const body = { metadata: { name: "past-one", labels: { step: "1" } } };
    await clients.get(us)?.ask("POST", path, { body });
    await eventually(async () => expect((await query("name:past-one label.step=1")).total).toBe(1));
    const created = await atHub();
    await clients
      .get(us)
      ?.ask("PUT", `${path}/past-one`, { body: { metadata: { name: "past-one", labels: { step: "2" } } } });
    await eventually(async () => expect((await query("name:past-one label.step=2")).total).toBe(1));
    const changed = await atHub();
    await clients.get(us)?.ask("DELETE", `${path}/past-one`);
    await eventually(async () => expect((await query("name:past-one")).total).toBe(0));
    expect([await labelOf(before), await labelOf(created), await labelOf(changed)]).toEqual([[], ["1"], ["2"]]);
    const between = await fleet.json("query", "name:past-one", "--changes-since", created, "--until", changed);
    expect(between).toMatchObject({
      changedCount: 1,
      changes: [{ cluster: us, state: "changed", fields: [{ field: "label.step", before: "1", after: "2" }] }],
    });
    const since = await fleet.run("query", "name:past-one", "--changes-since", before, "-o", "csv");
    expect([since.code, since.stdout.trim().split("\n").length]).toEqual([0, 1]);
    const deleted = await query("kind:ConfigMap ns:cool-ns", "--deleted", "--since", "1h");
    expect(deleted.objects).toMatchObject([
      { cluster: us, name: "past-one", removedAt: expect.any(String) as unknown },
    ]);
    const future = await fleet.run("get", "pods", "-A", "--at", "2090-01-01");
    expect([future.code, future.stderr]).toEqual([2, expect.stringContaining("is in the future")]);
  });

  test("[Q-47] a hub and an agent that run apart give the answers of `flotilla up`", async () => {
    const apart = new ImportingHub();
    await apart.start("hub");
    const agent = await startAgentApart(apart, { cluster: eu, folder: folder.path, dataDir: fleet.dataDir });
    try {
      await eventually(async () => expect(await listAnswers(apart.view, eu)).toEqual(await listAnswers(fleet.hub, eu)));
      expect((await createClient(QueryService, apart.view.transport).listObjects({})).total).toBeGreaterThan(100n);
    } finally {
      await agent.end();
      expect(await apart.close()).toBe(0);
    }
  });

  test("[Q-13] a mistake is refused with its column and the nearest word, and no other user's cursor is accepted", async () => {
    const refused = await fleet.run("query", "statsu=unhealthy");
    expect(refused.code).toBe(2);
    expect(refused.stderr).toMatch(/query, column 1: there is no field "statsu"; did you mean status\?/);
    const rpc = createClient(QueryService, fleet.hub.transport);
    const { next } = await rpc.listObjects({ query: "kind:Pod", limit: 1 });
    await expect(rpc.listObjects({ query: "kind:Pod cluster:eu-*", limit: 1, cursor: next })).rejects.toThrow(
      /the cursor is not one of this query/,
    );
    expect((await fleet.run("query", "kind:Pod", "--explain")).stdout).toContain("visible rows:");
  });

  test("[Q-8] [Q-36] [Q-37] [Q-38] [Q-39] a user with one Role sees its objects and nothing else, and the reason is explained", async () => {
    const eastern = clients.get(eu);
    await eastern?.ask("POST", `${rbac}/namespaces/cool-ns/roles`, {
      body: {
        metadata: { name: "OrgA" },
        rules: [
          {
            apiGroups: ["kustomize.toolkit.fluxcd.io"],
            resources: ["kustomizations"],
            verbs: ["get", "list", "watch"],
          },
        ],
      },
    });
    await eastern?.ask("POST", `${rbac}/namespaces/cool-ns/rolebindings`, {
      body: {
        metadata: { name: "org-a" },
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "OrgA" },
        subjects: [{ kind: "Group", apiGroup: "rbac.authorization.k8s.io", name: "org-a" }],
      },
    });
    // The hub's role lets vic ask; what vic sees is decided by the clusters. The groups of hub roles have rights there.
    const anna = await asUser("anna", "org-a", "flotilla:askers");
    const denied = await fleet.run("query", "", ...anna);
    expectRefusal(denied, 4, /rows/);

    const rules = createClient(QueryService, fleet.hub.transport);
    await eventually(async () => {
      const { rules: found } = await rules.listAccessRulesForUser({ user: { name: "anna", groups: ["org-a"] } });
      expect(found).toMatchObject([
        {
          cluster: eu,
          role: "OrgA",
          namespace: "cool-ns",
          accessibleKinds: ["Kustomization"],
          binding: "org-a",
          subject: "Group/org-a",
        },
      ]);
    });
    const asked = { cluster: eu, kind: "Kustomization", namespace: "cool-ns", name: "my-kust" };
    const user = { name: "anna", groups: ["org-a"] };
    expect(await rules.explainAccess({ ...asked, user })).toMatchObject({ isVisible: true, role: "OrgA" });
    const hidden = await rules.explainAccess({ ...asked, kind: "Pod", user });
    expect(hidden.isVisible).toBe(false);
    expect(hidden.sentence).toContain('cannot get resource "pods"');
    const { viewers } = await rules.listViewers(asked);
    expect(viewers.map(({ kind, name, verb }) => `${kind} ${name} ${verb}`)).toContain("Group org-a list");
    await expect(rules.explainAccess({ ...asked, namespace: "", user })).rejects.toThrow(
      "objects of kustomize.toolkit.fluxcd.io/kustomizations are in a namespace; name it with -n",
    );
  });

  test("[Q-42] deleting a binding takes its rows out of lists and totals", async () => {
    const viewer = await asUser("vic", "flotilla:viewers");
    expect((await query("kind:ConfigMap", ...viewer)).total).toBeGreaterThan(0);
    expect((await query("kind:Node", ...viewer)).total).toBe(0);
    for (const cluster of [eu, us])
      await clients.get(cluster)?.ask("DELETE", `${rbac}/clusterrolebindings/flotilla-viewers`);
    await eventually(async () => {
      const found = await query("", "--facets", "namespace", ...viewer);
      expect([found.total, found.facets.flatMap(({ values }) => values)]).toEqual([0, []]);
    });
  });

  test("[Q-41] [AG3] [AG4] [AG5] a user who is granted an application sees its objects in two clusters and nothing else", async () => {
    for (const cluster of [eu, us])
      await clients.get(cluster)?.ask("POST", "/api/v1/namespaces/cool-ns/configmaps", {
        body: { metadata: { name: "cool-settings" } },
      });
    const zoe = await asUser("zoe", "flotilla:viewers");
    const selector = "cluster:eu-*,us-* ns:cool-ns kind:ConfigMap name:cool-settings";
    expectRefusal(await fleet.run("application", "create", "cool", selector, ...zoe), 4, /applications/);
    const created = await fleet.run("application", "create", "cool", selector, "--description", "cool things");
    expect(created.stdout).toContain("it is shown to no user");
    expect((await query("", ...zoe)).total).toBe(0);
    expect((await fleet.run("application", "grant", "cool", "--users", "zoe")).code).toBe(0);
    await eventually(async () =>
      expect(namesOf(await query("", ...zoe))).toEqual([`${eu} cool-settings`, `${us} cool-settings`]),
    );
    const rpc = createClient(QueryService, fleet.hub.transport);
    const object = { cluster: us, kind: "ConfigMap", namespace: "cool-ns", name: "cool-settings" };
    const user = { name: "zoe", groups: ["flotilla:viewers"] };
    expect(await rpc.explainAccess({ ...object, user })).toMatchObject({
      isVisible: true,
      sentence: 'The application "cool" of the hub shows it to User "zoe".',
    });
    const { viewers } = await rpc.listViewers(object);
    expect(viewers).toContainEqual(expect.objectContaining({ name: "zoe", role: "application/cool" }));
    const rules = await fleet.run("access", "rules", ...zoe);
    expect(rules.stdout).toMatch(/application\/cool +cool-ns +ConfigMap/);
    // The object itself is read in its cluster, where the application does not exist.
    expectRefusal(
      await fleet.run("cluster", "object", us, "ConfigMap", "cool-settings", "-n", "cool-ns", ...zoe),
      4,
      /zoe/,
    );
    expect((await fleet.run("application", "list")).stdout).toContain("zoe");
    expect((await fleet.run("application", "delete", "cool")).code).toBe(0);
    await eventually(async () => expect((await query("", ...zoe)).total).toBe(0));
  });

  test("problems are grouped by cause, compared over clusters and followed along relations", async () => {
    expect((await fleet.run("playground", "trouble", eu, "image-pull")).code).toBe(0);
    await eventually(async () => {
      const { stdout } = await fleet.run("problems", "kind:Pod");
      expect(stdout).toContain("ImagePullBackOff");
    });
    const { problems } = (await fleet.json("problems", "--degraded")) as { problems: readonly { id: string }[] };
    expect((await fleet.run("problems", problems[0]?.id ?? "")).code).toBe(0);
    const compared = await fleet.run("compare", "kind:Deployment ns:shop name:cart", "--golden", eu);
    expect(compared.stdout).toContain("image");
    const related = await fleet.run("relations", eu, "deploy", "cart", "-n", "shop");
    expect(related.stdout).toMatch(/owns ReplicaSet shop\/cart-/);
    const none = await fleet.run("relations", eu, "deploy", "crat", "-n", "shop");
    expectRefusal(
      none,
      3,
      /apps\/deployments "crat" of namespace "shop" in cluster eu-west-1 does not exist, or you may/,
    );
  });

  test("`get` prints what kubectl prints, over all clusters", async () => {
    const { stdout } = await fleet.run("get", "pods", "--all-namespaces", "--status", "healthy");
    expect(stdout.split("\n")[0]).toMatch(/^CLUSTER +NAMESPACE +NAME +READY +STATUS +RESTARTS +AGE$/);
    const byLabel = await fleet.run("get", "deploy", "cart", "-n", "shop", "-o", "name");
    expect(byLabel.stdout.split("\n").filter((line) => line.includes("cart"))).toHaveLength(2);
  });

  test("[SQ1] [SQ8] [SQ16] a saved query is run with the rights of each user, and a standing query is created, updated, listed and deleted", async () => {
    const saved = ["saved-query", "create", "admin-roles", "kind:ClusterRole name:cluster-admin"];
    expect((await fleet.run(...saved)).stdout).toContain("admin-roles is saved");
    const runAs = async (...flags: readonly string[]): Promise<readonly string[]> =>
      namesOf((await fleet.json("saved-query", "run", "admin-roles", ...flags)) as ListedObjects);
    await eventually(async () => expect(await runAs()).toEqual([`${eu} cluster-admin`, `${us} cluster-admin`]));
    const viewer = await asUser("val", "flotilla:viewers");
    expect(await runAs(...viewer)).toEqual([]);
    expectRefusal(await fleet.run("saved-query", "delete", "admin-roles", ...viewer), 4, /admin-roles/);

    const standing = ["standing-query", "create", "admin-roles", "kind:ClusterRole name:cluster-admin"];
    const receiver = ["--receiver", "https://hooks.example.com/flotilla"];
    expectRefusal(await fleet.run(...standing, ...receiver, ...viewer), 4, /standingqueries/);
    expect((await fleet.run(...standing, "--receiver", "http://127.0.0.1/")).stderr).toContain("own machine");
    expect((await fleet.run(...standing, ...receiver)).stdout.trim().length).toBeGreaterThanOrEqual(16);
    await eventually(async () =>
      expect(await fleet.json("standing-query", "list")).toMatchObject({
        standingQueries: [{ name: "admin-roles", status: { phase: "active", total: 2 } }],
      }),
    );
    const changed = ["standing-query", "update", "admin-roles", "kind:ClusterRole name:view"];
    expect((await fleet.run(...changed, ...receiver)).stdout).toContain("admin-roles on enterOrLeave");
    await eventually(async () =>
      expect(await fleet.json("standing-query", "get", "admin-roles")).toMatchObject({
        query: "kind=ClusterRole name=view",
        status: { phase: "active", total: 2 },
      }),
    );
    expect((await fleet.run("standing-query", "delete", "admin-roles")).code).toBe(0);
    expect(await fleet.json("standing-query", "list")).toMatchObject({ standingQueries: [] });
    const { stdout } = await fleet.run("audit", "--action", "standingQuery.delete");
    expect(stdout).toContain("admin-roles");
  });

  test("[RP57] every operation of the OpenAPI document is called from the document, and every answer fits it", async () => {
    const { stdout } = await fleet.run("token", "create", "--user", "ops", "--groups", "flotilla:admins");
    const token = stdout.trim();
    const authorization = `Bearer ${token}`;
    const url = `${fleet.httpUrl}/openapi.json`;
    expect((await fetch(url)).status).toBe(401);
    const document: unknown = await (await fetch(url, { headers: { authorization } })).json();
    const hub = new DocumentedHub(fleet.httpUrl, toObject(document, url));
    expect(await callEveryOperation(hub, token)).toEqual({ faults: [], unread: [], refusing: refusingMethods });
    const listTokens = hub.operations.find(({ path }) => path.endsWith("/ListTokens")) as DocumentOperation;
    const stranger = await hub.call(listTokens, {}, undefined);
    expect([stranger.status, stranger.code, stranger.faults]).toEqual([401, "UNAUTHENTICATED", []]);
  });
});
