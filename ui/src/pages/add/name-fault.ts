// SPDX-License-Identifier: Apache-2.0

/** The fault of a cluster name as one sentence; "" if valid. The hub accepts only DNS labels (CO1). */
export function nameFault(name: string): string {
  if (name === "") return "Give the cluster a name.";
  if (/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(name)) return "";
  return "A cluster's name has at most 63 lower-case letters, digits and “-”, and neither begins nor ends with “-”, such as production-east.";
}
