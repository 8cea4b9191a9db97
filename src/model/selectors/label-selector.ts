// SPDX-License-Identifier: Apache-2.0
import { unreachable } from "../../base/assert.ts";

/** A condition on one label (CO52). `=` and `!=` are `in` and `notIn` with one value. */
export type LabelRequirement =
  | { readonly operator: "in" | "notIn"; readonly key: string; readonly values: readonly string[] }
  | { readonly operator: "exists" | "notExists"; readonly key: string }
  | { readonly operator: "greater" | "less"; readonly key: string; readonly value: bigint };

/** Requirements that must all match; an empty list selects everything. */
export type LabelSelector = readonly LabelRequirement[];

const int64Form = /^[+-]?[0-9]{1,20}$/;

/** Parses a 64-bit integer as Go's ParseInt does; undefined if the text is not one. */
export function parseInt64(text: string): bigint | undefined {
  if (!int64Form.test(text)) return undefined;
  const value = BigInt(text.startsWith("+") ? text.slice(1) : text);
  return BigInt.asIntN(64, value) === value ? value : undefined;
}

function matchesRequirement(requirement: LabelRequirement, labels: ReadonlyMap<string, string>): boolean {
  const label = labels.get(requirement.key);
  switch (requirement.operator) {
    case "in":
      return label !== undefined && requirement.values.includes(label);
    case "notIn":
      return label === undefined || !requirement.values.includes(label);
    case "exists":
      return label !== undefined;
    case "notExists":
      return label === undefined;
    case "greater":
    case "less": {
      const value = label === undefined ? undefined : parseInt64(label);
      if (value === undefined) return false;
      return requirement.operator === "greater" ? value > requirement.value : value < requirement.value;
    }
    default:
      return unreachable(requirement, "requirement");
  }
}

/** True if an object with these labels is selected. */
export function matchesLabels(selector: LabelSelector, labels: ReadonlyMap<string, string>): boolean {
  return selector.every((requirement) => matchesRequirement(requirement, labels));
}
