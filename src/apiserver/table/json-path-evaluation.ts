// SPDX-License-Identifier: Apache-2.0
import { compareUtf8 } from "../../model/text.ts";
import { getKey, isList, isObject, type Json } from "../json/json.ts";
import type { PathStep } from "./json-path-parser.ts";

/**
 * Maximum number of values that one evaluation visits. No useful column needs as many; `..a..b` on a deep object
 * reaches it.
 */
const maxVisitedCount = 100_000;

/** Values found so far. After a failure they are the input of the failed step, which an existence filter counts. */
export interface Found {
  readonly values: readonly Json[];
  readonly isFailed: boolean;
}

type Slice = Extract<PathStep, { readonly kind: "slice" }>;
type Filter = Extract<PathStep, { readonly kind: "filter" }>;

/** One evaluation of a path on one object, with bounded work. */
export class Evaluation {
  #visitedCount = 0;

  walkAll(input: readonly Json[], steps: readonly PathStep[]): Found {
    let found = succeed(input);
    for (const step of steps) {
      found = this.#walk(found.values, step);
      this.#visitedCount += found.values.length;
      if (this.#visitedCount > maxVisitedCount) return fail([]);
      if (found.isFailed) break;
    }
    return found;
  }

  #walk(input: readonly Json[], step: PathStep): Found {
    switch (step.kind) {
      case "field":
        return walkField(input, step.name);
      case "wildcard":
        return this.#walkWildcard(input);
      case "descend":
        return this.#descend(input);
      case "slice":
        return walkSlice(input, step);
      case "union":
        return this.#walkUnion(input, step.branches);
      case "filter":
        return this.#walkFilter(input, step);
      case "literal":
        // A string literal gives its value even without input.
        return succeed(typeof step.value === "string" ? [step.value] : input.map(() => step.value));
      case "word":
        return fail(input);
    }
  }

  #walkWildcard(input: readonly Json[]): Found {
    const values: Json[] = [];
    for (const value of input) for (const child of childrenOf(value)) values.push(child);
    return succeed(values);
  }

  /** Every value with parts, outer ones first. A non-empty string counts as having parts. */
  #descend(input: readonly Json[]): Found {
    const values: Json[] = [];
    const waiting = input.toReversed();
    for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
      const children = childrenOf(value);
      if (children.length > 0 || (typeof value === "string" && value !== "")) values.push(value);
      this.#visitedCount += children.length;
      if (this.#visitedCount > maxVisitedCount) return fail([]);
      for (const child of children.toReversed()) waiting.push(child);
    }
    return succeed(values);
  }

  #walkUnion(input: readonly Json[], branches: readonly (readonly PathStep[])[]): Found {
    const values: Json[] = [];
    for (const branch of branches) {
      const found = this.walkAll(input, branch);
      if (found.isFailed) return fail(input);
      for (const value of found.values) values.push(value);
    }
    return succeed(values);
  }

  #walkFilter(input: readonly Json[], filter: Filter): Found {
    const values: Json[] = [];
    for (const list of input) {
      if (!isList(list)) return fail(input);
      for (const item of list) {
        const isMatch = this.#matches(item, filter);
        if (isMatch === undefined) return fail(input);
        if (isMatch) values.push(item);
      }
    }
    return succeed(values);
  }

  /** Whether the item passes; undefined if the comparison is invalid. */
  #matches(item: Json, filter: Filter): boolean | undefined {
    const left = this.walkAll([item], filter.left);
    if (filter.operator === "exists") return left.values.length > 0;
    if (left.isFailed || left.values.length > 1) return undefined;
    if (left.values.length === 0) return false;
    const right = this.walkAll([item], filter.right);
    if (right.isFailed || right.values.length > 1) return undefined;
    if (right.values.length === 0) return false;
    return compareValues(left.values[0] ?? null, right.values[0] ?? null, filter.operator);
  }
}

function succeed(values: readonly Json[]): Found {
  return { values, isFailed: false };
}

function fail(values: readonly Json[]): Found {
  return { values, isFailed: true };
}

function childrenOf(value: Json): readonly Json[] {
  if (isList(value)) return value;
  return isObject(value) ? Object.values(value) : [];
}

function walkField(input: readonly Json[], name: string): Found {
  const values: Json[] = [];
  for (const value of input) {
    const found = isObject(value) ? getKey(value, name) : undefined;
    if (found !== undefined) values.push(found);
  }
  return succeed(values);
}

function walkSlice(input: readonly Json[], slice: Slice): Found {
  const values: Json[] = [];
  for (const list of input) {
    if (list === null) continue;
    if (!isList(list)) return fail(input);
    const [from, to] = boundsOf(slice, list.length);
    // The slice is empty; the remaining lists are skipped.
    if (from === to) break;
    const isOutside = from < 0 || from >= list.length || to < 0 || to > list.length || from > to;
    if (isOutside || (slice.step ?? 1) <= 0) return fail(input);
    for (let at = from; at < to; at += slice.step ?? 1) values.push(list[at] ?? null);
  }
  return succeed(values);
}

/** Negative indexes count from the end. `[-1]` is the last item, so its end is the length. */
function boundsOf({ from = 0, to }: Slice, length: number): readonly [number, number] {
  const start = from < 0 ? from + length : from;
  if (to === "all") return [start, length];
  const end = to === "one" ? from + 1 : to;
  return [start, end < 0 || (end === 0 && to === "one") ? end + length : end];
}

/** Compares values of the same kind; integers and fractions are different kinds. Strings compare bytewise. */
function compareValues(left: Json, right: Json, operator: string): boolean | undefined {
  const kind = kindOf(left);
  if (kind === undefined || kind !== kindOf(right)) return undefined;
  // oxlint-disable-next-line eqeqeq
  const isEqual = left == right;
  if (operator === "==") return isEqual;
  if (operator === "!=") return !isEqual;
  if (kind === "boolean") return undefined;
  const isLess =
    typeof left === "string" && typeof right === "string" ? compareUtf8(left, right) < 0 : Number(left) < Number(right);
  if (operator === "<") return isLess;
  if (operator === "<=") return isLess || isEqual;
  if (operator === ">") return !isLess && !isEqual;
  return operator === ">=" ? !isLess : undefined;
}

function kindOf(value: Json): "boolean" | "integer" | "float" | "string" | undefined {
  if (typeof value === "boolean") return "boolean";
  if (typeof value === "string") return "string";
  if (typeof value === "bigint") return "integer";
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "float";
  return undefined;
}
