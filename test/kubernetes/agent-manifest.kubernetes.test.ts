// SPDX-License-Identifier: Apache-2.0
// The agent's manifest, applied to a real kube-apiserver by kubectl; then what its ServiceAccount can and cannot do.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { establishIdentity } from "../../src/agent/identity/establish-identity.ts";
import { SecretIdentityStore } from "../../src/agent/identity/secret-identity-store.ts";
import { IdentityRig } from "../../src/agent/identity/testing/identity-rig.ts";
import { hex } from "../../src/agent/identity/testing/model-join-hub.ts";
import { createAgentManifest, renderAgentManifest } from "../../src/agent/manifest/agent-manifest.ts";
import { toImpersonation } from "../../src/agent/tunnel/act-as.ts";
import { readObject } from "../../src/agent/tunnel/read-object.ts";
import { systemClock } from "../../src/base/time/system-clock.ts";
import { type AgentManifestWish, printAgentManifest } from "../../src/cli/print-agent-manifest.ts";
import { recordIo } from "../../src/cli/testing/recorded-io.ts";
import { defaultKinds } from "../../src/kinds/all-kinds.ts";
import { coreKinds } from "../../src/kinds/core-kinds.ts";
import { fieldOf, listOf, textMapOf, textOf } from "../../src/kinds/fields.ts";
import type { Kind } from "../../src/kinds/kind.ts";
import type { ClusterConnection } from "../../src/kube/connect-cluster.ts";
import { failureOf } from "../../src/kube/connection/testing/test-access.ts";
import { KubeError } from "../../src/kube/kube-error.ts";
import type { KubeRequest } from "../../src/kube/kube-source.ts";
import { resourcePath } from "../../src/kube/reflector/kube-resource-path.ts";
import { resourceIdText } from "../../src/model/gvr.ts";
import { createAgentKey, parseAgentKey } from "../../src/rpc/auth/ed25519.ts";
import { agentAccount, applyManifest, connectAgentAs, issueAgentToken } from "./agent-account.ts";
import { describeOnWholeRun } from "./describe-on-kit.ts";
import type { KubeClient } from "./kube-client.ts";
import { type KubernetesCluster, startCluster } from "./start-cluster.ts";

const never = new AbortController().signal;

/** Names that are no texts in YAML as kubectl reads it, unless they are quoted. */
const oddNames = ["no", "on", "1e3", "012", "0x10"];

const wish: AgentManifestWish = {
  hub: "https://hub.example.com:7443",
  ca: "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n",
  clusterId: "production-east",
  region: "eu-1",
  environment: "$(HOME)",
  namespaces: [],
  excludeNamespaces: [],
  kinds: [],
  objectReads: false,
  constrainedImpersonation: false,
  image: "registry.example.com/flotilla:1.2.3",
  agentImagePullSecrets: ["pull-flotilla"],
  joinSecret: "flotilla-join-token",
};

/** What `flotilla agent manifest` prints. */
function manifestText(changes: Partial<AgentManifestWish> = {}): string {
  const { io, stdout } = recordIo();
  printAgentManifest(io, { ...wish, ...changes }, (wanted) =>
    renderAgentManifest(createAgentManifest({ ...wanted, version: "1.2.3+build" })),
  );
  return stdout();
}

function listPath({ resource, versions }: Kind, namespace?: string): string {
  return resourcePath({ resource: { ...resource, version: versions[0] ?? "" }, namespace });
}

describeOnWholeRun("the agent's manifest", [], (kit) => {
  let cluster: KubernetesCluster;
  let admin: KubeClient;
  let agent: KubeClient;
  let agentToken: string;

  beforeAll(async () => {
    cluster = await startCluster({ kit });
    admin = cluster.connect();
    for (const name of ["shop", "pay", ...oddNames])
      await admin.ask("POST", "/api/v1/namespaces", { body: { metadata: { name } } });
    expect(await apply(manifestText())).toContain("deployment.apps/flotilla-agent created");
    agentToken = await issueAgentToken(admin);
    agent = cluster.connectWith(agentToken);
    await until(async () => (await agent.send("GET", "/api/v1/pods")).status === 200);
  }, 60_000);

  afterAll(() => cluster.stop());

  const apply = (manifest: string): Promise<string> => applyManifest(kit, cluster, manifest);
  const connectAgent = (): Promise<ClusterConnection> => connectAgentAs(cluster, { token: agentToken });

  /** The server learns of changed roles by a watch of its own. */
  async function until(isSo: () => Promise<boolean>): Promise<void> {
    for (let attempt = 0; attempt < 500; attempt += 1) {
      if (await isSo()) return;
      await systemClock.sleep(20);
    }
    throw new Error("it did not come true in ten seconds");
  }

  /** Whether the agent may, in the server's own words. */
  async function mayAgent(attributes: Readonly<Record<string, string>>): Promise<boolean> {
    const groups = ["system:serviceaccounts", "system:serviceaccounts:flotilla", "system:authenticated"];
    const spec = { user: agentAccount, groups, resourceAttributes: attributes };
    const body = { apiVersion: "authorization.k8s.io/v1", kind: "SubjectAccessReview", spec };
    const path = "/apis/authorization.k8s.io/v1/subjectaccessreviews";
    return fieldOf(await admin.ask("POST", path, { body }), "status", "allowed") === true;
  }

  test("is taken by kubectl with strict validation, and applying it again changes nothing", async () => {
    const said = (await apply(manifestText())).trimEnd().split("\n");
    expect(said).toHaveLength(10);
    expect(said.filter((line) => !line.endsWith(" unchanged"))).toEqual([]);
  });

  test("its Pod is let in where the strictest standard for Pods is enforced", async () => {
    const deployment = await admin.ask("GET", "/apis/apps/v1/namespaces/flotilla/deployments/flotilla-agent");
    const template = fieldOf(deployment, "spec", "template");
    const namespace = await admin.ask("GET", "/api/v1/namespaces/flotilla");
    expect(textMapOf(namespace, "metadata", "labels").get("pod-security.kubernetes.io/enforce")).toBe("restricted");
    const path = "/api/v1/namespaces/flotilla/pods?dryRun=All&fieldValidation=Strict";
    const pod = { metadata: { name: "agent" }, spec: fieldOf(template, "spec") };
    await admin.ask("POST", path, { body: pod });
    const bare = { metadata: { name: "bare" }, spec: { containers: [{ name: "a", image: "a" }] } };
    expect((await admin.send("POST", path, { body: bare })).status).toBe(403);
  });

  test("lets the agent list every kind it collects; those that are not installed are not found, which is no refusal", async () => {
    const answers = await Promise.all(
      defaultKinds.map(async (kind) => {
        const { status } = await agent.send("GET", `${listPath(kind)}?limit=1`);
        return [resourceIdText(kind.resource), status] as const;
      }),
    );
    const isCore = new Set(coreKinds.map(({ resource }) => resourceIdText(resource)));
    expect(answers).toEqual(answers.map(([text]) => [text, isCore.has(text) ? 200 : 404]));
  });

  test("lets the agent watch every kind it collects", async () => {
    const statuses = await Promise.all(
      coreKinds.map(async (kind) => (await agent.send("GET", `${listPath(kind)}?watch=1&timeoutSeconds=1`)).status),
    );
    expect(statuses).toEqual(coreKinds.map(() => 200));
    const allowed = await Promise.all(
      defaultKinds.map(({ resource }) =>
        mayAgent({ verb: "watch", group: resource.group, resource: resource.resource }),
      ),
    );
    expect(allowed).toEqual(defaultKinds.map(() => true));
  });

  test("lets the agent ask who the cluster is, whether it lives and what it serves", async () => {
    const paths = ["/api/v1/namespaces/kube-system", "/version", "/livez", "/api", "/apis", "/apis/apps/v1"];
    const statuses = await Promise.all(paths.map(async (path) => (await agent.send("GET", path)).status));
    expect(statuses).toEqual(paths.map(() => 200));
  });

  test("[L18] lets the agent neither read nor list nor watch the Secrets of anybody", async () => {
    const body = { metadata: { name: "password" }, stringData: { password: "marker" } };
    for (const namespace of ["flotilla", "shop"]) {
      await admin.ask("POST", `/api/v1/namespaces/${namespace}/secrets`, { body });
      const refused = [`/api/v1/namespaces/${namespace}/secrets/password`, `/api/v1/namespaces/${namespace}/secrets`];
      for (const path of refused) expect(await agent.send("GET", path)).toMatchObject({ status: 403 });
    }
    for (const query of ["", "?watch=1", "?fieldSelector=metadata.name%3Dflotilla-agent-key"])
      expect(await agent.send("GET", `/api/v1/secrets${query}`)).toMatchObject({ status: 403 });
    const elsewhere = "/api/v1/namespaces/shop/secrets/flotilla-agent-key";
    expect(await agent.send("GET", elsewhere)).toMatchObject({ status: 403 });
  });

  test("[L15] lets the agent write nothing but its key", async () => {
    const pod = { metadata: { name: "p" }, spec: { containers: [{ name: "a", image: "a" }] } };
    expect(await agent.send("POST", "/api/v1/namespaces/flotilla/pods", { body: pod })).toMatchObject({ status: 403 });
    const everything = [...defaultKinds.map(({ resource }) => resource), { group: "", resource: "secrets" }];
    const verbs = ["create", "update", "patch", "delete", "deletecollection", "impersonate", "bind", "escalate"];
    const found = await Promise.all(
      everything.flatMap(({ group, resource }) =>
        verbs.flatMap((verb) =>
          ["", "flotilla", "shop"].map(async (namespace) =>
            (await mayAgent({ verb, group, resource, namespace })) ? [`${verb} ${resource} in ${namespace}`] : [],
          ),
        ),
      ),
    );
    expect(found.flat()).toEqual(["create secrets in flotilla"]);
    const own = { group: "", resource: "secrets", namespace: "flotilla", name: "flotilla-agent-key" };
    const onOwn = await Promise.all(
      ["get", "list", ...verbs].map(async (verb) => [verb, await mayAgent({ verb, ...own })]),
    );
    expect(onOwn.filter(([, isAllowed]) => isAllowed).map(([verb]) => verb)).toEqual(["get", "create", "update"]);
  });

  describe("the Secret of the key, by the agent's own credential", () => {
    const path = "/api/v1/namespaces/flotilla/secrets/flotilla-agent-key";

    test("[SE5] the agent joins, keeps its key there, and starts again with it; what others wrote is not overwritten", async () => {
      await using source = await connectAgent();
      const open = () => new SecretIdentityStore({ source, namespace: "flotilla", requestTimeoutMs: 10_000 });
      const rig = new IdentityRig();
      const keys = { create: createAgentKey, parse: parseAgentKey };
      const rival = open();
      expect(await rival.load(never)).toBeUndefined();
      const first = await establishIdentity(rig.options({ store: open(), keys, clock: systemClock }), never);
      expect(rig.hub.keys).toEqual([{ publicKey: hex(first.key.publicKey), state: "active" }]);
      const record = await open().load(never);
      expect(record).toMatchObject({ clusterId: "east", hubName: "hub-of-tests", privateKeyPem: first.key.toPem() });
      const stolen = { ...record!, privateKeyPem: createAgentKey().toPem() };
      await expect(rival.save(stolen, never)).rejects.toMatchObject({ code: "CONFLICT" });
      const second = await establishIdentity(rig.options({ store: open(), keys, clock: systemClock }), never);
      expect(hex(second.key.publicKey)).toBe(hex(first.key.publicKey));
      expect(textOf(await admin.ask("GET", path), "type")).toBe("Opaque");
    });

    test("[SE8] a rotation replaces it; applying the manifest again leaves it", async () => {
      await using source = await connectAgent();
      const open = () => new SecretIdentityStore({ source, namespace: "flotilla", requestTimeoutMs: 10_000 });
      const rig = new IdentityRig();
      const keys = { create: createAgentKey, parse: parseAgentKey };
      await admin.send("DELETE", path);
      const first = await establishIdentity(rig.options({ store: open(), keys, clock: systemClock }), never);
      rig.token = rig.hub.issue("token-two", true);
      const options = rig.options({ store: open(), keys, clock: systemClock, rotate: true });
      const second = await establishIdentity(options, never);
      expect(hex(second.key.publicKey)).not.toBe(hex(first.key.publicKey));
      await apply(manifestText());
      expect((await open().load(never))?.privateKeyPem).toBe(second.key.toPem());
      expect(textMapOf(await admin.ask("GET", path), "data").has("next-private-key.pem")).toBe(false);
    });

    test("without the Role it is UNAVAILABLE with what to do", async () => {
      await using source = await connectAgent();
      const store = new SecretIdentityStore({ source, namespace: "shop", requestTimeoutMs: 10_000 });
      await expect(store.load(never)).rejects.toMatchObject({
        code: "UNAVAILABLE",
        message: expect.stringMatching(
          /^the Secret shop\/flotilla-agent-key cannot be read: .*; apply the agent's manifest/,
        ),
      });
    });
  });

  describe("acting for users", () => {
    /** What the agent may act for, of everything that there is to impersonate. */
    async function actedFor(): Promise<readonly string[]> {
      const kinds = ["users", "groups", "serviceaccounts", "uids", "userextras/scopes"];
      const asked = kinds.flatMap((resource) => ["", "authentication.k8s.io"].map((group) => ({ group, resource })));
      const reviews = await Promise.all(asked.map((each) => mayAgent({ verb: "impersonate", ...each })));
      return asked.filter((_, at) => reviews[at]).map(resourceIdText);
    }

    async function rules(): Promise<readonly unknown[]> {
      return listOf(await admin.ask("GET", "/apis/rbac.authorization.k8s.io/v1/clusterroles/flotilla-agent"), "rules");
    }

    /** What alice is told for whom the agent reads what she may not. */
    async function refusalOfAlice(): Promise<unknown> {
      await using source = await connectAgent();
      const gvr = { group: "", version: "v1", resource: "namespaces" };
      const read = { gvr, namespace: undefined, name: "shop", actAs: toImpersonation("alice", ["flotilla:viewers"]) };
      return await failureOf(Array.fromAsync(readObject({ source, requestTimeoutMs: 10_000 }, read, never)));
    }

    test("[TU8] without --object-reads the agent may act for nobody, and whoever asks is told what to apply", async () => {
      expect(await actedFor()).toEqual([]);
      expect(await refusalOfAlice()).toMatchObject({
        code: "PERMISSION_DENIED",
        message: expect.stringMatching(
          /^the agent may not act for users in its cluster \(.*flotilla-agent.*\); `flotilla agent manifest --object-reads`/,
        ),
      });
    });

    test("[TU7] [TU8] --object-reads adds that it may act for users and groups, and nothing else; left out again, that is gone", async () => {
      await apply(manifestText());
      const before = await rules();
      await apply(manifestText({ objectReads: true }));
      await until(async () => (await actedFor()).length > 0);
      expect(await actedFor()).toEqual(["users", "groups"]);
      const acting = { apiGroups: [""], resources: ["users", "groups"], verbs: ["impersonate"] };
      const added = await rules();
      expect(added).toHaveLength(before.length + 1);
      expect(added).toEqual(expect.arrayContaining([...before, acting]));
      expect(await refusalOfAlice()).toMatchObject({
        code: "PERMISSION_DENIED",
        message: expect.stringMatching(/^namespaces "shop" is forbidden: User "alice" cannot get resource/),
      });
      await apply(manifestText());
      await until(async () => (await actedFor()).length === 0);
      expect(await rules()).toEqual(before);
    });

    test("[TU8] with --constrained-impersonation the agent reads single objects as users, and can do nothing else as anybody", async () => {
      const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" };
      const subjects = [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "reader" }];
      const body = { metadata: { name: "reader" }, roleRef, subjects };
      await admin.ask("POST", "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", { body });
      await apply(manifestText({ objectReads: true, constrainedImpersonation: true }));
      await using source = await connectAgent();
      const reader = toImpersonation("reader", []);
      const read = async (path: string, changes: Partial<KubeRequest> = {}): Promise<number> => {
        const request: KubeRequest = { method: "GET", path, deadlineMs: 10_000, actAs: reader, ...changes };
        try {
          const answer = await source.request(request, never);
          for await (const _bytes of answer.body);
          return answer.status;
        } catch (reason) {
          if (reason instanceof KubeError && reason.status !== undefined) return reason.status;
          throw reason;
        }
      };
      await until(async () => (await read("/api/v1/namespaces/shop")) === 200);
      await until(async () => (await read("/api/v1/namespaces/shop/configmaps/kube-root-ca.crt")) !== 403);
      expect(await refusalOfAlice()).toMatchObject({
        code: "PERMISSION_DENIED",
        message: expect.stringMatching(/^namespaces "shop" is forbidden: User "alice" cannot get resource/),
      });
      expect(await actedFor()).toEqual([]);
      expect(await read("/api/v1/namespaces")).toBe(403);
      expect(await read("/api/v1/namespaces/shop/secrets/s")).toBe(403);
      expect(await read("/api/v1/namespaces/shop/pods/p/log")).toBe(403);
      expect(await read("/api/v1/namespaces/shop", { method: "DELETE" })).toBe(403);
      const masters = { user: "reader", uid: undefined, groups: ["system:masters"], extra: new Map() };
      expect(await read("/api/v1/namespaces", { actAs: masters })).toBe(403);
      expect(await read("/api/v1/namespaces/shop/secrets/s", { actAs: masters })).toBe(403);
      await apply(manifestText());
      await until(async () => (await read("/api/v1/namespaces/shop")) === 403);
    });
  });

  test("[N-59] limited to a namespace, the agent reads that one and no other", async () => {
    await apply(manifestText({ namespaces: ["shop", ...oddNames] }));
    await until(async () => (await agent.send("GET", "/api/v1/pods")).status === 403);
    await until(async () => (await agent.send("GET", "/api/v1/namespaces/shop/pods")).status === 200);
    for (const name of oddNames)
      await until(async () => (await agent.send("GET", `/api/v1/namespaces/${name}/pods`)).status === 200);
    const inShop = coreKinds.filter(({ isNamespaced }) => isNamespaced);
    for (const kind of inShop) {
      const answers = [listPath(kind, "shop"), listPath(kind, "pay"), listPath(kind)].map((path) =>
        agent.send("GET", `${path}?limit=1`),
      );
      expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 403, 403]);
    }
    for (const query of ["limit=1", "watch=1&timeoutSeconds=1"]) {
      const named = await agent.send("GET", `/api/v1/namespaces?fieldSelector=metadata.name%3Dshop&${query}`);
      expect(named.status).toBe(200);
      const other = await agent.send("GET", `/api/v1/namespaces?fieldSelector=metadata.name%3Dpay&${query}`);
      expect(other.status).toBe(403);
    }
    const list = await agent.send("GET", "/api/v1/namespaces?fieldSelector=metadata.name%3Dshop");
    expect(listOf(list.body, "items").map((item) => textOf(item, "metadata", "name"))).toEqual(["shop"]);
    expect((await agent.send("GET", "/api/v1/nodes")).status).toBe(200);
  });
});
