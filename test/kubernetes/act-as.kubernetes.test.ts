// SPDX-License-Identifier: Apache-2.0
// Acting for users at real API servers: that names arrive as they are, and whose refusal it is when the server refuses.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { toImpersonation } from "../../src/agent/tunnel/act-as.ts";
import { readObject } from "../../src/agent/tunnel/read-object.ts";
import { FlotillaError } from "../../src/base/error.ts";
import { systemClock } from "../../src/base/time/system-clock.ts";
import { fieldOf, textOf, textsOf } from "../../src/kinds/fields.ts";
import { createGenericKind } from "../../src/kinds/generic-kind.ts";
import { connectCluster } from "../../src/kube/connect-cluster.ts";
import { ask, failureOf, longMs, neverAborted } from "../../src/kube/connection/testing/test-access.ts";
import { kubeconfigAccess } from "../../src/kube/credentials/load-kubeconfig.ts";
import type { KubeSource } from "../../src/kube/kube-source.ts";
import type { Gvr } from "../../src/model/gvr.ts";
import { define } from "../e2e/fleet/definitions.ts";
import { eventually } from "../e2e/fleet/eventually.ts";
import { openTempFolder } from "../support/temp-folder.ts";
import { connectAgentAs } from "./agent-account.ts";
import { describeOnWholeRun } from "./describe-on-kit.ts";
import type { KubeClient } from "./kube-client.ts";
import { type KubernetesCluster, startCluster } from "./start-cluster.ts";

/**
 * Servers that answer a refused impersonation in different ways, over both protocols. The second does as all did before
 * there was constrained impersonation.
 */
const servers = [
  { name: "HTTP/2, with constrained impersonation", flags: [] },
  {
    name: "HTTP/1.1, without constrained impersonation",
    flags: ["--disable-http2-serving", "--feature-gates=ConstrainedImpersonation=false"],
  },
] as const;

const rbac = "/apis/rbac.authorization.k8s.io/v1";
const rbacGroup = "rbac.authorization.k8s.io";

/**
 * Agents by what they may impersonate. `remembered` has the rights of `users-only` and has impersonated a user before.
 */
const agents = {
  nobody: [],
  "users-only": ["users"],
  remembered: ["users"],
  everybody: ["users", "groups"],
} as const;
type AgentName = keyof typeof agents;

/** Plurals that the words of RBAC have as well. */
const misleading = [
  createGenericKind(
    { group: "example.com", resource: "users" },
    { kind: "User", versions: ["v1"], isNamespaced: true },
  ),
  createGenericKind(
    { group: "example.com", resource: "groups" },
    { kind: "Group", versions: ["v1"], isNamespaced: true },
  ),
];

const configMaps: Gvr = { group: "", version: "v1", resource: "configmaps" };

const oddNames = [
  "Zoë Müller",
  "张伟",
  "😀",
  "two  blanks",
  "a,b, c",
  `say "hi", 'you'`,
  "100%25 %41 %",
  "back\\slash;semi=colon",
  "https://issuer.example.com#sub|7",
  "no\u00a0break\u0085next",
  "é".repeat(512),
];

/** As many groups of that length as a question may name and an agent acts for, of letters that compress badly. */
function mostGroups(bytes: number): readonly string[] {
  const all = Array.from({ length: 1_024 }, (_, at) => `${at}~`.padEnd(bytes, "QZXJ"));
  const isTaken = (count: number): boolean => {
    try {
      toImpersonation("alice", all.slice(0, count));
      return true;
    } catch (reason) {
      if (!(reason instanceof FlotillaError)) throw reason;
      return false;
    }
  };
  const count = all.findLastIndex((_, at) => isTaken(at + 1)) + 1;
  return all.slice(0, count);
}

const mayNotAct = /^the agent may not act for users in its cluster \(.+\); `flotilla agent manifest --object-reads`/;

describeOnWholeRun("acting for users", [], (kit) => {
  describe.each(servers)("$name", ({ flags }) => {
    let cluster: KubernetesCluster;
    let admin: KubeClient;

    beforeAll(async () => {
      const users = [...Object.keys(agents), "alice"].map((name) => ({ name, groups: ["people"] }));
      cluster = await startCluster({ kit, users, apiserverFlags: flags });
      admin = cluster.connect();
      for (const [name, resources] of Object.entries(agents)) {
        const rules = resources.length === 0 ? [] : [{ apiGroups: [""], resources, verbs: ["impersonate"] }];
        await admin.ask("POST", `${rbac}/clusterroles`, { body: { metadata: { name }, rules } });
        const roleRef = { apiGroup: rbacGroup, kind: "ClusterRole", name };
        const subjects = [{ apiGroup: rbacGroup, kind: "User", name }];
        await admin.ask("POST", `${rbac}/clusterrolebindings`, { body: { metadata: { name }, roleRef, subjects } });
        for (const resource of resources)
          await eventually(async () => expect(await mayActFor(name, resource)).toBe(true));
      }
      for (const kind of misleading) await define(admin, kind);
    });

    afterAll(() => cluster.stop());

    async function mayActFor(user: string, resource: string): Promise<boolean> {
      const spec = { user, resourceAttributes: { verb: "impersonate", group: "", resource } };
      const body = { apiVersion: "authorization.k8s.io/v1", kind: "SubjectAccessReview", spec };
      const path = "/apis/authorization.k8s.io/v1/subjectaccessreviews";
      return fieldOf(await admin.ask("POST", path, { body }), "status", "allowed") === true;
    }

    /** Name and groups, as the server sees who asks. */
    async function whoIs(source: KubeSource, user: string, groups: readonly string[]): Promise<readonly string[]> {
      const text = await ask(source, "/apis/authentication.k8s.io/v1/selfsubjectreviews", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: new TextEncoder().encode('{"apiVersion":"authentication.k8s.io/v1","kind":"SelfSubjectReview"}'),
        actAs: toImpersonation(user, groups),
      });
      const seen: unknown = JSON.parse(text);
      return [textOf(seen, "status", "userInfo", "username") ?? "", ...textsOf(seen, "status", "userInfo", "groups")];
    }

    /** What somebody is told for whom an agent reads `web` in `default`. */
    async function readBy(agent: AgentName, gvr: Gvr, groups: readonly string[]): Promise<unknown> {
      await using source = await connectAgentAs(cluster, { token: cluster.tokenOf(agent) });
      const read = { gvr, namespace: "default", name: "web", actAs: toImpersonation("alice", groups) };
      return await failureOf(Array.fromAsync(readObject({ source, requestTimeoutMs: longMs }, read, neverAborted)));
    }

    /** The server's sentence for the user who asks the same without an agent. */
    async function ownRefusal({ group, version, resource }: Gvr): Promise<string> {
      const root = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
      const path = `${root}/namespaces/default/${resource}/web`;
      const { status, body } = await cluster.connect("alice").send("GET", path);
      expect(status).toBe(403);
      return textOf(body, "message") ?? "";
    }

    test("[TU8] the right to impersonate suffices: the server sees exactly this user and these groups", async () => {
      await using source = await connectAgentAs(cluster, { token: cluster.tokenOf("everybody") });
      for (const name of ["alice", ...oddNames]) {
        expect(await whoIs(source, name, [])).toEqual([name, "system:authenticated"]);
        const groups = [name, "one,two", "flotilla:viewers"];
        expect(await whoIs(source, name, groups)).toEqual([name, ...groups, "system:authenticated"]);
      }
    });

    test.each([40, 100, 1_024])("[TU8] as many groups of %i bytes as an agent takes arrive", async (bytes) => {
      await using source = await connectAgentAs(cluster, { token: cluster.tokenOf("everybody") });
      const groups = mostGroups(bytes);
      if (bytes <= 100) expect(groups.length).toBeGreaterThan(300);
      expect(await whoIs(source, "alice", groups)).toEqual(["alice", ...groups, "system:authenticated"]);
    });

    test("[TU8] system:authenticated is the server's to add, not the agent's to name", async () => {
      await using source = await connectAgentAs(cluster, { token: cluster.tokenOf("users-only") });
      expect(await whoIs(source, "alice", ["system:authenticated"])).toEqual(["alice", "system:authenticated"]);
    });

    test.each([
      { agent: "nobody", groups: [] },
      { agent: "nobody", groups: ["people"] },
      { agent: "users-only", groups: ["people"] },
      { agent: "remembered", groups: ["people"] },
    ] as const)("[TU8] an agent that may act for $agent is told as that, groups $groups", async ({ agent, groups }) => {
      // Since 1.36 the server remembers in which way an agent acted last, and words the next refusal after it.
      if (agent === "remembered") {
        expect(await readBy(agent, configMaps, [])).toMatchObject({ message: await ownRefusal(configMaps) });
      }
      const kinds = misleading.map(({ resource }) => ({ ...resource, version: "v1" }));
      for (const gvr of [configMaps, ...kinds]) {
        expect(await readBy(agent, gvr, groups)).toMatchObject({
          code: "PERMISSION_DENIED",
          message: expect.stringMatching(mayNotAct),
        });
      }
    });

    test.each([configMaps, ...misleading.map(({ resource }) => ({ ...resource, version: "v1" }))])(
      "[TU8] a user who may not read $resource of group '$group' is told so in the server's words",
      async (gvr) => {
        const told = { code: "PERMISSION_DENIED", message: await ownRefusal(gvr) };
        expect(told.message).toContain('User "alice" cannot get resource');
        expect(await readBy("everybody", gvr, ["people"])).toMatchObject(told);
        expect(await readBy("users-only", gvr, [])).toMatchObject(told);
      },
    );
  });

  test("[TU8] a kubeconfig whose user acts as somebody else acts for nobody else: no request goes out", async () => {
    using folder = openTempFolder();
    const file = join(folder.path, "kubeconfig");
    const user = { token: "t", as: "somebody" };
    const config = {
      apiVersion: "v1",
      kind: "Config",
      clusters: [{ name: "east", cluster: { server: "https://127.0.0.1:1" } }],
      users: [{ name: "agent", user }],
      contexts: [{ name: "east", context: { cluster: "east", user: "agent" } }],
      "current-context": "east",
    };
    writeFileSync(file, JSON.stringify(config));
    const access = await kubeconfigAccess({ file, environment: {} })();
    await using source = connectCluster({
      access,
      clock: systemClock,
      userAgent: "flotilla-agent/test",
      environment: {},
    });
    const read = { gvr: configMaps, namespace: "default", name: "web", actAs: toImpersonation("alice", []) };
    const reading = Array.fromAsync(readObject({ source, requestTimeoutMs: longMs }, read, neverAborted));
    expect(await failureOf(reading)).toMatchObject({
      code: "PERMISSION_DENIED",
      message: expect.stringContaining(
        "the credential for east already impersonates a user, so it cannot impersonate another one",
      ),
    });
  });
});
