// SPDX-License-Identifier: Apache-2.0
import { dns1035LabelErrors } from "../../metadata/name-rules.ts";
import { type FieldError, invalidValue, requiredValue } from "../../status/field-error.ts";
import type { CrdNames } from "./crd-accessors.ts";

/** Errors of missing required names. */
export function validateNamesPresent(names: CrdNames, field: string): readonly FieldError[] {
  return (["plural", "singular", "kind", "listKind"] as const)
    .filter((key) => names[key] === "")
    .map((key) => requiredValue(`${field}.${key}`));
}

/** Errors in the form of the names that are set, in the spec or the status. */
export function validateNames(names: CrdNames, field: string): readonly FieldError[] {
  const { kind, listKind } = names;
  return [
    ...validateLabel(names.plural, `${field}.plural`),
    ...validateLabel(names.singular, `${field}.singular`),
    ...validateKind(kind, `${field}.kind`),
    ...validateKind(listKind, `${field}.listKind`),
    ...names.shortNames.flatMap((name, index) => validateListed(name, `${field}.shortNames[${index}]`)),
    ...(kind !== "" && kind === listKind
      ? [invalidValue(`${field}.listKind`, listKind, "kind and listKind may not be the same")]
      : []),
    ...names.categories.flatMap((name, index) => validateListed(name, `${field}.categories[${index}]`)),
  ];
}

/** A DNS-1035 label, or empty. */
function validateLabel(name: string, field: string): readonly FieldError[] {
  return name === "" ? [] : validateListed(name, field);
}

function validateListed(name: string, field: string): readonly FieldError[] {
  const errors = dns1035LabelErrors(name, false);
  return errors.length === 0 ? [] : [invalidValue(field, name, errors.join(","))];
}

function validateKind(kind: string, field: string): readonly FieldError[] {
  const errors = kind === "" ? [] : dns1035LabelErrors(kind.toLowerCase(), false);
  if (errors.length === 0) return [];
  return [invalidValue(field, kind, `may have mixed case, but should otherwise match: ${errors.join(",")}`)];
}
