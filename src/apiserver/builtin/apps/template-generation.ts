// SPDX-License-Identifier: Apache-2.0
// DaemonSets have a template generation in an annotation, which the server maintains.
import { type DraftObject, ensureObject, type JsonObject, textAt, valueAt } from "../../json/json.ts";
import { isSameValue } from "../checks/field-checks.ts";

const annotation = "deprecated.daemonset.template.generation";

/** Starts the template generation of a new DaemonSet at 1, or at the client's higher number. */
export function startTemplateGeneration(object: DraftObject): void {
  const said = templateGeneration(object);
  writeGeneration(object, said < 1n ? 1n : said);
}

/** Sets the template generation: that of `old`, plus one if the template changed. The client's number is ignored. */
export function countTemplateGeneration(object: DraftObject, old: JsonObject): void {
  const isSame = isSameValue(valueAt(object, "spec", "template"), valueAt(old, "spec", "template"));
  writeGeneration(object, templateGeneration(old) + (isSame ? 0n : 1n));
}

/** Zero if the annotation is absent or not an integer. */
function templateGeneration(object: JsonObject): bigint {
  const text = textAt(object, "metadata", "annotations", annotation) ?? "";
  return /^[+-]?\d{1,18}$/.test(text) ? BigInt(text.replace("+", "")) : 0n;
}

function writeGeneration(object: DraftObject, generation: bigint): void {
  ensureObject(ensureObject(object, "metadata"), "annotations")[annotation] = String(generation);
}
