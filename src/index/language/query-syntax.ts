// SPDX-License-Identifier: Apache-2.0
// The syntax tree of a query, as written: names and values are not checked yet. Positions count UTF-16 units from 0.

/** `:` and `=` are the same operator (QL2). `~` matches a part of the text. */
export const queryOperators = ["=", "!=", "<", "<=", ">", ">=", "~", "!~"] as const;

export type QueryOperator = (typeof queryOperators)[number];

/** A value with its escapes: `\` makes the next character literal, `*` and `?` are wildcards (QL4). */
export interface QueryValue {
  readonly pattern: string;
  readonly at: number;
}

/** One comparison. It holds if the field compares so with any of the values (QL3). */
export interface QueryComparison {
  readonly kind: "compare";
  /** As written; `label.` and `field.` names include their prefix. */
  readonly field: string;
  readonly operator: QueryOperator;
  /** At least one. */
  readonly values: readonly QueryValue[];
  readonly at: number;
}

export type QuerySyntax =
  /** Every row: the empty query. */
  | { readonly kind: "all" }
  /** At least two parts. No part has the same kind. */
  | { readonly kind: "and" | "or"; readonly parts: readonly QuerySyntax[] }
  | { readonly kind: "not"; readonly of: QuerySyntax }
  | QueryComparison
  /** Free text over name, reason and message (QL6). */
  | { readonly kind: "text"; readonly value: QueryValue };
