// SPDX-License-Identifier: Apache-2.0
import { assert } from "../../base/assert.ts";
import { type DraftObject, ensureObject, type JsonObject, setKey } from "../json/json.ts";
import { numberAt, objectAt, textAt, valueAt } from "../json/json-fields.ts";
import { formatLabelSelector } from "../metadata/label-selector-object.ts";
import type { Resource, ScalePaths } from "../resources/resource.ts";
import type { SchemaTable } from "../schema/schema.ts";
import { cleanTyped } from "../schema-decode/clean-typed.ts";
import { ApiError, invalid } from "../status/api-error.ts";
import { invalidValue } from "../status/field-error.ts";
import type { PatchedKind } from "./patch-object.ts";

/**
 * The Scale of an object. Throws kube-apiserver's 500 for a custom resource without a value at its specReplicasPath.
 */
export function readScale(resource: Resource, paths: ScalePaths, object: JsonObject): DraftObject {
  if (numberAt(object, ...paths.specReplicas) === undefined && resource.isCustom)
    throw new ApiError(
      500,
      "InternalError",
      `Internal error occurred: the spec replicas field ".${paths.specReplicas.join(".")}" does not exist`,
      {
        details: { causes: [{ message: `the spec replicas field ".${paths.specReplicas.join(".")}" does not exist` }] },
      },
    );
  return toScale(paths, object);
}

/** The Scale of an object: its desired and current replicas; 0 if absent. */
export function toScale(paths: ScalePaths, object: JsonObject): DraftObject {
  const metadata = objectAt(object, "metadata") ?? {};
  const desired = numberAt(object, ...paths.specReplicas);
  const selector = selectorText(paths, object);
  const kept = ["name", "namespace", "uid", "resourceVersion", "creationTimestamp"] as const;
  return {
    kind: "Scale",
    apiVersion: "autoscaling/v1",
    metadata: Object.fromEntries(
      kept.flatMap((key) => (textAt(metadata, key) === undefined ? [] : [[key, textAt(metadata, key) ?? ""]])),
    ),
    // A desired count of 0 is omitted, as Go's omitempty does.
    spec: desired === undefined || desired === 0 ? {} : { replicas: desired },
    status: {
      replicas: numberAt(object, ...paths.statusReplicas) ?? 0,
      ...(selector === "" ? {} : { selector }),
    },
  };
}

/**
 * Writes the replicas of a Scale into the object. Throws Invalid for a negative count of a built-in kind; custom
 * resources have a rule of their own.
 */
export function applyScale({ isCustom }: Resource, paths: ScalePaths, object: DraftObject, scale: JsonObject): void {
  const replicas = numberAt(scale, "spec", "replicas") ?? 0;
  if (replicas < 0 && !isCustom)
    throw invalid({ group: "autoscaling", kind: "Scale" }, textAt(object, "metadata", "name") ?? "", [
      invalidValue("spec.replicas", replicas, "must be greater than or equal to 0"),
    ]);
  let at = object;
  for (const key of paths.specReplicas.slice(0, -1)) at = ensureObject(at, key);
  const last = paths.specReplicas.at(-1);
  if (last !== undefined) setKey(at, last, replicas);
}

/** Scale as a patchable kind. */
export function scaleResource(table: SchemaTable): PatchedKind {
  const name = { group: "autoscaling", version: "v1", kind: "Scale" };
  return {
    facts: name,
    isCustom: false,
    clean: (body, parsed) => {
      const schema = table.ofKind(name.group, name.version, name.kind);
      assert(schema !== undefined, "the schema table has no Scale");
      return cleanTyped(table, schema, body, { ...name, parsed });
    },
  };
}

function selectorText({ labelSelector }: ScalePaths, object: JsonObject): string {
  if (labelSelector === undefined) return "";
  const value = valueAt(object, ...labelSelector);
  return typeof value === "string" ? value : (formatLabelSelector(value) ?? "");
}
