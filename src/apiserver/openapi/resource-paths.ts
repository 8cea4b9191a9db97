// SPDX-License-Identifier: Apache-2.0
import { type DraftObject, type JsonObject, setKey } from "../json/json.ts";
import type { ResourceFacts, SubresourceFacts } from "../schema/schema.ts";
import { type Action, actionParameters, pathParameters } from "./operation-parameters.ts";
import { type GroupVersionKind, referenceTo } from "./type-schema.ts";

const meta = "io.k8s.apimachinery.pkg.apis.meta.v1";
const jsonTypes = ["application/json", "application/yaml"];

/** What a resource's paths refer to. */
export interface PathInput {
  readonly facts: ResourceFacts;
  /** Name of the schema of a kind; undefined where objects of it never come as a body. */
  readonly schemaOf: (kind: GroupVersionKind) => string | undefined;
  /** With strategic merge patch, which custom resources lack: by this kubectl chooses how to patch. */
  readonly patchTypes: readonly string[];
}

/** Verb -> HTTP method and action, on the collection, on one object and on a subresource. */
const collectionVerbs = {
  list: ["get", "list"],
  create: ["post", "post"],
  deletecollection: ["delete", "deletecollection"],
} as const;
const objectVerbs = {
  get: ["get", "get"],
  update: ["put", "put"],
  patch: ["patch", "patch"],
  delete: ["delete", "delete"],
} as const;
const subresourceVerbs = {
  get: ["get", "get"],
  create: ["post", "post"],
  update: ["put", "put"],
  patch: ["patch", "patch"],
} as const;

export function groupVersionPath(group: string, version: string): string {
  return group === "" ? `api/${version}` : `apis/${group}/${version}`;
}

/** Adds the paths of a resource and its subresources. Options of exec, proxy and the like have none: those are no JSON. */
export function addResourcePaths(paths: DraftObject, input: PathInput): void {
  const { group, version, resource, namespaced, verbs, kind } = input.facts;
  const root = `/${groupVersionPath(group, version)}`;
  const collection = `${root}/${namespaced ? "namespaces/{namespace}/" : ""}${resource}`;
  const own: GroupVersionKind = { group, version, kind };
  addPath(paths, collection, operations(input, verbs, collectionVerbs, own));
  if (namespaced && verbs.includes("list")) {
    addPath(paths, `${root}/${resource}`, operations(input, ["list"], collectionVerbs, own));
  }
  addPath(paths, `${collection}/{name}`, operations(input, verbs, objectVerbs, own));
  for (const sub of input.facts.subresources) {
    if (sub.kind.endsWith("Options")) continue;
    addPath(paths, `${collection}/{name}/${sub.name}`, operations(input, sub.verbs, subresourceVerbs, kindOf(sub)));
  }
}

function kindOf({ group, version, kind }: SubresourceFacts): GroupVersionKind {
  return { group, version, kind };
}

function addPath(paths: DraftObject, path: string, found: JsonObject): void {
  if (Object.keys(found).length === 0) return;
  setKey(paths, path, { ...found, parameters: [...pathParameters(path)] } as DraftObject);
}

function operations(
  input: PathInput,
  verbs: readonly string[],
  methods: Readonly<Record<string, readonly [string, Action]>>,
  kind: GroupVersionKind,
): JsonObject {
  const found: [string, JsonObject][] = [];
  for (const [verb, [method, action]] of Object.entries(methods)) {
    if (verbs.includes(verb)) found.push([method, operation(input, action, kind)]);
  }
  return Object.fromEntries(found);
}

function operation({ schemaOf, patchTypes }: PathInput, action: Action, kind: GroupVersionKind): JsonObject {
  const isDelete = action === "delete" || action === "deletecollection";
  const answered = isDelete
    ? `${meta}.Status`
    : schemaOf(action === "list" ? { ...kind, kind: `${kind.kind}List` } : kind);
  const body = isDelete ? `${meta}.DeleteOptions` : action === "patch" ? `${meta}.Patch` : schemaOf(kind);
  const takesBody = action !== "get" && action !== "list" && body !== undefined;
  const ok = { description: "OK", ...(answered === undefined ? {} : { content: content(jsonTypes, answered) }) };
  return {
    parameters: [...actionParameters[action]],
    ...(takesBody
      ? {
          requestBody: {
            content: content(action === "patch" ? patchTypes : ["*/*"], body),
            ...(isDelete ? {} : { required: true }),
          },
        }
      : {}),
    responses: {
      "200": ok,
      ...(action === "post" || action === "put" || action === "patch"
        ? { "201": { ...ok, description: "Created" } }
        : {}),
      "401": { description: "Unauthorized" },
    },
    "x-kubernetes-action": action,
    "x-kubernetes-group-version-kind": { ...kind },
  };
}

function content(mediaTypes: readonly string[], name: string): JsonObject {
  return Object.fromEntries(mediaTypes.map((type) => [type, { schema: referenceTo(name) }]));
}
