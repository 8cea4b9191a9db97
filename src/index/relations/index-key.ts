// SPDX-License-Identifier: Apache-2.0
import { compareUtf8 } from "../../model/text.ts";

/** The key of an object in the index. */
export interface IndexKey {
  readonly cluster: string;
  /** The text of the resource id: `apps/deployments`, `pods`. */
  readonly resource: string;
  /** "" for cluster-scoped objects. */
  readonly namespace: string;
  readonly name: string;
}

/** Orders by cluster, resource, namespace and name, each bytewise (QL9). */
export function compareIndexKeys(a: IndexKey, b: IndexKey): number {
  return (
    compareUtf8(a.cluster, b.cluster) ||
    compareUtf8(a.resource, b.resource) ||
    compareUtf8(a.namespace, b.namespace) ||
    compareUtf8(a.name, b.name)
  );
}
