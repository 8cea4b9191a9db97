// SPDX-License-Identifier: Apache-2.0
// A hub that follows a management cluster: its GitopsClusters add, rotate and remove a leaf. Both API servers run in
// this process, the hub and the agent of the leaf in processes of their own.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createSubject, type Subject } from "../../src/model/subject.ts";
import { mastersGroup } from "../../src/rbac/authorizer-chain.ts";
import { hubGroups } from "../../src/rbac/hub-roles.ts";
import { metricNames } from "../../src/telemetry/metric-names.ts";
import { KubeClient } from "../kubernetes/kube-client.ts";
import { startApiServer, type TestApiServer } from "../support/api-server.ts";
import { openTempFolder } from "../support/temp-folder.ts";
import { eventually } from "./fleet/eventually.ts";
import { ImportingHub } from "./fleet/importing-hub.ts";

const admin = createSubject({ user: "admin", groups: [mastersGroup] });
const declarations = "/apis/gitops.weave.works/v1alpha1/namespaces/fleet/gitopsclusters";
const secrets = "/api/v1/namespaces/fleet/secrets";
const east = "fleet-east";

const definition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "gitopsclusters.gitops.weave.works" },
  spec: {
    group: "gitops.weave.works",
    scope: "Namespaced",
    names: {
      plural: "gitopsclusters",
      singular: "gitopscluster",
      kind: "GitopsCluster",
      listKind: "GitopsClusterList",
    },
    versions: [
      {
        name: "v1alpha1",
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
      },
    ],
  },
};

/** Lets the hub's administrators see the rows of a cluster (L17). */
const adminsBinding = {
  metadata: { name: "flotilla-admins" },
  subjects: [{ kind: "Group", apiGroup: "rbac.authorization.k8s.io", name: hubGroups.admins }],
  roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" },
};

function kubeconfigOf({ url, ca }: TestApiServer, token: string): string {
  return JSON.stringify({
    clusters: [
      { name: "c", cluster: { server: url, "certificate-authority-data": Buffer.from(ca).toString("base64") } },
    ],
    users: [{ name: "u", user: { token } }],
    contexts: [{ name: "admin@c", context: { cluster: "c", user: "u" } }],
    "current-context": "admin@c",
  });
}

describe("clusters that a management cluster declares", () => {
  const hub = new ImportingHub();
  const folder = openTempFolder();
  const leafTokens = new Map<string, Subject>([
    ["test", admin],
    ["first", admin],
  ]);
  let management: TestApiServer;
  let leaf: TestApiServer;
  let managed: KubeClient;
  let followed: KubeClient;

  /** Until what happens in the leaf from now on reaches the hub. */
  const untilFollowed = async (name: string): Promise<void> => {
    await followed.ask("POST", "/api/v1/namespaces/default/configmaps", { body: { metadata: { name } } });
    await hub.view.untilRow(east, `configmaps default/${name}`);
  };
  const declare = (name: string, secret: string): Promise<unknown> =>
    managed.ask("POST", declarations, {
      body: {
        apiVersion: "gitops.weave.works/v1alpha1",
        kind: "GitopsCluster",
        metadata: { name },
        spec: { secretRef: { name: secret } },
      },
    });
  const writeSecret = async (name: string, key: string, token: string): Promise<void> => {
    const data = { [key]: Buffer.from(kubeconfigOf(leaf, token)).toString("base64") };
    const body = { metadata: { name }, data };
    const { status } = await managed.send("PUT", `${secrets}/${name}`, { body });
    if (status === 404) await managed.ask("POST", secrets, { body });
    else expect(status).toBe(200);
  };
  const untilCounted = (state: string, count: number): Promise<void> =>
    eventually(async () => {
      const text = await (await hub.view.fetch("/metrics")).text();
      expect(text).toContain(`${metricNames.gitopsClusters}{state="${state}"} ${count}`);
    });
  const faultOf = async (id: string): Promise<string | undefined> =>
    (await hub.view.cluster(id)).labels["flotilla.dev/gitops-fault"];

  beforeAll(async () => {
    [management, leaf] = await Promise.all([startApiServer(new Map([["test", admin]])), startApiServer(leafTokens)]);
    managed = new KubeClient({ ...management, token: "test" });
    followed = new KubeClient({ ...leaf, token: "test" });
    await managed.ask("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", { body: definition });
    await managed.ask("POST", "/api/v1/namespaces", { body: { metadata: { name: "fleet" } } });
    await followed.ask("POST", "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", { body: adminsBinding });
    const kubeconfig = join(folder.path, "management.yaml");
    writeFileSync(kubeconfig, kubeconfigOf(management, "test"));
    const flags = ["--gitops-kubeconfig", kubeconfig, "--gitops-context", "admin@c"];
    const pace = ["--gitops-namespaces", "fleet", "--gitops-interval", "1s"];
    await hub.start("hub", "--allow-loopback-imports", ...flags, ...pace);
  });

  afterAll(async () => {
    expect(await hub.close()).toBe(0);
    for (const client of [managed, followed]) client.close();
    await leaf.close();
    folder[Symbol.dispose]();
  });

  test("[Q-20][Q-21][IN25] an object and its Secret make the rows of the leaf appear", async () => {
    await declare("east", "credential");
    await untilCounted("invalid", 1); // its Secret is not there yet
    await writeSecret("credential", "value.yaml", "first");
    await untilFollowed("added");
    await hub.view.untilState(east, "live");
    await untilCounted("current", 1);
    expect((await hub.view.cluster(east)).source).toBe("kubeconfig");
  });

  test("[Q-22][IN27] a rotated credential is taken up without a restart, and the leaf stays live", async () => {
    const before = hub.agentPids(east);
    leafTokens.set("second", admin);
    await writeSecret("credential", "value", "second");
    await eventually(() => {
      expect(hub.agentPids(east)).toHaveLength(1);
      expect(hub.agentPids(east)).not.toEqual(before);
    });
    leafTokens.delete("first");
    await untilFollowed("rotated");
    await hub.view.untilState(east, "live");
  });

  test("[Q-22][IN29] a wrong credential is the reason of its cluster and of no other, until it is right again", async () => {
    await writeSecret("credential", "value", "token-of-no-user");
    await declare("west", "wrong");
    await writeSecret("wrong", "value", "token-of-no-user");
    await untilCounted("refused", 2);
    await eventually(async () => {
      const { connection } = await hub.view.cluster("fleet-west"); // its first credential
      expect([connection?.state, connection?.reason]).toEqual(["disconnected", "unauthorized"]);
    });
    expect(await faultOf(east)).toBe("refused");
    expect(await hub.view.state(east)).toBe("live"); // by the earlier credential
    leafTokens.delete("second");
    await eventually(async () => expect((await hub.view.cluster(east)).connection?.reason).toBe("unauthorized"));
    leafTokens.set("token-three", admin);
    await writeSecret("credential", "value", "token-three");
    await untilFollowed("corrected");
    await hub.view.untilState(east, "live");
    expect(await faultOf(east)).toBeUndefined();
  });

  test("[L18] credentials of Secrets are stored encrypted and are not logged", () => {
    for (const token of ["token-of-no-user", "token-three"]) {
      expect(hub.filesWith(token)).toEqual([]);
      expect(hub.program.stderr).not.toContain(token);
    }
  });

  test("[Q-23][IN28] deleting an object removes its cluster with its rows, audited as the collector", async () => {
    await managed.ask("DELETE", `${declarations}/west`);
    await managed.ask("DELETE", `${declarations}/east`);
    await eventually(async () => {
      const { stdout } = await hub.run("cluster", "list", "-o", "json");
      expect(JSON.parse(stdout)).toEqual({ clusters: [] });
    });
    expect(await hub.view.rows(east).catch(() => ({}))).toEqual({});
    await eventually(() => expect(hub.agentPids(east)).toEqual([]));
    await untilCounted("current", 0);
    const { stdout } = await hub.run("audit", "--actor", "system:gitops", "--action", "cluster.remove", "-o", "json");
    expect(stdout).toContain(east);
  });

  test("[Q-23][L4] a lost management cluster removes nothing: its leaf stays live", async () => {
    await declare("east", "credential");
    await untilFollowed("again");
    managed.close();
    await management.close();
    const lost = "GitopsClusters cannot be followed; their clusters stay as they are";
    await eventually(() => expect(hub.program.logged(lost)).toHaveLength(1));
    await untilFollowed("meanwhile");
    await hub.view.untilState(east, "live");
    expect(Object.keys(await hub.view.rows(east))).toContain("configmaps default/added");
  });
});
