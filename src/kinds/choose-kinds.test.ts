// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { parseResourceId, resourceIdText } from "../model/gvr.ts";
import { defaultKinds, derivedKinds } from "./all-kinds.ts";
import { chooseKinds } from "./choose-kinds.ts";
import { patternExclusions } from "./pattern-exclusions.ts";

const rbac = ["clusterroles", "clusterrolebindings", "roles", "rolebindings"].map(
  (name) => `rbac.authorization.k8s.io/${name}`,
);
const controlPlanes = "mesh.flotilla.dev/istiocontrolplaneconfigs";
const defaults = defaultKinds.map(({ resource }) => resourceIdText(resource));

function choose(kinds: readonly string[], excludeKinds: readonly string[] = []) {
  const { chosen, derived, others } = chooseKinds({ kinds, excludeKinds });
  const names = (all: readonly { readonly resource: Parameters<typeof resourceIdText>[0] }[]): readonly string[] =>
    all.map(({ resource }) => resourceIdText(resource));
  return {
    chosen: names(chosen),
    derived: names(derived),
    named: others.named.map(resourceIdText),
    wants: (text: string) => others.wants(parseResourceId(text)),
  };
}

test("nothing wanted means the default, without Secrets", () => {
  const { chosen, derived, others } = chooseKinds({ kinds: [], excludeKinds: [] });
  expect({ chosen, derived }).toEqual({ chosen: defaultKinds, derived: derivedKinds });
  expect(others).toMatchObject({ named: [], patterns: [] });
});

test("[L2] what is wanted comes with RBAC's four, each once, and Secrets only when asked for", () => {
  const { chosen, derived } = choose(["pods", "secrets", "pods"]);
  expect(chosen).toEqual([...rbac, "pods", "secrets"]);
  expect(derived).toEqual([]);
});

test("[L2] what is excluded is left out, except RBAC's four", () => {
  const { chosen } = choose(["pods", "services"], ["services", ...rbac]);
  expect(chosen).toEqual([...rbac, "pods"]);
  expect(choose([], ["pods"]).chosen).not.toContain("pods");
});

test("[KI16] a derived kind stands for the kind that it comes from, and can be excluded by itself", () => {
  expect(choose([controlPlanes])).toMatchObject({
    chosen: [...rbac, "apps/deployments"],
    derived: [controlPlanes],
    named: [],
  });
  expect(choose(["apps/deployments"]).derived).toEqual([controlPlanes]);
  expect(choose(["apps/deployments"], [controlPlanes]).derived).toEqual([]);
  expect(choose([], ["apps/deployments"]).derived).toEqual([]);
});

describe("names and patterns", () => {
  test("[KI23] a kind with a file of its own by any name that kubectl takes", () => {
    expect(choose(["po", "Deployment", "pdb", "cronjobs.batch"]).chosen).toEqual([
      ...rbac,
      "pods",
      "apps/deployments",
      "policy/poddisruptionbudgets",
      "batch/cronjobs",
    ]);
  });

  test("[KI23] any other kind by its group, in both ways of writing it", () => {
    const { named, wants, chosen } = choose(["Certificates.cert-manager.io", "example.com/widgets", "serviceaccounts"]);
    expect(named).toEqual(["cert-manager.io/certificates", "example.com/widgets", "serviceaccounts"]);
    expect(named.every(wants)).toBe(true);
    expect(wants("cert-manager.io/issuers")).toBe(false);
    expect(chosen).toEqual(rbac);
  });

  test("[KI23] default stands for what is collected where nothing is named", () => {
    const { chosen, wants } = choose(["default", "cert-manager.io/*"]);
    expect(chosen).toEqual(defaults);
    expect([wants("cert-manager.io/issuers"), wants("acme.cert-manager.io/orders")]).toEqual([true, false]);
  });

  test("[KI23] a pattern takes known kinds and others alike, and excluding counts more", () => {
    const { chosen, wants } = choose(["apps/*", "*.crossplane.io/*"], ["apps/daemonsets", "s3.*/*"]);
    expect(chosen).toEqual([...rbac, "apps/deployments", "apps/statefulsets", "apps/replicasets"]);
    expect(wants("apps/controllerrevisions")).toBe(true);
    expect(wants("ec2.aws.crossplane.io/vpcs")).toBe(true);
    expect(wants("s3.aws.crossplane.io/buckets")).toBe(false);
    expect(wants("apps/deployments")).toBe(false);
  });

  test("[L18] [KI24] a pattern leaves out Secrets and what is on the list, which can be named", () => {
    const all = choose(["*"]);
    expect(all.chosen).toEqual(defaults);
    expect(all.wants("cert-manager.io/certificates")).toBe(true);
    for (const { pattern } of patternExclusions) {
      const text = resourceIdText(pattern).replace("*", "pods");
      expect(all.wants(text), text).toBe(false);
      expect([...choose(["*", text]).named, ...choose(["*", text]).chosen]).toContain(text);
    }
  });

  test.each([
    ["podz", "write it with its group"],
    ["constructor", "write it with its group"],
    ["a/b/c", "more than one /"],
    ["/pods", "begins with /"],
    ["cert manager/*", "neither RESOURCE"],
    ["*/", "neither RESOURCE"],
    ["", "resource"],
  ])("[KI23] %j is refused with a sentence", (text, sentence) => {
    expect(() => choose([text])).toThrow(sentence);
    expect(() => choose([], [text])).toThrow(sentence);
  });
});
