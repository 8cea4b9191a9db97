// SPDX-License-Identifier: Apache-2.0
import { unreachable } from "../base/assert.ts";
import { compareUtf8 } from "./text.ts";

/** A condition on one label (CO52). `in` and `notIn` also stand for `=` and `!=`, which are sets of one. */
export type LabelRequirement =
  | { readonly operator: "in" | "notIn"; readonly key: string; readonly values: readonly string[] }
  | { readonly operator: "exists" | "notExists"; readonly key: string }
  | { readonly operator: "greater" | "less"; readonly key: string; readonly value: bigint };

/** Requirements that must all hold; none selects everything. In the canonical order of CO53. */
export type LabelSelector = readonly LabelRequirement[];

const int64Form = /^[+-]?[0-9]{1,20}$/;

/** Text as an integer of 64 bits, as Go's ParseInt reads it; undefined when it is none. */
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

/** True when an object with these labels is selected. */
export function matchesLabels(selector: LabelSelector, labels: ReadonlyMap<string, string>): boolean {
  return selector.every((requirement) => matchesRequirement(requirement, labels));
}

function requirementText(requirement: LabelRequirement): string {
  const { key } = requirement;
  switch (requirement.operator) {
    case "in":
    case "notIn": {
      const isIn = requirement.operator === "in";
      const [first, ...more] = requirement.values;
      if (first !== undefined && more.length === 0) return `${key}${isIn ? "=" : "!="}${first}`;
      return `${key} ${isIn ? "in" : "notin"} (${requirement.values.join(",")})`;
    }
    case "exists":
      return key;
    case "notExists":
      return `!${key}`;
    case "greater":
    case "less":
      return `${key}${requirement.operator === "greater" ? ">" : "<"}${requirement.value}`;
    default:
      return unreachable(requirement, "requirement");
  }
}

/** The canonical text (CO53): equal selectors, however they were written, have equal texts. */
export function labelSelectorText(selector: LabelSelector): string {
  return selector.map(requirementText).join(",");
}

function sortValues(requirement: LabelRequirement): LabelRequirement {
  if (requirement.operator !== "in" && requirement.operator !== "notIn") return requirement;
  return { ...requirement, values: [...new Set(requirement.values)].sort(compareUtf8) };
}

/** Puts requirements into canonical order; one that is said twice stays once. */
export function createLabelSelector(requirements: readonly LabelRequirement[]): LabelSelector {
  const byText = new Map(requirements.map(sortValues).map((each) => [requirementText(each), each]));
  return [...byText]
    .sort(([aText, a], [bText, b]) => compareUtf8(a.key, b.key) || compareUtf8(aText, bText))
    .map(([, requirement]) => requirement);
}
