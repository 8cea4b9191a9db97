// SPDX-License-Identifier: Apache-2.0
import type { Draft, DraftObject } from "./json.ts";

/** The entries of an object in document order, including every occurrence of a repeated key. */
export type Entries = readonly (readonly [key: string, value: Draft])[];

/**
 * The details of a text that its parsed value lacks. Decoding into a typed object needs them: Go merges the values of
 * repeated keys, and refuses 1.0 as an integer. Valid only for values that are unchanged since parsing.
 */
export interface JsonSourceDetails {
  /** The entries of an object with repeated keys; undefined for any other object. */
  entriesOf(object: DraftObject): Entries | undefined;
  /**
   * The text of a number that is not written as a plain integer; undefined for any other value. For a repeated key it
   * is the last one's.
   */
  numberText(holder: DraftObject | Draft[], key: string | number): string | undefined;
}

/** For a value whose source text is unknown. */
export const noSourceDetails: JsonSourceDetails = { entriesOf: () => undefined, numberText: () => undefined };

/** Details that are recorded while the text is read. */
export class RecordedSourceDetails implements JsonSourceDetails {
  readonly #entries = new Map<DraftObject, Entries>();
  readonly #numbers = new Map<DraftObject | Draft[], Map<string | number, string>>();

  entriesOf(object: DraftObject): Entries | undefined {
    return this.#entries.get(object);
  }

  numberText(holder: DraftObject | Draft[], key: string | number): string | undefined {
    return this.#numbers.get(holder)?.get(key);
  }

  noteEntries(object: DraftObject, entries: Entries): void {
    this.#entries.set(object, entries);
  }

  noteNumber(holder: DraftObject | Draft[], key: string | number, text: string): void {
    const numbers = this.#numbers.get(holder);
    if (numbers === undefined) this.#numbers.set(holder, new Map([[key, text]]));
    else numbers.set(key, text);
  }
}
