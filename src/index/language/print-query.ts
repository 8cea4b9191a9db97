// SPDX-License-Identifier: Apache-2.0
import type { QuerySyntax, QueryValue } from "./query-syntax.ts";

/** Characters that end a value without quotes, and quotes themselves. */
const needsQuotes = /[\s()"',]|^$/;

/**
 * The canonical text of a query: `parseQuery` reads it to the same tree (QL7). Cursors and saved queries are bound to
 * this text.
 */
export function printQuery(query: QuerySyntax): string {
  switch (query.kind) {
    case "all":
      return "";
    case "and":
      return query.parts.map((part) => (part.kind === "or" ? `(${printQuery(part)})` : printQuery(part))).join(" ");
    case "or":
      return query.parts.map(printQuery).join(" or ");
    case "not":
      return `-${query.of.kind === "and" || query.of.kind === "or" ? `(${printQuery(query.of)})` : printQuery(query.of)}`;
    case "text":
      return printQuoted(query.value);
    case "compare": {
      const { field, operator, values } = query;
      const [first] = values;
      const isList = values.length > 1 || first === undefined;
      return `${field}${operator}${isList ? `in(${values.map(printValue).join(",")})` : printValue(first)}`;
    }
  }
}

/** The text of a value as it is written after an operator. */
export function printValue(value: QueryValue): string {
  return needsQuotes.test(value.pattern) || /^in$/i.test(value.pattern) ? printQuoted(value) : value.pattern;
}

/** In double quotes, unless the pattern has an unescaped one: it then came in single quotes. */
function printQuoted({ pattern }: QueryValue): string {
  const mark = /(^|[^\\])(\\\\)*"/.test(pattern) ? "'" : '"';
  return `${mark}${pattern}${mark}`;
}
