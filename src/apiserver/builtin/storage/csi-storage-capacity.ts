// SPDX-License-Identifier: Apache-2.0
import { getKey, type JsonObject } from "../../json/json.ts";
import { textOf } from "../../json/json-fields.ts";
import { validateLabelSelector } from "../../metadata/label-rules.ts";
import { dnsSubdomainErrors } from "../../metadata/name-rules.ts";
import type { Strategy } from "../../resources/strategy.ts";
import { type FieldError, invalidValue } from "../../status/field-error.ts";
import { immutable } from "../checks/field-checks.ts";
import { quantityNanos } from "../pod-spec/quantity-value.ts";
import { invalidEach } from "../pod-spec/text-rules.ts";

function validate(object: JsonObject): readonly FieldError[] {
  const className = textOf(object, "storageClassName");
  const capacity = textOf(object, "capacity");
  return [
    ...validateLabelSelector(getKey(object, "nodeTopology"), "nodeTopology"),
    ...invalidEach("storageClassName", className, dnsSubdomainErrors(className, false)),
    ...(capacity !== "" && (quantityNanos(capacity) ?? 0n) < 0n
      ? [invalidValue("capacity", capacity, "must be greater than or equal to 0")]
      : []),
  ];
}

/** CSIStorageCapacities. Node topology and storage class are immutable. */
export const csiStorageCapacityStrategy: Strategy = {
  validate,
  validateUpdate: (object, old) =>
    ["nodeTopology", "storageClassName"].flatMap((key) => immutable(getKey(object, key), getKey(old, key), key)),
  allowsUnconditionalUpdate: false,
};
