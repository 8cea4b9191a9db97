// SPDX-License-Identifier: Apache-2.0
import type { JsonObject } from "../../json/json.ts";
import { labelKeyErrors } from "../../metadata/label-rules.ts";
import { duplicateValue, type FieldError, requiredValue } from "../../status/field-error.ts";
import { objectsAt, textOf, textsAt } from "../pod-spec/pod-spec-fields.ts";
import { invalidEach } from "../pod-spec/text-rules.ts";

/** Labels of nodes that have newer names, and what Kubernetes says of them. */
const oldLabels = new Map([
  ["beta.kubernetes.io/arch", 'deprecated since v1.14; use "kubernetes.io/arch" instead'],
  ["beta.kubernetes.io/os", 'deprecated since v1.14; use "kubernetes.io/os" instead'],
  ["failure-domain.beta.kubernetes.io/region", 'deprecated since v1.17; use "topology.kubernetes.io/region" instead'],
  ["failure-domain.beta.kubernetes.io/zone", 'deprecated since v1.17; use "topology.kubernetes.io/zone" instead'],
  ["beta.kubernetes.io/instance-type", 'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead'],
  ["node-role.kubernetes.io/master", 'use "node-role.kubernetes.io/control-plane" instead'],
]);

/** Warnings about places that are named by labels of old. */
export function topologyWarnings(object: JsonObject): readonly string[] {
  return objectsAt(object, "allowedTopologies").flatMap((term, index) =>
    objectsAt(term, "matchLabelExpressions").flatMap((expression, at) => {
      const advice = oldLabels.get(textOf(expression, "key"));
      return advice === undefined ? [] : [`allowedTopologies[${index}].matchLabelExpressions[${at}].key: ${advice}`];
    }),
  );
}

/** Where volumes of a class may be made: terms that differ, each with keys that differ. */
export function validateAllowedTopologies(object: JsonObject): readonly FieldError[] {
  const terms = objectsAt(object, "allowedTopologies");
  const earlier: string[] = [];
  return terms.flatMap((term, index) => {
    const field = `allowedTopologies[${index}].matchLabelExpressions`;
    const shown = termText(term);
    const sameCount = earlier.filter((each) => each === shown).length;
    // The real server starts from as many empty terms as there are terms, so an empty one is told once for each of them.
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

/** Equal for terms that allow the same places. */
function termText(term: JsonObject): string {
  const byKey = new Map(
    objectsAt(term, "matchLabelExpressions").map((expression) => [
      textOf(expression, "key"),
      [...new Set(textsAt(expression, "values"))].sort(),
    ]),
  );
  return JSON.stringify([...byKey].sort(([a], [b]) => Number(a > b) - Number(a < b)));
}
