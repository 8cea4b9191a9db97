// SPDX-License-Identifier: Apache-2.0
// The claim templates of a StatefulSet, from which each Pod gets its claims.

import { type DraftObject, ensureObject, type Json, type JsonObject } from "../../json/json.ts";
import { listAt, objectsAt, textAt, textOf } from "../../json/json-fields.ts";
import type { FieldError } from "../../status/field-error.ts";
import { objectOf } from "../checks/field-checks.ts";
import { setIfEmpty } from "../checks/object-fields.ts";
import { validateClaimSpec } from "../pod-spec/validate-claim-spec.ts";
import { setClaimSpecDefaults } from "../pod-spec/volume-defaults.ts";

/** Sets the defaults of claims, and always sets `apiVersion` and `kind`. */
export function setClaimTemplateDefaults(spec: DraftObject): void {
  for (const claim of objectsAt(spec, "volumeClaimTemplates")) {
    claim["apiVersion"] = "v1";
    claim["kind"] = "PersistentVolumeClaim";
    setClaimSpecDefaults(ensureObject(claim, "spec"));
    setIfEmpty(ensureObject(claim, "status"), "phase", "Pending");
  }
}

/** Validates the spec of each claim template. */
export function validateClaimTemplates(spec: JsonObject): readonly FieldError[] {
  return objectsAt(spec, "volumeClaimTemplates").flatMap((claim, index) =>
    validateClaimSpec(objectOf(claim, "spec"), `spec.volumeClaimTemplates[${index}].spec`),
  );
}

/** The pod spec with a volume for each claim template. It replaces a volume of the same name. */
export function withClaimVolumes(podSpec: JsonObject, spec: JsonObject): JsonObject {
  const names = objectsAt(spec, "volumeClaimTemplates").map((claim) => textOf(claim, "metadata", "name"));
  if (names.length === 0) return podSpec;
  const claimed: Json[] = [...new Set(names)].map((name) => ({ name, persistentVolumeClaim: { claimName: name } }));
  const own = (listAt(podSpec, "volumes") ?? []).filter((volume) => !names.includes(textAt(volume, "name") ?? ""));
  return { ...podSpec, volumes: [...claimed, ...own] };
}
