// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { RowContent } from "../../model/rows/row.ts";
import type { ClusterFacts } from "../kind.ts";
import { deriveRow } from "../project-row.ts";
import { misshapen } from "../testing/arbitrary-objects.ts";
import { type SampleObject, sampleMetadata, secretMarker } from "../testing/kind-sample.ts";
import { columnsOf, faultsOf, noFacts, rootNamespaces, rowOf, rowText, sealed } from "../testing/sample-rows.ts";
import { istioControlPlaneKind as kind, meshFacts } from "./control-plane.ts";
import { peerAuthenticationKind } from "./peer-authentication-kind.ts";

interface Parts {
  readonly namespace?: string;
  readonly name?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly podLabels?: Readonly<Record<string, string>>;
  readonly containers?: readonly unknown[];
  readonly status?: unknown;
}

const discovery = {
  name: "discovery",
  image: "registry.example:5000/istio/pilot:1.25.4@sha256:abc",
  args: ["discovery", `--key=${secretMarker}`],
  env: [
    { name: "CLUSTER_ID", value: "prod-east" },
    { name: "PILOT_SCOPE_GATEWAY_TO_NAMESPACE", value: "true" },
    { name: "ROOT_NAMESPACE", value: "mesh-root" },
    { name: "ISTIOD_TOKEN", value: secretMarker },
    { name: "REVISION", value: secretMarker },
  ],
};

const available = {
  observedGeneration: 1,
  replicas: 1,
  updatedReplicas: 1,
  readyReplicas: 1,
  availableReplicas: 1,
  conditions: [{ type: "Available", status: "True", reason: "MinimumReplicasAvailable", message: "ok" }],
};

function istiod(parts: Parts = {}): SampleObject {
  const { namespace = "istio-system", name = "istiod", labels = { app: "istiod" } } = parts;
  return {
    metadata: { ...sampleMetadata(name), namespace, labels },
    spec: {
      replicas: 1,
      template: {
        metadata: { labels: parts.podLabels ?? {} },
        spec: { containers: parts.containers ?? [discovery] },
      },
    },
    status: parts.status ?? available,
  };
}

function derive(object: unknown, facts: ClusterFacts = noFacts): RowContent | undefined {
  return deriveRow(kind, object, { facts, terminatingForMs: 0 });
}

function columnsIn(object: unknown): Record<string, unknown> {
  const row = derive(object);
  if (row === undefined) throw new Error("no control plane was found");
  return columnsOf(kind, row);
}

describe("an istiod Deployment", () => {
  test("[N-21] gives a row of revision, version, namespace, root namespace, cluster id and PILOT_SCOPE_GATEWAY_TO_NAMESPACE", () => {
    const row = derive(istiod({ labels: { app: "istiod", "istio.io/rev": "canary" } }));
    expect([row?.namespace, row?.name, row?.status]).toEqual(["istio-system", "istiod", "healthy"]);
    expect(columnsIn(istiod({ labels: { app: "istiod", "istio.io/rev": "canary" } }))).toEqual({
      revision: "canary",
      version: "1.25.4",
      rootNamespace: "mesh-root",
      clusterId: "prod-east",
      pilotScopeGatewayToNamespace: true,
    });
  });

  test("[N-21] without settings has Istio's defaults", () => {
    const containers = [{ name: "discovery", image: "docker.io/istio/pilot" }];
    const object = istiod({ namespace: "mesh-sys", containers });
    expect(columnsIn(object)).toEqual({
      revision: "default",
      rootNamespace: "mesh-sys",
      pilotScopeGatewayToNamespace: false,
    });
  });

  test("[N-61] in mesh-sys and a canary beside it are two rows", () => {
    const rows = [
      istiod({ namespace: "mesh-sys", labels: { app: "istiod", "istio.io/rev": "default" } }),
      istiod({ namespace: "mesh-sys", name: "istiod-canary", podLabels: { app: "istiod", "istio.io/rev": "canary" } }),
      { metadata: sampleMetadata("web"), spec: {} },
    ].flatMap((each) => derive(each) ?? []);
    expect(rows.map((row) => [row.namespace, row.name, row.columns.get("revision")])).toEqual([
      ["mesh-sys", "istiod", "default"],
      ["mesh-sys", "istiod-canary", "canary"],
    ]);
  });

  test("[L18] leaves every value of its environment and command line behind but those that are named", () => {
    const row = derive(istiod());
    expect(row).toBeDefined();
    if (row !== undefined) expect(rowText(row)).not.toContain(secretMarker);
  });

  test("[KI2] reads no value of another container", () => {
    const other = { name: "istio-proxy", image: "proxyv2", env: [{ name: "CLUSTER_ID", value: secretMarker }] };
    const bare = { name: "discovery", image: "pilot:1.25.4" };
    expect(columnsIn(istiod({ containers: [other, bare] }))).not.toHaveProperty("clusterId");
  });

  test("[N-61] a value that comes from elsewhere counts as none", () => {
    const env = [
      { name: "ROOT_NAMESPACE", value: "old" },
      { name: "ROOT_NAMESPACE", valueFrom: { fieldRef: { fieldPath: "metadata.namespace" } } },
    ];
    const containers = [{ name: "discovery", image: "pilot:1", env }];
    expect(columnsIn(istiod({ containers, namespace: "mesh-sys" }))["rootNamespace"]).toBe("mesh-sys");
  });
});

test.each([
  ["Istio's label", istiod(), true],
  ["Istio's label on its Pods only", istiod({ labels: {}, podLabels: { app: "istiod" } }), true],
  ["Istio's label, whatever the image", istiod({ containers: [{ name: "x", image: "own/mesh:1" }] }), true],
  ["the recommended label and the image", istiod({ labels: { "app.kubernetes.io/name": "istiod" } }), true],
  ["the old label and the image", istiod({ labels: { istio: "pilot" }, containers: [{ image: "a/pilot:1" }] }), true],
  [
    "the recommended label alone",
    istiod({ labels: { "app.kubernetes.io/name": "istiod" }, containers: [{ name: "proxy", image: "proxyv2:1" }] }),
    false,
  ],
  ["the image alone", istiod({ labels: { app: "drone" } }), false],
  ["nothing of it", { metadata: sampleMetadata("web"), spec: {} }, false],
  ["no body", { metadata: sampleMetadata("web") }, false],
])("[N-61] a Deployment with %s is found or not (%#)", (_what, object, isFound) => {
  expect(derive(object) !== undefined).toBe(isFound);
});

test.each([
  ["pilot:1.25.4", {}, "1.25.4"],
  ["host:5000/pilot", { "app.kubernetes.io/version": "1.24.0" }, "1.24.0"],
  ["pilot@sha256:abc", { "operator.istio.io/version": "1.20.1" }, "1.20.1"],
  ["host:5000/istio/pilot:1.25.4-distroless", {}, "1.25.4-distroless"],
  ["", {}, undefined],
])("[N-21] image %s with labels %j is version %s", (image, labels, version) => {
  const object = istiod({ labels: { app: "istiod", ...labels }, containers: [{ name: "discovery", image }] });
  expect(columnsIn(object)["version"]).toBe(version);
});

test.each([
  [available, "healthy"],
  [{ ...available, availableReplicas: 0, readyReplicas: 0 }, "unhealthy"],
  [{ ...available, observedGeneration: 0 }, "progressing"],
])("[KI16] the row has its Deployment's status (%#)", (status, expected) => {
  expect(derive(istiod({ status }))?.status).toBe(expected);
});

test("[KI16] a control plane of any shape has a row of its declared columns", () => {
  fc.assert(
    fc.property(misshapen({ ...istiod(), metadata: {} }), (damaged) => {
      const row = derive(Object.assign({}, damaged, { metadata: istiod().metadata }));
      expect(row).toBeDefined();
      if (row === undefined) return;
      expect(faultsOf(kind, row)).toEqual([]);
      expect(sealed(kind, row).name).toBe("istiod");
    }),
    { numRuns: 100 },
  );
});

describe("[KI21] a control plane's root namespace", () => {
  const canary = { app: "istiod", "istio.io/rev": "canary" };
  const shared = [{ ...discovery, env: [{ name: "SHARED_MESH_CONFIG", value: "istio-shared" }] }];
  const silent = [{ name: "discovery", image: "pilot:1.25.4" }];

  test.each<readonly [string, Parts, Readonly<Record<string, string>>, string]>([
    ["is that of its mesh configuration", {}, { "istio-system/istio": "root" }, "root"],
    [
      "is that of its revision's",
      { labels: canary },
      { "istio-system/istio": "a", "istio-system/istio-canary": "b" },
      "b",
    ],
    ["is never that of another namespace's", { containers: silent }, { "mesh-sys/istio": "root" }, "istio-system"],
    [
      "is the shared one's where its own names none",
      { containers: shared },
      { "istio-system/istio": "", "istio-system/istio-shared": "b" },
      "b",
    ],
    [
      "is its own before the shared one's",
      { containers: shared },
      { "istio-system/istio": "a", "istio-system/istio-shared": "b" },
      "a",
    ],
    [
      "is Istio's default where no configuration names one",
      { namespace: "mesh-sys", containers: silent },
      { "mesh-sys/istio": "" },
      "istio-system",
    ],
    [
      "is its own namespace where no configuration is known",
      { namespace: "mesh-sys", containers: silent },
      {},
      "mesh-sys",
    ],
    ["is that of its environment before its own namespace", {}, {}, "mesh-root"],
  ])("%s", (_, parts, roots, expected) => {
    const facts = meshFacts([], new Map(Object.entries(roots)));
    expect(derive(istiod(parts), facts)?.columns.get("rootNamespace")).toBe(expected);
  });

  test("[N-62] makes policies there count for the mesh", () => {
    const configs = new Map([["mesh-sys/istio", "mesh-root"]]);
    const rows = [istiod({ namespace: "mesh-sys", containers: silent })].flatMap(
      (each) => derive(each, meshFacts([], configs)) ?? [],
    );
    const facts = meshFacts(rows, configs);
    const scopeIn = (namespace: string) =>
      rowOf(peerAuthenticationKind, { metadata: { ...sampleMetadata("p"), namespace } }, facts).columns.get("scope");
    expect([scopeIn("mesh-root"), scopeIn("mesh-sys")]).toEqual(["mesh", "namespace"]);
  });
});

describe("meshFacts", () => {
  test("[KI17] holds the root namespace of each control plane found", () => {
    const rows = [istiod(), istiod({ namespace: "mesh-sys", containers: [] })].flatMap((each) => derive(each) ?? []);
    expect(meshFacts(rows)).toEqual(rootNamespaces("mesh-root", "mesh-sys"));
    expect(meshFacts([])).toEqual(rootNamespaces());
  });

  test("[N-62] a policy without selector counts for the mesh in the root namespace that was detected, and nowhere else", () => {
    const facts = meshFacts([istiod({ namespace: "mesh-sys", containers: [] })].flatMap((each) => derive(each) ?? []));
    const scopeIn = (namespace: string) =>
      rowOf(peerAuthenticationKind, { metadata: { ...sampleMetadata("p"), namespace } }, facts).columns.get("scope");
    expect([scopeIn("mesh-sys"), scopeIn("shop"), scopeIn("istio-system")]).toEqual(["mesh", "namespace", "namespace"]);
  });
});
