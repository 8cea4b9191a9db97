// SPDX-License-Identifier: Apache-2.0

/** What a viewer may see. Viewers of equal scope share one value, and with it everything that is encoded (PG11). */
export interface Scope {
  /** Names it in positions, within one run of the hub. */
  readonly key: string;
  /** The clusters that the viewer may get. */
  readonly ids: ReadonlySet<string>;
  /** Whether it may see what objects tell (L17). */
  readonly seesObjects: boolean;
}

/** Scopes remembered for viewers who come back: a fleet changes its clusters less often than that in a day. The one used least lately is forgotten first. */
const maxScopeCount = 128;

/** The scopes there are and lately were. */
export class ScopeBook {
  readonly #byContent = new Map<string, Scope>();
  readonly #byKey = new Map<string, Scope>();
  #count = 0;

  /** The one scope of this content. */
  of(ids: Iterable<string>, seesObjects: boolean): Scope {
    const sorted = [...ids].sort();
    const content = `${seesObjects} ${sorted.join(" ")}`;
    const known = this.#byContent.get(content);
    if (known === undefined) this.#count += 1;
    const scope = known ?? { key: this.#count.toString(36), ids: new Set(sorted), seesObjects };
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
