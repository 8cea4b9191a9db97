// SPDX-License-Identifier: Apache-2.0

/** Equal values come close to each other: a team is bound in one namespace after the other. */
const maxValues = 256;

/** Longer ones are rarely equal. */
const maxTextLength = 1_024;

/** Replaces a value by an equal one of the last few. Unlike shared values, it holds nothing of values that differ. */
export class RecentValues<Value extends object> {
  readonly #byText = new Map<string, Value>();

  share(value: Value): Value {
    const text = JSON.stringify(value);
    const known = this.#byText.get(text);
    if (known !== undefined || text.length > maxTextLength) return known ?? value;
    if (this.#byText.size >= maxValues) this.#byText.clear();
    this.#byText.set(text, value);
    return value;
  }
}
