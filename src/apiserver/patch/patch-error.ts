// SPDX-License-Identifier: Apache-2.0
import type { Json } from "../json/json.ts";
import { ApiError, badRequest, invalid } from "../status/api-error.ts";
import { invalidValue } from "../status/field-error.ts";
import { goTypeOf, jsonTypeOf } from "./go-value.ts";

/** A patch that cannot be applied to this object. The real server keeps the reason to itself; here it is the cause, for logs. */
export function patchFailed(because: string): ApiError {
  return new ApiError(422, "Invalid", "the server rejected our request due to an error in our request", {
    details: {},
    cause: because,
  });
}

/** A body that is JSON but no patch: `goType` is what the real server tried to read it as. */
export function wrongPatchBody(value: Json, goType: string, prefix = "error decoding patch: "): ApiError {
  return badRequest(`${prefix}json: cannot unmarshal ${jsonTypeOf(value)} into Go value of type ${goType}`);
}

/** A strategic merge patch that contradicts itself or the types of the kind. The real server takes these for faults of its own and answers 500. */
export function strategicPatchFailed(because: string): ApiError {
  return new ApiError(500, "", because);
}

/** The same, for a value of one Go type where another is needed. */
export function wrongGoType(expected: "list" | "map", actual: Json): ApiError {
  const goType = expected === "list" ? "[]interface {}" : "map[string]interface {}";
  return strategicPatchFailed(`expected a ${goType}, but received a ${goTypeOf(actual)}`);
}

/**
 * A patched object that is no object of its kind, or that strict field validation refuses. `shown` is what the real server prints: the patched object as JSON,
 * or a strategic merge patch as `formatGoValue` prints it.
 */
export function patchedObjectRefused(shown: string, because: string): ApiError {
  return invalid({ group: "", kind: "" }, "", [invalidValue("patch", shown, because)]);
}
