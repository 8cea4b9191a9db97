// SPDX-License-Identifier: Apache-2.0
import { type JsonObject } from "../../json/json.ts";
import { objectsAt, textOf, textsAt } from "../../json/json-fields.ts";
import { labelKeyErrors } from "../../metadata/label-rules.ts";
import { duplicateValue, type FieldError, requiredValue } from "../../status/field-error.ts";
import { deprecatedNodeLabels } from "../pod-spec/pod-spec-warnings.ts";
import { invalidEach } from "../pod-spec/text-rules.ts";

/** Warnings about deprecated node labels in `allowedTopologies`. */
export function topologyWarnings(object: JsonObject): readonly string[] {
  return objectsAt(object, "allowedTopologies").flatMap((term, index) =>
    objectsAt(term, "matchLabelExpressions").flatMap((expression, at) => {
      const advice = deprecatedNodeLabels.get(textOf(expression, "key"));
      return advice === undefined ? [] : [`allowedTopologies[${index}].matchLabelExpressions[${at}].key: ${advice}`];
    }),
  );
}

/** Validates `allowedTopologies`: terms must be distinct, and so must the keys of a term. */
export function validateAllowedTopologies(object: JsonObject): readonly FieldError[] {
  const terms = objectsAt(object, "allowedTopologies");
  const earlier: string[] = [];
  return terms.flatMap((term, index) => {
    const field = `allowedTopologies[${index}].matchLabelExpressions`;
    const shown = termText(term);
    const sameCount = earlier.filter((each) => each === shown).length;
    // kube-apiserver compares with a list that starts with one empty term for each term. An empty term is thus reported
    // as a duplicate of each.
    const emptyCount = objectsAt(term, "matchLabelExpressions").length === 0 ? terms.length : 0;
    earlier.push(shown);
    return [
      ...validateTerm(term, field),
      ...Array.from({ length: sameCount + emptyCount }, () => duplicateValue(field, "")),
    ];
  });
}

function validateTerm(term: JsonObject, field: string): readonly FieldError[] {
  const keys = new Set<string>();
  return objectsAt(term, "matchLabelExpressions").flatMap((expression, index) => {
    const at = `${field}[${index}]`;
    const key = textOf(expression, "key");
    const values = textsAt(expression, "values");
    const isTaken = keys.has(key);
    keys.add(key);
    return [
      ...(values.length === 0 ? [requiredValue(`${at}.values`)] : []),
      ...values.flatMap((value, place) =>
        values.indexOf(value) < place ? [duplicateValue(`${at}.values[${place}]`, value)] : [],
      ),
      ...invalidEach(`${at}.key`, key, labelKeyErrors(key)),
      ...(isTaken ? [duplicateValue(`${at}.key`, key)] : []),
    ];
  });
}

/** A text that is equal for equivalent terms. */
function termText(term: JsonObject): string {
  const byKey = new Map(
    objectsAt(term, "matchLabelExpressions").map((expression) => [
      textOf(expression, "key"),
      [...new Set(textsAt(expression, "values"))].sort(),
    ]),
  );
  return JSON.stringify([...byKey].sort(([a], [b]) => Number(a > b) - Number(a < b)));
}
