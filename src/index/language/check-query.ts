// SPDX-License-Identifier: Apache-2.0
// Checks the names and values of a query. Every fault is found here, before any row is read (Q-13).
import { findNearest } from "../../base/nearest.ts";
import { statuses } from "../../model/status.ts";
import { quote } from "../../model/text.ts";
import { createColumnTest } from "./column-test.ts";
import { checkColumn, refuseField } from "./field-ref.ts";
import type { QueryCatalog } from "./query-catalog.ts";
import { refuseQuery } from "./query-error.ts";
import { type ResolvedField, resolveField } from "./query-fields.ts";
import { parseAge, parseMoment } from "./query-moment.ts";
import type { CheckedQuery, OrderTest, Predicate, TextTest } from "./query-predicate.ts";
import type { QueryComparison, QueryOperator, QuerySyntax, QueryValue } from "./query-syntax.ts";
import { hasWildcard, literalOf } from "./text-pattern.ts";
import { isTextSearch, maxSearchCount } from "./text-searches.ts";

/** Checks a query against the catalog. `nowMs` is the wall time that `now-1h` counts from. Throws INVALID_ARGUMENT. */
export function checkQuery(query: QuerySyntax, catalog: QueryCatalog, nowMs: number): CheckedQuery {
  const { filter, atMs } = takeMoment(query, nowMs);
  return { filter: new QueryChecker(catalog, nowMs).check(filter), atMs };
}

/** `at:` applies to the whole query, so it stands beside its terms and not inside `or` or `not`. */
function takeMoment(query: QuerySyntax, nowMs: number): { readonly filter: QuerySyntax; readonly atMs?: number } {
  const parts = query.kind === "and" ? query.parts : [query];
  const isMoment = (part: QuerySyntax): part is QueryComparison =>
    part.kind === "compare" && resolveField(part.field)?.field === "at";
  const [moment, second] = parts.filter(isMoment);
  if (moment === undefined) return { filter: query };
  if (second !== undefined) refuseQuery(second.at, "`at` is given twice");
  const [value] = moment.values;
  if (moment.operator !== "=" || value === undefined || moment.values.length > 1)
    refuseQuery(moment.at, "`at` takes one moment: at:2026-01-31T10:00:00Z or at:now-1h");
  const rest = parts.filter((part) => part !== moment);
  const [first] = rest;
  const filter: QuerySyntax =
    first === undefined ? { kind: "all" } : rest.length === 1 ? first : { kind: "and", parts: rest };
  return { filter, atMs: parseMoment(value, nowMs) };
}

class QueryChecker {
  readonly #catalog: QueryCatalog;
  readonly #nowMs: number;
  #searchCount = 0;

  constructor(catalog: QueryCatalog, nowMs: number) {
    this.#catalog = catalog;
    this.#nowMs = nowMs;
  }

  check(query: QuerySyntax): Predicate {
    switch (query.kind) {
      case "all":
        return query;
      case "and":
      case "or":
        return { kind: query.kind, parts: query.parts.map((part) => this.check(part)) };
      case "not":
        return { kind: "not", of: this.check(query.of) };
      case "text":
        return this.#counted({ kind: "text", test: toContains(query.value) }, query.value.at);
      case "compare":
        return this.#compare(query);
    }
  }

  #counted(predicate: Predicate, at: number): Predicate {
    if (isTextSearch(predicate)) this.#searchCount += 1;
    if (this.#searchCount > maxSearchCount)
      refuseQuery(at, `a query has at most ${maxSearchCount} words, wildcards and comparisons with ~`);
    return predicate;
  }

  /** `!=` and `!~` are the complement of `=` and `~`: they hold for rows without the field too (QL3). */
  #compare({ field: written, operator, values, at }: QueryComparison): Predicate {
    const field = resolveField(written) ?? refuseField(written, at);
    const isNegated = operator === "!=" || operator === "!~";
    const positive = operator === "!=" ? "=" : operator === "!~" ? "~" : operator;
    const parts = values.map((value) => this.#counted(this.#compareOne(field, positive, value, at), value.at));
    const [first] = parts;
    const holds: Predicate = first !== undefined && parts.length === 1 ? first : { kind: "or", parts };
    return isNegated ? { kind: "not", of: holds } : holds;
  }

  #compareOne(
    { field, name }: ResolvedField,
    operator: Exclude<QueryOperator, "!=" | "!~">,
    value: QueryValue,
    at: number,
  ): Predicate {
    switch (field) {
      case "at":
        return refuseQuery(at, "`at` applies to the whole query: write it outside of `or` and `not`");
      case "age":
        return { kind: "age", order: toOrder(operator, field, at), ms: parseAge(value) };
      case "created":
        return { kind: "created", order: toOrder(operator, field, at), atMs: parseMoment(value, this.#nowMs) };
      case "field.":
        return this.#column(name, operator, value, at);
      case "label.":
        return { kind: "label", key: name, test: toTextTest(operator, value, at) };
      case "annotation.":
        return { kind: "annotation", key: name, test: toTextTest(operator, value, at) };
      case "image":
        return { kind: "image", test: toTextTest(operator, value, at) };
      case "kind":
        return this.#kind(operator, value, at);
      case "status":
        return toStatus(operator, value, at);
      case "owner":
        return toOwner(operator, value, at);
      default:
        return { kind: "field", field, test: toTextTest(operator, value, at) };
    }
  }

  #kind(operator: QueryOperator, value: QueryValue, at: number): Predicate {
    if (operator !== "=") refuseQuery(at, "`kind` is compared with = only");
    const name = literalOf(value.pattern);
    const resources = this.#catalog.findKind(name);
    if (resources.length > 0) return { kind: "resources", resources: [...resources].sort() };
    const nearest = findNearest(name, this.#catalog.kindNames);
    const hint =
      nearest === undefined
        ? "kinds are named as in kubectl, such as pods or deploy.apps, and agents must collect them"
        : `did you mean ${nearest}?`;
    return refuseQuery(value.at, `no cluster has a kind ${quote(name)}; ${hint}`);
  }

  #column(column: string, operator: OrderTest | "~", value: QueryValue, at: number): Predicate {
    checkColumn(column, this.#catalog, { at });
    const types = this.#catalog.columnTypes(column);
    const comparison = { column, types, operator, value, nowMs: this.#nowMs };
    const test = createColumnTest(comparison, () => toTextTest(operator, value, value.at));
    return { kind: "column", column, test };
  }
}

function toTextTest(operator: QueryOperator, value: QueryValue, at: number): TextTest {
  if (operator === "~") return toContains(value);
  if (operator !== "=") refuseQuery(at, `${operator} compares numbers and times; a text is compared with =, != or ~`);
  const { pattern } = value;
  return hasWildcard(pattern) ? { kind: "matches", pattern } : { kind: "equals", text: literalOf(pattern) };
}

function toContains({ pattern }: QueryValue): Extract<TextTest, { readonly kind: "contains" }> {
  return { kind: "contains", pattern: pattern.toLowerCase() };
}

function toOrder(operator: Exclude<QueryOperator, "!=" | "!~">, field: string, at: number): OrderTest {
  return operator === "~" ? refuseQuery(at, `\`${field}\` is compared with <, <=, >, >= or =`) : operator;
}

function toStatus(operator: QueryOperator, value: QueryValue, at: number): Predicate {
  if (operator !== "=") refuseQuery(at, "`status` is compared with = only");
  const text = literalOf(value.pattern);
  const status = statuses.find((each) => each === text.toLowerCase());
  if (status !== undefined) return { kind: "status", status };
  const nearest = findNearest(text, statuses);
  const hint = nearest === undefined ? "statuses" : `did you mean ${nearest}? Statuses`;
  return refuseQuery(value.at, `${quote(text)} is not a status; ${hint} are ${statuses.join(", ")}`);
}

/** `owner:Deployment/web`, `owner:Deployment/*` or `owner:web`. */
function toOwner(operator: QueryOperator, value: QueryValue, at: number): Predicate {
  const slash = value.pattern.indexOf("/");
  const ownerKind = slash < 0 ? "" : literalOf(value.pattern.slice(0, slash));
  const name = { pattern: value.pattern.slice(slash + 1), at: value.at + slash + 1 };
  return { kind: "owner", ownerKind, test: toTextTest(operator, name, at) };
}
