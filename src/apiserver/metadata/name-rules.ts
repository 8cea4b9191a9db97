// SPDX-License-Identifier: Apache-2.0
// The rules for names of objects, with Kubernetes' messages. Each returns the errors of a name.
import { maxDnsLabelLength, maxDnsSubdomainLength } from "../../model/dns-name.ts";
import { utf8ByteCount } from "../../model/text.ts";

/**
 * The errors of a name, in kube-apiserver's order; empty for a valid one. A prefix (generateName) may end in a dash.
 */
export type NameRule = (name: string, isPrefix: boolean) => readonly string[];

/** A text format: its pattern as Kubernetes shows it, its description and examples. */
export interface TextForm {
  readonly pattern: string;
  readonly words: string;
  readonly examples: readonly string[];
}

const labelPattern = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";

const dnsLabelForm: TextForm = {
  pattern: labelPattern,
  words:
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
  examples: ["my-name", "123-abc"],
};

const dnsSubdomainForm: TextForm = {
  pattern: `${labelPattern}(\\.${labelPattern})*`,
  words:
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
  examples: ["example.com"],
};

const dns1035LabelForm: TextForm = {
  pattern: "[a-z]([-a-z0-9]*[a-z0-9])?",
  words:
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
  examples: ["my-name", "abc-123"],
};

/** Creates a test of the whole text. The pattern is built in, never a user's. */
export function createFormTest({ pattern }: TextForm): (text: string) => boolean {
  const whole = new RegExp(`^(?:${pattern})$`, "u");
  return (text) => whole.test(text);
}

/** The message for a text without the form. */
export function formError({ pattern, words, examples }: TextForm): string {
  const shown = examples.map((example) => `'${example}', `).join(" or ");
  const hint = shown === "" ? "" : `e.g. ${shown}`;
  return `${words} (${hint}regex used for validation is '${pattern}')`;
}

/** The message for a text that is too long. For names the message counts characters, but the limit is in bytes. */
export function lengthError(maxLength: number, unit: "bytes" | "characters"): string {
  return `must be no more than ${maxLength} ${unit}`;
}

const isLabel = createFormTest(dnsLabelForm);
const isSubdomain = createFormTest(dnsSubdomainForm);
const is1035Label = createFormTest(dns1035LabelForm);

/** The rule for namespaces and for most names that become part of an address. */
export const dnsLabelErrors: NameRule = (name, isPrefix) => {
  const checked = isPrefix ? maskTrailingDash(name) : name;
  const errors = lengthErrors(checked, maxDnsLabelLength);
  if (!isLabel(checked)) errors.push(isSubdomain(checked) ? "must not contain dots" : formError(dnsLabelForm));
  return errors;
};

/** The rule for names of most kinds. */
export const dnsSubdomainErrors: NameRule = (name, isPrefix) => {
  const checked = isPrefix ? maskTrailingDash(name) : name;
  const errors = lengthErrors(checked, maxDnsSubdomainLength);
  if (!isSubdomain(checked)) errors.push(formError(dnsSubdomainForm));
  return errors;
};

/** The rule for names of Services: a DNS label that starts with a letter. */
export const dns1035LabelErrors: NameRule = (name, isPrefix) => {
  const checked = isPrefix ? maskTrailingDash(name) : name;
  const errors = lengthErrors(checked, maxDnsLabelLength);
  if (!is1035Label(checked)) errors.push(formError(dns1035LabelForm));
  return errors;
};

/** The rule for all names, and the only one for RBAC objects: a valid path segment. */
export const pathSegmentErrors: NameRule = (name, isPrefix) => {
  if (!isPrefix && (name === "." || name === "..")) return [`may not be '${name}'`];
  return ["/", "%"].filter((part) => name.includes(part)).map((part) => `may not contain '${part}'`);
};

/** The rule for the prefix of a label key: a DNS subdomain, with a different length message. */
export function labelPrefixErrors(prefix: string): readonly string[] {
  const errors = lengthErrors(prefix, maxDnsSubdomainLength, "bytes");
  if (!isSubdomain(prefix)) errors.push(formError(dnsSubdomainForm));
  return errors;
}

function lengthErrors(text: string, maxLength: number, unit: "bytes" | "characters" = "characters"): string[] {
  return utf8ByteCount(text) > maxLength ? [lengthError(maxLength, unit)] : [];
}

/**
 * As in kube-apiserver, the last two characters of a prefix that ends in a dash become one letter. Such a prefix may
 * thus be one character longer.
 */
function maskTrailingDash(prefix: string): string {
  return prefix.length > 1 && prefix.endsWith("-") ? `${prefix.slice(0, -2)}a` : prefix;
}
