// SPDX-License-Identifier: Apache-2.0
import { type JsonObject } from "../../json/json.ts";
import { textOf } from "../../json/json-fields.ts";
import { isGeneratedFrom } from "../../metadata/generate-name.ts";
import { type ApiError, forbidden } from "../../status/api-error.ts";

/**
 * Builds the Forbidden error of an admission plugin. An object with a generated name appears as its `generateName`:
 * kube-apiserver generates names after admission. Repeated attempts of a controller thus get the same message.
 */
export function refusedByAdmission(resource: string, object: JsonObject, because: string): ApiError {
  const name = textOf(object, "metadata", "name");
  const prefix = textOf(object, "metadata", "generateName");
  const isGenerated = prefix !== "" && isGeneratedFrom(prefix, name);
  return forbidden({ group: "", resource }, (isGenerated ? prefix : name || prefix) || "Unknown", because);
}
