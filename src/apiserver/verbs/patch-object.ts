// SPDX-License-Identifier: Apache-2.0
import type { Draft, DraftObject, JsonObject } from "../json/json.ts";
import { JsonTextError } from "../json/json-text-error.ts";
import { type ParsedText, parseJsonText } from "../json/parse-json.ts";
import { applyJsonPatch } from "../patch/json-patch.ts";
import { applyMergePatch } from "../patch/merge-patch.ts";
import { applyStrategicMergePatch } from "../patch/strategic-merge-patch.ts";
import type { Resource } from "../resources/resource.ts";
import type { SchemaTable } from "../schema/schema.ts";
import { ApiError, badRequest, notSupportedYet } from "../status/api-error.ts";

export type PatchType = "json" | "merge" | "strategic";

const typeOfContent: ReadonlyMap<string, PatchType> = new Map([
  ["application/json-patch+json", "json"],
  ["application/merge-patch+json", "merge"],
  ["application/strategic-merge-patch+json", "strategic"],
]);

const allTypes = [
  "application/json-patch+json",
  "application/merge-patch+json",
  "application/strategic-merge-patch+json",
  "application/apply-patch+yaml",
];

/** The facts of a kind that patching needs. */
export interface PatchedKind extends Pick<Resource, "isCustom" | "clean"> {
  readonly facts: { readonly group: string; readonly version: string; readonly kind: string };
}

/** The patch media types of a resource. Custom resources have no merge keys, so no strategic merge patch. */
export function patchTypesOf({ isCustom }: Pick<Resource, "isCustom">): readonly string[] {
  return isCustom ? allTypes.filter((each) => !each.includes("strategic")) : allTypes;
}

/** The patch type of a Content-Type. Throws kube-apiserver's 415. */
export function patchTypeOf(contentType: string, resource: Resource): PatchType | "apply" {
  const type = contentType.split(";", 1)[0]?.trim() ?? "";
  if (type === "application/apply-patch+yaml") return "apply";
  const found = typeOfContent.get(type);
  if (found !== undefined && !(found === "strategic" && resource.isCustom)) return found;
  const accepted = patchTypesOf(resource).join(", ");
  throw new ApiError(
    415,
    "UnsupportedMediaType",
    `the body of the request was in an unknown format - accepted media types include: ${accepted}`,
  );
}

/** Parses a patch: its value, and the keys that it repeats. Throws kube-apiserver's 400 for invalid JSON. */
export function parsePatch(text: string, type: PatchType): Pick<ParsedText, "value" | "duplicates"> {
  try {
    return parseJsonText(text, { findDuplicates: true });
  } catch (reason) {
    if (!(reason instanceof JsonTextError)) throw reason;
    throw badRequest(type === "strategic" ? reason.message : `error decoding patch: ${reason.message}`);
  }
}

/** Applies a patch to a copy of the object. */
export function applyPatch(
  type: PatchType,
  resource: PatchedKind,
  table: SchemaTable,
  { object, patch }: { readonly object: JsonObject; readonly patch: Draft },
): DraftObject {
  if (type === "json") return applyJsonPatch(object, patch);
  if (type === "merge") return applyMergePatch(object, patch);
  const { group, version, kind } = resource.facts;
  const schema = table.ofKind(group, version, kind);
  if (schema === undefined) throw notSupportedYet(`a strategic merge patch of ${kind}`);
  return applyStrategicMergePatch(table, schema, object, patch);
}
