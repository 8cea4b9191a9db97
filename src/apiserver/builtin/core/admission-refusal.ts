// SPDX-License-Identifier: Apache-2.0
import type { JsonObject } from "../../json/json.ts";
import { isGeneratedFrom } from "../../metadata/generate-name.ts";
import { type ApiError, forbidden } from "../../status/api-error.ts";
import { textOf } from "../pod-spec/pod-spec-fields.ts";

/**
 * What admission refuses a write with. An object whose name is generated is named by the beginning of it, since the real server generates after admission;
 * so a controller that tries again is refused with the same words.
 */
export function refusedByAdmission(resource: string, object: JsonObject, because: string): ApiError {
  const name = textOf(object, "metadata", "name");
  const prefix = textOf(object, "metadata", "generateName");
  const isGenerated = prefix !== "" && isGeneratedFrom(prefix, name);
  return forbidden({ group: "", resource }, (isGenerated ? prefix : name || prefix) || "Unknown", because);
}
