// SPDX-License-Identifier: Apache-2.0

/**
 * Objects by (namespace, name). Nested maps instead of a joined key, so that two pairs cannot collide. Most namespaces
 * have one object of a kind, which is held without a map of its own.
 */
export class NamespacedMap<Value extends { readonly name: string }> {
  readonly #namespaces = new Map<string, Value | Map<string, Value>>();

  get(namespace: string, name: string): Value | undefined {
    const held = this.#namespaces.get(namespace);
    if (held instanceof Map) return held.get(name);
    return held?.name === name ? held : undefined;
  }

  set(namespace: string, value: Value): void {
    const held = this.#namespaces.get(namespace);
    if (held instanceof Map) held.set(value.name, value);
    else if (held === undefined || held.name === value.name) this.#namespaces.set(namespace, value);
    else this.#namespaces.set(namespace, new Map([held, value].map((each) => [each.name, each])));
  }

  delete(namespace: string, name: string): void {
    const held = this.#namespaces.get(namespace);
    if (held instanceof Map) held.delete(name);
    const isEmpty = held instanceof Map ? held.size === 0 : held?.name === name;
    if (isEmpty) this.#namespaces.delete(namespace);
  }

  /** No order. */
  *values(): Generator<Value> {
    for (const held of this.#namespaces.values()) {
      if (held instanceof Map) yield* held.values();
      else yield held;
    }
  }

  get size(): number {
    let count = 0;
    for (const held of this.#namespaces.values()) count += held instanceof Map ? held.size : 1;
    return count;
  }
}
