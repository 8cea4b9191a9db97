// SPDX-License-Identifier: Apache-2.0
import { createHash } from "node:crypto";
import { type ClusterId, parseClusterId } from "../../model/cluster-id.ts";
import { maxDnsLabelLength } from "../../model/dns-name.ts";

/** The namespace that is left out of ids. */
const defaultNamespace = "default";

/** Hexadecimal digits that stand for the rest of a name that is too long for an id: 32 bits. */
const hashDigits = 8;

/**
 * The id of the cluster that a GitopsCluster declares (IN26): `NAMESPACE-NAME`, or `NAME` in the namespace `default`,
 * with a dash for each dot. A longer text than an id ends in a hash of the whole. Two objects can have the same id; the
 * plan then refuses one of them. Throws INVALID_ARGUMENT for names that Kubernetes does not accept.
 */
export function leafClusterId(namespace: string, name: string): ClusterId {
  const text = (namespace === defaultNamespace ? name : `${namespace}-${name}`).replaceAll(".", "-");
  if (text.length <= maxDnsLabelLength) return parseClusterId(text);
  const hash = createHash("sha256").update(`${namespace}/${name}`).digest("hex").slice(0, hashDigits);
  return parseClusterId(`${text.slice(0, maxDnsLabelLength - hashDigits - 1)}-${hash}`);
}
