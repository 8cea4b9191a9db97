// SPDX-License-Identifier: Apache-2.0
// The object that a request names by cluster, kind, namespace and name.
import type { HandlerContext } from "@connectrpc/connect";
import { FlotillaError } from "../../base/error.ts";
import { defaultKinds, derivedKinds } from "../../kinds/all-kinds.ts";
import { resourceIdText } from "../../model/gvr.ts";
import { quote, utf8ByteCount } from "../../model/text.ts";
import { callerOf } from "../../rpc/server/call-context.ts";
import { maxNameBytes } from "../../session/tunnel/tunnel.ts";
import { findKind } from "../fleet-services/find-kind.ts";
import type { QueriedObject } from "../rows/fleet-queries.ts";
import { assertVisibleCluster, type VisibleClusterParts } from "./visible-clusters.ts";

/** The fields of a request that name an object. `kind` is any name that kubectl takes. */
export interface AskedObject extends Omit<QueriedObject, "resource"> {
  readonly kind: string;
}

/** Whether objects have a namespace, of the kinds with a file of their own. */
const namespacedKinds: ReadonlyMap<string, boolean> = new Map(
  [...defaultKinds, ...derivedKinds].map(({ resource, isNamespaced }) => [resourceIdText(resource), isNamespaced]),
);

/**
 * The object of a request, which need not exist. Throws NOT_FOUND for an unknown cluster or kind, and INVALID_ARGUMENT
 * for a namespace that does not fit the kind.
 */
export async function findAskedObject(
  parts: VisibleClusterParts,
  { cluster, kind, namespace, name }: AskedObject,
  context: HandlerContext,
): Promise<QueriedObject> {
  assertVisibleCluster(parts, cluster, context);
  assertNameLengths(namespace, name);
  const resource = await findKind(parts, callerOf(context.values).subject, cluster, kind);
  assertScope(resource, namespace);
  return { cluster, resource, namespace, name };
}

/** Throws INVALID_ARGUMENT for a text that is longer than any name of Kubernetes. */
export function assertNameLengths(...names: readonly string[]): void {
  for (const name of names) {
    if (utf8ByteCount(name) > maxNameBytes)
      throw new FlotillaError("INVALID_ARGUMENT", `${quote(name)} is longer than a Kubernetes name may be`);
  }
}

function assertScope(resource: string, namespace: string): void {
  const isNamespaced = namespacedKinds.get(resource);
  if (isNamespaced === true && namespace === "")
    throw new FlotillaError("INVALID_ARGUMENT", `objects of ${resource} are in a namespace; name it with -n`);
  if (isNamespaced === false && namespace !== "")
    throw new FlotillaError("INVALID_ARGUMENT", `objects of ${resource} are in no namespace; leave it out`);
}

/** `apps/deployments "web" of namespace "shop" in cluster east`. */
export function objectText({ cluster, resource, namespace, name }: QueriedObject): string {
  const place = namespace === "" ? "" : ` of namespace ${quote(namespace)}`;
  return `${resource} ${quote(name)}${place} in cluster ${cluster}`;
}
