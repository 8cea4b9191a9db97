// SPDX-License-Identifier: Apache-2.0
import type { Draft, DraftObject } from "./json.ts";

/** Every entry of an object as its text has them, in order, a repeated key as often as it stands there. */
export type Entries = readonly (readonly [key: string, value: Draft])[];

/**
 * What a text says that its value does not show. Decoding into a typed object needs it: Go merges what repeated keys give, and refuses 1.0 where it wants an
 * integer. Known for values that come straight from a text, and only while nobody has changed them.
 */
export interface JsonSpelling {
  /** The entries of an object in which some key is repeated; undefined for any other object. */
  entriesOf(object: DraftObject): Entries | undefined;
  /** The text of a number that is not written as a plain integer; undefined for any other value. In an object with repeated keys it is that of the last one. */
  numberText(holder: DraftObject | Draft[], key: string | number): string | undefined;
}

/** Of a value about which nothing is known but itself. */
export const plainSpelling: JsonSpelling = { entriesOf: () => undefined, numberText: () => undefined };

/** A spelling that is being noted down while its text is read. */
export class NotedSpelling implements JsonSpelling {
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
