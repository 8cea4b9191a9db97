// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import type { JsonObject } from "../../apiserver/json/json.ts";
import type { ObjectReader } from "../../apiserver/resources/object-reader.ts";
import { forbidden } from "../../apiserver/status/api-error.ts";
import type { ObjectName } from "../../controllers/combine-controllers.ts";
import { combinePlaygroundControllers, type PlaygroundController, soonest } from "./playground-controller.ts";

const going: JsonObject = { metadata: { name: "going", deletionTimestamp: "2026-01-01T00:00:00Z" } };
const staying: JsonObject = { metadata: { name: "staying" } };
const pod: JsonObject = { metadata: { name: "web", namespace: "shop" } };
const objects: ObjectReader = {
  get: (_resource, _namespace, name) => (name === "going" ? going : staying),
  list: (resource) => (resource === "pods" ? [pod] : []),
};

function controllerOf(name: string, reconcile: PlaygroundController["reconcile"]): PlaygroundController {
  return {
    name,
    resource: "pods",
    watches: { services: ({ namespace }) => [undefined, `${namespace}/all`] },
    reconcile,
  };
}

test("each controller gets its own keys, at the start and from changes it asked for", async () => {
  const seen: [string, ObjectName][] = [];
  const note = (name: string): PlaygroundController =>
    controllerOf(name, (key) => {
      seen.push([name, key]);
      return Promise.resolve({});
    });
  const combined = combinePlaygroundControllers(objects, "both", [note("a"), note("b")]);
  expect([...combined.keys()]).toEqual(["a:shop/web", "b:shop/web"]);
  const change = { type: "ADDED", namespace: "shop", name: "web", object: pod } as const;
  expect([...combined.keysOf({ ...change, resource: "pods" })]).toEqual(["a:shop/web", "b:shop/web"]);
  expect([...combined.keysOf({ ...change, resource: "services" })]).toEqual(["a:shop/all", "b:shop/all"]);
  expect([...combined.keysOf({ ...change, resource: "secrets" })]).toEqual([]);
  await combined.reconcile("b:shop/web", new AbortController().signal);
  await combined.reconcile("a:/node-1", new AbortController().signal);
  expect(seen).toEqual([
    ["b", { namespace: "shop", name: "web" }],
    ["a", { namespace: "", name: "node-1" }],
  ]);
});

test("a refusal in a namespace that is going is no failure, one elsewhere is", async () => {
  const refusal = forbidden({ group: "", resource: "pods" }, "web", "it is being terminated");
  const combined = combinePlaygroundControllers(objects, "one", [controllerOf("a", () => Promise.reject(refusal))]);
  await expect(combined.reconcile("a:going/web", new AbortController().signal)).resolves.toEqual({});
  await expect(combined.reconcile("a:staying/web", new AbortController().signal)).rejects.toBe(refusal);
});

test("the sooner of two waits is waited for", () => {
  expect(soonest({}, {})).toEqual({});
  expect(soonest({ retryAfterMs: 5 }, {}, { retryAfterMs: 3 })).toEqual({ retryAfterMs: 3 });
  expect(soonest({ retryAfterMs: -2 })).toEqual({ retryAfterMs: 0 });
});
