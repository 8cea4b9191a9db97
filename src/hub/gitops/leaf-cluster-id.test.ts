// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { parseClusterId } from "../../model/cluster-id.ts";
import { gitopsClusters, parseGitopsLeaf } from "./gitops-leaf.ts";
import { leafClusterId } from "./leaf-cluster-id.ts";

test.each([
  ["default", "east", "east"],
  ["fleet", "east", "fleet-east"],
  ["fleet", "eu.west.1", "fleet-eu-west-1"],
  ["a", "b-c", "a-b-c"],
  ["a-b", "c", "a-b-c"],
])("[IN26] GitopsCluster %s/%s is cluster %s", (namespace, name, id) => {
  expect(leafClusterId(namespace, name)).toBe(id);
});

const label = fc.stringMatching(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/);
const subdomain = fc
  .array(label, { minLength: 1, maxLength: 4 })
  .map((labels) => labels.join("."))
  .filter((name) => name.length <= 253);

test("[IN26] every name that Kubernetes accepts has a valid id, and long names that differ have different ones", () => {
  fc.assert(
    fc.property(label, subdomain, (namespace, name) => {
      const id = leafClusterId(namespace, name);
      expect(parseClusterId(id)).toBe(id);
      expect(leafClusterId(namespace, name)).toBe(id);
    }),
    { numRuns: 200 },
  );
  const long = "a".repeat(60);
  expect(leafClusterId("fleet", `${long}1`)).not.toBe(leafClusterId("fleet", `${long}2`));
});

test.each([
  [{ secretRef: { name: "credential" } }, "credential"],
  [{ capiClusterRef: { name: "east" } }, "east-kubeconfig"],
  [{ secretRef: { name: "credential" }, capiClusterRef: { name: "east" } }, "credential"],
  [{}, undefined],
  [{ secretRef: { name: "../etc" } }, undefined],
  [{ secretRef: { name: 7 } }, undefined],
])("[Q-21] the Secret of spec %j is %s", (spec, secretName) => {
  const leaf = parseGitopsLeaf({ spec }, { namespace: "fleet", name: "east", uid: "u1" });
  expect(leaf).toEqual({ namespace: "fleet", name: "east", uid: "u1", clusterId: "fleet-east", secretName });
});

test("an object without a name or uid of Kubernetes is no declaration", () => {
  for (const identity of [
    { namespace: "", name: "east", uid: "u" },
    { namespace: "fleet", name: "E", uid: "u" },
    { namespace: "fleet", name: "east", uid: "" },
    { namespace: "fleet", name: "east", uid: "u".repeat(129) },
  ])
    expect(parseGitopsLeaf({}, identity)).toBeUndefined();
  expect(gitopsClusters).toEqual({ group: "gitops.weave.works", version: "v1alpha1", resource: "gitopsclusters" });
});
