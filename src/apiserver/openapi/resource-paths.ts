// SPDX-License-Identifier: Apache-2.0
import { type DraftObject, type JsonObject, setKey } from "../json/json.ts";
import type { ResourceFacts, SubresourceFacts } from "../schema/schema.ts";
import { capitalized, type OperationName, operationGroup, operationId, operationTag } from "./operation-name.ts";
import { type Action, actionParameters, pathParameters } from "./operation-parameters.ts";
import { type GroupVersionKind, referenceTo } from "./type-schema.ts";

const meta = "io.k8s.apimachinery.pkg.apis.meta.v1";

/** The input for a resource's paths. */
export interface PathInput {
  readonly facts: ResourceFacts;
  /** The schema name of a kind; undefined if its objects are never a body. */
  readonly schemaOf: (kind: GroupVersionKind) => string | undefined;
  /** Includes strategic merge patch, except for custom resources. kubectl chooses its patch type by this list. */
  readonly patchTypes: readonly string[];
  /** Media types of request bodies, except patches. */
  readonly bodyTypes: readonly string[];
  /** Media types of responses, and those of watches only. */
  readonly answerTypes: readonly string[];
  readonly streamTypes: readonly string[];
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

/** Success codes in addition to 200. */
const furtherAnswers: Readonly<Record<Action, ReadonlySet<number>>> = {
  get: new Set(),
  list: new Set(),
  post: new Set([201, 202]),
  put: new Set([201]),
  patch: new Set([201]),
  delete: new Set([202]),
  deletecollection: new Set(),
};

export function groupVersionPath(group: string, version: string): string {
  return group === "" ? `api/${version}` : `apis/${group}/${version}`;
}

/**
 * Adds the paths of a resource and its subresources. Skips subresources with an Options kind, such as exec and proxy:
 * they are not JSON.
 */
export function addResourcePaths(paths: DraftObject, input: PathInput): void {
  const { group, version, resource, namespaced, verbs, kind } = input.facts;
  const root = `/${groupVersionPath(group, version)}`;
  const collection = `${root}/${namespaced ? "namespaces/{namespace}/" : ""}${resource}`;
  const own: GroupVersionKind = { group, version, kind };
  const name = { groupVersion: operationGroup(group, version), kind };
  const scope = namespaced ? "Namespaced" : "";
  addPath(paths, collection, operations(input, verbs, collectionVerbs, { kind: own, name: { ...name, scope } }));
  if (namespaced && verbs.includes("list")) {
    const everywhere = { ...name, scope: "", suffix: "ForAllNamespaces" };
    addPath(
      paths,
      `${root}/${resource}`,
      operations(input, ["list"], collectionVerbs, { kind: own, name: everywhere }),
    );
  }
  addPath(
    paths,
    `${collection}/{name}`,
    operations(input, verbs, objectVerbs, { kind: own, name: { ...name, scope } }),
  );
  for (const sub of input.facts.subresources) {
    if (sub.kind.endsWith("Options")) continue;
    const subName = { ...name, scope, suffix: capitalized(sub.name) };
    const found = operations(input, sub.verbs, subresourceVerbs, { kind: kindOf(sub), name: subName });
    addPath(paths, `${collection}/{name}/${sub.name}`, found);
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
  target: OperationTarget,
): JsonObject {
  const found: [string, JsonObject][] = [];
  for (const [verb, [method, action]] of Object.entries(methods)) {
    if (verbs.includes(verb)) found.push([method, operation(input, action, target)]);
  }
  return Object.fromEntries(found);
}

/** The kind of an operation, and the parts of its name. */
interface OperationTarget {
  readonly kind: GroupVersionKind;
  readonly name: Omit<OperationName, "action">;
}

function operation(input: PathInput, action: Action, { kind, name }: OperationTarget): JsonObject {
  const { schemaOf, patchTypes, bodyTypes, answerTypes, streamTypes } = input;
  const isDelete = action === "delete" || action === "deletecollection";
  const answered = isDelete
    ? `${meta}.Status`
    : schemaOf(action === "list" ? { ...kind, kind: `${kind.kind}List` } : kind);
  const body = isDelete ? `${meta}.DeleteOptions` : action === "patch" ? `${meta}.Patch` : schemaOf(kind);
  const takesBody = action !== "get" && action !== "list" && body !== undefined;
  const types = action === "list" ? [...answerTypes, ...streamTypes] : answerTypes;
  const ok = { description: "OK", ...(answered === undefined ? {} : { content: content(types, answered) }) };
  const parameters = actionParameters[action];
  return {
    tags: [operationTag(name.groupVersion)],
    operationId: operationId({ ...name, action }),
    ...(parameters.length === 0 ? {} : { parameters: [...parameters] }),
    ...(takesBody
      ? {
          requestBody: {
            content: content(action === "patch" ? patchTypes : bodyTypes, body),
            ...(isDelete ? {} : { required: true }),
          },
        }
      : {}),
    responses: {
      "200": ok,
      ...(furtherAnswers[action].has(201) ? { "201": { ...ok, description: "Created" } } : {}),
      ...(furtherAnswers[action].has(202) ? { "202": { ...ok, description: "Accepted" } } : {}),
      "401": { description: "Unauthorized" },
    },
    "x-kubernetes-action": action,
    "x-kubernetes-group-version-kind": { ...kind },
  };
}

function content(mediaTypes: readonly string[], name: string): JsonObject {
  return Object.fromEntries(mediaTypes.map((type) => [type, { schema: referenceTo(name) }]));
}
