// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { KindState } from "../../gen/flotilla/session/v1/session_pb.ts";
import { deploymentKind } from "../../kinds/deployment-kind.ts";
import { namespaceKind } from "../../kinds/namespace-kind.ts";
import { nodeKind } from "../../kinds/node-kind.ts";
import { podKind } from "../../kinds/pod-kind.ts";
import { clusterRoleKind } from "../../kinds/rbac-role-kinds.ts";
import { secretKind } from "../../kinds/secret-kind.ts";
import type { ObjectRead } from "../../session/tunnel/tunnel.ts";
import { allowRead, type ReadPolicy } from "./read-policy.ts";

const report = { state: KindState.WATCHING, version: "v1" };

const policy: ReadPolicy = {
  kinds: [podKind, deploymentKind, namespaceKind, nodeKind, clusterRoleKind, secretKind],
  filter: {},
  reportOf: () => report,
};

const pod: ObjectRead = {
  user: "ann",
  groups: ["dev", "system:authenticated"],
  resource: "pods",
  namespace: "shop",
  name: "web-1",
};

/** `OK`, or the code and sentence of the refusal. */
function judge(change: Partial<ObjectRead>, rules: Partial<ReadPolicy> = {}): string {
  try {
    allowRead({ ...pod, ...change }, { ...policy, ...rules });
    return "OK";
  } catch (reason) {
    const { code, message } = reason as { code: string; message: string };
    return `${code}: ${message}`;
  }
}

test("[TU7] who is not acted for is refused before anything else is looked at", () => {
  expect(judge({ user: "system:admin", resource: "none" })).toMatch(/^PERMISSION_DENIED/);
  expect(judge({ groups: ["system:masters"] })).toMatch(/^PERMISSION_DENIED/);
});

test("[TU6] [TU8] a question becomes a resource as it is served, a place, and whom to act as; everybody's group is left to the API server", () => {
  expect(allowRead(pod, policy)).toEqual({
    gvr: { group: "", resource: "pods", version: "v1" },
    namespace: "shop",
    name: "web-1",
    actAs: { user: "ann", uid: undefined, groups: ["dev"], extra: new Map() },
  });
  const served = { ...policy, reportOf: () => ({ ...report, version: "v1beta3" }) };
  expect(allowRead({ ...pod, resource: "apps/deployments" }, served).gvr).toEqual({
    group: "apps",
    resource: "deployments",
    version: "v1beta3",
  });
});

describe("[TU7] what the agent reads", () => {
  test("[L18] no Secrets, also where they are collected", () => {
    expect(judge({ resource: "secrets" })).toBe(
      "PERMISSION_DENIED: the agent reads no Secrets for users; their values stay in the cluster",
    );
    expect(judge({ resource: "secrets" }, { kinds: [podKind] })).toMatch(/^NOT_FOUND/);
  });

  test.each(["configmaps", "Pods", "pods/log", "", "__proto__", "apps/pods", "deployments", "../secrets", "secrets/"])(
    "not %j, which it does not collect",
    (resource) => {
      expect(judge({ resource })).toBe(
        `NOT_FOUND: the agent does not collect ${JSON.stringify(resource)}, and reads nothing else for users`,
      );
    },
  );

  test("not what the cluster does not serve, nor what nobody knows the version of yet", () => {
    expect(judge({}, { reportOf: () => ({ ...report, state: KindState.NOT_INSTALLED, version: "" }) })).toBe(
      "NOT_FOUND: the cluster does not serve pods",
    );
    for (const known of [undefined, { ...report, version: "" }])
      expect(judge({}, { reportOf: () => known })).toBe(
        "UNAVAILABLE: the agent does not know yet how the cluster serves pods",
      );
  });

  test.each<[string, Partial<ObjectRead>, ReadPolicy["filter"], string]>([
    ["in one that is included", {}, { include: ["shop"] }, "OK"],
    ["in one that is not", {}, { include: ["pay"] }, "NOT_FOUND"],
    ["in one that is excluded", {}, { exclude: ["shop"] }, "NOT_FOUND"],
    ["in one that is both", {}, { include: ["shop"], exclude: ["shop"] }, "NOT_FOUND"],
    ["where none is", {}, { include: [] }, "NOT_FOUND"],
    ["of a kind without namespace", { resource: "nodes", namespace: "" }, { include: ["pay"] }, "OK"],
    ["that is one, included", { resource: "namespaces", namespace: "", name: "pay" }, { include: ["pay"] }, "OK"],
    [
      "that is one, not included",
      { resource: "namespaces", namespace: "", name: "shop" },
      { include: ["pay"] },
      "NOT_FOUND",
    ],
    [
      "that is one, excluded",
      { resource: "namespaces", namespace: "", name: "shop" },
      { exclude: ["shop"] },
      "NOT_FOUND",
    ],
  ])("[N-59] an object %s of the namespaces it collects", (_what, change, filter, outcome) => {
    expect(judge(change, { filter }).split(":")[0]).toBe(outcome);
  });

  test("an object without its namespace, or with one too many, is not found by guessing", () => {
    expect(judge({ namespace: "" })).toBe("INVALID_ARGUMENT: an object of pods lies in a namespace; name it");
    expect(judge({ resource: "nodes" })).toBe("INVALID_ARGUMENT: an object of nodes lies in no namespace; name none");
  });
});

describe("[TU6] names are parts of a path", () => {
  test.each(["", ".", "..", "a/b", "a%2fb", "a%", "/", "n".repeat(254), "é".repeat(127), "\ud800"])(
    "%j is none",
    (name) => {
      expect(judge({ name })).toMatch(/^INVALID_ARGUMENT: .* is not the name of an object$/);
      if (name !== "") expect(judge({ namespace: name })).toMatch(/^INVALID_ARGUMENT/);
    },
  );

  test.each(["web-1", "n".repeat(253), "...", "a..b", "a b", "a?b#c", "é"])("%j is one", (name) => {
    expect(judge({ name })).toBe("OK");
  });

  test("those of RBAC have a colon", () => {
    const change = { resource: "rbac.authorization.k8s.io/clusterroles", namespace: "", name: "system:node" };
    expect(judge(change)).toBe("OK");
  });
});
