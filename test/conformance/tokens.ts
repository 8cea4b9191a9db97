// SPDX-License-Identifier: Apache-2.0

/**
 * Stable names for values that differ from run to run: the first value seen is `<kind 1>`. Equal values get equal
 * names.
 */
export class Tokens {
  readonly #kind: string;
  readonly #byValue = new Map<string, string>();

  constructor(kind: string) {
    this.#kind = kind;
  }

  of(value: string): string {
    const known = this.#byValue.get(value);
    if (known !== undefined) return known;
    const token = `<${this.#kind} ${this.#byValue.size + 1}>`;
    this.#byValue.set(value, token);
    return token;
  }
}
