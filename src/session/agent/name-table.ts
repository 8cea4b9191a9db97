// SPDX-License-Identifier: Apache-2.0

/** Most texts of the table: a cluster has some hundred label keys, column names and reasons, so only a hostile one fills it. */
const maxNameCount = 4_096;

/** Longest text that is numbered, in UTF-16 units: a label key has at most 317. With the bound above the table stays below 3 MiB. */
const maxNameLength = 320;

/**
 * Numbers for texts that come again in row after row: label keys, column names, reasons. Entries stay for ever, so the table
 * has a bound; a text that finds no room has no number, and its row holds it itself.
 */
export class NameTable {
  readonly #numbers = new Map<string, number>();
  readonly #texts: string[] = [];

  /** The number of a text, from 1; 0 when it has none. */
  number(text: string): number {
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    if (this.#texts.length >= maxNameCount || text.length > maxNameLength || !text.isWellFormed()) return 0;
    this.#texts.push(text);
    this.#numbers.set(text, this.#texts.length);
    return this.#texts.length;
  }

  /** The text of a number that `number` gave. */
  text(number: number): string {
    return this.#texts[number - 1] ?? "";
  }
}
