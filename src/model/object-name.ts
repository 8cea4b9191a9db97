// SPDX-License-Identifier: Apache-2.0
import { isDnsLabel } from "./dns-name.ts";
import { utf8ByteCount } from "./text.ts";

/** Longest name in bytes. Most kinds are limited to 253; Kubernetes does not limit RBAC names, so we do. */
export const maxNameBytes = 1024;

/** True for "" (cluster-scoped) and for a DNS label. */
export function isNamespace(namespace: string): boolean {
  return namespace === "" || isDnsLabel(namespace);
}

/** True for what Kubernetes accepts as the last segment of an object's path, within `maxNameBytes` (CO9). */
export function isObjectName(name: string): boolean {
  const isPathSegment = name !== "" && name !== "." && name !== ".." && !/[/%]/.test(name);
  return isPathSegment && name.isWellFormed() && utf8ByteCount(name) <= maxNameBytes;
}
