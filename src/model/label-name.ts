// SPDX-License-Identifier: Apache-2.0
import { isDnsSubdomain } from "./dns-name.ts";

/** Longest name part of a label key, and longest label value, in Kubernetes. */
const maxLabelLength = 63;

const qualifiedName = /^[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?$/;

function isNamePart(text: string): boolean {
  return text.length <= maxLabelLength && qualifiedName.test(text);
}

/** True for a valid Kubernetes label key: an optional DNS subdomain and `/`, then a name. */
export function isLabelKey(key: string): boolean {
  const slash = key.indexOf("/");
  if (slash < 0) return isNamePart(key);
  return isDnsSubdomain(key.slice(0, slash)) && isNamePart(key.slice(slash + 1));
}

/** True for a valid Kubernetes label value; it may be empty. */
export function isLabelValue(value: string): boolean {
  return value === "" || isNamePart(value);
}
