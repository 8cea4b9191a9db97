// SPDX-License-Identifier: Apache-2.0
import type { Json } from "../json/json.ts";
import { ApiError, badRequest, invalid } from "../status/api-error.ts";
import { invalidValue } from "../status/field-error.ts";
import { goTypeOf, jsonTypeOf } from "./go-value.ts";

/**
 * The refusal of a patch that cannot be applied to the object. kube-apiserver does not return the reason; here it is
 * the cause, for logs.
 */
export function patchFailed(because: string): ApiError {
  return new ApiError(422, "Invalid", "the server rejected our request due to an error in our request", {
    details: {},
    cause: because,
  });
}

/** The refusal of a JSON body that is not a patch. `goType` is the Go type that kube-apiserver decodes it to. */
export function wrongPatchBody(value: Json, goType: string, prefix = "error decoding patch: "): ApiError {
  return badRequest(`${prefix}json: cannot unmarshal ${jsonTypeOf(value)} into Go value of type ${goType}`);
}

/**
 * The refusal of a strategic merge patch that contradicts itself or the types of the kind. kube-apiserver responds with
 * 500.
 */
export function strategicPatchFailed(because: string): ApiError {
  return new ApiError(500, "", because);
}

/** As `strategicPatchFailed`, for a value of the wrong Go type. */
export function wrongGoType(expected: "list" | "map", actual: Json): ApiError {
  const goType = expected === "list" ? "[]interface {}" : "map[string]interface {}";
  return strategicPatchFailed(`expected a ${goType}, but received a ${goTypeOf(actual)}`);
}

/**
 * The refusal of a patched object that is not valid for its kind, or that strict field validation refuses. `shown` is
 * the value in kube-apiserver's message: the patched object as JSON, or a strategic merge patch in the form of
 * `formatGoValue`.
 */
export function patchedObjectRefused(shown: string, because: string): ApiError {
  return invalid({ group: "", kind: "" }, "", [invalidValue("patch", shown, because)]);
}
