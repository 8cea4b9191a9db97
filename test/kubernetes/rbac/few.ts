// SPDX-License-Identifier: Apache-2.0

/** Lines that a failure shows; with thousands of comparisons one fault shows in hundreds. */
const shownCount = 5;

/** The first lines, and how many more there are; empty if there is none. */
export function few(lines: readonly string[]): readonly string[] {
  const moreCount = lines.length - shownCount;
  return moreCount > 0 ? [...lines.slice(0, shownCount), `and ${moreCount} more`] : lines;
}
