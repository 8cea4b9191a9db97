// SPDX-License-Identifier: Apache-2.0
import { FlotillaError } from "../../base/error.ts";
import { ByteWriter } from "../rows/byte-writer.ts";
import { compareUtf8, quote } from "../text.ts";
import { maxSharedBytes, maxTextBytes } from "./format.ts";

const surrogate = /[\ud800-\udfff]/;

/**
 * Collects the texts of a batch. A text gets a number at first use, and its id in the table only after all are
 * collected.
 */
export class StringInterner {
  readonly #numbers = new Map<string, number>([["", 0]]);

  /** The number of a text, after replacing lone surrogates (CO26); 0 is the empty text. */
  number(text: string): number {
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    if (!text.isWellFormed()) return this.number(text.toWellFormed());
    const number = this.#numbers.size;
    this.#numbers.set(text, number);
    return number;
  }

  /** Writes the table and returns the id for each number. Throws TOO_LARGE for a text over the limit. */
  write(writer: ByteWriter): Uint32Array {
    const texts = sortTexts([...this.#numbers.keys()]);
    const idOf = new Uint32Array(texts.length);
    const shared = new ByteWriter(texts.length + 1);
    const lengths = new ByteWriter(texts.length * 2);
    const suffixes = new ByteWriter(texts.length * 16);
    const encoded = [new ByteWriter(256), new ByteWriter(256)] as const;
    for (const [id, text] of texts.entries()) {
      idOf[this.#numbers.get(text) ?? 0] = id;
      const present = encoded[id % 2 === 0 ? 0 : 1];
      present.reset();
      present.utf8(text);
      if (present.length > maxTextBytes)
        throw new FlotillaError(
          "TOO_LARGE",
          `the text ${quote(text)} has ${present.length} bytes, the most is ${maxTextBytes}`,
        );
      if (id === 0) continue;
      const bytes = present.view();
      const sharedBytes = sharedLength(encoded[id % 2 === 0 ? 1 : 0].view(), bytes);
      shared.u8(sharedBytes);
      lengths.varint(bytes.length - sharedBytes);
      suffixes.bytes(bytes.subarray(sharedBytes));
    }
    writer.varint(texts.length - 1);
    for (const part of [shared, lengths, suffixes]) writer.bytes(part.view());
    return idOf;
  }
}

/** Sorts bytewise. Without surrogates the language's own order is the same and several times faster. */
function sortTexts(texts: string[]): string[] {
  return texts.some((text) => surrogate.test(text)) ? texts.sort(compareUtf8) : texts.sort();
}

function sharedLength(before: Uint8Array, present: Uint8Array): number {
  // Every text keeps at least one byte of its own.
  const most = Math.min(before.length, present.length - 1, maxSharedBytes);
  let length = 0;
  while (length < most && before[length] === present[length]) length += 1;
  return length;
}
