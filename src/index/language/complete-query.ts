// SPDX-License-Identifier: Apache-2.0
import { statuses } from "../../model/status.ts";
import { type CompletionPlace, findCompletionPlace } from "./completion-place.ts";
import type { FieldRef, RowFieldName } from "./field-ref.ts";
import { printValue } from "./print-query.ts";
import type { QueryCatalog } from "./query-catalog.ts";
import { fieldNames, type QueryFieldName, resolveField } from "./query-fields.ts";
import { queryOperators } from "./query-syntax.ts";
import { matchAt, wordForm } from "./query-tokens.ts";
import { escapePattern } from "./text-pattern.ts";

export type CompletionKind = "field" | "operator" | "value" | "keyword";

/** A text that can stand at the caret. */
export interface Completion {
  /** Replaces the range of the answer. */
  readonly text: string;
  readonly kind: CompletionKind;
  /** The number of visible rows that have the value, or "". */
  readonly detail: string;
}

/** What can stand at a caret, and the range of the text that it replaces. */
export interface QueryCompletion {
  readonly completions: readonly Completion[];
  readonly from: number;
  readonly to: number;
}

/** A value that visible rows have. */
export interface ValueCount {
  readonly value: string;
  readonly count: number;
}

/** What completion knows. Everything is computed over visible rows (L17). */
export interface CompletionCatalog extends Pick<QueryCatalog, "kindNames" | "columnNames"> {
  /**
   * The most frequent values of a field that begin with the prefix, in any case of letters. A label or annotation field
   * without a key lists keys.
   */
  listValues(ref: FieldRef, prefix: string): readonly ValueCount[];
}

/** Most completions in an answer. */
export const maxCompletions = 20;

/** Fields whose values are listed. Others have a value per row, or values that are typed as durations and moments. */
const listedFields: ReadonlySet<RowFieldName> = new Set([
  "cluster",
  "region",
  "environment",
  "namespace",
  "reason",
  "owner",
  "image",
  "label.",
  "annotation.",
  "field.",
]);

const mapFields: ReadonlySet<QueryFieldName> = new Set(["label.", "annotation."]);

/** The fields whose values a completion at this place lists, with the prefix; undefined if it needs none. */
export function neededValues(place: CompletionPlace): { readonly ref: FieldRef; readonly prefix: string } | undefined {
  if (place.kind === "word") {
    const dot = place.prefix.indexOf(".");
    const field = dot < 0 ? undefined : resolveField(`${place.prefix.slice(0, dot)}.x`)?.field;
    if (field !== "label." && field !== "annotation.") return undefined;
    return { ref: { field, name: "" }, prefix: place.prefix.slice(dot + 1) };
  }
  const resolved = place.kind === "value" ? resolveField(place.field) : undefined;
  if (place.kind !== "value" || resolved === undefined || resolved.field === "at") return undefined;
  if (!listedFields.has(resolved.field)) return undefined;
  return { ref: { field: resolved.field, name: resolved.name }, prefix: place.prefix };
}

/** Completes a query at a caret, which counts UTF-16 units from 0. At most `maxCompletions`, by prefix. Never throws. */
export function completeQuery(text: string, caret: number, catalog: CompletionCatalog): QueryCompletion {
  const place = findCompletionPlace(text, caret);
  const { from, to } = place;
  const needed = neededValues(place);
  const values = needed === undefined ? [] : catalog.listValues(needed.ref, needed.prefix);
  return { completions: completionsAt(place, values, catalog).slice(0, maxCompletions), from, to };
}

function completionsAt(
  place: CompletionPlace,
  values: readonly ValueCount[],
  catalog: CompletionCatalog,
): readonly Completion[] {
  switch (place.kind) {
    case "none":
      return [];
    case "word":
      return completeWord(place, values, catalog);
    case "value":
      return completeValue(place, values, catalog);
  }
}

function completeWord(
  { prefix, hasOperator }: Extract<CompletionPlace, { readonly kind: "word" }>,
  values: readonly ValueCount[],
  { columnNames }: CompletionCatalog,
): readonly Completion[] {
  const dot = prefix.indexOf(".");
  const resolved = resolveField(prefix);
  const base = dot < 0 ? undefined : resolveField(`${prefix.slice(0, dot)}.x`)?.field;
  const written = prefix.slice(0, dot + 1);
  const operators =
    resolved === undefined || hasOperator
      ? []
      : queryOperators.map((operator) => ({ text: `${prefix}${operator}`, kind: "operator" as const, detail: "" }));
  if (base !== undefined && mapFields.has(base)) {
    const keys = values
      .filter(({ value }) => isWord(value))
      .map(({ value, count }) => fieldOf(`${written}${value}`, detailOf(count)));
    return [...keys, ...operators];
  }
  if (base === "field.") {
    const names = [...columnNames].filter((name) => startsWith(name, prefix.slice(dot + 1))).sort();
    return [...names.map((name) => fieldOf(`${written}${name}`)), ...operators];
  }
  const fields = fieldNames.filter((name) => startsWith(name, prefix)).map((name) => fieldOf(name));
  const keywords = hasOperator || prefix === "" ? [] : ["and", "or", "not"].filter((word) => startsWith(word, prefix));
  return [...operators, ...fields, ...keywords.map((text) => ({ text, kind: "keyword" as const, detail: "" }))];
}

function completeValue(
  { field, prefix }: Extract<CompletionPlace, { readonly kind: "value" }>,
  values: readonly ValueCount[],
  { kindNames }: CompletionCatalog,
): readonly Completion[] {
  const resolved = resolveField(field)?.field;
  if (resolved === "status" || resolved === "kind") {
    const names = resolved === "status" ? statuses : new Set(kindNames);
    return [...names].filter((name) => startsWith(name, prefix)).map((name) => valueOf(name, ""));
  }
  return values.map(({ value, count }) => valueOf(value, detailOf(count)));
}

/** A key with other characters cannot be written in a query. */
function isWord(text: string): boolean {
  return matchAt(wordForm, text, 0)?.[0] === text;
}

function startsWith(text: string, prefix: string): boolean {
  return text.toLowerCase().startsWith(prefix.toLowerCase());
}

function fieldOf(text: string, detail = ""): Completion {
  return { text, kind: "field", detail };
}

function valueOf(value: string, detail: string): Completion {
  const pattern = escapePattern(value).replaceAll('"', '\\"');
  return { text: printValue({ pattern, at: 0 }), kind: "value", detail };
}

function detailOf(count: number): string {
  return count === 1 ? "1 row" : `${count} rows`;
}
