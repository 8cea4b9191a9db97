// SPDX-License-Identifier: Apache-2.0

/** Identifies one object of a cluster. */
export interface ObjectAddress {
  readonly cluster: string;
  /** The text of a resource id: `pods`, `apps/deployments`. */
  readonly resource: string;
  /** "" for cluster-scoped kinds. */
  readonly namespace: string;
  readonly name: string;
}

/** An address as path parameters. */
export interface ObjectParams {
  /** The cluster. */
  readonly name: string;
  /** As in kubectl, `deployments.apps`, so that it is one path segment. */
  readonly resource: string;
  /** NAMESPACE/NAME or NAME; neither contains a slash. */
  readonly _splat: string;
}

export function toObjectParams({ cluster, resource, namespace, name }: ObjectAddress): ObjectParams {
  const slash = resource.indexOf("/");
  const dotted = slash === -1 ? resource : `${resource.slice(slash + 1)}.${resource.slice(0, slash)}`;
  return { name: cluster, resource: dotted, _splat: objectName({ namespace, name }) };
}

/** The path of an object below the page's base, by the list beside which it opens. */
export function objectPath(beside: "cluster" | "changes", address: ObjectAddress): string {
  const { name, resource, _splat } = toObjectParams(address);
  const [cluster = "", ...rest] = [name, resource, ..._splat.split("/")].map(encodeURIComponent);
  const object = rest.join("/");
  return beside === "changes" ? `/changes/objects/${cluster}/${object}` : `/clusters/${cluster}/objects/${object}`;
}

/** Undefined if the path names no object. */
export function parseObjectParams({
  name: cluster,
  resource,
  _splat = "",
}: { readonly [Part in keyof ObjectParams]?: string | undefined }): ObjectAddress | undefined {
  const [first = "", second, ...more] = _splat.split("/");
  const [namespace, name] = second === undefined ? ["", first] : [first, second];
  const hasEmptyPart = name === "" || (second !== undefined && namespace === "");
  if (cluster === undefined || resource === undefined || hasEmptyPart || more.length > 0) return undefined;
  const dot = resource.indexOf(".");
  const slashed = dot === -1 ? resource : `${resource.slice(dot + 1)}/${resource.slice(0, dot)}`;
  return { cluster, resource: slashed, namespace, name };
}

/** The name as NAMESPACE/NAME, or NAME alone. */
export function objectName({ namespace, name }: Pick<ObjectAddress, "namespace" | "name">): string {
  return namespace === "" ? name : `${namespace}/${name}`;
}

/** A unique key per object. */
export function objectKey({ cluster, resource, namespace, name }: ObjectAddress): string {
  return JSON.stringify([cluster, resource, namespace, name]);
}

/**
 * The object `by` steps from `from`, clamped to the ends of the list; the first one if the list does not contain
 * `from`.
 */
export function stepObject(list: readonly ObjectAddress[], from: ObjectAddress, by: number): ObjectAddress | undefined {
  const key = objectKey(from);
  const at = list.findIndex((address) => objectKey(address) === key);
  return list[at === -1 ? 0 : Math.min(Math.max(at + by, 0), list.length - 1)];
}
