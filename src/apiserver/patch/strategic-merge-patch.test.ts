// SPDX-License-Identifier: Apache-2.0
// Orders and refusals are as a real server gave them.

import { describe, expect, test } from "vitest";
import type { Json, JsonObject } from "../json/json.ts";
import { valueAt } from "../json/json-fields.ts";
import { loadSchemaTable } from "../schema/load-schema-table.ts";
import { ApiError } from "../status/api-error.ts";
import { applyStrategicMergePatch } from "./strategic-merge-patch.ts";

const table = loadSchemaTable();
const schema = table.object("io.k8s.api.apps.v1.Deployment");

const container: JsonObject = {
  name: "c",
  image: "i",
  args: ["x", "y"],
  ports: [{ containerPort: 80 }, { containerPort: 81, protocol: "UDP" }],
  env: [
    { name: "A", value: "1" },
    { name: "B", value: "2" },
    { name: "C", value: "3" },
  ],
};
const podSpec: JsonObject = {
  containers: [container, { name: "d", image: "j" }],
  volumes: [
    { name: "v1", emptyDir: {} },
    { name: "v2", configMap: { name: "c" } },
  ],
  tolerations: [{ key: "t" }],
};
const deployment: JsonObject = {
  metadata: { name: "d", labels: { x: "1" }, finalizers: ["a/b", "c/d", "e/f"] },
  spec: {
    replicas: 1,
    strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1 } },
    template: { metadata: { labels: { app: "d" } }, spec: podSpec },
  },
};

function patched(patch: Json): JsonObject {
  return applyStrategicMergePatch(table, schema, deployment, patch);
}

function patchedPod(patch: JsonObject): Json | undefined {
  return valueAt(patched({ spec: { template: { spec: patch } } }), "spec", "template", "spec");
}

function patchedContainer(patch: JsonObject): Json | undefined {
  const pod = patchedPod({ containers: [{ name: "c", ...patch }] });
  return (pod as { containers: JsonObject[] }).containers[0];
}

function refusalOf(patch: Json): { readonly code: number; readonly reason: string; readonly message: string } {
  try {
    patched(patch);
  } catch (reason) {
    if (reason instanceof ApiError) return { code: reason.code, reason: reason.reason, message: reason.message };
    throw reason;
  }
  throw new Error("nothing was refused");
}

describe("maps", () => {
  test("null is a patch that changes nothing", () => {
    expect(patched(null)).toEqual(deployment);
  });

  test("are merged, and null deletes", () => {
    const { metadata } = patched({ metadata: { labels: { x: null, y: "2", z: null } } }) as { metadata: JsonObject };
    expect(metadata).toEqual({ name: "d", labels: { y: "2" }, finalizers: ["a/b", "c/d", "e/f"] });
  });

  test("that are new lose their nulls and the maps that carry directives", () => {
    const annotations = { a: "b", c: null, d: { $patch: "delete" } };
    expect(valueAt(patched({ metadata: { annotations } }), "metadata", "annotations")).toEqual({ a: "b" });
  });

  test("are replaced or emptied by $patch", () => {
    const labelsAfter = (labels: JsonObject): Json | undefined =>
      valueAt(patched({ metadata: { labels } }), "metadata", "labels");
    expect(labelsAfter({ $patch: "replace", q: "r" })).toEqual({ q: "r" });
    expect(labelsAfter({ $patch: "delete", q: "r" })).toEqual({});
    expect(patched({ $patch: "replace", metadata: { name: "d" } })).toEqual({ metadata: { name: "d" } });
  });

  test("keep only what $retainKeys names", () => {
    const strategy = { $retainKeys: ["type"], type: "Recreate" };
    expect(valueAt(patched({ spec: { strategy } }), "spec", "strategy")).toEqual({ type: "Recreate" });
  });

  test("in place of a number, with a directive, take it away", () => {
    expect(valueAt(patched({ spec: { replicas: { $patch: "delete" } } }), "spec", "replicas")).toBeUndefined();
  });
});

describe("lists", () => {
  const names = (items: Json | undefined): unknown => (items as JsonObject[]).map(({ name }) => name);

  test("with a merge key are merged item by item", () => {
    expect(patchedContainer({ image: "new" })).toEqual({ ...container, image: "new" });
    expect(patchedContainer({ ports: [{ containerPort: 81, name: "x" }] })).toEqual({
      ...container,
      ports: [{ containerPort: 80 }, { containerPort: 81, protocol: "UDP", name: "x" }],
    });
  });

  test("without a strategy are replaced", () => {
    expect(patchedContainer({ args: ["z"] })).toEqual({ ...container, args: ["z"] });
    expect(patchedPod({ tolerations: [] })).toEqual({ ...podSpec, tolerations: [] });
  });

  test("have new items first", () => {
    const added = { name: "z", image: "q" };
    expect(patchedPod({ containers: [added] })).toEqual({
      ...podSpec,
      containers: [added, ...(podSpec["containers"] as JsonObject[])],
    });
  });

  test("take the order of the patch for what it names", () => {
    const env = [{ name: "C" }, { name: "Q", value: "4" }, { name: "A" }];
    expect(names(valueAt(patchedContainer({ env }) ?? null, "env"))).toEqual(["B", "C", "Q", "A"]);
  });

  test("lose the items that $patch deletes", () => {
    const env = [
      { name: "B", $patch: "delete" },
      { name: "gone", $patch: "delete" },
    ];
    expect(names(valueAt(patchedContainer({ env }) ?? null, "env"))).toEqual(["A", "C"]);
  });

  test("are replaced by an item with the directive", () => {
    const added = { name: "z", image: "q" };
    expect(patchedPod({ containers: [{ $patch: "replace" }, added] })).toEqual({ ...podSpec, containers: [added] });
  });

  test("of texts are joined, each once", () => {
    const finalizers = ["c/d", "n/n", "c/d"];
    expect(valueAt(patched({ metadata: { finalizers } }), "metadata", "finalizers")).toEqual([
      "a/b",
      "c/d",
      "n/n",
      "e/f",
    ]);
  });

  test("of texts lose what $deleteFromPrimitiveList names", () => {
    const patch = { metadata: { "$deleteFromPrimitiveList/finalizers": ["c/d", "q/q"] } };
    expect(valueAt(patched(patch), "metadata", "finalizers")).toEqual(["a/b", "e/f"]);
    const all = {
      metadata: {
        finalizers: ["n/n"],
        "$deleteFromPrimitiveList/finalizers": ["a/b"],
        "$setElementOrder/finalizers": ["n/n", "c/d"],
      },
    };
    expect(valueAt(patched(all), "metadata", "finalizers")).toEqual(["n/n", "c/d", "e/f"]);
  });

  test("take the order of $setElementOrder, and the rest stays where it was", () => {
    const order = (list: readonly string[]): unknown =>
      names(valueAt(patchedContainer({ "$setElementOrder/env": list.map((name) => ({ name })) }) ?? null, "env"));
    expect(order(["C", "A"])).toEqual(["B", "C", "A"]);
    expect(order(["C", "B", "A"])).toEqual(["C", "B", "A"]);
    expect(order(["B"])).toEqual(["A", "B", "C"]);
  });

  test("that are new are ordered too", () => {
    const patch = {
      imagePullSecrets: [{ name: "s" }, { name: "t" }],
      "$setElementOrder/imagePullSecrets": [{ name: "s" }, { name: "t" }],
    };
    expect(patchedPod(patch)).toEqual({ ...podSpec, imagePullSecrets: [{ name: "s" }, { name: "t" }] });
  });

  test("that are held by pointer may be ordered where there is nothing to order", () => {
    expect(patchedPod({ "$setElementOrder/affinity": [] })).toEqual(podSpec);
  });

  test("of 20,000 items merge without quadratic work", () => {
    const env = Array.from({ length: 20_000 }, (_, index) => ({ name: `n${index}`, value: "x" }));
    const object = { spec: { template: { spec: { containers: [{ name: "c", env }] } } } };
    const patch = { spec: { template: { spec: { containers: [{ name: "c", env: env.toReversed() }] } } } };
    const result = applyStrategicMergePatch(table, schema, object, patch);
    const [merged] = valueAt(result, "spec", "template", "spec", "containers") as JsonObject[];
    expect(merged).toEqual({ name: "c", env: env.toReversed() });
  });
});

describe("a refused patch", () => {
  const inPod = (spec: JsonObject): JsonObject => ({ spec: { template: { spec } } });
  const unknownOrder =
    "The order in patch list:\n[map[image:q name:z]]\n doesn't match $setElementOrder list:\n[map[name:c]]\n";

  test.each<[Json, number, string]>([
    [[], 400, "json: cannot unmarshal array into Go value of type map[string]interface {}"],
    ["x", 400, "json: cannot unmarshal string into Go value of type map[string]interface {}"],
    [{ $patch: "foo" }, 500, "unknown patch type: foo in map: map[$patch:foo]"],
    [{ $patch: 5 }, 500, "unknown patch type: %!s(int64=5) in map: map[$patch:5]"],
    [
      { metadata: { labels: { $patch: "merge", b: "c" } } },
      500,
      "unknown patch type: merge in map: map[$patch:merge b:c]",
    ],
    [{ metadata: { $setElementOrder: ["a"] } }, 400, "invalid patch format of setElementOrder list"],
    [{ metadata: { "$setElementOrder/finalizers": 5 } }, 500, "expected a []interface {}, but received a int64"],
    [
      { metadata: { "$setElementOrder/labels": ["a"] } },
      500,
      "expected a []interface {}, but received a map[string]interface {}",
    ],
    [{ metadata: { $retainKeys: 5 } }, 400, "invalid patch format of retainKeys"],
    [{ metadata: { $retainKeys: ["name"], labels: {} } }, 400, "invalid patch format of retainKeys"],
    [{ $deleteFromPrimitiveList: ["k"] }, 400, "invalid patch format of primitive list"],
    [inPod({ containers: [{ image: "j" }] }), 500, "map: map[image:j] does not contain declared merge key: name"],
    [
      inPod({ containers: [{ $patch: "delete" }] }),
      500,
      "map: map[$patch:delete] does not contain declared merge key: name",
    ],
    [
      inPod({ containers: [{ name: "c", $patch: "merge" }] }),
      500,
      "merging lists cannot yet be specified in the patch",
    ],
    [
      inPod({ containers: [{ name: "c", $patch: "bad" }] }),
      500,
      "unknown patch type: bad in map: map[$patch:bad name:c]",
    ],
    [
      inPod({ volumes: [5] }),
      500,
      "list element types are not identical: [[map[emptyDir:map[] name:v1] map[configMap:map[name:c] name:v2]] [5]]",
    ],
    [
      inPod({ containers: [{ name: "z", image: "q" }], "$setElementOrder/containers": [{ name: "c" }] }),
      500,
      unknownOrder,
    ],
    [
      inPod({ "$setElementOrder/containers": [{ nme: "c" }] }),
      500,
      "map: map[nme:c] does not contain declared merge key: name",
    ],
    [inPod({ "$setElementOrder/containers": ["c"] }), 500, "value for key 0 is not a map"],
    [
      inPod({ containers: [{ name: "z" }], "$setElementOrder/containers": ["c"] }),
      500,
      "expected a map[string]interface {}, but received a string",
    ],
    [inPod({ "$setElementOrder/nodeName": [] }), 500, "expected slice or array type, but got: struct"],
    [
      { metadata: { labels: { "$setElementOrder/q": [] } } },
      500,
      "merging an object in json but data type is not struct, instead is: map",
    ],
    [
      inPod({ "$setElementOrder/bogus": [] }),
      500,
      'unable to find api field in struct PodSpec for the json field "bogus"',
    ],
  ])("%j", (patch, code, message) => {
    expect(refusalOf(patch)).toEqual({ code, reason: code === 400 ? "BadRequest" : "", message });
  });
});
