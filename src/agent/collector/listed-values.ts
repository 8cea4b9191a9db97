// SPDX-License-Identifier: Apache-2.0

/**
 * One value per object, for objects that have one. A complete list removes the values of objects that it did not
 * contain (L4).
 */
export class ListedValues<Value> {
  readonly #values = new Map<string, Value>();
  #listed: Set<string> | undefined;

  get values(): ReadonlyMap<string, Value> {
    return this.#values;
  }

  get isListing(): boolean {
    return this.#listed !== undefined;
  }

  beginList(): void {
    this.#listed = new Set();
  }

  /** The current value of an object; undefined if it has none or is deleted. */
  note(key: string, value: Value | undefined): void {
    if (value === undefined) this.#values.delete(key);
    else this.#values.set(key, value);
    if (value !== undefined) this.#listed?.add(key);
  }

  endList(keepsUnseen: boolean): void {
    const listed = keepsUnseen ? undefined : this.#listed;
    this.#listed = undefined;
    for (const key of this.#values.keys()) if (listed?.has(key) === false) this.#values.delete(key);
  }
}
