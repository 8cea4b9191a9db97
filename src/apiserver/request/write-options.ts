// SPDX-License-Identifier: Apache-2.0
import { utf8ByteCount } from "../../model/text.ts";
import { isPrintableInGo } from "../json/quote-go.ts";
import { type ApiError, invalid } from "../status/api-error.ts";
import {
  type FieldError,
  forbiddenField,
  invalidValue,
  notSupportedValue,
  requiredValue,
  tooLong,
} from "../status/field-error.ts";
import { parseBoolean } from "./list-options.ts";

/** The handling of unknown and duplicate fields. */
export type FieldValidation = "Strict" | "Warn" | "Ignore";

/** Options of create, update and patch. */
export interface WriteOptions {
  readonly isDryRun: boolean;
  readonly fieldValidation: FieldValidation;
  readonly fieldManager: string;
}

/** The options kinds that refusals name, by verb. */
export type OptionsKind = "CreateOptions" | "UpdateOptions" | "PatchOptions";

/** Maximum length of a field manager in bytes: Kubernetes' limit. */
const maxManagerBytes = 128;

/**
 * Parses write options from the query. `isApply` for a server-side apply, which requires a field manager. Throws
 * kube-apiserver's 422.
 */
export function parseWriteOptions(query: URLSearchParams, kind: OptionsKind, isApply = false): WriteOptions {
  const fieldValidation = query.get("fieldValidation") ?? "";
  const fieldManager = query.get("fieldManager") ?? "";
  const errors: FieldError[] = [];
  if (isApply && fieldManager === "") errors.push(requiredValue("fieldManager", "is required for apply patch"));
  if (kind === "PatchOptions" && !isApply && parseBoolean(query, "force") !== undefined)
    errors.push(forbiddenField("force", "may not be specified for non-apply patch"));
  errors.push(...managerErrors(fieldManager), ...dryRunErrors(query.getAll("dryRun")));
  if (!isFieldValidation(fieldValidation))
    errors.push(notSupportedValue("fieldValidation", fieldValidation, ["", "Ignore", "Strict", "Warn"]));
  if (errors.length > 0) throw invalid({ group: "meta.k8s.io", kind }, "", errors);
  return {
    isDryRun: query.getAll("dryRun").length > 0,
    fieldValidation: isFieldValidation(fieldValidation) && fieldValidation !== "" ? fieldValidation : "Warn",
    fieldManager,
  };
}

/** Errors of the dry run stages. Kubernetes has one stage, `All`. */
export function dryRunErrors(stages: readonly string[]): readonly FieldError[] {
  return stages.every((stage) => stage === "All") ? [] : [notSupportedValue("dryRun", [...stages], ["All"])];
}

/** Handles complaints by field validation: throws with Strict, adds warnings with Warn, does nothing with Ignore. */
export function settleComplaints(
  complaints: readonly string[],
  validation: FieldValidation,
  warnings: Set<string>,
  refuse: () => ApiError,
): void {
  if (complaints.length === 0 || validation === "Ignore") return;
  if (validation === "Strict") throw refuse();
  for (const complaint of complaints) warnings.add(complaint);
}

function isFieldValidation(text: string): text is FieldValidation | "" {
  return text === "" || text === "Strict" || text === "Warn" || text === "Ignore";
}

function managerErrors(manager: string): readonly FieldError[] {
  if (utf8ByteCount(manager) > maxManagerBytes) return [tooLong("fieldManager", maxManagerBytes)];
  let position = 0;
  for (const char of manager) {
    if (!isPrintableInGo(char)) {
      const code = (char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
      return [invalidValue("fieldManager", manager, `invalid character U+${code} (at position ${position})`)];
    }
    position += utf8ByteCount(char);
  }
  return [];
}
