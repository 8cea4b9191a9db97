// SPDX-License-Identifier: Apache-2.0
import { type ColumnType, columnTypes } from "../../model/rows/row.ts";
import { parseAddress, parseAddressRange } from "./ip-range.ts";
import { parseQuantity } from "./quantity-amount.ts";
import { refuseQuery } from "./query-error.ts";
import { isMomentText, parseMoment } from "./query-moment.ts";
import type { ColumnTest, OrderTest, TextTest } from "./query-predicate.ts";
import type { QueryValue } from "./query-syntax.ts";
import { parseSemanticVersion } from "./semantic-version.ts";
import { hasWildcard, literalOf } from "./text-pattern.ts";
import { isVersionColumn } from "./typed-text.ts";

/** One comparison of a column with a literal. */
export interface ColumnComparison {
  readonly column: string;
  /** The types that the column has among the visible kinds. */
  readonly types: ReadonlySet<ColumnType>;
  readonly operator: OrderTest | "~";
  readonly value: QueryValue;
  /** The moment that `now` means. */
  readonly nowMs: number;
}

const typeWords: Readonly<Record<ColumnType, string>> = {
  string: "a text",
  integer: "a number",
  float: "a number",
  boolean: "true or false",
  stringList: "a list of texts",
};

/** The tests that the literal allows, one for each type of the column (QL5). Throws INVALID_ARGUMENT if there is none. */
export function createColumnTest(comparison: ColumnComparison, toTextTest: () => TextTest): ColumnTest {
  const { column, types, operator, value } = comparison;
  const isText = types.has("string") || types.has("stringList");
  const literal = literalOf(value.pattern);
  const isBoolean = operator === "=" && types.has("boolean") && (literal === "true" || literal === "false");
  const test: ColumnTest = {
    ...(isText && (operator === "=" || operator === "~") ? { text: toTextTest() } : {}),
    ...numberTest(comparison, literal),
    ...(isBoolean ? { boolean: literal === "true" } : {}),
    ...(isText ? typedTest(comparison, literal) : {}),
  };
  if (Object.keys(test).length > 0) return test;
  const names = new Set(columnTypes.filter((type) => types.has(type)).map((type) => typeWords[type]));
  const hint = isText ? "; texts are ordered if they are quantities (1Gi), versions (1.31) or IP addresses" : "";
  return refuseQuery(
    value.at,
    `field.${column} is ${[...names].join(" or ")}, which ${operator}${literal} does not fit${hint}`,
  );
}

/** Numbers, amounts and times: `5`, `1Gi`, `now-1h`. */
function numberTest({ types, operator, value, nowMs }: ColumnComparison, literal: string): Pick<ColumnTest, "number"> {
  if (operator === "~" || !(types.has("integer") || types.has("float"))) return {};
  const number = isMomentText(literal) ? parseMoment(value, nowMs) : parseQuantity(literal);
  return number === undefined ? {} : { number: { order: operator, value: number } };
}

/** What the literal means decides how texts are compared. */
function typedTest({ column, operator, value }: ColumnComparison, literal: string): ColumnTest {
  if (operator === "~" || hasWildcard(value.pattern)) return {};
  const isAddress = operator === "=" ? parseAddressRange(literal) !== undefined : parseAddress(literal) !== undefined;
  if (isAddress) return { address: { order: operator, value: literal } };
  const isVersion = parseSemanticVersion(literal) !== undefined;
  const quantity = parseQuantity(literal);
  if (isVersion && (isVersionColumn(column) || quantity === undefined))
    return { version: { order: operator, value: literal } };
  return quantity === undefined ? {} : { quantity: { order: operator, value: quantity } };
}
