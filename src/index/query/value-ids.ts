// SPDX-License-Identifier: Apache-2.0
import { FlotillaError } from "../../base/error.ts";
import { type FieldRef, fieldRefText } from "../language/field-ref.ts";
import { TextDictionary } from "../table/text-dictionary.ts";
import { type CodeSpace, noText } from "./field-source.ts";
import { maxHeldGroups } from "./query-request.ts";

const encoder = new TextEncoder();

/** Longer texts are built as strings. */
const scratchBytes = 2_048;

/** Above it, an encoder is faster than a loop. */
const maxAsciiLength = 128;

/** The distinct values of one field in all clusters, as texts. Ids are small and hold for one query. */
export class ValueIds {
  readonly #ref: FieldRef;
  readonly dictionary = new TextDictionary();
  readonly #scratch = new Uint8Array(scratchBytes);
  readonly #byText = new Map<string, number>();
  readonly #byNumber = new Map<number, number>();

  constructor(ref: FieldRef) {
    this.#ref = ref;
  }

  /** Ids are below this number. */
  get count(): number {
    return this.dictionary.count;
  }

  /** For the few texts that whole tables have. */
  ofConstant(text: string): number {
    const known = this.#byText.get(text);
    if (known !== undefined) return known;
    const id = this.ofText(text);
    this.#byText.set(text, id);
    return id;
  }

  ofText(text: string): number {
    const length = this.#writeAscii(text);
    if (length >= 0) return this.#checked(this.dictionary.intern(this.#scratch, 0, length));
    return this.#checked(this.dictionary.intern(encoder.encode(text)));
  }

  /** Writes a short text into the scratch, several times faster than an encoder. -1 if it has other characters. */
  #writeAscii(text: string): number {
    if (text.length > maxAsciiLength) return -1;
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (code >= 0x80) return -1;
      this.#scratch[at] = code;
    }
    return text.length;
  }

  /** A text of a cluster's dictionary, whose bytes are given. It is not built. */
  ofDictionary(texts: TextDictionary, textId: number, bytes: Uint8Array): number {
    return this.#checked(this.dictionary.intern(bytes, texts.startOf(textId), texts.endOf(textId)));
  }

  ofNumber(value: number): number {
    const known = this.#byNumber.get(value);
    if (known !== undefined) return known;
    const id = this.ofText(String(value));
    this.#byNumber.set(value, id);
    return id;
  }

  /** The distinct values of a code; empty for none. */
  ofCode(space: CodeSpace, code: number): readonly number[] {
    if (space.writeText !== undefined) {
      const length = space.writeText(code, this.#scratch);
      if (length < 0) return [];
      if (length < this.#scratch.length) return [this.#checked(this.dictionary.intern(this.#scratch, 0, length))];
    }
    if (space.single === undefined) return space.textsOf(code).map((text) => this.ofText(text));
    const textId = space.single.idOf(code);
    return textId === noText ? [] : [this.ofDictionary(space.single.dictionary, textId, space.single.dictionary.bytes)];
  }

  #checked(id: number): number {
    if (id < maxHeldGroups) return id;
    throw new FlotillaError(
      "TOO_LARGE",
      `${fieldRefText(this.#ref)} has more than ${maxHeldGroups} values; narrow the query by cluster, kind or namespace, or count by another field`,
    );
  }
}
