// SPDX-License-Identifier: Apache-2.0
import { compareUtf8 } from "../../model/text.ts";
import { type Draft, type DraftObject } from "../json/json.ts";
import { textAt } from "../json/json-fields.ts";
import { stringifyJson } from "../json/stringify-json.ts";
import { formatGoValue } from "../patch/go-value.ts";
import { jsonPatchComplaints } from "../patch/json-patch.ts";
import { patchedObjectRefused } from "../patch/patch-error.ts";
import { conversionProblem } from "../request/go-kind-names.ts";
import { type FieldValidation, settleComplaints } from "../request/write-options.ts";
import type { SchemaTable } from "../schema/schema.ts";
import { CannotBeHandled } from "../schema-decode/decoding-refusals.ts";
import { ApiError, invalid } from "../status/api-error.ts";
import { invalidValue } from "../status/field-error.ts";
import { apiVersionOf } from "../storage/render-object.ts";
import type { PatchedKind, PatchType } from "./patch-object.ts";

/** A patched object before it is decoded as its kind. */
export interface PatchedObject {
  readonly table: SchemaTable;
  readonly resource: PatchedKind;
  readonly type: PatchType;
  readonly patch: Draft;
  /** Keys that occur more than once in the patch's text. */
  readonly duplicates: readonly string[];
  readonly validation: FieldValidation;
  readonly warnings: Set<string>;
}

/**
 * Decodes a patched object as its kind and cleans it. Takes over `patched`. Throws kube-apiserver's 422, whose message
 * contains the object or the patch.
 */
export function decodePatched(context: PatchedObject, patched: DraftObject): DraftObject {
  const { resource, type, patch, duplicates, validation, warnings } = context;
  const { clean, isCustom, facts } = resource;
  const shown = (): string => (type === "strategic" ? formatGoValue(patch) : showPatched(patched));
  const text = validation === "Strict" ? shown() : "";
  if (isCustom) checkKindIsThere(patched);
  else if (type !== "strategic") checkKind(context, patched, shown);
  const cleaned = decode(() => clean(patched, undefined), shown);
  const complaints = [...(type === "json" ? jsonPatchComplaints(patch) : duplicates), ...cleaned.complaints];
  settleComplaints(complaints, validation, warnings, () =>
    patchedObjectRefused(text, `strict decoding error: ${complaints.join(", ")}`),
  );
  const { object } = cleaned;
  if (isCustom) checkCustomType(resource, object);
  object["apiVersion"] = apiVersionOf(facts);
  object["kind"] = facts.kind;
  return object;
}

/** As kube-apiserver prints it: top-level keys are sorted. */
function showPatched(patched: DraftObject): string {
  return stringifyJson(Object.fromEntries(Object.entries(patched).sort(([a], [b]) => compareUtf8(a, b))));
}

function decode<T>(clean: () => T, shown: () => string): T {
  try {
    return clean();
  } catch (reason) {
    throw reason instanceof CannotBeHandled ? patchedObjectRefused(shown(), reason.problem) : reason;
  }
}

function checkKind({ resource: { facts }, table }: PatchedObject, patched: DraftObject, shown: () => string): void {
  const [version = "", group = ""] = (textAt(patched, "apiVersion") ?? apiVersionOf(facts)).split("/").reverse();
  const named = { group, version, kind: textAt(patched, "kind") ?? facts.kind };
  const problem = conversionProblem(table, named, facts);
  if (problem !== undefined) throw patchedObjectRefused(shown(), problem);
}

function checkKindIsThere(patched: DraftObject): void {
  if ((textAt(patched, "kind") ?? "") !== "") return;
  const shown = showPatched(patched);
  throw patchedObjectRefused(shown, `Object 'Kind' is missing in '${shown}'`);
}

/** A patched custom resource must keep its kind and apiVersion. */
function checkCustomType({ facts }: PatchedKind, object: DraftObject): void {
  const given = { kind: textAt(object, "kind") ?? "", apiVersion: textAt(object, "apiVersion") ?? "" };
  const wanted = { kind: facts.kind, apiVersion: apiVersionOf(facts) };
  if (given.apiVersion === "") {
    const problem = "Object 'apiVersion' is missing in 'object has no apiVersion field'";
    throw new ApiError(500, "InternalError", `Internal error occurred: ${problem}`, {
      details: { causes: [{ message: problem }] },
    });
  }
  for (const field of ["kind", "apiVersion"] as const)
    if (given[field] !== wanted[field])
      throw invalid({ group: facts.group, kind: given.kind }, textAt(object, "metadata", "name") ?? "", [
        invalidValue(field, given[field], `must be ${wanted[field]}`),
      ]);
}
