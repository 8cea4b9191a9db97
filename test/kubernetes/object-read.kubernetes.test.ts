// SPDX-License-Identifier: Apache-2.0
// Objects of a real cluster, asked for at the hub by its users: each sees what the cluster's own RBAC lets them see, in
// the cluster's own words.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createClient } from "@connectrpc/connect";
import { afterAll, beforeAll, expect, test } from "vitest";
import { FlotillaError } from "../../src/base/error.ts";
import { QueryService } from "../../src/gen/flotilla/query/v1/query_pb.ts";
import { defaultKinds } from "../../src/kinds/all-kinds.ts";
import { applicationKind } from "../../src/kinds/argo/application-kind.ts";
import { fieldOf, textOf } from "../../src/kinds/fields.ts";
import { ask } from "../../src/kube/connection/testing/test-access.ts";
import { resourcePath } from "../../src/kube/reflector/kube-resource-path.ts";
import { type Gvr, resourceIdText } from "../../src/model/gvr.ts";
import type { BackgroundProgram } from "../e2e/fleet/background-program.ts";
import { createObject, define } from "../e2e/fleet/definitions.ts";
import { eventually } from "../e2e/fleet/eventually.ts";
import { agentAccount, applyManifest, connectAgentAs } from "./agent-account.ts";
import { describeOnWholeRun } from "./describe-on-kit.ts";
import type { KubeClient } from "./kube-client.ts";
import { RealFleet } from "./real-fleet.ts";
import { type KubernetesCluster, startCluster } from "./start-cluster.ts";

/** Cluster, hub and agent, each a process, on a machine that is busy. */
const startLimitMs = 120_000;

const rbac = "/apis/rbac.authorization.k8s.io/v1";
const rbacGroup = "rbac.authorization.k8s.io";

/** Stands in a Pod's environment and nowhere else. */
const marker = "marker-of-a-body-7f3a9c";

/** A user of the hub, and which of `objects` the cluster lets them see. */
interface Person {
  readonly user: string;
  readonly groups: readonly string[];
  readonly sees: readonly string[];
}

/** As `resource namespace/name`; one of them is not there. */
const objects = [
  "pods shop/web",
  "pods shop/none",
  "pods pay/web",
  "pods pay/other",
  "configmaps shop/settings",
  "apps/deployments shop/web",
  "argoproj.io/applications shop/web",
  "events shop/web.1",
  "nodes /node-1",
  "namespaces /shop",
  "rbac.authorization.k8s.io/roles shop/one-pod",
  "rbac.authorization.k8s.io/clusterroles /system:basic-user",
] as const;

const operators = "flotilla:operators";
const viewers = "flotilla:viewers";

/** What `view` gives in shop. */
const viewInShop = [
  "pods shop/web",
  "pods shop/none",
  "configmaps shop/settings",
  "apps/deployments shop/web",
  "events shop/web.1",
  "namespaces /shop",
];

const alice: Person = { user: "alice", groups: [operators], sees: viewInShop };
const erin: Person = { user: "erin", groups: ["flotilla:admins"], sees: objects };

const people: readonly Person[] = [
  alice,
  { user: "bob", groups: [viewers], sees: [...viewInShop, "pods pay/web", "pods pay/other"] },
  { user: "carol", groups: [operators], sees: [] },
  { user: "dora", groups: [operators, "team one, two"], sees: ["pods pay/web"] },
  { user: 'Zoë "Zo" Müller, 50%', groups: [operators], sees: ["argoproj.io/applications shop/web", "nodes /node-1"] },
  erin,
];

/** What came of a read: the object, or why not. */
type Answer = { readonly object: unknown } | { readonly code: string; readonly message: string };

/** Where an object is, as the API server calls it. */
function placeOf(text: string): { readonly gvr: Gvr; readonly namespace: string; readonly name: string } {
  const [resource = "", key = ""] = text.split(" ");
  const [namespace = "", name = ""] = key.split("/");
  const kind = defaultKinds.find((each) => resourceIdText(each.resource) === resource);
  if (kind === undefined) throw new Error(`no kind has the resource ${resource}`);
  return { gvr: { ...kind.resource, version: kind.versions[0] ?? "" }, namespace, name };
}

function pathOf(text: string): string {
  const { gvr, namespace, name } = placeOf(text);
  return `${resourcePath({ resource: gvr, namespace: namespace === "" ? undefined : namespace })}/${encodeURIComponent(name)}`;
}

function pod(name: string, value = ""): object {
  return { metadata: { name }, spec: { containers: [{ name: "a", image: "a", env: [{ name: "A", value }] }] } };
}

describeOnWholeRun("objects read as the user", [], (kit) => {
  const fleet = new RealFleet();
  const auditFile = join(fleet.folder.path, "audit.log");
  let cluster: KubernetesCluster;
  let admin: KubeClient;
  let agent: BackgroundProgram;

  beforeAll(async () => {
    const users = [{ name: erin.user, groups: erin.groups }];
    [cluster] = await Promise.all([startCluster({ kit, users, apiserverFlags: auditFlags() }), fleet.startHub()]);
    admin = cluster.connect();
    await fillCluster();
    await fleet.install("only", cluster, kit);
    const image = "example.com/flotilla:1";
    const args = ["agent", "manifest", "--cluster-id", "only", "--image", image, "--object-reads"];
    await applyManifest(kit, cluster, await fleet.run(...args));
    agent = fleet.startAgent("only", cluster, { flags: { "object-reads": "true" } });
    await fleet.hub.untilEqual("only", admin);
  }, startLimitMs);

  afterAll(async () => {
    await fleet.close();
    await cluster.stop();
  });

  /** Every finished read of the agent's account. */
  function auditFlags(): readonly string[] {
    const policyFile = join(fleet.folder.path, "read-policy.json");
    const rules = [{ level: "Metadata", users: [agentAccount], verbs: ["get"] }, { level: "None" }];
    const omitStages = ["RequestReceived"];
    writeFileSync(policyFile, JSON.stringify({ apiVersion: "audit.k8s.io/v1", kind: "Policy", omitStages, rules }));
    return [`--audit-policy-file=${policyFile}`, `--audit-log-path=${auditFile}`, "--audit-log-mode=blocking"];
  }

  async function bind(name: string, role: string, subject: object, namespace?: string): Promise<void> {
    const place = namespace === undefined ? "clusterrolebindings" : `namespaces/${namespace}/rolebindings`;
    const roleRef = { apiGroup: rbacGroup, kind: "ClusterRole", name: role };
    const subjects = [{ apiGroup: rbacGroup, ...subject }];
    await admin.ask("POST", `${rbac}/${place}`, { body: { metadata: { name }, roleRef, subjects } });
  }

  async function fillCluster(): Promise<void> {
    const create = (path: string, body: object): Promise<unknown> => admin.ask("POST", path, { body });
    // A controller fills `view` from the roles that are labelled for it; none runs here.
    const { rules } = (await admin.ask("GET", `${rbac}/clusterroles/system:aggregate-to-view`)) as { rules: unknown };
    const headers = { "content-type": "application/merge-patch+json" };
    await admin.ask("PATCH", `${rbac}/clusterroles/view`, { body: { rules }, headers });
    for (const name of ["shop", "pay"]) {
      await create("/api/v1/namespaces", { metadata: { name } });
      await create(`/api/v1/namespaces/${name}/serviceaccounts`, { metadata: { name: "default" } });
    }
    await create("/api/v1/namespaces/shop/pods", pod("web", marker));
    for (const name of ["web", "other"]) await create("/api/v1/namespaces/pay/pods", pod(name));
    await create("/api/v1/nodes", { metadata: { name: "node-1", labels: { zone: "a" } } });
    // The most that a ConfigMap takes: 1,024 lines of 1,024 bytes, with what JSON escapes and what is more than one
    // byte.
    const settings = `"${"x".repeat(1_019)}é"\n`.repeat(1_024);
    await create("/api/v1/namespaces/shop/configmaps", { metadata: { name: "settings" }, data: { settings } });
    const tooLong = "<".repeat(1_000_000);
    await create("/api/v1/namespaces/shop/configmaps", { metadata: { name: "too-long" }, data: { tooLong } });
    const labels = { app: "web" };
    const template = { metadata: { labels }, spec: { containers: [{ name: "a", image: "a" }] } };
    const deployment = { metadata: { name: "web" }, spec: { selector: { matchLabels: labels }, template } };
    await create("/apis/apps/v1/namespaces/shop/deployments", deployment);
    const involvedObject = { apiVersion: "v1", kind: "Pod", namespace: "shop", name: "web" };
    const event = {
      metadata: { name: "web.1" },
      involvedObject,
      type: "Warning",
      reason: "BackOff",
      message: "it fell",
    };
    await create("/api/v1/namespaces/shop/events", { ...event, lastTimestamp: new Date().toISOString() });
    await define(admin, applicationKind);
    await createObject(admin, applicationKind, "shop", "web");
    const onePod = [{ apiGroups: [""], resources: ["pods"], resourceNames: ["web"], verbs: ["get"] }];
    await create(`${rbac}/namespaces/shop/roles`, { metadata: { name: "one-pod" }, rules: onePod });
    await create(`${rbac}/clusterroles`, { metadata: { name: "one-pod" }, rules: onePod });
    const some = [{ apiGroups: ["", "argoproj.io"], resources: ["nodes", "applications"], verbs: ["get"] }];
    await create(`${rbac}/clusterroles`, { metadata: { name: "some" }, rules: some });
    await bind("alice", "view", { kind: "User", name: "alice" }, "shop");
    await bind("viewers", "view", { kind: "Group", name: viewers });
    await bind("team", "one-pod", { kind: "Group", name: "team one, two" }, "pay");
    await bind("some", "some", { kind: "User", name: 'Zoë "Zo" Müller, 50%' });
    await bind("admins", "cluster-admin", { kind: "Group", name: "flotilla:admins" });
  }

  /** Reads at the hub, with a token of theirs. */
  async function logIn({ user, groups }: Pick<Person, "user" | "groups">): Promise<(text: string) => Promise<string>> {
    const transport = await fleet.logIn({ user, groups });
    return async (text) => {
      const { gvr, namespace, name } = placeOf(text);
      const kind = resourceIdText(gvr);
      return (await createClient(QueryService, transport).getObject({ cluster: "only", kind, namespace, name })).object;
    };
  }

  async function answerOf(reading: Promise<string>): Promise<Answer> {
    try {
      return { object: JSON.parse(await reading) };
    } catch (reason) {
      if (!(reason instanceof FlotillaError)) throw reason;
      return { code: reason.code, message: reason.message };
    }
  }

  /** What the server answers its admin who acts as them. */
  async function readDirectly({ user, groups }: Person, text: string): Promise<Answer> {
    const [asUser = "", ...asGroups] = [user, ...groups].map((each) => Buffer.from(each).toString("latin1"));
    const headers = { "impersonate-user": asUser, "impersonate-group": asGroups };
    const { status, body } = await admin.send("GET", pathOf(text), { headers });
    if (status === 200) return { object: body };
    const code = status === 403 ? "PERMISSION_DENIED" : status === 404 ? "NOT_FOUND" : String(status);
    return { code, message: textOf(body, "message") ?? "" };
  }

  /** What the server's authorizer says. */
  async function mayGet({ user, groups }: Person, text: string): Promise<boolean> {
    const { gvr, namespace, name } = placeOf(text);
    // To be in a namespace is what the server makes of a request for the namespace itself.
    const within = gvr.resource === "namespaces" ? name : namespace;
    const resourceAttributes = { verb: "get", ...gvr, namespace: within, name };
    const spec = { user, groups: [...groups, "system:authenticated"], resourceAttributes };
    const body = { apiVersion: "authorization.k8s.io/v1", kind: "SubjectAccessReview", spec };
    const path = "/apis/authorization.k8s.io/v1/subjectaccessreviews";
    return fieldOf(await admin.ask("POST", path, { body }), "status", "allowed") === true;
  }

  test.each(people)("[TU8] [L19] $user sees what the cluster lets them see, in its own words", async (person) => {
    const read = await logIn(person);
    const told = await Promise.all(objects.map((text) => answerOf(read(text))));
    const seen = objects.filter((_, at) => {
      const answer = told[at]!;
      return "object" in answer || answer.code !== "PERMISSION_DENIED";
    });
    expect(seen).toEqual(objects.filter((text) => person.sees.includes(text)));
    const reviews = await Promise.all(objects.map((text) => mayGet(person, text)));
    expect(objects.filter((_, at) => reviews[at])).toEqual(seen);
    expect(told).toEqual(await Promise.all(objects.map((text) => readDirectly(person, text))));
  });

  test("[TU8] a refusal is the API server's sentence", async () => {
    const read = await logIn(alice);
    expect(await answerOf(read("pods pay/web"))).toEqual({
      code: "PERMISSION_DENIED",
      message:
        'pods "web" is forbidden: User "alice" cannot get resource "pods" in API group "" in the namespace "pay"',
    });
    expect(await answerOf(read("pods shop/none"))).toEqual({ code: "NOT_FOUND", message: 'pods "none" not found' });
  });

  test("[TU8] a right that is given or taken counts with the next read", async () => {
    const read = await logIn({ user: "frida", groups: [operators] });
    expect(await answerOf(read("pods shop/web"))).toMatchObject({ code: "PERMISSION_DENIED" });
    await bind("frida", "view", { kind: "User", name: "frida" }, "shop");
    await eventually(async () => expect(await answerOf(read("pods shop/web"))).toHaveProperty("object"));
    await admin.ask("DELETE", `${rbac}/namespaces/shop/rolebindings/frida`);
    await eventually(async () =>
      expect(await answerOf(read("pods shop/web"))).toMatchObject({ code: "PERMISSION_DENIED" }),
    );
  });

  test("[TU9] objects come byte by byte as the API server sends them to that user, managedFields included", async () => {
    const read = await logIn(erin);
    await using direct = await connectAgentAs(cluster, { token: cluster.tokenOf("erin") });
    for (const text of objects.filter((each) => each !== "pods shop/none")) {
      const object = await read(text);
      expect(object === (await ask(direct, pathOf(text))), text).toBe(true);
      expect(object.includes('"managedFields"'), text).toBe(true);
    }
    expect(Buffer.byteLength(await read("configmaps shop/settings"))).toBeGreaterThan(1024 * 1024);
  });

  test("[TU5] an object that is too large as JSON is refused as that", async () => {
    const read = await logIn(alice);
    expect(await answerOf(read("configmaps shop/too-long"))).toMatchObject({
      code: "TOO_LARGE",
      message: expect.stringContaining("kubectl"),
    });
    expect(await answerOf(read("pods shop/web"))).toHaveProperty("object");
  });

  test("[TU8] the audit log names the user, and the agent as who acts for them", async () => {
    const read = await logIn({ user: "gita", groups: [viewers, "team, two"] });
    await read("pods pay/other");
    // The server writes a line when the answer is out.
    await eventually(() => {
      const lines = readFileSync(auditFile, "utf8").split("\n").slice(0, -1);
      const events = lines.map((line) => JSON.parse(line) as unknown);
      expect(events.filter((event) => textOf(event, "impersonatedUser", "username") === "gita")).toMatchObject([
        {
          verb: "get",
          requestURI: "/api/v1/namespaces/pay/pods/other",
          user: { username: agentAccount },
          impersonatedUser: { username: "gita", groups: [viewers, "team, two", "system:authenticated"] },
          userAgent: expect.stringContaining("flotilla-agent/"),
          responseStatus: { code: 200 },
        },
      ]);
    });
  });

  test("[N-2] a Pod's environment is read on demand, and is in no row, file or line of the hub", async () => {
    expect(await fleet.run("cluster", "object", "only", "Pod", "web", "-n", "shop")).toContain(marker);
    await fleet.hub.untilRow("only", "pods shop/web");
    expect(JSON.stringify(await fleet.hub.rows("only"))).not.toContain(marker);
    expect(fleet.hubProgram.stderr + agent.stderr).not.toContain(marker);
    const hubFolder = join(fleet.folder.path, "hub");
    const files = readdirSync(hubFolder, { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
    expect(files.length).toBeGreaterThan(0);
    const holders = files.filter(({ parentPath, name }) => readFileSync(join(parentPath, name)).includes(marker));
    expect(holders.map(({ name }) => name)).toEqual([]);
  });
});
