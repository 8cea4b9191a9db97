// SPDX-License-Identifier: Apache-2.0

/** What is wrong with the name of a cluster, as one sentence; "" where nothing is. The hub takes a DNS label and nothing else (CO1). */
export function nameFault(name: string): string {
  if (name === "") return "Give the cluster a name.";
  if (/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(name)) return "";
  return "A cluster's name has at most 63 lower-case letters, digits and “-”, and neither begins nor ends with “-”: such as production-east.";
}
