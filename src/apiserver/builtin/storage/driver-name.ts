// SPDX-License-Identifier: Apache-2.0
import { dnsSubdomainErrors } from "../../metadata/name-rules.ts";
import { type FieldError, requiredValue } from "../../status/field-error.ts";
import { atMostBytes } from "../checks/field-checks.ts";
import { invalidEach } from "../pod-spec/text-rules.ts";

/** The limit of the Container Storage Interface. */
const maxNameBytes = 63;

/** Validates the name of a storage driver: a domain name, in which capitals are allowed. */
export function validateDriverName(name: string, field: string): readonly FieldError[] {
  if (name === "") return [requiredValue(field)];
  return [
    ...atMostBytes(name, maxNameBytes, field),
    ...invalidEach(field, name, dnsSubdomainErrors(name.toLowerCase(), false)),
  ];
}
