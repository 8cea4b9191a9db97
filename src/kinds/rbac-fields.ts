// SPDX-License-Identifier: Apache-2.0
// Rules and subjects as elements of a row, exactly as in the object. A rule or subject that cannot be read completely
// is left out. It must not be read partially: an absent list of names would mean every name.
import { fieldOf, isObject } from "./fields.ts";

/** The elements that could be read (KI7), and the number that could not. */
export interface ExactList {
  readonly elements: readonly Readonly<Record<string, unknown>>[];
  readonly unreadableCount: number;
}

/** Field names of a rule in the order of the row's JSON. */
const ruleFields = ["verbs", "apiGroups", "resources", "resourceNames", "nonResourceURLs"];

/** Field names of a subject in the order of the row's JSON. */
const subjectFields = ["kind", "apiGroup", "name", "namespace"];

/** The rules of a Role or ClusterRole. Empty and absent lists mean the same and are both left out. */
export function exactRules(object: unknown): ExactList {
  return readExactly(fieldOf(object, "rules"), ruleFields, readTexts);
}

/** The subjects of a binding. */
export function exactSubjects(object: unknown): ExactList {
  return readExactly(fieldOf(object, "subjects"), subjectFields, readText);
}

/** The value, undefined if absent; or "unreadable" for a value of another type. */
type Read = { readonly value: unknown } | "unreadable";

function readExactly(list: unknown, fields: readonly string[], read: (value: unknown) => Read): ExactList {
  if (list === undefined || list === null) return { elements: [], unreadableCount: 0 };
  if (!Array.isArray(list)) return { elements: [], unreadableCount: 1 };
  const elements = list.map((each) => readElement(each, fields, read)).filter((each) => each !== undefined);
  return { elements, unreadableCount: list.length - elements.length };
}

function readElement(
  element: unknown,
  fields: readonly string[],
  read: (value: unknown) => Read,
): Readonly<Record<string, unknown>> | undefined {
  if (!isObject(element)) return undefined;
  const found: [string, unknown][] = [];
  for (const field of fields) {
    const result = read(fieldOf(element, field) ?? undefined);
    if (result === "unreadable") return undefined;
    if (result.value !== undefined) found.push([field, result.value]);
  }
  return Object.fromEntries(found);
}

function readTexts(value: unknown): Read {
  if (value === undefined) return { value };
  if (!Array.isArray(value) || !value.every((each) => typeof each === "string")) return "unreadable";
  return { value: value.length === 0 ? undefined : value };
}

function readText(value: unknown): Read {
  return value === undefined || typeof value === "string" ? { value } : "unreadable";
}
