// SPDX-License-Identifier: Apache-2.0

/** Which object: what its cluster is asked for. */
export interface ObjectAddress {
  readonly cluster: string;
  /** The text of a resource id: `pods`, `apps/deployments`. */
  readonly resource: string;
  /** "" for kinds that have none. */
  readonly namespace: string;
  readonly name: string;
}

/** An address as its parts stand in the path of the page. */
export interface ObjectParams {
  /** The cluster. */
  readonly name: string;
  /** As kubectl takes it, `deployments.apps`, so that it is one part. */
  readonly resource: string;
  /** NAMESPACE/NAME or NAME: neither holds a slash. */
  readonly _splat: string;
}

export function toObjectParams({ cluster, resource, namespace, name }: ObjectAddress): ObjectParams {
  const slash = resource.indexOf("/");
  const dotted = slash === -1 ? resource : `${resource.slice(slash + 1)}.${resource.slice(0, slash)}`;
  return { name: cluster, resource: dotted, _splat: objectName({ namespace, name }) };
}

/** The path of an object below the page's, by the list that it is open beside. */
export function objectPath(beside: "cluster" | "changes", address: ObjectAddress): string {
  const { name, resource, _splat } = toObjectParams(address);
  const [cluster = "", ...rest] = [name, resource, ..._splat.split("/")].map(encodeURIComponent);
  const object = rest.join("/");
  return beside === "changes" ? `/changes/objects/${cluster}/${object}` : `/clusters/${cluster}/objects/${object}`;
}

/** Undefined where the path names no object. */
export function parseObjectParams({
  name: cluster,
  resource,
  _splat = "",
}: { readonly [Part in keyof ObjectParams]?: string | undefined }): ObjectAddress | undefined {
  const [first = "", second, ...more] = _splat.split("/");
  const [namespace, name] = second === undefined ? ["", first] : [first, second];
  const hasHole = name === "" || (second !== undefined && namespace === "");
  if (cluster === undefined || resource === undefined || hasHole || more.length > 0) return undefined;
  const dot = resource.indexOf(".");
  const slashed = dot === -1 ? resource : `${resource.slice(dot + 1)}/${resource.slice(0, dot)}`;
  return { cluster, resource: slashed, namespace, name };
}

/** The name as people write it: NAMESPACE/NAME, or NAME alone. */
export function objectName({ namespace, name }: Pick<ObjectAddress, "namespace" | "name">): string {
  return namespace === "" ? name : `${namespace}/${name}`;
}

/** One text for each object, to tell two apart. */
export function objectKey({ cluster, resource, namespace, name }: ObjectAddress): string {
  return JSON.stringify([cluster, resource, namespace, name]);
}

/** The one that many steps further in a list, or its first where the list does not have the given one; its ends hold. */
export function stepObject(list: readonly ObjectAddress[], from: ObjectAddress, by: number): ObjectAddress | undefined {
  const key = objectKey(from);
  const at = list.findIndex((address) => objectKey(address) === key);
  return list[at === -1 ? 0 : Math.min(Math.max(at + by, 0), list.length - 1)];
}
