// SPDX-License-Identifier: Apache-2.0
// Queries that are made from values, not from text.
import type { QueryComparison, QueryOperator } from "./query-syntax.ts";

/** The pattern of exactly this text: wildcards, quotes and backslashes in it are literal. */
export function literalPattern(text: string): string {
  return text.replace(/[\\*?"']/g, "\\$&");
}

/** A comparison that holds if the field compares so with one of the patterns, of which there is at least one. */
export function compareField(field: string, operator: QueryOperator, patterns: readonly string[]): QueryComparison {
  return { kind: "compare", field, operator, values: patterns.map((pattern) => ({ pattern, at: 0 })), at: 0 };
}
