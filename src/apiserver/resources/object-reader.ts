// SPDX-License-Identifier: Apache-2.0
import type { JsonObject } from "../json/json.ts";

/**
 * The current objects of one logical cluster, read synchronously from memory. `resource` is the text of a resource id
 * (CO2): `pods`, `apps/deployments`. Objects are as stored, without `apiVersion` and `kind`. Shared: do not mutate.
 */
export interface ObjectReader {
  /** With `metadata.resourceVersion`. `namespace` is empty for cluster-wide resources. */
  get(resource: string, namespace: string, name: string): JsonObject | undefined;
  /** In key order: namespace, then name. All namespaces if none is given. */
  list(resource: string, namespace?: string): readonly JsonObject[];
}

/** One change of one object. For a deletion, `object` is the last state. */
export interface ObjectChange {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly object: JsonObject;
}

/** The objects, and their changes in revision order. */
export interface ObjectFeed extends ObjectReader {
  /**
   * A superset of the objects that contain one of these keys, one at a time. Objects that cannot contain one are
   * skipped without parsing.
   */
  mentioning(resource: string, keys: readonly string[]): Iterable<JsonObject>;
  /**
   * Calls the listener for each change, in the turn that makes the change visible. Listeners must not throw or block.
   * Returns the function that unsubscribes.
   */
  subscribe(listener: (change: ObjectChange) => void): () => void;
}
