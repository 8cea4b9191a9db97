// SPDX-License-Identifier: Apache-2.0
// Texts of cells that several kinds share.
import { compareUtf8 } from "../../model/text.ts";

/** The first items, and the number of further ones: `a,b,c + 2 more...`. */
export function joinFirst(
  items: readonly string[],
  maxCount: number,
  { separator = ",", count = items.length }: { readonly separator?: string; readonly count?: number } = {},
): string {
  const shown = items.slice(0, maxCount).join(separator);
  return count > maxCount ? `${shown} + ${count - maxCount} more...` : shown;
}

/** Requirements of a selector in the order of their keys, `app=web,!old,tier in (a,b)`; "" without any. */
export function selectorText(requirements: readonly string[] = []): string {
  return requirements.toSorted(compareRequirements).join(",");
}

/** Rows hold requirements in bytewise order. Of one key, kubectl prints the one of `matchLabels` first. */
function compareRequirements(a: string, b: string): number {
  const [left, right] = [keyOf(a), keyOf(b)];
  return compareUtf8(left, right) || Number(isLabel(b, right)) - Number(isLabel(a, left));
}

/** A label's key contains neither a blank nor "=" nor "!". */
function keyOf(requirement: string): string {
  const start = requirement.startsWith("!") ? 1 : 0;
  const end = requirement.slice(start).search(/[= ]/);
  return end === -1 ? requirement.slice(start) : requirement.slice(start, start + end);
}

function isLabel(requirement: string, key: string): boolean {
  return requirement.startsWith(`${key}=`);
}

/**
 * A list as the columns of custom resources print it: JSON as Go writes it, with the characters of HTML escaped. Null
 * without a list.
 */
export function listText(list: readonly string[] | undefined): string | null {
  if (list === undefined) return null;
  return JSON.stringify(list).replaceAll(
    /[<>&\u2028\u2029]/g,
    (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
