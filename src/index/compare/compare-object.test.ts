// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { deploymentKind } from "../../kinds/deployment-kind.ts";
import { nodeKind } from "../../kinds/node-kind.ts";
import { podKind } from "../../kinds/pod-kind.ts";
import type { Visibility } from "../../rbac/visibility.ts";
import { type BuiltRow, buildFleet, builtRow, finish, seesAll } from "../relations/testing/built-fleet.ts";
import { maxDifferences, maxDifferingValues } from "./compare-object.ts";
import { compareObjects, compareWithCluster } from "./compare-objects.ts";
import { compareObject } from "./testing/compare-one.ts";

function web(
  cluster: string,
  more: { readonly image?: string; readonly replicas?: number; readonly tier?: string } = {},
): BuiltRow {
  const { image = "registry.example/shop/web:1.4.2", replicas = 2, tier } = more;
  return builtRow(cluster, deploymentKind, {
    metadata: {
      name: "web",
      namespace: "shop",
      uid: `uid in ${cluster}`,
      resourceVersion: cluster.length.toString(),
      generation: cluster.length,
      creationTimestamp: `2026-01-0${cluster.length}T10:00:00Z`,
      labels: { app: "web", ...(tier === undefined ? {} : { tier }) },
      annotations: { "deployment.kubernetes.io/revision": cluster.length.toString() },
    },
    spec: { replicas, template: { spec: { containers: [{ name: "web", image }] } } },
    status: {
      observedGeneration: cluster.length,
      replicas,
      updatedReplicas: replicas,
      readyReplicas: replicas,
      availableReplicas: replicas,
    },
  });
}

const clusters = ["c1", "c-2", "c--3", "c---4"];
const key = { resource: "apps/deployments", namespace: "shop", name: "web" };
const scope = { visibilityOf: seesAll, clusters, isComplete: () => true };

describe("one object over clusters", () => {
  test("[CM1, CM2] only fields that are not given by the cluster differ, with their values by cluster", () => {
    const fleet = buildFleet([web("c1"), web("c-2", { replicas: 3, tier: "front" }), web("c--3", { replicas: 3 })]);
    const compared = finish(compareObject(fleet, { ...scope, key }));
    expect(compared).toMatchObject({
      presentIn: ["c--3", "c-2", "c1"],
      missingIn: ["c---4"],
      unknownIn: [],
      noAccessIn: [],
      newest: { cluster: "c--3" },
      oldest: { cluster: "c1" },
    });
    const counted = (field: string) => ({
      field,
      values: [
        { value: "3", clusters: ["c--3", "c-2"] },
        { value: "2", clusters: ["c1"] },
      ],
    });
    expect(compared.differences).toMatchObject([
      counted("field.replicas"),
      {
        field: "label.tier",
        values: [
          { value: undefined, clusters: ["c--3", "c1"] },
          { value: "front", clusters: ["c-2"] },
        ],
      },
    ]);
    const all = finish(compareObject(fleet, { ...scope, key, withVolatile: true })).differences.map(
      ({ field }) => field,
    );
    expect(all).toEqual(
      expect.arrayContaining([
        "annotation.deployment.kubernetes.io/revision",
        "created",
        "field.ready",
        "resourceVersion",
        "uid",
      ]),
    );
  });

  test("[CM5] images are compared by version, the newest first, whichever registry they come from", () => {
    const images = ["registry.example/shop/web:1.10.0", "mirror.example/shop/web:1.9.1", "shop/web:1.10.0-rc.2"];
    const fleet = buildFleet(images.map((image, at) => web(clusters[at] ?? "", { image })));
    expect(finish(compareObject(fleet, { ...scope, key })).images).toEqual([
      {
        repository: "shop/web",
        versions: [
          { version: "1.10.0", clusters: ["c1"] },
          { version: "1.10.0-rc.2", clusters: ["c--3"] },
          { version: "1.9.1", clusters: ["c-2"] },
        ],
      },
    ]);
  });

  test("[CM5] fields that are versions are listed newest first", () => {
    const node = (cluster: string, kubeletVersion: string): BuiltRow =>
      builtRow(cluster, nodeKind, { metadata: { name: "a" }, status: { nodeInfo: { kubeletVersion } } });
    const fleet = buildFleet([node("c1", "v1.9.3"), node("c-2", "v1.36.3"), node("c--3", "v1.9.3")]);
    const compared = finish(compareObject(fleet, { ...scope, key: { resource: "nodes", namespace: "", name: "a" } }));
    expect(compared.differences).toMatchObject([
      {
        field: "field.kubeletVersion",
        areVersions: true,
        values: [{ value: "v1.36.3" }, { value: "v1.9.3", clusters: ["c--3", "c1"] }],
      },
    ]);
  });

  test("[CM2, CM5] Pods of one name are compared by their images, not by the state of their containers", () => {
    const pod = (cluster: string, tag: string, restartCount: number): BuiltRow =>
      builtRow(cluster, podKind, {
        metadata: {
          name: "db-0",
          namespace: "shop",
          labels: { "pod-template-hash": `h${cluster.length}` },
          ownerReferences: [{ apiVersion: "apps/v1", kind: "ReplicaSet", name: `db-h${cluster.length}`, uid: cluster }],
        },
        spec: { nodeName: `node-${cluster}`, containers: [{ name: "db", image: `postgres:${tag}` }] },
        status: {
          phase: "Running",
          podIP: `10.0.0.${cluster.length}`,
          containerStatuses: [{ name: "db", restartCount, ready: true }],
        },
      });
    const fleet = buildFleet([pod("c1", "17", 0), pod("c-2", "16.4", 3)]);
    const compared = finish(
      compareObject(fleet, { ...scope, key: { resource: "pods", namespace: "shop", name: "db-0" } }),
    );
    expect(compared.differences.map(({ field }) => field)).toEqual(["image"]);
    expect(compared.images[0]?.versions.map(({ version }) => version)).toEqual(["17", "16.4"]);
  });

  test("[L17] [CM3] a cluster without access is listed alike whether it has the object or not", () => {
    const hides = (cluster: string): Visibility => ({ kind: cluster === "c-2" ? "none" : "all" });
    const request = { ...scope, visibilityOf: hides, key };
    const [withIt, without] = [buildFleet([web("c1"), web("c-2", { replicas: 9 })]), buildFleet([web("c1")])];
    expect(finish(compareObject(withIt, request))).toEqual(finish(compareObject(without, request)));
    expect(finish(compareObject(withIt, request)).noAccessIn).toEqual(["c-2"]);
  });

  test("[L4] [CM3] an object is not missing where the index does not have all objects", () => {
    const fleet = buildFleet([web("c1")]);
    const request = { ...scope, key, isComplete: (cluster: string) => cluster !== "c-2" };
    expect(finish(compareObject(fleet, request))).toMatchObject({
      missingIn: ["c---4", "c--3"],
      unknownIn: ["c-2"],
    });
  });

  test("[CM1] [L13] differences and their values are bounded, and the rest is counted", () => {
    const labels = (cluster: number): Record<string, string> =>
      Object.fromEntries(
        Array.from({ length: maxDifferences + 20 }, (_, at) => [`l${at}`, `${"v".repeat(60)}${cluster}`]),
      );
    const many = Array.from({ length: maxDifferingValues + 5 }, (_, at) => `many-${at}`);
    const fleet = buildFleet(
      many.map((cluster, at) =>
        builtRow(cluster, nodeKind, { metadata: { name: "a", labels: labels(at) }, status: {} }),
      ),
    );
    const request = { ...scope, clusters: many, key: { resource: "nodes", namespace: "", name: "a" } };
    const compared = finish(compareObject(fleet, request));
    expect(compared.differences).toHaveLength(maxDifferences);
    expect(compared.otherDifferenceCount).toBe(20);
    for (const { values, otherValueCount } of compared.differences)
      expect([values.length, otherValueCount]).toEqual([maxDifferingValues, 5]);
  });
});

describe("everything against one cluster", () => {
  test("[CM6] what is missing, extra or different is listed, what is equal is not", () => {
    const other = (cluster: string, name: string): BuiltRow =>
      builtRow(cluster, nodeKind, { metadata: { name }, status: {} });
    const fleet = buildFleet([
      web("c1"),
      web("c-2", { image: "registry.example/shop/web:1.3.0" }),
      web("c--3"),
      other("c1", "same"),
      other("c-2", "same"),
      other("c--3", "same"),
      other("c-2", "extra"),
    ]);
    const request = { ...scope, clusters: ["c-2", "c--3"], limit: 10 };
    expect(finish(compareWithCluster(fleet, "c1", request))).toEqual({
      objects: [
        {
          ...key,
          missingIn: [],
          extraIn: [],
          differences: [
            {
              field: "image",
              baselineValue: "registry.example/shop/web:1.4.2",
              values: [{ value: "registry.example/shop/web:1.3.0", clusters: ["c-2"] }],
              otherValueCount: 0,
            },
          ],
          otherDifferenceCount: 0,
        },
        {
          resource: "nodes",
          namespace: "",
          name: "extra",
          missingIn: [],
          extraIn: ["c-2"],
          differences: [],
          otherDifferenceCount: 0,
        },
      ],
      next: undefined,
    });
  });

  test("[CM4] a page of differences skips any number of equal objects", () => {
    const nodes = (cluster: string, lastVersion: string): readonly BuiltRow[] =>
      Array.from({ length: 300 }, (_, at) =>
        builtRow(cluster, nodeKind, {
          metadata: { name: `n${String(at).padStart(3, "0")}` },
          status: { nodeInfo: { kubeletVersion: at === 299 ? lastVersion : "v1" } },
        }),
      );
    const fleet = buildFleet([...nodes("c1", "v1"), ...nodes("c-2", "v2")]);
    const request = { ...scope, clusters: ["c1", "c-2"], limit: 10 };
    const { objects, next } = finish(compareObjects(fleet, { ...request, onlyDifferent: true }));
    expect(objects.map(({ name }) => name)).toEqual(["n299"]);
    expect(next).toBeUndefined();
    expect(finish(compareObjects(fleet, request)).next).toEqual({ resource: "nodes", namespace: "", name: "n009" });
  });

  test.each([0, 201, 0.5])("[CM4] a limit of %s is refused", (limit) => {
    const request = { ...scope, limit };
    expect(() => finish(compareObjects(buildFleet([]), request))).toThrow("the limit must be an integer from 1 to 200");
  });
});
