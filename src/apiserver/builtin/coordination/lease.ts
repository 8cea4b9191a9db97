// SPDX-License-Identifier: Apache-2.0
import { type DraftObject, deleteKey, type JsonObject } from "../../json/json.ts";
import { objectAt } from "../../json/json-fields.ts";
import type { Strategy } from "../../resources/strategy.ts";
import { type FieldError, invalidValue } from "../../status/field-error.ts";
import { nonNegative, objectOf } from "../checks/field-checks.ts";
import { pointedNumber } from "../checks/object-fields.ts";

function validate(object: JsonObject): readonly FieldError[] {
  const spec = objectOf(object, "spec");
  const duration = pointedNumber(spec, "leaseDurationSeconds");
  return [
    ...(duration !== undefined && duration <= 0
      ? [invalidValue("spec.leaseDurationSeconds", duration, "must be greater than 0")]
      : []),
    ...nonNegative(spec, "spec", "leaseTransitions"),
  ];
}

/** Drops the fields of coordinated leader election: its feature gate is off in kube-apiserver. */
function dropDisabled(object: DraftObject): void {
  const spec = objectAt(object, "spec");
  if (spec === undefined) return;
  for (const key of ["strategy", "preferredHolder"]) deleteKey(spec, key);
}

/** Leases. A PUT creates a Lease that does not exist. */
export const leaseStrategy: Strategy = {
  prepareForCreate: dropDisabled,
  prepareForUpdate: dropDisabled,
  validate,
  allowsCreateOnUpdate: true,
  allowsUnconditionalUpdate: false,
};
