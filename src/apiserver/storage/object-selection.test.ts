// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { configMapResource, toConfigMap } from "../../../test/support/api-storage.ts";
import { createBuiltinResources } from "../builtin-resources.ts";
import { parseListOptions } from "../request/list-options.ts";
import type { Resource } from "../resources/resource.ts";
import { loadSchemaTable } from "../schema/load-schema-table.ts";
import { ParsedObjects } from "./cached-object.ts";
import { Selection } from "./object-selection.ts";
import { encodeBody } from "./stored-body.ts";

const podResource = createBuiltinResources(loadSchemaTable()).find(({ storageId }) => storageId === "pods");
if (podResource === undefined) throw new Error("there are no pods");

const parsed = new ParsedObjects(16);
const configMap = parsed.add(
  "n",
  "a",
  1,
  encodeBody(toConfigMap({ name: "a", namespace: "n", labels: { app: "web", tier: "" } })),
);
const pod = parsed.add(
  "n",
  "p",
  1,
  encodeBody({ metadata: { name: "p", namespace: "n" }, spec: { nodeName: "node-1" }, status: { phase: "Running" } }),
);

function select(resource: Resource, query: Readonly<Record<string, string>>, namespace?: string): Selection {
  return new Selection(resource, { namespace }, parseListOptions(new URLSearchParams(query)));
}

test.each([
  [{}, undefined, true],
  [{}, "n", true],
  [{}, "m", false],
  [{ labelSelector: "app=web" }, undefined, true],
  [{ labelSelector: "app!=web" }, undefined, false],
  [{ labelSelector: "tier" }, undefined, true],
  [{ labelSelector: "tier=" }, undefined, true],
  [{ labelSelector: "!other" }, undefined, true],
  [{ labelSelector: "app in (db)" }, undefined, false],
  [{ labelSelector: "other notin (x)" }, undefined, true],
  [{ fieldSelector: "metadata.name=a" }, undefined, true],
  [{ fieldSelector: "metadata.name=b" }, undefined, false],
  [{ fieldSelector: "metadata.name!=a" }, undefined, false],
  [{ fieldSelector: "metadata.namespace=n,metadata.name=a" }, "n", true],
  [{ fieldSelector: "metadata.namespace!=n" }, undefined, false],
])("a config map a in n with app=web and tier= matches %j in %s: %s", (query, namespace, expected) => {
  const selection = select(configMapResource, query, namespace);
  const mustNotParse = (): never => {
    throw new Error("nothing here needs the whole object");
  };
  expect(selection.matches(configMap, mustNotParse)).toBe(expected);
});

test.each([
  ["spec.nodeName=node-1", true],
  ["spec.nodeName=node-2", false],
  ["status.phase!=Running", false],
  ["status.phase=Running,metadata.name=p", true],
])("a pod on node-1 that runs matches %s: %s", (fieldSelector, expected) => {
  expect(select(podResource, { fieldSelector }).matches(pod, (cached) => parsed.get(cached))).toBe(expected);
});

test.each([
  [{}, false],
  [{ labelSelector: "app" }, true],
  [{ fieldSelector: "metadata.name=a" }, true],
])("with %j something may be left out: %s", (query, expected) => {
  expect(select(configMapResource, query).hasSelectors).toBe(expected);
});

test.each(["data.x=1", "spec.nodeName=a", "__proto__=x"])("config maps are not selected by %s", (fieldSelector) => {
  expect(() => select(configMapResource, { fieldSelector })).toThrow(
    expect.objectContaining({ code: 400, reason: "BadRequest" }) as Error,
  );
});
