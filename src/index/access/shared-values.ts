// SPDX-License-Identifier: Apache-2.0
import { assert } from "../../base/assert.ts";

interface SharedValue<Value> {
  readonly value: Value;
  readonly text: string;
  /** Never used again for another value. */
  readonly number: number;
  useCount: number;
}

/**
 * Keeps equal values once. Most roles of a fleet are equal: those that Kubernetes creates in every cluster, and those
 * that are copied into every namespace. Values are compared by their JSON and are dropped with their last use.
 */
export class SharedValues<Value extends object> {
  readonly #byText = new Map<string, SharedValue<Value>>();
  readonly #byValue = new Map<Value, SharedValue<Value>>();
  #nextNumber = 0;

  /** The value that stands for all equal ones. Each call needs one `release`. */
  acquire(value: Value): Value {
    const text = JSON.stringify(value);
    let shared = this.#byText.get(text);
    if (shared === undefined) {
      shared = { value, text, number: this.#nextNumber, useCount: 0 };
      this.#nextNumber += 1;
      this.#byText.set(text, shared);
      this.#byValue.set(value, shared);
    }
    shared.useCount += 1;
    return shared.value;
  }

  /** Ends one use of a value that `acquire` returned. */
  release(value: Value): void {
    const shared = this.#byValue.get(value);
    assert(shared !== undefined, "a shared value is released once for each use");
    shared.useCount -= 1;
    if (shared.useCount > 0) return;
    this.#byText.delete(shared.text);
    this.#byValue.delete(value);
  }

  /** The number of a value in use. Different values never have the same number, also over time. */
  numberOf(value: Value): number {
    const shared = this.#byValue.get(value);
    assert(shared !== undefined, "only values in use have a number");
    return shared.number;
  }

  get size(): number {
    return this.#byText.size;
  }
}
