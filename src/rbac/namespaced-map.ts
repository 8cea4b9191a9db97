// SPDX-License-Identifier: Apache-2.0

/** Values by (namespace, name). Nested maps instead of a joined key, so that two pairs cannot collide. */
export class NamespacedMap<Value> {
  readonly #namespaces = new Map<string, Map<string, Value>>();

  get(namespace: string, name: string): Value | undefined {
    return this.#namespaces.get(namespace)?.get(name);
  }

  set(namespace: string, name: string, value: Value): void {
    let names = this.#namespaces.get(namespace);
    if (names === undefined) {
      names = new Map();
      this.#namespaces.set(namespace, names);
    }
    names.set(name, value);
  }

  delete(namespace: string, name: string): void {
    const names = this.#namespaces.get(namespace);
    if (names === undefined) return;
    names.delete(name);
    if (names.size === 0) this.#namespaces.delete(namespace);
  }

  /** No order. */
  *values(): Generator<Value> {
    for (const names of this.#namespaces.values()) yield* names.values();
  }

  get size(): number {
    let count = 0;
    for (const names of this.#namespaces.values()) count += names.size;
    return count;
  }
}
