// SPDX-License-Identifier: Apache-2.0
import { type DraftObject, getKey, type JsonObject } from "../json/json.ts";
import { objectAt } from "../json/json-fields.ts";
import type { ResourceFacts, SchemaTable, SubresourceFacts } from "../schema/schema.ts";
import { openApiDocument, sharedSchemas, withDeleteOptions } from "./built-in-document.ts";
import { collectSchemas } from "./collect-schemas.ts";
import { withEmbeddedProperties } from "./embedded-schema.ts";
import { addResourcePaths } from "./resource-paths.ts";
import { referenceTo } from "./type-schema.ts";

const meta = "io.k8s.apimachinery.pkg.apis.meta.v1";
const scale = "io.k8s.api.autoscaling.v1.Scale";
const plainTypes = ["application/json", "application/yaml"];
const mediaTypes = {
  patchTypes: ["application/apply-patch+yaml", "application/json-patch+json", "application/merge-patch+json"],
  bodyTypes: plainTypes,
  answerTypes: plainTypes,
  streamTypes: [],
};
const subresourceVerbs = ["get", "patch", "update"];

/** One version of a custom resource. */
export interface CustomResourceInput {
  readonly facts: ResourceFacts;
  readonly listKind: string;
  /** The version's `openAPIV3Schema`. */
  readonly schema: JsonObject;
  readonly hasStatus: boolean;
  readonly hasScale: boolean;
}

/** The OpenAPI v3 document of these custom resources: at least one, all of the same group and version. */
export function customResourceDocument(table: SchemaTable, inputs: readonly CustomResourceInput[]): JsonObject {
  const paths: DraftObject = {};
  const own: [string, JsonObject][] = [];
  const roots = new Set([...sharedSchemas(inputs.map(({ facts }) => facts)), `${meta}.ObjectMeta`, `${meta}.ListMeta`]);
  for (const input of inputs) {
    const { group, version, kind } = input.facts;
    const name = schemaNameOf(group, version, kind);
    const listName = schemaNameOf(group, version, input.listKind);
    if (input.hasScale) roots.add(scale);
    addResourcePaths(paths, {
      facts: { ...input.facts, subresources: subresourcesOf(input) },
      schemaOf: (each) => (each.kind === kind ? name : each.group === "autoscaling" ? scale : listName),
      ...mediaTypes,
    });
    own.push([name, objectSchema(input)], [listName, listSchema(input, name)]);
  }
  const { group = "", version = "" } = inputs[0]?.facts ?? {};
  const shared = collectSchemas(table, roots, withDeleteOptions(table, group, version));
  return openApiDocument(paths, { ...Object.fromEntries(own), ...shared });
}

function subresourcesOf({ facts, hasStatus, hasScale }: CustomResourceInput): readonly SubresourceFacts[] {
  const { group, version, kind } = facts;
  return [
    ...(hasStatus ? [{ name: "status", group, version, kind, verbs: subresourceVerbs }] : []),
    ...(hasScale
      ? [{ name: "scale", group: "autoscaling", version: "v1", kind: "Scale", verbs: subresourceVerbs }]
      : []),
  ];
}

/** `com.example.v1.Widget`: the group's parts are reversed. */
function schemaNameOf(group: string, version: string, kind: string): string {
  return [...group.split(".").reverse(), version, kind].join(".");
}

/** The given schema, with apiVersion, kind and metadata replaced by the properties of all objects. */
function objectSchema({ facts, schema }: CustomResourceInput): JsonObject {
  const { group, version, kind } = facts;
  const whole = withEmbeddedProperties(schema);
  const given = objectAt(whole, "properties") ?? {};
  return {
    ...copyOf(whole),
    type: "object",
    properties: {
      ...copyOf(given),
      apiVersion: { type: "string" },
      kind: { type: "string" },
      metadata: { allOf: [referenceTo(`${meta}.ObjectMeta`)] },
    },
    "x-kubernetes-group-version-kind": [{ group, version, kind }],
  };
}

/** A shallow copy that supports keys of any name. */
function copyOf(given: JsonObject): JsonObject {
  return Object.fromEntries(Object.keys(given).map((key) => [key, getKey(given, key) ?? null]));
}

function listSchema({ facts, listKind }: CustomResourceInput, itemName: string): JsonObject {
  return {
    type: "object",
    required: ["items"],
    properties: {
      apiVersion: { type: "string" },
      items: { type: "array", items: referenceTo(itemName) },
      kind: { type: "string" },
      metadata: { allOf: [referenceTo(`${meta}.ListMeta`)] },
    },
    "x-kubernetes-group-version-kind": [{ group: facts.group, version: facts.version, kind: listKind }],
  };
}
