// SPDX-License-Identifier: Apache-2.0
// Parses label selectors token by token, as Kubernetes' own parser does (CO50), and reports the position of a fault.
import { isLabelKey, isLabelValue } from "../label-name.ts";
import { quote } from "../text.ts";
import { type LabelRequirement, type LabelSelector, parseInt64 } from "./label-selector.ts";
import { maxSelectorLength, refuseSelector } from "./selector-error.ts";

type Mark = "=" | "==" | "!=" | "!" | "(" | ")" | "," | ">" | "<";

type Token =
  | { readonly kind: "word"; readonly text: string; readonly at: number }
  | { readonly kind: "mark"; readonly text: Mark; readonly at: number }
  | { readonly kind: "end"; readonly text: ""; readonly at: number };

/** A mark, or a run of characters that are neither marks nor blanks. `==` and `!=` are matched before `=` and `!`. */
const tokenForm = /==|!=|[=!(),<>]|[^=!(),<> \t\r\n]+/g;

function isMark(text: string): text is Mark {
  return ["=", "==", "!=", "!", "(", ")", ",", ">", "<"].includes(text);
}

function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  for (const match of text.matchAll(tokenForm)) {
    const [token] = match;
    tokens.push(
      isMark(token) ? { kind: "mark", text: token, at: match.index } : { kind: "word", text: token, at: match.index },
    );
  }
  tokens.push({ kind: "end", text: "", at: text.length });
  return tokens;
}

class Parser {
  readonly #tokens: readonly Token[];
  readonly #end: Token;
  #next = 0;

  constructor(text: string) {
    this.#tokens = tokenize(text);
    this.#end = { kind: "end", text: "", at: text.length };
  }

  #peek(): Token {
    return this.#tokens[this.#next] ?? this.#end;
  }

  #take(): Token {
    const token = this.#peek();
    this.#next += 1;
    return token;
  }

  #isNext(...marks: readonly Mark[]): boolean {
    const token = this.#peek();
    return token.kind === "mark" && marks.includes(token.text);
  }

  #refuse(token: Token, expected: string): never {
    return refuseSelector(
      "label",
      token.at,
      `${token.kind === "end" ? "it ends" : `it has ${quote(token.text)}`} where ${expected} was expected`,
    );
  }

  parse(): LabelRequirement[] {
    const requirements: LabelRequirement[] = [];
    if (this.#peek().kind === "end") return requirements;
    for (;;) {
      requirements.push(this.#requirement());
      const token = this.#take();
      if (token.kind === "end") return requirements;
      if (token.kind !== "mark" || token.text !== ",") this.#refuse(token, '"," or the end');
    }
  }

  #key(): string {
    const token = this.#take();
    if (token.kind !== "word") this.#refuse(token, "a label key");
    if (!isLabelKey(token.text))
      refuseSelector("label", token.at, `${quote(token.text)} is not a label key that Kubernetes allows`);
    return token.text;
  }

  #requirement(): LabelRequirement {
    if (this.#isNext("!")) {
      this.#take();
      return { operator: "notExists", key: this.#key() };
    }
    const key = this.#key();
    if (this.#isNext(",") || this.#peek().kind === "end") return { operator: "exists", key };
    const operator = this.#take();
    switch (operator.text) {
      case "in":
        return { operator: "in", key, values: this.#set() };
      case "notin":
        return { operator: "notIn", key, values: this.#set() };
      case "=":
      case "==":
        return { operator: "in", key, values: [this.#value()] };
      case "!=":
        return { operator: "notIn", key, values: [this.#value()] };
      case ">":
        return { operator: "greater", key, value: this.#integer() };
      case "<":
        return { operator: "less", key, value: this.#integer() };
      default:
        return this.#refuse(operator, "an operator (=, ==, !=, in, notin, >, <)");
    }
  }

  /** The value after an operator; empty if there is none. */
  #value(): string {
    if (this.#isNext(",") || this.#peek().kind === "end") return "";
    return this.#word("a value");
  }

  #word(expected: string): string {
    const token = this.#take();
    if (token.kind !== "word") this.#refuse(token, expected);
    if (!isLabelValue(token.text))
      refuseSelector("label", token.at, `${quote(token.text)} is not a label value that Kubernetes allows`);
    return token.text;
  }

  #integer(): bigint {
    const at = this.#peek().at;
    const value = parseInt64(this.#value());
    return value ?? refuseSelector("label", at, "> and < need an integer of 64 bits");
  }

  /** Values in parentheses. Nothing between two commas, or next to one, is the empty value. */
  #set(): string[] {
    if (!this.#isNext("(")) this.#refuse(this.#peek(), '"("');
    this.#take();
    const values: string[] = [];
    for (;;) {
      values.push(this.#isNext(",", ")") ? "" : this.#word('a value, "," or ")"'));
      const token = this.#take();
      if (token.kind === "mark" && token.text === ")") return values;
      if (token.kind !== "mark" || token.text !== ",") this.#refuse(token, '"," or ")"');
    }
  }
}

/** Parses a label selector; "" selects everything. Throws INVALID_ARGUMENT with the position of the fault (CO55). */
export function parseLabelSelector(text: string): LabelSelector {
  if (text.length > maxSelectorLength)
    refuseSelector("label", maxSelectorLength, `it is longer than ${maxSelectorLength} characters`);
  return new Parser(text).parse();
}
