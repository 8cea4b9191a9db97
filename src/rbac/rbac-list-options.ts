// SPDX-License-Identifier: Apache-2.0
// The only list option that authorization uses: the object name in the field selector.
import { hasCode } from "../base/error.ts";
import { type FieldSelector, parseFieldSelector } from "../model/selectors/field-selector.ts";
import { parseInt64 } from "../model/selectors/label-selector.ts";
import { parseLabelSelector } from "../model/selectors/label-selector-parse.ts";
import { maxSelectorLength } from "../model/selectors/selector-error.ts";
import { compareUtf8 } from "../model/text.ts";

/** True if the text can be one path segment, as every object name can. */
function isPathSegment(name: string): boolean {
  return name !== "." && name !== ".." && !name.includes("/") && !name.includes("%");
}

function isAbsentOrInt64(text: string | null): boolean {
  return text === null || parseInt64(text) !== undefined;
}

/** The non-empty terms as written, in kube-apiserver's order: bytewise. */
function termsOf(text: string): readonly string[] {
  return (text.match(/(?:[^\\,]|\\[\s\S]?)+/g) ?? []).toSorted(compareUtf8);
}

/**
 * Parses one term. As in kube-apiserver the field name may be empty here; the list itself refuses such a field later.
 */
function parseFieldTerm(term: string): FieldSelector {
  return parseFieldSelector(/^!?=/.test(term) ? `any${term}` : term);
}

/**
 * The requirements of the field selector; undefined if it, or another option that can fail to parse, does not parse.
 */
function fieldsIn(query: URLSearchParams): FieldSelector | undefined {
  if (!isAbsentOrInt64(query.get("limit")) || !isAbsentOrInt64(query.get("timeoutSeconds"))) return undefined;
  const text = query.get("fieldSelector") ?? "";
  if (text.length > maxSelectorLength) return undefined;
  try {
    parseLabelSelector(query.get("labelSelector") ?? "");
    return termsOf(text).flatMap(parseFieldTerm);
  } catch (reason) {
    if (hasCode(reason, "INVALID_ARGUMENT")) return undefined;
    throw reason;
  }
}

/**
 * The name that the field selector of a list or watch requires, or undefined. If one option does not parse, none counts
 * and the request is treated as unnamed: this is stricter, and kube-apiserver does the same. Of two names, which select
 * nothing, the first in term order counts, even if it cannot be a name.
 */
export function nameInListOptions(query: URLSearchParams): string | undefined {
  const required = fieldsIn(query)?.find(({ field, operator }) => field === "metadata.name" && operator === "equals");
  return required !== undefined && isPathSegment(required.value) ? required.value : undefined;
}
