// SPDX-License-Identifier: Apache-2.0
// The rules for names of objects, in Kubernetes' own words. Each gives what is wrong with a name, or nothing.
import { maxDnsLabelLength, maxDnsSubdomainLength } from "../../model/dns-name.ts";
import { utf8ByteCount } from "../../model/text.ts";

/** What is wrong with a name, in the real server's order; empty when it is fine. A prefix (generateName) may end in a dash. */
export type NameRule = (name: string, isPrefix: boolean) => readonly string[];

/** A form of text: the pattern as Kubernetes shows it to users, what it asks for in words, and texts that have it. */
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

/** A test for texts that have the form from their first character to their last. The pattern is ours, never a user's. */
export function createFormTest({ pattern }: TextForm): (text: string) => boolean {
  const whole = new RegExp(`^(?:${pattern})$`, "u");
  return (text) => whole.test(text);
}

/** The sentence for a text that does not have the form. */
export function formError({ pattern, words, examples }: TextForm): string {
  const shown = examples.map((example) => `'${example}', `).join(" or ");
  const hint = shown === "" ? "" : `e.g. ${shown}`;
  return `${words} (${hint}regex used for validation is '${pattern}')`;
}

/** The sentence for a text that is too long. Names count characters in their words and bytes in fact. */
export function lengthError(maxLength: number, unit: "bytes" | "characters"): string {
  return `must be no more than ${maxLength} ${unit}`;
}

const isLabel = createFormTest(dnsLabelForm);
const isSubdomain = createFormTest(dnsSubdomainForm);
const is1035Label = createFormTest(dns1035LabelForm);

/** The form of namespaces and of most names that become part of an address. */
export const dnsLabelErrors: NameRule = (name, isPrefix) => {
  const checked = isPrefix ? maskTrailingDash(name) : name;
  const errors = lengthErrors(checked, maxDnsLabelLength);
  if (!isLabel(checked)) errors.push(isSubdomain(checked) ? "must not contain dots" : formError(dnsLabelForm));
  return errors;
};

/** The form of the names of most kinds. */
export const dnsSubdomainErrors: NameRule = (name, isPrefix) => {
  const checked = isPrefix ? maskTrailingDash(name) : name;
  const errors = lengthErrors(checked, maxDnsSubdomainLength);
  if (!isSubdomain(checked)) errors.push(formError(dnsSubdomainForm));
  return errors;
};

/** The form of the names of Services: a DNS label that begins with a letter. */
export const dns1035LabelErrors: NameRule = (name, isPrefix) => {
  const checked = isPrefix ? maskTrailingDash(name) : name;
  const errors = lengthErrors(checked, maxDnsLabelLength);
  if (!is1035Label(checked)) errors.push(formError(dns1035LabelForm));
  return errors;
};

/** What every name must obey, and all that RBAC asks of one: it can stand in a path. */
export const pathSegmentErrors: NameRule = (name, isPrefix) => {
  if (!isPrefix && (name === "." || name === "..")) return [`may not be '${name}'`];
  return ["/", "%"].filter((part) => name.includes(part)).map((part) => `may not contain '${part}'`);
};

/** A DNS subdomain as the prefix of a label key is checked: the same rule, with the length in other words. */
export function labelPrefixErrors(prefix: string): readonly string[] {
  const errors = lengthErrors(prefix, maxDnsSubdomainLength, "bytes");
  if (!isSubdomain(prefix)) errors.push(formError(dnsSubdomainForm));
  return errors;
}

function lengthErrors(text: string, maxLength: number, unit: "bytes" | "characters" = "characters"): string[] {
  return utf8ByteCount(text) > maxLength ? [lengthError(maxLength, unit)] : [];
}

/** As the real server does, the last two characters of a prefix that ends in a dash become one letter, so such a prefix may be one longer. */
function maskTrailingDash(prefix: string): string {
  return prefix.length > 1 && prefix.endsWith("-") ? `${prefix.slice(0, -2)}a` : prefix;
}
