// SPDX-License-Identifier: Apache-2.0
import { type FieldError, requiredValue } from "../../status/field-error.ts";
import type { SchemaNode } from "./schema-node.ts";

/** The location of a field in an alternative, and the location where the schema itself must define it. */
interface Places {
  readonly spine: string;
  readonly rule: string;
}

/** Errors of fields that alternatives constrain and the schema itself does not define. */
export function validateCompleteness(node: SchemaNode, field: string): readonly FieldError[] {
  return checkJunctors(node, node, { spine: field, rule: field });
}

function checkJunctors(rule: SchemaNode, spine: SchemaNode, { spine: at, rule: from }: Places): readonly FieldError[] {
  const lists = (["allOf", "anyOf", "oneOf"] as const).flatMap((key) =>
    rule[key].flatMap((one, index) => checkNested(one, spine, { spine: at, rule: `${from}.${key}[${index}]` })),
  );
  const inNot = rule.not === undefined ? [] : checkNested(rule.not, spine, { spine: at, rule: `${from}.not` });
  return [...inNot, ...lists];
}

function checkNested(rule: SchemaNode, spine: SchemaNode | undefined, places: Places): readonly FieldError[] {
  const { spine: at, rule: from } = places;
  if (spine === undefined) return [requiredValue(at, `because it is defined in ${from}`)];
  const inItems =
    rule.items === undefined
      ? []
      : checkNested(rule.items, spine.items, { spine: `${at}.items`, rule: `${from}.items` });
  const inProperties = [...rule.properties].flatMap(([name, property]) =>
    checkNested(property, spine.properties.get(name), {
      spine: `${at}.properties[${name}]`,
      rule: `${from}.properties[${name}]`,
    }),
  );
  return [...checkJunctors(rule, spine, places), ...inItems, ...inProperties];
}
