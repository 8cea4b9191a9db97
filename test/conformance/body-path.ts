// SPDX-License-Identifier: Apache-2.0
import type { BodyPath } from "./scenario.ts";

/** What is at a path; undefined where it leads nowhere. A key that holds dots is written with `~` in their place. */
export function readPath(value: unknown, path: BodyPath): unknown {
  let found = value;
  for (const step of path === "" ? [] : path.split(".")) {
    if (typeof found !== "object" || found === null) return undefined;
    const key = step.replaceAll("~", ".");
    found = Object.hasOwn(found, key) ? (found as Readonly<Record<string, unknown>>)[key] : undefined;
  }
  return found;
}

/**
 * A copy in which the value at an existing path is what `change` makes of it; the same value where the path leads
 * nowhere.
 */
export function changeAt(value: unknown, path: BodyPath, change: (old: unknown) => unknown): unknown {
  if (path === "") return change(value);
  if (typeof value !== "object" || value === null) return value;
  const [first = "", ...rest] = path.split(".");
  const key = first.replaceAll("~", ".");
  if (!Object.hasOwn(value, key)) return value;
  const changed = changeAt((value as Readonly<Record<string, unknown>>)[key], rest.join("."), change);
  if (Array.isArray(value)) return value.map((item: unknown, index) => (String(index) === key ? changed : item));
  return { ...value, [key]: changed };
}
