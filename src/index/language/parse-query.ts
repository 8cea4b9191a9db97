// SPDX-License-Identifier: Apache-2.0
// Parses the text of a query to its syntax tree. Unknown names and wrong values are found later, by check-query.ts.
import { quote } from "../../model/text.ts";
import { refuseQuery } from "./query-error.ts";
import type { QueryOperator, QuerySyntax, QueryValue } from "./query-syntax.ts";
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

export { maxQueryLength } from "./query-tokens.ts";

/** Deepest nesting of parentheses and negations (QL1). People write three levels. */
export const maxQueryDepth = 32;

/** Parses a query; a blank one selects every row. Throws INVALID_ARGUMENT with the position of the fault. */
export function parseQuery(text: string): QuerySyntax {
  if (text.length > maxQueryLength)
    refuseQuery(maxQueryLength, `the query is longer than ${maxQueryLength} characters`);
  return new QueryParser(text).parse();
}

class QueryParser {
  readonly #text: string;
  #at = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
  }

  parse(): QuerySyntax {
    this.#skipBlanks();
    if (this.#isEnd()) return { kind: "all" };
    const query = this.#any();
    if (!this.#isEnd()) refuseQuery(this.#at, `${this.#found()} where a term or the end was expected`);
    return query;
  }

  #any(): QuerySyntax {
    const parts = [this.#every()];
    while (this.#takeKeyword("or")) parts.push(this.#every());
    return join("or", parts);
  }

  #every(): QuerySyntax {
    const parts = [this.#term()];
    for (;;) {
      const hasAnd = this.#takeKeyword("and");
      if (!hasAnd && (this.#isEnd() || this.#text[this.#at] === ")" || this.#isKeyword("or"))) break;
      parts.push(this.#term());
    }
    return join("and", parts);
  }

  #term(): QuerySyntax {
    const character = this.#text[this.#at];
    if (character === "(") return this.#nested(() => this.#group());
    if (character === "-" || character === "!") {
      return this.#nested(() => {
        this.#at += 1;
        this.#skipBlanks();
        return negate(this.#term());
      });
    }
    if (this.#isKeyword("not")) {
      return this.#nested(() => {
        this.#takeKeyword("not");
        return negate(this.#term());
      });
    }
    if (character === '"' || character === "'") return { kind: "text", value: this.#value() };
    return this.#word();
  }

  #nested(parse: () => QuerySyntax): QuerySyntax {
    this.#depth += 1;
    if (this.#depth > maxQueryDepth) refuseQuery(this.#at, `it is nested deeper than ${maxQueryDepth} levels`);
    const nested = parse();
    this.#depth -= 1;
    return nested;
  }

  #group(): QuerySyntax {
    const at = this.#at;
    this.#at += 1;
    this.#skipBlanks();
    const inside = this.#any();
    if (this.#text[this.#at] !== ")") refuseQuery(at, 'the parenthesis is never closed; add ")"');
    this.#at += 1;
    this.#skipBlanks();
    return inside;
  }

  /** A comparison, or a word of free text. */
  #word(): QuerySyntax {
    const at = this.#at;
    const field = this.#match(wordForm)?.[0];
    if (field === undefined) refuseQuery(at, `${this.#found()} where a field or a word was expected`);
    const operator = this.#match(operatorForm)?.[1];
    if (operator === undefined) {
      if (/^(?:and|or)$/i.test(field))
        refuseQuery(at, `it has ${quote(field)} where a field or a word was expected; quotes make it a text`);
      this.#skipBlanks();
      return { kind: "text", value: { pattern: field, at } };
    }
    this.#skipBlanks();
    return { kind: "compare", field, operator: toOperator(operator), values: this.#values(), at };
  }

  /** One value, several separated by commas, or `in(a, b)`. */
  #values(): readonly QueryValue[] {
    if (matchAt(listForm, this.#text, this.#at) !== undefined) {
      const at = this.#at + 2;
      this.#at += 3;
      const values = this.#list(() => this.#skipBlanks());
      if (this.#text[this.#at] !== ")") refuseQuery(at, 'the list is never closed; add ")"');
      this.#at += 1;
      this.#skipBlanks();
      return values;
    }
    const values = this.#list(() => undefined);
    this.#skipBlanks();
    return values;
  }

  #list(skip: () => void): readonly QueryValue[] {
    const values: QueryValue[] = [];
    do {
      if (values.length > 0) this.#at += 1;
      skip();
      values.push(this.#bareOrQuoted());
      skip();
    } while (this.#text[this.#at] === ",");
    return values;
  }

  #value(): QueryValue {
    const value = this.#bareOrQuoted();
    this.#skipBlanks();
    return value;
  }

  #bareOrQuoted(): QueryValue {
    const at = this.#at;
    const mark = this.#text[at];
    if (mark !== '"' && mark !== "'") {
      const pattern = this.#match(valueForm)?.[0];
      return pattern === undefined ? this.#refuseValue() : { pattern, at };
    }
    const end = findClosingQuote(this.#text, at) ?? refuseQuery(at, `the quote is never closed; add ${mark}`);
    this.#at = end + 1;
    return { pattern: this.#text.slice(at + 1, end), at };
  }

  #refuseValue(): never {
    return refuseQuery(this.#at, `${this.#found()} where a value was expected; write "" for the empty text`);
  }

  /** True at this keyword, in any case. A word before an operator is a field, never a keyword. */
  #isKeyword(keyword: string): boolean {
    const from = this.#at;
    const word = this.#match(wordForm)?.[0];
    const isField = this.#match(operatorForm) !== undefined;
    this.#at = from;
    return !isField && word?.toLowerCase() === keyword;
  }

  #takeKeyword(keyword: string): boolean {
    if (!this.#isKeyword(keyword)) return false;
    this.#at += keyword.length;
    this.#skipBlanks();
    return true;
  }

  #match(form: RegExp): RegExpExecArray | undefined {
    const match = matchAt(form, this.#text, this.#at);
    if (match !== undefined) this.#at += match[0].length;
    return match;
  }

  #skipBlanks(): void {
    this.#match(blankForm);
  }

  #isEnd(): boolean {
    return this.#at === this.#text.length;
  }

  #found(): string {
    return this.#isEnd() ? "it ends" : `it has ${quote(this.#text[this.#at] ?? "")}`;
  }
}

/** One node for nested parts of the same kind, so that equal queries have equal trees. */
function join(kind: "and" | "or", parts: readonly QuerySyntax[]): QuerySyntax {
  const flat = parts.flatMap((part) => (part.kind === kind ? part.parts : [part]));
  const [first] = flat;
  return first !== undefined && flat.length === 1 ? first : { kind, parts: flat };
}

function negate(query: QuerySyntax): QuerySyntax {
  return query.kind === "not" ? query.of : { kind: "not", of: query };
}

function toOperator(text: string): QueryOperator {
  switch (text) {
    case "!=":
    case "<":
    case "<=":
    case ">":
    case ">=":
    case "~":
    case "!~":
      return text;
    default:
      return "=";
  }
}
