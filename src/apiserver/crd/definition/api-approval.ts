// SPDX-License-Identifier: Apache-2.0
// Groups of the Kubernetes project require its approval.

import { type JsonObject } from "../../json/json.ts";
import { textAt } from "../../json/json-fields.ts";
import { type FieldError, invalidValue, requiredValue } from "../../status/field-error.ts";

const annotation = "api-approved.kubernetes.io";
const proposal = "see https://github.com/kubernetes/enhancements/pull/1111";

/**
 * Errors of the approval annotation. A definition in a protected group must have the URL of its approval, or a text
 * that starts with `unapproved`.
 */
export function validateApproval(crd: JsonObject): readonly FieldError[] {
  const group = textAt(crd, "spec", "group") ?? "";
  if (!/(?:^|\.)(?:k8s|kubernetes)\.io$/.test(group)) return [];
  const approval = textAt(crd, "metadata", "annotations", annotation) ?? "";
  const field = `metadata.annotations[${annotation}]`;
  const rule = `protected groups must have approval annotation "${annotation}"`;
  if (approval === "") return [requiredValue(field, `${rule}, ${proposal}`)];
  if (approval.startsWith("unapproved") || /^[a-zA-Z][a-zA-Z0-9+.-]*:\/\/[^/\s]+/.test(approval)) return [];
  const because = `${rule} with either a URL or a reason starting with "unapproved", ${proposal}`;
  return [invalidValue(field, approval, because)];
}
