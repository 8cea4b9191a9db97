// SPDX-License-Identifier: Apache-2.0
import { FlotillaError } from "../base/error.ts";
import { type ClusterId, parseClusterId } from "./cluster-id.ts";
import { isDnsLabel } from "./dns-name.ts";
import { compareResourceIds, createResourceId, type ResourceId } from "./gvr.ts";
import { compareUtf8, quote, utf8ByteCount } from "./text.ts";

/** Identifies one object of the fleet (CO8). API version and uid are not part of it. */
export interface ObjectKey extends ResourceId {
  readonly cluster: ClusterId;
  /** "" for cluster-scoped objects. */
  readonly namespace: string;
  readonly name: string;
}

/** Longest name in bytes. Most kinds are limited to 253; Kubernetes does not limit RBAC names, so we do. */
export const maxNameBytes = 1024;

function faultOfName(name: string): string | undefined {
  if (name === "") return "is empty";
  if (name === "." || name === "..") return "is a relative path segment";
  if (name.includes("/")) return "contains /";
  if (name.includes("%")) return "contains %";
  if (!name.isWellFormed()) return "contains a lone surrogate";
  if (utf8ByteCount(name) > maxNameBytes) return `is longer than ${maxNameBytes} bytes`;
  return undefined;
}

/** True for "" (cluster-scoped) and for a DNS label. */
export function isNamespace(namespace: string): boolean {
  return namespace === "" || isDnsLabel(namespace);
}

/** True for what Kubernetes accepts as the last segment of an object's path, within `maxNameBytes` (CO9). */
export function isObjectName(name: string): boolean {
  return faultOfName(name) === undefined;
}

/**
 * Creates a key from checked parts, with the canonical resource id (CO5). Throws INVALID_ARGUMENT naming the invalid
 * part.
 */
export function createObjectKey(parts: {
  readonly cluster: string;
  readonly group: string;
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
}): ObjectKey {
  const cluster = parseClusterId(parts.cluster);
  const { group, resource } = createResourceId(parts.group, parts.resource);
  if (!isNamespace(parts.namespace))
    throw new FlotillaError("INVALID_ARGUMENT", `namespace ${quote(parts.namespace)} is not a DNS label`);
  const fault = faultOfName(parts.name);
  if (fault !== undefined) throw new FlotillaError("INVALID_ARGUMENT", `object name ${quote(parts.name)} ${fault}`);
  return { cluster, group, resource, namespace: parts.namespace, name: parts.name };
}

/**
 * The five parts joined by "/", which none of them contains (CO11). For maps, logs and cursors; its order is not the
 * order of keys.
 */
export function objectKeyText(key: ObjectKey): string {
  return `${key.cluster}/${key.group}/${key.resource}/${key.namespace}/${key.name}`;
}

/** Parses the output of `objectKeyText`. Throws INVALID_ARGUMENT. */
export function parseObjectKey(text: string): ObjectKey {
  const parts = text.split("/", 6);
  const [cluster = "", group = "", resource = "", namespace = "", name = ""] = parts;
  if (parts.length !== 5)
    throw new FlotillaError(
      "INVALID_ARGUMENT",
      `object key ${quote(text)} is not cluster/group/resource/namespace/name; empty parts keep their "/"`,
    );
  return createObjectKey({ cluster, group, resource, namespace, name });
}

/** The order of keys: part by part, bytewise (CO10). */
export function compareObjectKeys(a: ObjectKey, b: ObjectKey): number {
  return (
    compareUtf8(a.cluster, b.cluster) ||
    compareResourceIds(a, b) ||
    compareUtf8(a.namespace, b.namespace) ||
    compareUtf8(a.name, b.name)
  );
}
