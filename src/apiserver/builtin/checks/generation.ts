// SPDX-License-Identifier: Apache-2.0
import { countOf, type DraftObject, ensureObject, type JsonObject, valueAt } from "../../json/json.ts";
import { isSameValue } from "./field-checks.ts";

/**
 * Sets the generation to that of `old` plus one if the value at the path changed. For kinds whose generation does not
 * count exactly the changes of the desired state.
 */
export function countChangeAt(object: DraftObject, old: JsonObject, ...path: readonly string[]): void {
  if (isSameValue(valueAt(object, ...path), valueAt(old, ...path))) return;
  ensureObject(object, "metadata")["generation"] = countOf(old, "metadata", "generation") + 1;
}
