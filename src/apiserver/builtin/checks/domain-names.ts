// SPDX-License-Identifier: Apache-2.0
// Names that contain a domain. Error messages are those of Kubernetes.

import { maxDnsSubdomainLength } from "../../../model/dns-name.ts";
import { utf8ByteCount } from "../../../model/text.ts";
import {
  createFormTest,
  dnsLabelErrors,
  dnsSubdomainErrors,
  formError,
  lengthError,
  type TextForm,
} from "../../metadata/name-rules.ts";
import { type FieldError, invalidValue, requiredValue } from "../../status/field-error.ts";
import { invalidEach } from "../pod-spec/text-rules.ts";

const pathForm: TextForm = { pattern: "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+", words: "Invalid path", examples: [] };

const labelPattern = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";

const wildcardForm: TextForm = {
  pattern: `\\*\\.${labelPattern}(\\.${labelPattern})*`,
  words:
    "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character",
  examples: ["*.example.com"],
};

const isPath = createFormTest(pathForm);
const isWildcard = createFormTest(wildcardForm);

/** Validates a domain followed by a path: `example.com/path`. */
export function validateDomainPrefixedPath(field: string, text: string): readonly FieldError[] {
  if (text === "") return [requiredValue(field)];
  const at = text.indexOf("/");
  const host = text.slice(0, Math.max(at, 0));
  const path = text.slice(at + 1);
  if (host === "" || path === "")
    return [invalidValue(field, text, 'must be a domain-prefixed path (such as "acme.io/foo")')];
  return [
    ...invalidEach(field, host, dnsSubdomainErrors(host, false)),
    ...(isPath(path) ? [] : [invalidValue(field, path, formError(pathForm))]),
  ];
}

/** Error messages for text that is not a wildcard domain (`*.example.com`). */
export function wildcardDomainErrors(text: string): readonly string[] {
  return [
    ...(utf8ByteCount(text) > maxDnsSubdomainLength ? [lengthError(maxDnsSubdomainLength, "characters")] : []),
    ...(isWildcard(text) ? [] : [formError(wildcardForm)]),
  ];
}

/** Validates a domain of at least two labels. A trailing dot is allowed. */
export function validateFullDomain(field: string, text: string): readonly FieldError[] {
  if (text === "") return [requiredValue(field)];
  const name = text.endsWith(".") ? text.slice(0, -1) : text;
  const errors = dnsSubdomainErrors(name, false);
  if (errors.length > 0) return [invalidValue(field, name, errors.join(","))];
  const labels = name.split(".");
  if (labels.length < 2)
    return [invalidValue(field, name, "should be a domain with at least two segments separated by dots")];
  for (const label of labels) {
    const wrong = dnsLabelErrors(label, false);
    if (wrong.length > 0) return [invalidValue(field, label, wrong.join(","))];
  }
  return [];
}
