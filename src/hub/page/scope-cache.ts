// SPDX-License-Identifier: Apache-2.0

/** What a viewer may see. Viewers with equal scopes share one value and all updates encoded for it (PG11). */
export interface Scope {
  /** Identifies it in positions, within one run of the hub. */
  readonly key: string;
  /** The clusters that the viewer may get. */
  readonly ids: ReadonlySet<string>;
  /**
   * By cluster, a key that is equal for viewers who see the same of its objects (L17). Without an entry, the viewer sees
   * no objects of that cluster: it may not, or its access was not read yet.
   */
  readonly accessKeys: ReadonlyMap<string, string>;
  /** Whether it may see objects, and which was read. */
  readonly seesObjects: boolean;
}

/**
 * Scopes kept for viewers that reconnect: more than a fleet's membership changes in a day. The least recently used is
 * dropped first.
 */
const maxScopeCount = 128;

/** The access key of a cluster that has no rows. */
const noRowsKey = "none";

/** Current and recent scopes. */
export class ScopeCache {
  readonly #byContent = new Map<string, Scope>();
  readonly #byKey = new Map<string, Scope>();
  #count = 0;

  /** The shared scope with this content. Without access keys no objects are seen. */
  of(ids: Iterable<string>, accessKeys: ReadonlyMap<string, string> | undefined): Scope {
    const sorted = [...ids].sort();
    const visible = new Map(accessKeys === undefined ? [] : sorted.map((id) => [id, accessKeys.get(id) ?? noRowsKey]));
    const seesObjects = accessKeys !== undefined;
    const content = sorted.map((id) => `${id} ${visible.get(id) ?? ""}`).join("\n") + String(seesObjects);
    const known = this.#byContent.get(content);
    if (known === undefined) this.#count += 1;
    const scope = known ?? { key: this.#count.toString(36), ids: new Set(sorted), accessKeys: visible, seesObjects };
    this.#byContent.delete(content);
    this.#byContent.set(content, scope);
    this.#byKey.set(scope.key, scope);
    this.#forgetOldest();
    return scope;
  }

  find(key: string): Scope | undefined {
    return this.#byKey.get(key);
  }

  #forgetOldest(): void {
    const [oldest] = this.#byContent;
    if (this.#byContent.size <= maxScopeCount || oldest === undefined) return;
    this.#byContent.delete(oldest[0]);
    this.#byKey.delete(oldest[1].key);
  }
}
