// SPDX-License-Identifier: Apache-2.0
// A query whose names and values are checked: what plans, scans and the naive evaluator of the tests read.
import type { Status } from "../../model/status.ts";

/** A test of a text. `pattern` has its escapes (QL4). */
export type TextTest =
  | { readonly kind: "equals"; readonly text: string }
  /** The whole text matches. */
  | { readonly kind: "matches"; readonly pattern: string }
  /** A part of the text matches, in any case of letters. The pattern is in lower case. */
  | { readonly kind: "contains"; readonly pattern: string };

export type OrderTest = "<" | "<=" | ">" | ">=" | "=";

/** Fields of every row that hold one text. */
export type TextField = "cluster" | "region" | "environment" | "namespace" | "name" | "uid" | "reason" | "message";

/** A test of a column, by the column's type in each kind. A kind whose type has no test here never matches. */
export interface ColumnTest {
  readonly text?: TextTest;
  /** Integers, floats and times in milliseconds. */
  readonly number?: { readonly order: OrderTest; readonly value: number };
  readonly boolean?: boolean;
  /** Texts that are quantities, by their amount: `16Gi`, `500m`. */
  readonly quantity?: { readonly order: OrderTest; readonly value: number };
  /** Texts that are versions, by precedence. `value` is a version, such as `1.31`. */
  readonly version?: { readonly order: OrderTest; readonly value: string };
  /** Texts that are IP addresses. `value` is an address, or with `=` also a range: `10.0.0.0/8`. */
  readonly address?: { readonly order: OrderTest; readonly value: string };
}

export type Predicate =
  | { readonly kind: "all" }
  | { readonly kind: "and" | "or"; readonly parts: readonly Predicate[] }
  | { readonly kind: "not"; readonly of: Predicate }
  | { readonly kind: "field"; readonly field: TextField; readonly test: TextTest }
  /** True only if the label or annotation exists. */
  | { readonly kind: "label" | "annotation"; readonly key: string; readonly test: TextTest }
  /** Texts of resource ids, sorted. */
  | { readonly kind: "resources"; readonly resources: readonly string[] }
  | { readonly kind: "status"; readonly status: Status }
  /** The time since creation, against the moment of the query. Objects without a creation time never match. */
  | { readonly kind: "age"; readonly order: OrderTest; readonly ms: number }
  | { readonly kind: "created"; readonly order: OrderTest; readonly atMs: number }
  /** The controller, else the first owner (KI4). `ownerKind` "" = any. */
  | { readonly kind: "owner"; readonly ownerKind: string; readonly test: TextTest }
  /** Any container image of the object. */
  | { readonly kind: "image"; readonly test: TextTest }
  | { readonly kind: "column"; readonly column: string; readonly test: ColumnTest }
  /** Name, reason or message contains it (QL6). */
  | { readonly kind: "text"; readonly test: Extract<TextTest, { readonly kind: "contains" }> };

/** A checked query. */
export interface CheckedQuery {
  readonly filter: Predicate;
  /** `at:`: the past moment to answer for, in milliseconds since 1970. Undefined: now. */
  readonly atMs: number | undefined;
}
