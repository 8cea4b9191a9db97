// SPDX-License-Identifier: Apache-2.0
import { type Gvr, gvrText } from "../../model/gvr.ts";

/** What one reflector follows: a resource of all namespaces or one, all of it or what a field selector leaves. */
export interface Followed {
  readonly resource: Gvr;
  /** Undefined: of all namespaces, or a resource that has none. */
  readonly namespace?: string | undefined;
  readonly fieldSelector?: string | undefined;
}

/** The path that its lists and watches go to. */
export function resourcePath({ resource: { group, version, resource }, namespace }: Followed): string {
  const root = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
  return namespace === undefined
    ? `${root}/${resource}`
    : `${root}/namespaces/${encodeURIComponent(namespace)}/${resource}`;
}

/** How messages name it: `apps/v1/deployments in shop`. */
export function followedText({ resource, namespace }: Followed): string {
  return namespace === undefined ? gvrText(resource) : `${gvrText(resource)} in ${namespace}`;
}
