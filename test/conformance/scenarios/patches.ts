// SPDX-License-Identifier: Apache-2.0
import type { Step, Topic } from "../scenario.ts";
import { configMap, configMaps, deployment, deployments, jsonPatch, mergePatch, strategicPatch } from "./bodies.ts";

const target = `${configMaps}/p`;

function withJsonPatch(name: string, body: unknown): Step {
  return { name, method: "PATCH", path: target, headers: jsonPatch, body };
}

function withMergePatch(name: string, body: unknown): Step {
  return { name, method: "PATCH", path: target, headers: mergePatch, body };
}

function withStrategicPatch(name: string, body: unknown): Step {
  return { name, method: "PATCH", path: `${deployments}/d`, headers: strategicPatch, body };
}

const container = (more: object): object => ({ spec: { template: { spec: { containers: [more] } } } });

export const patches: Topic = {
  name: "patches",
  scenarios: [
    {
      id: "json-patch",
      steps: [
        {
          name: "create",
          method: "POST",
          path: configMaps,
          body: configMap("p", { a: "1" }, { labels: { "x/y": "t" } }),
        },
        withJsonPatch("add, replace, remove", [
          { op: "add", path: "/data/b", value: "2" },
          { op: "replace", path: "/data/a", value: "3" },
          { op: "remove", path: "/metadata/labels/x~1y" },
        ]),
        withJsonPatch("copy, move, test", [
          { op: "test", path: "/data/a", value: "3" },
          { op: "copy", from: "/data/a", path: "/data/c" },
          { op: "move", from: "/data/b", path: "/data/d" },
        ]),
        withJsonPatch("replace of a key that is not there", [{ op: "replace", path: "/data/new", value: "n" }]),
        withJsonPatch("test of a key that is not there against null", [
          { op: "test", path: "/data/none", value: null },
        ]),
        withJsonPatch("a test that fails", [{ op: "test", path: "/data/a", value: "no" }]),
        withJsonPatch("remove of a key that is not there", [{ op: "remove", path: "/data/none" }]),
        withJsonPatch("add without a parent", [{ op: "add", path: "/metadata/annotations/x", value: "1" }]),
        withJsonPatch("an operation that nobody knows", [{ op: "frob", path: "/data/a" }]),
        withJsonPatch("an object instead of a list", { op: "add" }),
        withJsonPatch("an empty list changes nothing", []),
        withJsonPatch("a list item", [
          { op: "add", path: "/metadata/finalizers", value: ["a/b"] },
          { op: "add", path: "/metadata/finalizers/-", value: "c/d" },
          { op: "add", path: "/metadata/finalizers/0", value: "e/f" },
        ]),
        withJsonPatch("a list item out of range", [{ op: "remove", path: "/metadata/finalizers/9" }]),
        withJsonPatch("the result is invalid", [{ op: "replace", path: "/metadata/name", value: "other" }]),
        withJsonPatch("the result has a wrong type", [{ op: "replace", path: "/data/a", value: 5 }]),
        withJsonPatch("finalizers go again", [{ op: "remove", path: "/metadata/finalizers" }]),
      ],
    },
    {
      id: "merge-patch",
      steps: [
        { name: "create", method: "POST", path: configMaps, body: configMap("p", { a: "1", b: "2" }) },
        withMergePatch("set and remove", { data: { a: null, c: "3" } }),
        withMergePatch("null in a map that is new", { metadata: { annotations: { x: null, y: "1" } } }),
        withMergePatch("nothing changes", { data: { c: "3" } }),
        withMergePatch("a whole field", { data: null }),
        withMergePatch("another kind", { kind: "Secret" }),
        withMergePatch("another name", { metadata: { name: "q" } }),
        withMergePatch("another namespace", { metadata: { namespace: "q" } }),
        withMergePatch("a wrong type", { data: "x" }),
        withMergePatch("an unknown field", { spec: { x: 1 } }),
        withMergePatch("a list instead of an object", []),
        { name: "garbage", method: "PATCH", path: target, headers: mergePatch, text: "{" },
        { name: "no body", method: "PATCH", path: target, headers: mergePatch },
        {
          name: "a type that is no patch",
          method: "PATCH",
          path: target,
          headers: { "content-type": "application/json" },
          body: {},
        },
        {
          name: "a type that nobody knows",
          method: "PATCH",
          path: target,
          headers: { "content-type": "text/x-diff" },
          text: "",
        },
        { name: "no type", method: "PATCH", path: target, text: "{}" },
        {
          name: "force where it means nothing",
          method: "PATCH",
          path: target,
          query: { force: "true" },
          headers: mergePatch,
          body: {},
        },
      ],
    },
    {
      id: "strategic-patch",
      steps: [
        {
          name: "create",
          method: "POST",
          path: deployments,
          body: deployment("d", {
            template: {
              metadata: { labels: { app: "d" } },
              spec: {
                containers: [
                  {
                    name: "c",
                    image: "nginx",
                    ports: [{ containerPort: 80 }],
                    env: [
                      { name: "A", value: "1" },
                      { name: "B", value: "2" },
                    ],
                    args: ["x", "y"],
                  },
                ],
              },
            },
          }),
        },
        withStrategicPatch("a container by its name", container({ name: "c", image: "nginx:2" })),
        withStrategicPatch("one more container", container({ name: "side", image: "side" })),
        withStrategicPatch(
          "an environment variable by its name",
          container({ name: "c", env: [{ name: "B", value: "3" }] }),
        ),
        withStrategicPatch("$patch delete", container({ name: "side", $patch: "delete" })),
        withStrategicPatch("$patch replace of a list", {
          spec: { template: { spec: { containers: [{ $patch: "replace" }, { name: "n", image: "n" }] } } },
        }),
        withStrategicPatch("a list without a merge key is replaced", container({ name: "n", args: ["z"] })),
        withStrategicPatch("$setElementOrder", {
          spec: {
            template: {
              spec: {
                "$setElementOrder/containers": [{ name: "m" }, { name: "n" }],
                containers: [{ name: "m", image: "m" }],
              },
            },
          },
        }),
        withStrategicPatch("$retainKeys", { spec: { strategy: { $retainKeys: ["type"], type: "Recreate" } } }),
        withStrategicPatch("finalizers are added", { metadata: { finalizers: ["a/b", "c/d"] } }),
        withStrategicPatch("$deleteFromPrimitiveList", {
          metadata: { "$deleteFromPrimitiveList/finalizers": ["a/b", "c/d"] },
        }),
        withStrategicPatch("null removes", {
          spec: { replicas: null, template: { spec: { terminationGracePeriodSeconds: null } } },
        }),
        withStrategicPatch("an item without its key", container({ image: "x" })),
        withStrategicPatch("a $patch that nobody knows", container({ name: "c", $patch: "frob" })),
        withStrategicPatch("a list instead of an object", []),
        withStrategicPatch("the result is invalid", { spec: { selector: { matchLabels: { app: "other" } } } }),
        withStrategicPatch("an unknown field", { spec: { nope: 1 } }),
      ],
    },
  ],
};
