// SPDX-License-Identifier: Apache-2.0
// DaemonSets still carry the number of their template as an annotation, which the server keeps.
import { type DraftObject, ensureObject, type JsonObject, textAt, valueAt } from "../../json/json.ts";
import { isSameValue } from "../checks/field-checks.ts";

const annotation = "deprecated.daemonset.template.generation";

/** A new DaemonSet begins with template 1, or with what the annotation says. */
export function startTemplateGeneration(object: DraftObject): void {
  const said = templateGeneration(object);
  writeGeneration(object, said < 1n ? 1n : said);
}

/** The number of `old`, one more when the template changed; what a client says of it does not count. */
export function countTemplateGeneration(object: DraftObject, old: JsonObject): void {
  const isSame = isSameValue(valueAt(object, "spec", "template"), valueAt(old, "spec", "template"));
  writeGeneration(object, templateGeneration(old) + (isSame ? 0n : 1n));
}

/** Zero where there is none or it is no whole number. */
function templateGeneration(object: JsonObject): bigint {
  const text = textAt(object, "metadata", "annotations", annotation) ?? "";
  return /^[+-]?\d{1,18}$/.test(text) ? BigInt(text.replace("+", "")) : 0n;
}

function writeGeneration(object: DraftObject, generation: bigint): void {
  ensureObject(ensureObject(object, "metadata"), "annotations")[annotation] = String(generation);
}
