// SPDX-License-Identifier: Apache-2.0
// The grammar of Kubernetes' JSONPath. Nesting is bounded: a filter or a list of indexes ends at its first closing
// mark.

/** One step from the current values to the next ones. */
export type PathStep =
  | { readonly kind: "field"; readonly name: string }
  | { readonly kind: "wildcard" }
  | { readonly kind: "descend" }
  | {
      readonly kind: "slice";
      readonly from: number | undefined;
      readonly to: SliceEnd;
      readonly step: number | undefined;
    }
  | { readonly kind: "union"; readonly branches: readonly (readonly PathStep[])[] }
  | {
      readonly kind: "filter";
      readonly left: readonly PathStep[];
      readonly operator: string;
      readonly right: readonly PathStep[];
    }
  | { readonly kind: "literal"; readonly value: string | number | boolean }
  /** Words without a meaning in a path: evaluating one fails. */
  | { readonly kind: "word" };

/** `one`: a single index. `all`: the end is open. */
export type SliceEnd = number | "one" | "all";

/** An invalid path; the message explains why. */
export class PathSyntaxError extends Error {
  override readonly name = "PathSyntaxError";
}

const endsName = /[ \t\r\n.,[\]$@{}]/;
const startsName = /[\p{L}\p{Nd}_]/u;
const dictionaryKey = /^'([^']*)'$/;
const sliceText = /^(-?\d*)(:-?\d*)?(:-?\d*)?$/;
const escapeText = /\\(?:([abfnrtv\\'"])|x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{3}))/y;
const plainEscapes = new Map(Object.entries({ a: "\x07", b: "\b", f: "\f", n: "\n", r: "\r", t: "\t", v: "\v" }));

/** The steps of a path such as `.spec.items[0].name`. Throws a PathSyntaxError. */
export function parseSteps(text: string): readonly PathStep[] {
  return new StepParser(`${text}}`).parse();
}

/** Parses one path. Its text ends with a closing brace, as in the templates that the grammar was designed for. */
class StepParser {
  readonly #text: string;
  readonly #steps: PathStep[] = [];
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  parse(): readonly PathStep[] {
    while (!this.#text.startsWith("}", this.#at)) this.#parseStep();
    return this.#steps;
  }

  #parseStep(): void {
    if (this.#text.startsWith("[?(", this.#at)) return this.#parseFilter();
    if (this.#text.startsWith("..", this.#at)) return this.#parseDescent();
    const mark = String.fromCodePoint(this.#text.codePointAt(this.#at) ?? 0x0a);
    if (mark === "\n" || mark === "\r") throw new PathSyntaxError("unclosed action");
    if (mark === "[") return this.#parseBrackets();
    if (mark === '"' || mark === "'") return this.#parseQuoted(mark);
    if (mark === "+" || mark === "-" || /\p{Nd}/u.test(mark)) return this.#parseNumber();
    if (mark === "." || mark === " " || mark === "@" || mark === "$") {
      this.#at += 1;
      if (mark === ".") this.#parseField();
    } else if (startsName.test(mark)) this.#parseWord();
    else throw new PathSyntaxError(`unrecognized character in action: ${describeCharacter(mark)}`);
  }

  #parseField(): void {
    let name = "";
    for (; this.#at < this.#text.length; this.#at += 1) {
      const mark = this.#text.charAt(this.#at);
      if (mark === "\\") {
        this.#at += 1;
        name += this.#text.charAt(this.#at).replace("\\", "");
      } else if (endsName.test(mark)) break;
      else name += mark;
    }
    this.#steps.push(name === "*" ? { kind: "wildcard" } : { kind: "field", name });
  }

  #parseWord(): void {
    const start = this.#at;
    while (this.#at < this.#text.length && !endsName.test(this.#text.charAt(this.#at))) this.#at += 1;
    const word = this.#text.slice(start, this.#at);
    const isBoolean = word === "true" || word === "false";
    this.#steps.push(isBoolean ? { kind: "literal", value: word === "true" } : { kind: "word" });
  }

  #parseDescent(): void {
    if (this.#steps.at(-1)?.kind === "descend") throw new PathSyntaxError("invalid multiple recursive descent");
    this.#at += 2;
    this.#steps.push({ kind: "descend" });
    if (startsName.test(String.fromCodePoint(this.#text.codePointAt(this.#at) ?? 0x0a))) this.#parseField();
  }

  #parseNumber(): void {
    const start = this.#at;
    this.#at += 1;
    while (/[.\d]/.test(this.#text.charAt(this.#at))) this.#at += 1;
    const text = this.#text.slice(start, this.#at);
    if (!/^[+-]?(\d+(\.\d*)?|\.\d+)$/.test(text)) throw new PathSyntaxError(`cannot parse number ${text}`);
    this.#steps.push({ kind: "literal", value: Number(text) });
  }

  #parseQuoted(quote: string): void {
    let end = this.#at;
    do {
      end += 1;
      if (end >= this.#text.length || this.#text[end] === "\n") throw new PathSyntaxError("unterminated quoted string");
    } while (this.#text[end] !== quote || this.#text[end - 1] === "\\");
    const quoted = this.#text.slice(this.#at, end + 1);
    this.#at = end + 1;
    this.#steps.push({ kind: "literal", value: unquote(quoted) });
  }

  #parseBrackets(): void {
    const end = this.#text.indexOf("]", this.#at);
    const isBroken = end !== -1 && this.#text.slice(this.#at, end).includes("\n");
    if (end === -1 || isBroken) throw new PathSyntaxError("unterminated array");
    const text = this.#text.slice(this.#at + 1, end);
    this.#at = end + 1;
    const parts = text.split(",");
    if (parts.length > 1) {
      const branches = parts.map((part) => parseSteps(`[${trimBlanks(part)}]`));
      this.#steps.push({ kind: "union", branches });
      return;
    }
    const key = dictionaryKey.exec(text)?.[1];
    if (key === undefined) this.#steps.push(parseSlice(text));
    else this.#steps.push(...parseSteps(`.${key}`));
  }

  #parseFilter(): void {
    const start = this.#at + "[?(".length;
    const end = this.#findFilterEnd(start);
    if (this.#text[end + 1] !== "]") throw new PathSyntaxError("unclosed array expect ]");
    const text = this.#text.slice(start, end);
    this.#at = end + 2;
    const operatorStart = text.search(/[!<>=]/);
    const operator = /^[!<>=]+/.exec(text.slice(operatorStart))?.[0] ?? "";
    // The right side has at least one character, if necessary the last one of the operator.
    const rightStart = Math.min(operatorStart + operator.length, text.length - 1);
    if (operatorStart < 1 || rightStart <= operatorStart) {
      this.#steps.push({ kind: "filter", left: parseSteps(text), operator: "exists", right: [] });
      return;
    }
    this.#steps.push({
      kind: "filter",
      left: parseSteps(text.slice(0, operatorStart)),
      operator: text.slice(operatorStart, rightStart),
      right: parseSteps(text.slice(rightStart)),
    });
  }

  /** The index of the closing parenthesis: the first one outside the filter's only pair of quotes. */
  #findFilterEnd(start: number): number {
    let quote: string | undefined;
    let isClosed = false;
    for (let at = start; at < this.#text.length && this.#text[at] !== "\n"; at += 1) {
      const mark = this.#text[at];
      if (mark === '"' || mark === "'") {
        if (quote === undefined) quote = mark;
        else if (mark === quote && this.#text[at - 1] !== "\\") isClosed = true;
      } else if (mark === ")" && (quote !== undefined) === isClosed) return at;
    }
    throw new PathSyntaxError("unterminated filter");
  }
}

/** Trims blanks in one pass: a regular expression for trailing blanks takes quadratic time. */
function trimBlanks(text: string): string {
  let start = 0;
  let end = text.length;
  while (text[start] === " ") start += 1;
  while (end > start && text[end - 1] === " ") end -= 1;
  return text.slice(start, end);
}

function parseSlice(text: string): PathStep {
  const found = sliceText.exec(text === "*" ? ":" : text);
  if (found === null) throw new PathSyntaxError(`invalid array index ${text}`);
  const [, from = "", to, step] = found;
  return {
    kind: "slice",
    from: parseIndex(from),
    to: to === undefined ? "one" : (parseIndex(to.slice(1)) ?? "all"),
    step: step === undefined ? undefined : parseIndex(step.slice(1)),
  };
}

function parseIndex(text: string): number | undefined {
  if (text === "") return undefined;
  const index = Number(text);
  if (!Number.isSafeInteger(index)) throw new PathSyntaxError(`array index ${text} is not a number`);
  return index;
}

function unquote(quoted: string): string {
  const quote = quoted.charAt(0);
  let text = "";
  for (let at = 1; at < quoted.length - 1; ) {
    if (quoted[at] !== "\\") {
      text += quoted.charAt(at);
      at += 1;
      continue;
    }
    escapeText.lastIndex = at;
    const [whole = "", plain, byte, short, long, octal] = escapeText.exec(quoted) ?? [];
    const code = octal === undefined ? Number.parseInt(byte ?? short ?? long ?? "0", 16) : Number.parseInt(octal, 8);
    const isOtherQuote = (plain === '"' || plain === "'") && plain !== quote;
    if (whole === "" || isOtherQuote || code > 0x10ffff) {
      throw new PathSyntaxError(`unquote string ${quoted} error invalid syntax`);
    }
    text += plain === undefined ? String.fromCodePoint(code) : (plainEscapes.get(plain) ?? plain);
    at += whole.length;
  }
  return text;
}

/** Formats a character as Go does: `U+0023 '#'`. */
function describeCharacter(mark: string): string {
  const code = (mark.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
  return `U+${code} '${mark}'`;
}
