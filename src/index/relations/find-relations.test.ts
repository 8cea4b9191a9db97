// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { deploymentKind } from "../../kinds/deployment-kind.ts";
import { endpointSliceKind } from "../../kinds/endpoint-slice-kind.ts";
import { gatewayKind } from "../../kinds/gateway-api/gateway-kind.ts";
import { httpRouteKind } from "../../kinds/gateway-api/route-kinds.ts";
import { horizontalPodAutoscalerKind } from "../../kinds/horizontal-pod-autoscaler-kind.ts";
import { ingressKind } from "../../kinds/ingress-kind.ts";
import { virtualServiceKind } from "../../kinds/istio/virtual-service-kind.ts";
import type { Kind } from "../../kinds/kind.ts";
import { nodeKind } from "../../kinds/node-kind.ts";
import { persistentVolumeClaimKind } from "../../kinds/persistent-volume-claim-kind.ts";
import { persistentVolumeKind } from "../../kinds/persistent-volume-kind.ts";
import { podKind } from "../../kinds/pod-kind.ts";
import { replicaSetKind } from "../../kinds/replica-set-kind.ts";
import { serviceKind } from "../../kinds/service-kind.ts";
import { resourceIdText } from "../../model/gvr.ts";
import type { Visibility } from "../../rbac/visibility.ts";
import { findRelations, maxRelationNodes } from "./find-relations.ts";
import { type BuiltRow, buildFleet, builtRow, finish, seesAll } from "./testing/built-fleet.ts";

const cluster = "east";
const gateway = "gateway.networking.k8s.io/v1";

function row(kind: Kind, name: string, parts: object = {}, owner?: readonly [string, string, string]): BuiltRow {
  const metadata = {
    name,
    ...(kind.isNamespaced ? { namespace: "shop" } : {}),
    uid: `uid of ${kind.kind} ${name}`,
    ...(owner === undefined
      ? {}
      : {
          ownerReferences: [
            {
              apiVersion: owner[0],
              kind: owner[1],
              name: owner[2],
              uid: `uid of ${owner[1]} ${owner[2]}`,
              controller: true,
            },
          ],
        }),
  };
  return builtRow(cluster, kind, { metadata, ...parts });
}

const sliceOf = (service: string, pods: readonly string[]): BuiltRow =>
  builtRow(cluster, endpointSliceKind, {
    metadata: {
      name: `${service}-abc`,
      namespace: "shop",
      uid: `uid of slice ${service}`,
      labels: { "kubernetes.io/service-name": service },
      ownerReferences: [
        { apiVersion: "v1", kind: "Service", name: service, uid: `uid of Service ${service}`, controller: true },
      ],
    },
    addressType: "IPv4",
    endpoints: pods.map((name) => ({
      addresses: ["10.1.0.7"],
      targetRef: { kind: "Pod", namespace: "shop", name },
    })),
  });

const shop: readonly BuiltRow[] = [
  row(deploymentKind, "web"),
  row(replicaSetKind, "web-7c9d", {}, ["apps/v1", "Deployment", "web"]),
  row(podKind, "web-7c9d-x2x4z", { spec: { nodeName: "node-a" } }, ["apps/v1", "ReplicaSet", "web-7c9d"]),
  row(podKind, "web-7c9d-b7k9d", { spec: { nodeName: "node-b" } }, ["apps/v1", "ReplicaSet", "web-7c9d"]),
  row(nodeKind, "node-a"),
  row(horizontalPodAutoscalerKind, "web", {
    spec: { scaleTargetRef: { kind: "Deployment", name: "web" }, maxReplicas: 3 },
  }),
  row(serviceKind, "web", { spec: { selector: { app: "web" } } }),
  sliceOf("web", ["web-7c9d-x2x4z", "web-7c9d-b7k9d", "gone"]),
  row(ingressKind, "shop", {
    spec: {
      rules: [
        { http: { paths: [{ backend: { service: { name: "web" } } }, { backend: { service: { name: "old" } } }] } },
      ],
    },
  }),
  row(httpRouteKind, "web", {
    apiVersion: gateway,
    spec: {
      parentRefs: [{ name: "public" }],
      rules: [{ backendRefs: [{ name: "web" }, { kind: "ServiceImport", name: "web" }] }],
    },
  }),
  row(gatewayKind, "public"),
  row(virtualServiceKind, "web", {
    spec: {
      hosts: ["web"],
      gateways: ["mesh", "edge/public"],
      http: [
        {
          route: [
            { destination: { host: "web" } },
            { destination: { host: "web.shop.svc.cluster.local" } },
            { destination: { host: "api.example.com" } },
            { destination: { host: "cart.other.svc" } },
          ],
        },
      ],
    },
  }),
  row(persistentVolumeClaimKind, "data", { spec: { volumeName: "pv-1" } }),
  row(persistentVolumeKind, "pv-1"),
];

/** Edges and references as texts: `FROM TYPE TO`. */
function relationsOf(
  kind: Kind,
  name: string,
  visibilityOf: (cluster: string, resource: string) => Visibility = seesAll,
) {
  const key = { cluster, resource: resourceIdText(kind.resource), namespace: kind.isNamespaced ? "shop" : "", name };
  const answer = finish(findRelations(buildFleet(shop), { key, visibilityOf }));
  if (answer === undefined) return undefined;
  const names = answer.nodes.map(({ kind: each, key: { name: own } }) => `${each} ${own}`);
  return {
    edges: answer.edges.map(({ from, to, type }) => `${names[from]} ${type} ${names[to]}`),
    references: answer.references.map(
      ({ of, type, kind: each, namespace, name: own }) => `${names[of]} ${type} ${each} ${namespace ?? "?"}/${own}`,
    ),
  };
}

describe("relations", () => {
  test("[RL2, RL3] a Deployment has its ReplicaSets, their Pods and their Nodes, and what scales it", () => {
    expect(relationsOf(deploymentKind, "web")).toEqual({
      edges: [
        "Deployment web owns ReplicaSet web-7c9d",
        "HorizontalPodAutoscaler web scales Deployment web",
        "ReplicaSet web-7c9d owns Pod web-7c9d-b7k9d",
        "ReplicaSet web-7c9d owns Pod web-7c9d-x2x4z",
        "Pod web-7c9d-x2x4z runsOn Node node-a",
      ],
      references: ["Pod web-7c9d-b7k9d runsOn Node /node-b"],
    });
  });

  test("[RL3] a Service has its Pods through its slices, and every route to it", () => {
    expect(relationsOf(serviceKind, "web")).toEqual({
      edges: [
        "Service web owns EndpointSlice web-abc",
        "HTTPRoute web routesTo Service web",
        "VirtualService web routesTo Service web",
        "Ingress shop routesTo Service web",
        "Service web hasEndpoints EndpointSlice web-abc",
        "EndpointSlice web-abc targets Pod web-7c9d-b7k9d",
        "EndpointSlice web-abc targets Pod web-7c9d-x2x4z",
        "Gateway public hasRoute HTTPRoute web",
        "Pod web-7c9d-x2x4z runsOn Node node-a",
      ],
      references: [
        "EndpointSlice web-abc targets Pod shop/gone",
        "VirtualService web hasRoute Gateway edge/public",
        "Pod web-7c9d-b7k9d runsOn Node /node-b",
      ],
    });
  });

  test("[RL3] an HTTPRoute, an Ingress and a VirtualService lead to Pods", () => {
    for (const kind of [httpRouteKind, ingressKind, virtualServiceKind]) {
      const name = kind === ingressKind ? "shop" : "web";
      expect(relationsOf(kind, name)?.edges).toEqual(
        expect.arrayContaining([
          `${kind.kind} ${name} routesTo Service web`,
          "Service web hasEndpoints EndpointSlice web-abc",
          "EndpointSlice web-abc targets Pod web-7c9d-x2x4z",
        ]),
      );
    }
    expect(relationsOf(virtualServiceKind, "web")?.references).toContain(
      "VirtualService web routesTo Service other/cart",
    );
  });

  test("[RL2, RL3] a Pod has its owners, its Node, and the Services that send it traffic", () => {
    expect(relationsOf(podKind, "web-7c9d-x2x4z")?.edges).toEqual([
      "ReplicaSet web-7c9d owns Pod web-7c9d-x2x4z",
      "EndpointSlice web-abc targets Pod web-7c9d-x2x4z",
      "Pod web-7c9d-x2x4z runsOn Node node-a",
      "Deployment web owns ReplicaSet web-7c9d",
      "Service web owns EndpointSlice web-abc",
      "Service web hasEndpoints EndpointSlice web-abc",
      "HorizontalPodAutoscaler web scales Deployment web",
      "HTTPRoute web routesTo Service web",
      "VirtualService web routesTo Service web",
      "Ingress shop routesTo Service web",
      "Gateway public hasRoute HTTPRoute web",
    ]);
  });

  test("[RL3] a claim has its volume, and the volume its claim", () => {
    const edges = ["PersistentVolumeClaim data bindsTo PersistentVolume pv-1"];
    expect(relationsOf(persistentVolumeClaimKind, "data")?.edges).toEqual(edges);
    expect(relationsOf(persistentVolumeKind, "pv-1")?.edges).toEqual(edges);
  });

  test("[L17] [RL4] a hidden hop ends the way exactly as one that does not exist", () => {
    const hides =
      (hidden: Kind) =>
      (_cluster: string, resource: string): Visibility =>
        resource === resourceIdText(hidden.resource) ? { kind: "none" } : { kind: "all" };
    expect(relationsOf(podKind, "web-7c9d-x2x4z", hides(replicaSetKind))).toMatchObject({
      references: expect.arrayContaining(["Pod web-7c9d-x2x4z owns ReplicaSet ?/web-7c9d"]),
      edges: expect.not.arrayContaining(["Deployment web owns ReplicaSet web-7c9d"]),
    });
    expect(relationsOf(serviceKind, "web", hides(endpointSliceKind))?.edges).not.toContainEqual(
      expect.stringContaining("Pod"),
    );
    const other = new Set(["other"]);
    const seesOther = (_cluster: string, resource: string): Visibility =>
      resource.endsWith("slices")
        ? { kind: "some", names: other, namespaces: other, namesIn: new Map(), namespaceObjects: other }
        : { kind: "all" };
    expect(relationsOf(serviceKind, "web", seesOther)?.edges).not.toContainEqual(expect.stringContaining("Slice"));
    expect(relationsOf(podKind, "web-7c9d-x2x4z", hides(podKind))).toBeUndefined();
    expect(relationsOf(podKind, "unheard-of")).toBeUndefined();
  });

  test("[RL2] an owner of the same kind and name in another group is another object", () => {
    const custom: Kind = { ...deploymentKind, resource: { group: "example.com", resource: "deployments" } };
    const rows = [
      row(deploymentKind, "web"),
      row(custom, "web"),
      row(podKind, "a", {}, ["example.com/v1", "Deployment", "web"]),
    ];
    const key = { cluster, resource: "pods", namespace: "shop", name: "a" };
    const answer = finish(findRelations(buildFleet(rows), { key, visibilityOf: seesAll }));
    expect(answer?.nodes.map(({ key: { resource } }) => resource)).toEqual(["pods", "example.com/deployments"]);
  });

  test("[RL5] a Deployment with many Pods is cut at the bound", () => {
    const many = Array.from({ length: 600 }, (_, at) =>
      row(podKind, `web-7c9d-${at}`, {}, ["apps/v1", "ReplicaSet", "web-7c9d"]),
    );
    const key = { cluster, resource: "apps/deployments", namespace: "shop", name: "web" };
    const answer = finish(findRelations(buildFleet([...shop, ...many]), { key, visibilityOf: seesAll }));
    expect(answer?.nodes).toHaveLength(maxRelationNodes);
    expect(answer?.isTruncated).toBe(true);
  });

  test.each([0, 501, 2.5])("[RL5] a bound of %s objects is refused", (maxNodes) => {
    const key = { cluster, resource: "pods", namespace: "shop", name: "a" };
    expect(() => finish(findRelations(buildFleet(shop), { key, visibilityOf: seesAll, maxNodes }))).toThrow(
      "the number of related objects must be an integer from 1 to 500",
    );
  });
});
