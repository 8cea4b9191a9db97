// SPDX-License-Identifier: Apache-2.0
import { type JsonObject } from "../../json/json.ts";
import { textOf } from "../../json/json-fields.ts";
import { invalid } from "../../status/api-error.ts";
import type { FieldError } from "../../status/field-error.ts";

/**
 * Throws for a new object with errors that an existing object may have. `validate` also runs for updates, so these
 * errors are checked here. The message lists the errors of `validate` first.
 */
export function refuseAtCreation(
  kind: { readonly group: string; readonly kind: string },
  object: JsonObject,
  errors: { readonly always: () => readonly FieldError[]; readonly atCreation: readonly FieldError[] },
): void {
  if (errors.atCreation.length === 0) return;
  throw invalid(kind, textOf(object, "metadata", "name"), [...errors.always(), ...errors.atCreation]);
}
