// SPDX-License-Identifier: Apache-2.0
// The one part of list options that authorization looks at: the object named by the field selector.
import { hasCode } from "../base/error.ts";
import { type FieldSelector, parseFieldSelector } from "../model/field-selector.ts";
import { parseInt64 } from "../model/label-selector.ts";
import { parseLabelSelector } from "../model/label-selector-parse.ts";
import { maxSelectorLength } from "../model/selector-error.ts";
import { compareUtf8 } from "../model/text.ts";

/** Can be one segment of a path, as every object name can. */
function isPathSegment(name: string): boolean {
  return name !== "." && name !== ".." && !name.includes("/") && !name.includes("%");
}

function isAbsentOrInt64(text: string | null): boolean {
  return text === null || parseInt64(text) !== undefined;
}

/** The terms as they are written, without empty ones, in the order in which kube-apiserver looks at them: bytewise. */
function termsOf(text: string): readonly string[] {
  return (text.match(/(?:[^\\,]|\\[\s\S]?)+/g) ?? []).toSorted(compareUtf8);
}

/** Reads one term. For kube-apiserver the name of a field may be empty here; whoever serves the list refuses such a field. */
function parseFieldTerm(term: string): FieldSelector {
  return parseFieldSelector(/^!?=/.test(term) ? `any${term}` : term);
}

/** The requirements of a list's field selector, if they and every other option that can fail to parse do parse. */
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
 * The name that the field selector of a list or watch requires, or undefined. One option that does not parse makes all of them
 * count for nothing, so the request is judged as unnamed: the stricter way, and kube-apiserver's. Of two names, which select nothing,
 * the first in the order of their terms counts, even if it cannot be a name.
 */
export function nameInListOptions(query: URLSearchParams): string | undefined {
  const required = fieldsIn(query)?.find(({ field, operator }) => field === "metadata.name" && operator === "equals");
  return required !== undefined && isPathSegment(required.value) ? required.value : undefined;
}
