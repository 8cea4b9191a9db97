// SPDX-License-Identifier: Apache-2.0
import { type DraftObject, ensureObject, type JsonObject, valueAt } from "../../json/json.ts";
import { countOf } from "../pod-spec/pod-spec-fields.ts";
import { isSameValue } from "./field-checks.ts";

/** One more than the generation of `old` when the value at the path changed. For kinds that count more, or less, than the desired state. */
export function countChangeAt(object: DraftObject, old: JsonObject, ...path: readonly string[]): void {
  if (isSameValue(valueAt(object, ...path), valueAt(old, ...path))) return;
  ensureObject(object, "metadata")["generation"] = countOf(old, "metadata", "generation") + 1;
}
