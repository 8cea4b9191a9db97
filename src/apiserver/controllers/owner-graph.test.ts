// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../json/json.ts";
import type { ObjectRef } from "./cluster-client.ts";
import { deletionStateOf, OwnerGraph, objectKey, ownersOf, parseObjectKey } from "./owner-graph.ts";

function ref(name: string): ObjectRef {
  return { resource: "configmaps", namespace: "n", name };
}

/** An object whose uid is its name; `!` before an owner: blocked. A waiting one is deleted in the foreground. */
function object(name: string, owners: readonly string[], isWaiting = false): JsonObject {
  return {
    metadata: {
      name,
      uid: name,
      ownerReferences: owners.map((owner) => ({
        apiVersion: "v1",
        kind: "ConfigMap",
        name: owner.replace("!", ""),
        uid: owner.replace("!", ""),
        blockOwnerDeletion: owner.startsWith("!"),
      })),
      ...(isWaiting ? { deletionTimestamp: "2026-01-01T00:00:00Z", finalizers: ["foregroundDeletion"] } : {}),
    },
  };
}

function namesOf(graph: OwnerGraph, owner: string): readonly string[] {
  return [...graph.dependentsOf(owner)].map((dependent) => dependent.ref.name);
}

test.each([
  { resource: "pods", namespace: "n", name: "web-1" },
  { resource: "apps/deployments", namespace: "n", name: "web" },
  { resource: "rbac.authorization.k8s.io/clusterroles", namespace: "", name: "a role: with spaces" },
])("the key of $resource $name can be taken apart", (place) => {
  expect(parseObjectKey(objectKey(place))).toEqual(place);
});

test("references that are no objects, and parts that are no texts, do no harm", () => {
  const odd = { metadata: { ownerReferences: [null, "x", { uid: 7, name: "a", blockOwnerDeletion: "true" }] } };
  expect(ownersOf(odd)).toEqual([{ apiVersion: "", kind: "", name: "a", uid: "", isBlocking: false }]);
});

test.each([
  ["living", {}],
  ["living", { finalizers: ["orphan"] }],
  ["going", { deletionTimestamp: "t" }],
  ["going", { deletionTimestamp: "t", finalizers: ["example.com/hold"] }],
  ["waiting", { deletionTimestamp: "t", finalizers: ["example.com/hold", "foregroundDeletion"] }],
  ["orphaning", { deletionTimestamp: "t", finalizers: ["orphan"] }],
] as const)("an object is %s with %o", (state, metadata) => {
  expect(deletionStateOf({ metadata })).toBe(state);
});

describe("the graph", () => {
  test("follows changes of owners and deletes", () => {
    const graph = new OwnerGraph();
    expect(graph.put(ref("b"), object("b", ["a", "x"]))).toBeUndefined();
    graph.put(ref("c"), object("c", ["a"]));
    expect(namesOf(graph, "a")).toEqual(["b", "c"]);
    expect(graph.put(ref("b"), object("b", ["x"]))?.owners.map(({ name }) => name)).toEqual(["a", "x"]);
    expect(namesOf(graph, "a")).toEqual(["c"]);
    expect(namesOf(graph, "x")).toEqual(["b"]);
    graph.put(ref("b"), object("b", []));
    expect(graph.hasDependents("x")).toBe(false);
    graph.delete(ref("c"), "c");
    expect(graph.hasDependents("a")).toBe(false);
    expect(graph.get(ref("c"))).toBeUndefined();
  });

  test("remembers a deleted owner while it has dependents", () => {
    const graph = new OwnerGraph();
    graph.put(ref("b"), object("b", ["a"]));
    expect(graph.isGone("a")).toBe(false);
    graph.delete(ref("a"), "a");
    expect(graph.isGone("a")).toBe(true);
    graph.put(ref("b"), object("b", ["a", "x"]));
    expect(graph.isGone("a")).toBe(true);
    graph.delete(ref("b"), "b");
    expect(graph.isGone("a")).toBe(false);
    graph.delete(ref("lonely"), "lonely");
    expect(graph.isGone("lonely")).toBe(false);
  });
});

describe("an owner that is deleted in the foreground", () => {
  test.each([
    ["has no dependents", [], false],
    ["has one that does not block", [object("b", ["a"])], false],
    ["has one that blocks", [object("b", ["!a"])], true],
    ["has one that blocks and waits for another", [object("b", ["!a"], true), object("c", ["!b"])], true],
    ["has one that blocks and is about to go", [object("b", ["!a"], true)], true],
    ["owns itself", [object("a", ["!a"], true)], false],
    ["is in a circle", [object("a", ["!b"], true), object("b", ["!a"], true)], false],
    ["is in a circle with one that has not begun to go", [object("a", ["!b"], true), object("b", ["!a"])], true],
    [
      "is in a circle that has a dependent outside",
      [object("a", ["!b"], true), object("b", ["!a"], true), object("c", ["!b"])],
      true,
    ],
    [
      "is in a circle that waits for one outside that is about to go",
      [object("a", ["!b"], true), object("b", ["!a"], true), object("c", ["!b"], true)],
      true,
    ],
    ["has a dependent in a circle of others", [object("b", ["!a", "!c"], true), object("c", ["!b"], true)], true],
  ] as const)("that %s: blocked", (_what, objects, isBlocked) => {
    const graph = new OwnerGraph();
    for (const each of objects) graph.put(ref((each["metadata"] as { name: string }).name), each);
    expect(graph.isBlocked("a")).toBe(isBlocked);
  });
});
