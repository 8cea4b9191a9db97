// SPDX-License-Identifier: Apache-2.0
import type { JsonObject } from "../json/json.ts";

/**
 * Objects of one logical cluster as they stand, read from memory without waiting. `resource` is the text of a resource id (CO2): `pods`, `apps/deployments`.
 * Objects are as stored, without `apiVersion` and `kind`. They are shared: nobody changes them.
 */
export interface ObjectReader {
  /** With `metadata.resourceVersion`. `namespace` is empty for cluster-wide resources. */
  get(resource: string, namespace: string, name: string): JsonObject | undefined;
  /** In key order: namespace, then name. All namespaces when none is given. */
  list(resource: string, namespace?: string): readonly JsonObject[];
}

/** One change of one object. `object` is its last state where it was deleted. */
export interface ObjectChange {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly object: JsonObject;
}

/** Objects and, from now on, their changes in revision order. */
export interface ObjectFeed extends ObjectReader {
  /** At least the objects that have one of these keys somewhere, one at a time: whatever cannot have it is passed over without being parsed. */
  mentioning(resource: string, keys: readonly string[]): Iterable<JsonObject>;
  /** Listeners are called within the turn that made the change visible, must not throw, and return at once. Gives the function that ends it. */
  subscribe(listener: (change: ObjectChange) => void): () => void;
}
