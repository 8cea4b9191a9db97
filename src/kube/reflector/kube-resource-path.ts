// SPDX-License-Identifier: Apache-2.0
import { type Gvr, gvrText } from "../../model/gvr.ts";

/** The scope of one reflector: a resource in all namespaces or in one, optionally narrowed by a field selector. */
export interface Followed {
  readonly resource: Gvr;
  /** Undefined: all namespaces, or a resource without namespaces. */
  readonly namespace?: string | undefined;
  readonly fieldSelector?: string | undefined;
}

/** The path of its lists and watches. */
export function resourcePath({ resource: { group, version, resource }, namespace }: Followed): string {
  const root = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
  return namespace === undefined
    ? `${root}/${resource}`
    : `${root}/namespaces/${encodeURIComponent(namespace)}/${resource}`;
}

/** The text for messages: `apps/v1/deployments in shop`. */
export function followedText({ resource, namespace }: Followed): string {
  return namespace === undefined ? gvrText(resource) : `${gvrText(resource)} in ${namespace}`;
}
