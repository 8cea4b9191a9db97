// SPDX-License-Identifier: Apache-2.0
// An agent that follows every kind of a real cluster, with the rights that the manifest for `--kinds '*'` gives.
import { afterAll, beforeAll, expect, test } from "vitest";
import { fieldOf } from "../../src/kinds/fields.ts";
import { createGenericKind } from "../../src/kinds/generic-kind.ts";
import { define } from "../e2e/fleet/definitions.ts";
import { eventually } from "../e2e/fleet/eventually.ts";
import { agentAccount } from "./agent-account.ts";
import { describeOnWholeRun } from "./describe-on-kit.ts";
import type { KubeClient } from "./kube-client.ts";
import { RealFleet } from "./real-fleet.ts";
import { type KubernetesCluster, startCluster } from "./start-cluster.ts";

const certificates = "cert-manager.io/certificates";
const certificateKind = createGenericKind(
  { group: "cert-manager.io", resource: "certificates" },
  { kind: "Certificate", versions: ["v1"], isNamespaced: true },
);

describeOnWholeRun("an agent that follows every kind", ["controllers"], (kit) => {
  const fleet = new RealFleet();
  let cluster: KubernetesCluster;
  let admin: KubeClient;

  beforeAll(async () => {
    [cluster] = await Promise.all([startCluster({ kit, controllers: true }), fleet.startHub()]);
    admin = cluster.connect();
    await fleet.install("east", cluster, kit, ["--kinds", "*"]);
    fleet.startAgent("east", cluster, { flags: { kinds: "*" } });
    await fleet.hub.untilState("east", "live");
  }, 60_000);

  afterAll(async () => {
    await fleet.close();
    await cluster.stop();
  });

  const kindOf = async (resource: string) =>
    (await fleet.hub.cluster("east")).kinds.find((each) => each.resource === resource);

  test("[KI24][KI27] may read all that the server lists, and follows neither Secrets nor Leases", async () => {
    await eventually(async () => {
      const { kinds } = await fleet.hub.cluster("east");
      // A right that was granted a moment ago counts some moments later.
      expect(kinds.filter(({ state }) => state === "failed" || state === "listing")).toEqual([]);
      const followed = kinds.filter(({ state }) => state === "watching").map(({ resource }) => resource);
      expect(followed).toEqual(
        expect.arrayContaining([
          "pods",
          "serviceaccounts",
          "storage.k8s.io/storageclasses",
          "apps/controllerrevisions",
        ]),
      );
      expect(followed).not.toContain("secrets");
      expect(followed).not.toContain("coordination.k8s.io/leases");
    });
    await fleet.hub.untilRow("east", "serviceaccounts flotilla/flotilla-agent");
    const spec = { user: agentAccount, resourceAttributes: { verb: "list", resource: "secrets" } };
    const review = { apiVersion: "authorization.k8s.io/v1", kind: "SubjectAccessReview", spec };
    const path = "/apis/authorization.k8s.io/v1/subjectaccessreviews";
    expect(fieldOf(await admin.ask("POST", path, { body: review }), "status", "allowed")).toBe(false);
  });

  test("[KI14][KI27][N-6] a definition that comes is followed once a role for viewers grants its kind", async () => {
    await define(admin, certificateKind);
    const body = {
      apiVersion: "cert-manager.io/v1",
      kind: "Certificate",
      metadata: { name: "web" },
      status: { conditions: [{ type: "Ready", status: "True", reason: "Issued" }] },
    };
    await admin.ask("POST", "/apis/cert-manager.io/v1/namespaces/default/certificates", { body });
    await eventually(async () =>
      expect(await kindOf(certificates)).toMatchObject({ state: "failed", fault: "forbidden" }),
    );
    const role = {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRole",
      metadata: { name: "certificates-view", labels: { "rbac.authorization.k8s.io/aggregate-to-view": "true" } },
      rules: [{ apiGroups: ["cert-manager.io"], resources: ["certificates"], verbs: ["get", "list", "watch"] }],
    };
    await admin.ask("POST", "/apis/rbac.authorization.k8s.io/v1/clusterroles", { body: role });
    await fleet.hub.untilRow("east", `${certificates} default/web`);
    await eventually(async () => expect(await kindOf(certificates)).toMatchObject({ state: "watching" }));
  });
});
