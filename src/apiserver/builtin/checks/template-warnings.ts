// SPDX-License-Identifier: Apache-2.0
import type { JsonObject } from "../../json/json.ts";
import { podSpecWarnings } from "../pod-spec/pod-spec-warnings.ts";
import { isSameValue, objectOf } from "./field-checks.ts";

/** Warnings about `spec.template`; none for an update that does not change the spec. */
export function templateWarnings(object: JsonObject, old: JsonObject | undefined): readonly string[] {
  const spec = objectOf(object, "spec");
  if (old !== undefined && isSameValue(spec, objectOf(old, "spec"))) return [];
  return podSpecWarnings(objectOf(spec, "template"), "spec.template");
}
