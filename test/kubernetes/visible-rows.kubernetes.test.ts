// SPDX-License-Identifier: Apache-2.0
// The rows that the hub shows to random users under random RBAC objects of a real cluster, beside the objects that its
// API server returns to them. SIM_SEED_COUNT=50 compares more policies, SIM_SEED=7 one of them.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { systemClock } from "../../src/base/time/system-clock.ts";
import { listOf } from "../../src/kinds/fields.ts";
import { eventually } from "../e2e/fleet/eventually.ts";
import { KubectlRunner } from "../e2e/kubectl/run-kubectl.ts";
import { seedsToRun } from "../support/sim/simulate.ts";
import { comparedKinds, fillCluster, objectKeys, objectNamespaces } from "./access/compared-kinds.ts";
import { type AggregatedRole, drawAccess } from "./access/draw-access.ts";
import { listVisible } from "./access/hub-visible.ts";
import { type KeysByResource, requestsInFlight, ServerVisible } from "./access/server-visible.ts";
import { describeOnWholeRun } from "./describe-on-kit.ts";
import type { KubeClient } from "./kube-client.ts";
import { few } from "./rbac/few.ts";
import { testLabel } from "./rbac/rbac-api.ts";
import { policyNamespaces, ServerPolicy } from "./rbac/server-policy.ts";
import { RealFleet } from "./real-fleet.ts";
import { type KubernetesCluster, startCluster } from "./start-cluster.ts";

/** Cluster, hub and agent, each a process, on a machine that is busy. */
const startLimitMs = 180_000;

/** A seed is 32 users with some thousand requests. */
const seedLimitMs = 300_000;
const seeds = seedsToRun(3);

const rbac = "/apis/rbac.authorization.k8s.io/v1";
const rbacGroup = "rbac.authorization.k8s.io";
const sourceLabel = "flotilla.dev/test-source";

/** The keys of a kind; of Events only those of the test, because controllers write others at any time. */
function keysOf(keys: KeysByResource, resource: string): ReadonlySet<string> {
  const all = [...(keys.get(resource) ?? [])];
  return new Set(all.filter((key) => resource !== "events" || objectKeys.has(key)));
}

/** The keys of the compared kinds that only one side has. */
function differences(shown: KeysByResource, returned: KeysByResource): readonly string[] {
  return comparedKinds.flatMap(({ resource }) => {
    const ours = keysOf(shown, resource);
    const theirs = keysOf(returned, resource);
    const onlyOurs = [...ours.difference(theirs)].map((key) => `${resource} ${key} is shown and not returned`);
    return [...onlyOurs, ...[...theirs.difference(ours)].map((key) => `${resource} ${key} is returned and not shown`)];
  });
}

function countOf(keys: KeysByResource): number {
  return comparedKinds.reduce((sum, { resource }) => sum + (keys.get(resource)?.size ?? 0), 0);
}

describeOnWholeRun("rows and the objects that kubectl gets", ["controllers"], (kit) => {
  const fleet = new RealFleet();
  let cluster: KubernetesCluster;
  let admin: KubeClient;
  let server: ServerPolicy;
  let kubectl: KubectlRunner;
  const compared = { visible: 0, all: 0 };

  beforeAll(async () => {
    [cluster] = await Promise.all([startCluster({ kit, controllers: true }), fleet.startHub()]);
    admin = cluster.connect("admin", requestsInFlight);
    server = new ServerPolicy(admin, systemClock);
    await server.open();
    for (const name of objectNamespaces.filter((each) => !policyNamespaces.some((other) => other === each)))
      await admin.ask("POST", "/api/v1/namespaces", { body: { metadata: { name } } });
    // A Pod needs the account that a controller creates in each namespace.
    for (const namespace of objectNamespaces)
      await eventually(async () => {
        await admin.ask("GET", `/api/v1/namespaces/${namespace}/serviceaccounts/default`);
      });
    await fillCluster(admin);
    await fleet.install("only", cluster, kit);
    fleet.startAgent("only", cluster);
    const tokens = new Map([["admin", cluster.tokenOf("admin")]]);
    kubectl = new KubectlRunner({
      kubectl: { label: "kit", path: kit.kubectl },
      server: { url: cluster.url, ca: readFileSync(cluster.caFile, "utf8"), tokens },
      folder: join(fleet.folder.path, "kubectl"),
      namespace: "default",
      cwd: fleet.folder.path,
    });
  }, startLimitMs);

  afterAll(async () => {
    await fleet.close();
    await cluster.stop();
  });

  /** Creates the role, its sources and its binding, and waits until the cluster's controller has filled it. */
  async function aggregate({ name, user, namespace, sources }: AggregatedRole): Promise<void> {
    const labels = { [testLabel]: "policy" };
    for (const [at, rules] of sources.entries()) {
      const metadata = { name: `${name}-${at}`, labels: { ...labels, [sourceLabel]: name } };
      await admin.ask("POST", `${rbac}/clusterroles`, { body: { metadata, rules } });
    }
    const aggregationRule = { clusterRoleSelectors: [{ matchLabels: { [sourceLabel]: name } }] };
    await admin.ask("POST", `${rbac}/clusterroles`, { body: { metadata: { name, labels }, aggregationRule } });
    const place = namespace === undefined ? "clusterrolebindings" : `namespaces/${namespace}/rolebindings`;
    const roleRef = { apiGroup: rbacGroup, kind: "ClusterRole", name };
    const subjects = [{ apiGroup: rbacGroup, kind: "User", name: user }];
    await admin.ask("POST", `${rbac}/${place}`, { body: { metadata: { name, labels }, roleRef, subjects } });
    const distinct = new Set(sources.flat().map((rule) => JSON.stringify(rule)));
    await eventually(async () => {
      const { length } = listOf(await admin.ask("GET", `${rbac}/clusterroles/${name}`), "rules");
      expect(length).toBe(distinct.size);
    });
  }

  test.each(seeds)(
    "[Q-8, Q-35, QL13, RB55, RB59, RB65] seed %i: each user sees the objects that `kubectl get -A --as`, a list of a namespace or a request by name returns",
    { timeout: seedLimitMs },
    async (seed) => {
      const { lists, aggregated, users } = drawAccess(seed);
      await server.replace(lists);
      for (const role of aggregated) await aggregate(role);
      await server.settle();
      // From here on the hub has the RBAC objects of the cluster, and its other objects.
      await fleet.hub.untilEqual("only", admin);
      const truth = await ServerVisible.open(admin, kubectl);
      for (const user of users) {
        const returned = await truth.visibleTo(user);
        const shown = await listVisible(await fleet.logIn(user));
        expect(few(differences(shown, returned)), JSON.stringify({ seed, user })).toEqual([]);
        compared.visible += countOf(shown);
        compared.all += countOf(truth.all);
      }
    },
  );

  test("[Q-8, L17] `flotilla query` prints these rows", async () => {
    const [user] = drawAccess(seeds.at(-1)!).users.slice(-1);
    const file = join(fleet.folder.path, "user.token");
    writeFileSync(file, await fleet.createToken(user!), { mode: 0o600 });
    const printed = await fleet.run("query", "", "--limit", "0", "-o", "json", "--token", `file:${file}`);
    const keys = listOf(JSON.parse(printed), "objects").map((object) => JSON.stringify(object));
    const visible = await listVisible(await fleet.logIn(user!));
    expect(keys.length).toBe([...visible.values()].reduce((sum, each) => sum + each.size, 0));
  });

  test("users see some objects and not others, or the comparison would prove little", ({ skip }) => {
    skip(seeds.length < 3, "a seed alone may show nothing to its users");
    expect(compared.visible / compared.all).toBeGreaterThan(0.03);
    expect(compared.visible / compared.all).toBeLessThan(0.9);
  });
});
