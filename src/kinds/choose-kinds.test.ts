// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { resourceIdText } from "../model/gvr.ts";
import { defaultKinds, derivedKinds } from "./all-kinds.ts";
import { chooseKinds } from "./choose-kinds.ts";

const rbac = ["clusterroles", "clusterrolebindings", "roles", "rolebindings"].map(
  (name) => `rbac.authorization.k8s.io/${name}`,
);
const controlPlanes = "mesh.flotilla.dev/istiocontrolplaneconfigs";

function choose(kinds: readonly string[], excludeKinds: readonly string[] = []) {
  const { chosen, derived, unknown } = chooseKinds({ kinds, excludeKinds });
  const names = (all: readonly { readonly resource: Parameters<typeof resourceIdText>[0] }[]): readonly string[] =>
    all.map(({ resource }) => resourceIdText(resource));
  return { chosen: names(chosen), derived: names(derived), unknown };
}

test("nothing wanted means the default, without Secrets", () => {
  expect(chooseKinds({ kinds: [], excludeKinds: [] })).toEqual({
    chosen: defaultKinds,
    derived: derivedKinds,
    unknown: [],
  });
});

test("[L2] what is wanted comes with RBAC's four, each once, and Secrets only when asked for", () => {
  expect(choose(["pods", "secrets", "pods"])).toEqual({
    chosen: [...rbac, "pods", "secrets"],
    derived: [],
    unknown: [],
  });
});

test("[L2] what is excluded is left out, except RBAC's four", () => {
  const { chosen } = choose(["pods", "services"], ["services", ...rbac]);
  expect(chosen).toEqual([...rbac, "pods"]);
  expect(choose([], ["pods"]).chosen).not.toContain("pods");
});

test("[KI16] a derived kind stands for the kind that it comes from, and can be excluded by itself", () => {
  expect(choose([controlPlanes])).toEqual({
    chosen: [...rbac, "apps/deployments"],
    derived: [controlPlanes],
    unknown: [],
  });
  expect(choose(["apps/deployments"]).derived).toEqual([controlPlanes]);
  expect(choose(["apps/deployments"], [controlPlanes]).derived).toEqual([]);
  expect(choose([], ["apps/deployments"]).derived).toEqual([]);
});

test("names without a kind are told, wanted or excluded, `constructor` among them", () => {
  expect(choose(["pods", "widgets"], ["gadgets", "constructor"]).unknown).toEqual([
    "widgets",
    "gadgets",
    "constructor",
  ]);
});
