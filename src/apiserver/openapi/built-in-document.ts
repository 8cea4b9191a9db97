// SPDX-License-Identifier: Apache-2.0
import type { DraftObject, JsonObject } from "../json/json.ts";
import type { ResourceFacts, SchemaTable } from "../schema/schema.ts";
import { collectSchemas } from "./collect-schemas.ts";
import { type KindsByType, kindsByType } from "./kinds-by-type.ts";
import { addResourcePaths } from "./resource-paths.ts";
import type { GroupVersionKind } from "./type-schema.ts";

const meta = "io.k8s.apimachinery.pkg.apis.meta.v1";
const deleteOptions = `${meta}.DeleteOptions`;
const mediaTypes = {
  patchTypes: [
    "application/apply-patch+yaml",
    "application/json-patch+json",
    "application/merge-patch+json",
    "application/strategic-merge-patch+json",
  ],
  bodyTypes: ["*/*"],
  answerTypes: ["application/json", "application/yaml", "application/vnd.kubernetes.protobuf"],
  streamTypes: ["application/json;stream=watch", "application/vnd.kubernetes.protobuf;stream=watch"],
};

/**
 * The OpenAPI v3 document of a built-in group and version, with the resources that `isServed` accepts (by default all
 * of the table). Deterministic, including the order of keys.
 */
export function builtInDocument(
  table: SchemaTable,
  group: string,
  version: string,
  isServed: (facts: ResourceFacts) => boolean = () => true,
): JsonObject {
  const roots = new Set<string>();
  const schemaOf = (kind: GroupVersionKind): string | undefined => {
    const name = table.ofKind(kind.group, kind.version, kind.kind)?.name;
    if (name !== undefined) roots.add(name);
    return name;
  };
  const paths: DraftObject = {};
  const served = table.resources.filter(
    (facts) => facts.group === group && facts.version === version && isServed(facts),
  );
  for (const facts of served) addResourcePaths(paths, { facts, schemaOf, ...mediaTypes });
  const schemas = collectSchemas(table, [...roots, ...sharedSchemas(served)], withDeleteOptions(table, group, version));
  return openApiDocument(paths, schemas);
}

/** The kinds of the table, and DeleteOptions, which is a kind of the core group and of the given one. */
export function withDeleteOptions(table: SchemaTable, group: string, version: string): KindsByType {
  const core = { group: "", version: "v1", kind: "DeleteOptions" };
  const own = group === "" ? [] : [{ group, version, kind: "DeleteOptions" }];
  return new Map([...kindsByType(table), [deleteOptions, [core, ...own]]]);
}

/** Schemas that the paths of these resources refer to for every kind. */
export function sharedSchemas(resources: readonly ResourceFacts[]): readonly string[] {
  const some = (verb: string): boolean => resources.some(({ verbs }) => verbs.includes(verb));
  return [...(some("delete") ? [deleteOptions, `${meta}.Status`] : []), ...(some("patch") ? [`${meta}.Patch`] : [])];
}

/** The outer structure of every document. */
export function openApiDocument(paths: JsonObject, schemas: JsonObject): JsonObject {
  return { openapi: "3.0.0", info: { title: "Kubernetes", version: "unversioned" }, paths, components: { schemas } };
}
