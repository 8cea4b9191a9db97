// SPDX-License-Identifier: Apache-2.0

import { compareUtf8, quote } from "../text.ts";
import { maxSelectorLength, refuseSelector } from "./selector-error.ts";

/** A condition on one field of an object (CO54). */
export interface FieldRequirement {
  readonly field: string;
  readonly operator: "equals" | "notEquals";
  readonly value: string;
}

/** Requirements that must all match; an empty list selects everything. Sorted by field, then operator and value. */
export type FieldSelector = readonly FieldRequirement[];

const operatorForm = /!=|==|=/;

/** The terms between unescaped commas, with their positions. */
function splitTerms(text: string): { readonly term: string; readonly at: number }[] {
  const terms: { term: string; at: number }[] = [];
  let from = 0;
  let isEscaped = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === "," && !isEscaped) {
      terms.push({ term: text.slice(from, at), at: from });
      from = at + 1;
    }
    isEscaped = character === "\\" && !isEscaped;
  }
  terms.push({ term: text.slice(from), at: from });
  return terms;
}

function unescapeValue(value: string, from: number): string {
  let out = "";
  for (let at = 0; at < value.length; at += 1) {
    const character = value.charAt(at);
    if (character === "=") refuseSelector("field", from + at, 'a "=" in a value is written "\\="');
    if (character !== "\\") {
      out += character;
      continue;
    }
    at += 1;
    const escaped = value.charAt(at);
    if (escaped !== "\\" && escaped !== "," && escaped !== "=")
      refuseSelector("field", from + at - 1, 'a "\\" stands before "\\", "," or "=" only');
    out += escaped;
  }
  return out;
}

function parseTerm(term: string, at: number): FieldRequirement {
  const match = operatorForm.exec(term);
  if (match === null) refuseSelector("field", at, `${quote(term)} has none of =, ==, !=`);
  const field = term.slice(0, match.index);
  if (field === "") refuseSelector("field", at, "a field's name was expected");
  const valueAt = match.index + match[0].length;
  return {
    field,
    operator: match[0] === "!=" ? "notEquals" : "equals",
    value: unescapeValue(term.slice(valueAt), at + valueAt),
  };
}

/**
 * Parses a field selector; "" selects everything. It does not check whether a kind has the field. Throws
 * INVALID_ARGUMENT with the position.
 */
export function parseFieldSelector(text: string): FieldSelector {
  if (text.length > maxSelectorLength)
    refuseSelector("field", maxSelectorLength, `it is longer than ${maxSelectorLength} characters`);
  return splitTerms(text)
    .filter(({ term }) => term !== "")
    .map(({ term, at }) => parseTerm(term, at))
    .sort((a, b) => compareUtf8(a.field, b.field) || compareUtf8(requirementText(a), requirementText(b)));
}

function requirementText(requirement: FieldRequirement): string {
  const value = requirement.value.replaceAll(/[\\,=]/g, (character) => `\\${character}`);
  return `${requirement.field}${requirement.operator === "equals" ? "=" : "!="}${value}`;
}

/**
 * True if an object with these fields is selected. `getField` returns undefined for a field that the object lacks,
 * which counts as "".
 */
export function matchesFields(selector: FieldSelector, getField: (field: string) => string | undefined): boolean {
  return selector.every(
    ({ field, operator, value }) => ((getField(field) ?? "") === value) === (operator === "equals"),
  );
}
