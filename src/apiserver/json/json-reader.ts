// SPDX-License-Identifier: Apache-2.0
// The exact JSON reader. It records repeated keys and number texts, and reports errors with Go's messages. Plain texts
// are left to JSON.parse.
import { type Draft, type DraftObject, setKey } from "./json.ts";
import { RecordedSourceDetails } from "./json-source-details.ts";
import { endedEarly, JsonTextError, misplaced } from "./json-text-error.ts";
import { quoteGo } from "./quote-go.ts";

/** The maximum number of complaints: as in Go's decoder, later ones are dropped. */
export const maxComplaintCount = 100;

/** Options of the reader. */
export interface JsonReaderOptions {
  readonly maxDepth: number;
}

/** The JSON grammar of numbers. */
const numberPattern = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
// oxlint-disable-next-line no-control-regex
const plainRunPattern = /[^"\\\u0000-\u001f]*/y;
const minInt64 = -(2n ** 63n);
const maxInt64 = 2n ** 63n - 1n;

/** Reads one text, once. */
export class JsonReader {
  readonly details = new RecordedSourceDetails();
  readonly #text: string;
  readonly #maxDepth: number;
  readonly #duplicates = new Set<string>();
  readonly #path: string[] = [];
  #at = 0;
  #depth = 0;
  /** The text of the last number, unless it is a plain integer. */
  #oddNumber: string | undefined;

  constructor(text: string, { maxDepth }: JsonReaderOptions) {
    this.#text = text;
    this.#maxDepth = maxDepth;
  }

  /** `duplicate field "data.a"` for each repeated key, in document order. */
  get duplicates(): readonly string[] {
    return [...this.#duplicates];
  }

  /** Reads the whole text. Throws a JsonTextError. */
  read(): Draft {
    const value = this.#value();
    this.#skipSpace();
    if (this.#at < this.#text.length) throw this.#misplaced("after top-level value");
    return value;
  }

  #value(): Draft {
    this.#oddNumber = undefined;
    switch (this.#next()) {
      case "{":
        return this.#object();
      case "[":
        return this.#list();
      case '"':
        return this.#string();
      case "t":
        return this.#literal("true", true);
      case "f":
        return this.#literal("false", false);
      case "n":
        return this.#literal("null", null);
      case "-":
        return this.#number();
      default: {
        const code = this.#text.charCodeAt(this.#at);
        if (code >= 0x30 && code <= 0x39) return this.#number();
        throw this.#misplaced("looking for beginning of value");
      }
    }
  }

  #object(): DraftObject {
    this.#enter();
    const object: DraftObject = {};
    const entries: [string, Draft][] = [];
    const seen = new Set<string>();
    for (let isFirst = true; ; isFirst = false) {
      const next = this.#next();
      if (isFirst && next === "}") break;
      if (next !== '"') throw this.#misplaced("looking for beginning of object key string");
      const key = this.#string();
      if (this.#next() !== ":") throw this.#misplaced("after object key");
      this.#at += 1;
      if (seen.has(key)) this.#complain(key);
      seen.add(key);
      this.#path.push(this.#path.length === 0 ? key : `.${key}`);
      const value = this.#value();
      this.#path.pop();
      this.#keepNumberText(object, key);
      setKey(object, key, value);
      entries.push([key, value]);
      const after = this.#next();
      if (after === "}") break;
      if (after !== ",") throw this.#misplaced("after object key:value pair");
      this.#at += 1;
    }
    this.#leave();
    if (seen.size < entries.length) this.details.noteEntries(object, entries);
    return object;
  }

  #list(): Draft[] {
    this.#enter();
    const list: Draft[] = [];
    for (;;) {
      if (this.#next() === "]" && list.length === 0) break;
      this.#path.push(`[${list.length}]`);
      const value = this.#value();
      this.#path.pop();
      this.#keepNumberText(list, list.length);
      list.push(value);
      const after = this.#next();
      if (after === "]") break;
      if (after !== ",") throw this.#misplaced("after array element");
      this.#at += 1;
    }
    this.#leave();
    return list;
  }

  #keepNumberText(holder: DraftObject | Draft[], key: string | number): void {
    if (this.#oddNumber !== undefined) this.details.noteNumber(holder, key, this.#oddNumber);
    this.#oddNumber = undefined;
  }

  #complain(key: string): void {
    if (this.#duplicates.size >= maxComplaintCount) return;
    const path = this.#path.join("");
    this.#duplicates.add(`duplicate field ${quoteGo(path === "" ? key : `${path}.${key}`)}`);
  }

  #enter(): void {
    this.#depth += 1;
    if (this.#depth > this.#maxDepth) throw this.#misplaced("exceeded max depth");
    this.#at += 1;
  }

  #leave(): void {
    this.#depth -= 1;
    this.#oddNumber = undefined;
    this.#at += 1;
  }

  #string(): string {
    this.#at += 1;
    let read = "";
    for (;;) {
      plainRunPattern.lastIndex = this.#at;
      const run = plainRunPattern.exec(this.#text)?.[0] ?? "";
      read += run;
      this.#at += run.length;
      if (this.#at >= this.#text.length) throw endedEarly();
      const char = this.#text[this.#at];
      if (char === "\\") read += this.#escape();
      else if (char === '"') {
        this.#at += 1;
        return read.toWellFormed();
      } else throw this.#misplaced("in string literal");
    }
  }

  #escape(): string {
    this.#at += 1;
    const escaped = escapes.get(this.#text[this.#at] ?? "");
    if (escaped === undefined) throw this.#misplaced("in string escape code");
    this.#at += 1;
    if (escaped !== "u") return escaped;
    const from = this.#at;
    for (; this.#at < from + 4; this.#at += 1)
      if (!/^[0-9a-fA-F]$/.test(this.#text[this.#at] ?? ""))
        throw this.#misplaced("in \\u hexadecimal character escape");
    return String.fromCharCode(Number.parseInt(this.#text.slice(from, this.#at), 16));
  }

  #literal<T extends boolean | null>(word: string, value: T): T {
    for (let index = 0; index < word.length; index += 1, this.#at += 1)
      if (this.#text[this.#at] !== word[index])
        throw this.#misplaced(`in literal ${word} (expecting '${word[index]}')`);
    return value;
  }

  #number(): number | bigint {
    numberPattern.lastIndex = this.#at;
    const text = numberPattern.exec(this.#text)?.[0];
    if (text === undefined) {
      this.#at += 1;
      throw this.#misplaced("in numeric literal");
    }
    this.#at += text.length;
    this.#assertNumberEnds(text);
    // An int64 has at most 19 digits and a sign. Converting a million digits would take most of a second.
    if (text.length <= 20 && /^-?[0-9]+$/.test(text)) {
      const short = Number(text);
      if (Number.isSafeInteger(short)) return short;
      const integer = BigInt(text);
      if (integer >= minInt64 && integer <= maxInt64) return integer;
    }
    const float = Number(text);
    if (!Number.isFinite(float))
      throw new JsonTextError(`json: cannot unmarshal number ${text} into Go value of type float64`);
    this.#oddNumber = text;
    return float;
  }

  /** Refuses a fraction or an exponent without digits. */
  #assertNumberEnds(text: string): void {
    const rest = /^(?:\.|[eE][+-]?)/.exec(this.#text.slice(this.#at, this.#at + 2))?.[0] ?? "";
    const hasFraction = text.includes(".");
    const hasExponent = /[eE]/.test(text);
    if (rest.startsWith(".") && !hasFraction && !hasExponent) {
      this.#at += 1;
      throw this.#misplaced("after decimal point in numeric literal");
    }
    if (rest !== "" && !rest.startsWith(".") && !hasExponent) {
      this.#at += rest.length;
      throw this.#misplaced("in exponent of numeric literal");
    }
  }

  /** The next character that is not a space; does not consume it. */
  #next(): string | undefined {
    this.#skipSpace();
    if (this.#at >= this.#text.length) throw endedEarly();
    return this.#text[this.#at];
  }

  #skipSpace(): void {
    for (; ; this.#at += 1) {
      const code = this.#text.charCodeAt(this.#at);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return;
    }
  }

  #misplaced(context: string): JsonTextError {
    return misplaced(this.#text, this.#at, context);
  }
}

const escapes: ReadonlyMap<string, string> = new Map([
  ['"', '"'],
  ["\\", "\\"],
  ["/", "/"],
  ["b", "\b"],
  ["f", "\f"],
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
  ["u", "u"],
]);
