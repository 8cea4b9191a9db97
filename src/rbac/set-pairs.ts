// SPDX-License-Identifier: Apache-2.0

type NameSet = ReadonlySet<string> | undefined;

/**
 * Values computed once per pair of sets, by identity. Namespaces in which the same roles apply share one set of names,
 * so thousands of namespaces have few different pairs.
 */
export class SetPairs<Value> {
  readonly #compute: (a: NameSet, b: NameSet) => Value;
  readonly #values = new Map<NameSet, Map<NameSet, Value>>();

  constructor(compute: (a: NameSet, b: NameSet) => Value) {
    this.#compute = compute;
  }

  get(a: NameSet, b: NameSet): Value {
    const values = this.#values.get(a) ?? new Map<NameSet, Value>();
    this.#values.set(a, values);
    const known = values.get(b);
    if (known !== undefined) return known;
    const value = this.#compute(a, b);
    values.set(b, value);
    return value;
  }
}
