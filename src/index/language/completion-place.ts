// SPDX-License-Identifier: Apache-2.0
import {
  blankForm,
  findClosingQuote,
  listForm,
  matchAt,
  maxQueryLength,
  operatorForm,
  valueForm,
  wordForm,
} from "./query-tokens.ts";
import { literalOf } from "./text-pattern.ts";

/** What stands at a caret, and the range of the text that a completion replaces. */
export type CompletionPlace =
  /** Inside free text, or beyond the longest query. */
  | { readonly kind: "none"; readonly from: number; readonly to: number }
  /** A field, a keyword or a word of free text. `hasOperator`: it is a field, and its operator follows. */
  | {
      readonly kind: "word";
      readonly prefix: string;
      readonly hasOperator: boolean;
      readonly from: number;
      readonly to: number;
    }
  /** A value of the field, as written. `prefix` is without quotes and escapes. */
  | {
      readonly kind: "value";
      readonly field: string;
      readonly prefix: string;
      readonly from: number;
      readonly to: number;
    };

/**
 * Finds what stands at the caret. Reads any text, also one that does not parse, once from start to end. `caret` counts
 * UTF-16 units from 0; beyond the text it counts as its end.
 */
export function findCompletionPlace(text: string, caret: number): CompletionPlace {
  const at = Math.max(0, Math.min(caret, text.length));
  if (text.length > maxQueryLength) return { kind: "none", from: at, to: at };
  return new PlaceFinder(text, at).find();
}

class PlaceFinder {
  readonly #text: string;
  readonly #caret: number;
  #at = 0;

  constructor(text: string, caret: number) {
    this.#text = text;
    this.#caret = caret;
  }

  find(): CompletionPlace {
    const [text, caret] = [this.#text, this.#caret];
    while (this.#at < text.length) {
      const found = this.#step();
      if (found !== undefined) return found;
      if (this.#at > caret) break;
    }
    return { kind: "word", prefix: "", hasOperator: false, from: caret, to: caret };
  }

  /** Reads a term or a mark. Undefined if the caret is not in it. */
  #step(): CompletionPlace | undefined {
    const [text, from] = [this.#text, this.#at];
    if (text[from] === '"' || text[from] === "'") {
      const end = findClosingQuote(text, from);
      this.#at = end === undefined ? text.length : end + 1;
      const isInside = this.#caret > from && (end === undefined || this.#caret <= end);
      return isInside ? { kind: "none", from: this.#caret, to: this.#caret } : undefined;
    }
    // A negation stands before a term; inside a word it is part of it.
    const word = text[from] === "-" ? undefined : this.#take(wordForm);
    if (word === undefined) {
      this.#at += 1;
      return undefined;
    }
    const to = this.#at;
    const hasOperator = this.#take(operatorForm) !== undefined;
    if (this.#caret >= from && this.#caret <= to)
      return { kind: "word", prefix: text.slice(from, this.#caret), hasOperator, from, to };
    return hasOperator ? this.#values(word) : undefined;
  }

  /** Reads the values after an operator. */
  #values(field: string): CompletionPlace | undefined {
    const start = this.#at;
    this.#take(blankForm);
    if (this.#caret >= start && this.#caret < this.#at) return this.#emptyValue(field);
    const isList = this.#take(listForm) !== undefined;
    for (;;) {
      const found = this.#value(field, isList);
      if (found !== undefined) return found;
      if (this.#text[this.#at] !== ",") break;
      this.#at += 1;
    }
    if (isList && this.#text[this.#at] === ")") this.#at += 1;
    return undefined;
  }

  #value(field: string, isList: boolean): CompletionPlace | undefined {
    const start = this.#at;
    if (isList) this.#take(blankForm);
    if (this.#caret >= start && this.#caret < this.#at) return this.#emptyValue(field);
    const from = this.#at;
    const mark = this.#text[from];
    const isQuoted = mark === '"' || mark === "'";
    if (isQuoted) {
      const end = findClosingQuote(this.#text, from);
      this.#at = end === undefined ? this.#text.length : end + 1;
    } else this.#take(valueForm);
    const to = this.#at;
    if (this.#caret >= from && this.#caret <= to) {
      const prefix = literalOf(this.#text.slice(isQuoted ? from + 1 : from, this.#caret));
      return { kind: "value", field, prefix, from, to };
    }
    if (isList) this.#take(blankForm);
    return undefined;
  }

  #emptyValue(field: string): CompletionPlace {
    return { kind: "value", field, prefix: "", from: this.#caret, to: this.#caret };
  }

  #take(form: RegExp): string | undefined {
    const match = matchAt(form, this.#text, this.#at);
    if (match !== undefined) this.#at += match[0].length;
    return match?.[0];
  }
}
