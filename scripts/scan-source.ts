// SPDX-License-Identifier: Apache-2.0
// Separates the code of a TypeScript file from its comments and literals, so that a rule about code can be a regular
// expression.

/** One string literal as written: escapes and `${...}` are kept. */
export interface TextLiteral {
  /** Index of its opening quote. */
  readonly start: number;
  /** Index after its closing quote. */
  readonly end: number;
  readonly text: string;
}

/** A scanned file. */
export interface ScannedSource {
  /**
   * The file with comments and the contents of strings, templates and regular expressions replaced by spaces. Line
   * breaks, quotes and `${...}` code stay, and indices are the same as in the file.
   */
  readonly code: string;
  /** In order of their opening quotes. */
  readonly literals: readonly TextLiteral[];
}

/** Keywords after which a slash starts a regular expression; after any other word it is a division. */
const wordsBeforeRegex = new Set(
  "return typeof instanceof in of new delete void throw case do else await yield default extends".split(" "),
);

/** Scans one file. Never fails; for invalid TypeScript the result is unspecified. */
export function scanSource(text: string): ScannedSource {
  return new Scanner(text).scan();
}

class Scanner {
  readonly #text: string;
  readonly #code: string[];
  readonly #literals: TextLiteral[] = [];
  #at = 0;
  /** The last token before the current position: a word, a number, or one other character. */
  #last = "";

  constructor(text: string) {
    this.#text = text;
    this.#code = text.split("");
  }

  scan(): ScannedSource {
    this.#skipCode(undefined);
    this.#literals.sort((a, b) => a.start - b.start);
    return { code: this.#code.join(""), literals: this.#literals };
  }

  /** Reads code to the end of the file, or to the brace that closes the enclosing `${`. */
  #skipCode(closing: "}" | undefined): void {
    let depth = 0;
    while (this.#at < this.#text.length) {
      const char = this.#text.charAt(this.#at);
      const two = this.#text.slice(this.#at, this.#at + 2);
      if (closing !== undefined && char === "}" && depth === 0) return;
      if (two === "//" || (two === "#!" && this.#at === 0)) this.#blankTo(this.#indexOf("\n", this.#at));
      else if (two === "/*") this.#blankTo(this.#indexOf("*/", this.#at + 2) + 2);
      else if (char === '"' || char === "'") this.#skipString(char);
      else if (char === "`") this.#skipTemplate();
      else if (char === "/" && this.#canStartRegex() && this.#regexEnd() !== undefined) this.#skipRegex();
      else {
        if (char === "{") depth += 1;
        if (char === "}") depth -= 1;
        this.#skipWordOrCharacter();
      }
    }
  }

  #skipWordOrCharacter(): void {
    const char = this.#text.charAt(this.#at);
    const word = /[\w$]+/y;
    word.lastIndex = this.#at;
    const found = word.exec(this.#text)?.[0] ?? char;
    if (found.trim() !== "") this.#last = found;
    this.#at += found.length;
  }

  #skipString(quote: string): void {
    const start = this.#at;
    let end = start + 1;
    while (end < this.#text.length && this.#text[end] !== quote && this.#text[end] !== "\n") {
      end += this.#text[end] === "\\" ? 2 : 1;
    }
    this.#at = start + 1;
    this.#blankTo(end);
    this.#endLiteral(start);
  }

  #skipTemplate(): void {
    const start = this.#at;
    this.#at += 1;
    while (this.#at < this.#text.length && this.#text[this.#at] !== "`") {
      if (this.#text.startsWith("${", this.#at)) {
        this.#at += 2;
        this.#last = "{";
        this.#skipCode("}");
        this.#at += 1;
      } else {
        this.#blankTo(this.#at + (this.#text[this.#at] === "\\" ? 2 : 1));
      }
    }
    this.#endLiteral(start);
  }

  /** Ends the literal that began at `start`; the position is at its closing quote. */
  #endLiteral(start: number): void {
    const text = this.#text.slice(start + 1, this.#at);
    this.#at = Math.min(this.#at + 1, this.#text.length);
    this.#literals.push({ start, end: this.#at, text });
    this.#last = '"';
  }

  #canStartRegex(): boolean {
    if (/^[\w$]/.test(this.#last)) return wordsBeforeRegex.has(this.#last);
    return !/^[)\]"]/.test(this.#last);
  }

  /**
   * The index of the slash that closes a regular expression that starts here; undefined if there is none on this line,
   * so it is a division.
   */
  #regexEnd(): number | undefined {
    let inClass = false;
    for (let at = this.#at + 1; at < this.#text.length; at += 1) {
      const char = this.#text[at];
      if (char === "\n") return undefined;
      if (char === "\\") at += 1;
      else if (char === "[") inClass = true;
      else if (char === "]") inClass = false;
      else if (char === "/" && !inClass) return at;
    }
    return undefined;
  }

  #skipRegex(): void {
    const end = this.#regexEnd() ?? this.#at;
    this.#at += 1;
    this.#blankTo(end);
    const flags = /[a-z]*/y;
    flags.lastIndex = end + 1;
    this.#at = end + 1 + (flags.exec(this.#text)?.[0].length ?? 0);
    this.#last = '"';
  }

  #blankTo(end: number): void {
    const until = Math.min(end, this.#text.length);
    for (; this.#at < until; this.#at += 1) {
      if (this.#text[this.#at] !== "\n") this.#code[this.#at] = " ";
    }
  }

  /** Returns the end of the file if `wanted` is not found. */
  #indexOf(wanted: string, from: number): number {
    const found = this.#text.indexOf(wanted, from);
    return found === -1 ? this.#text.length : found;
  }
}
