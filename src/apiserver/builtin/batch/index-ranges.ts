// SPDX-License-Identifier: Apache-2.0
// Sets of indexes in the format of Jobs: `1,3-5,7`.

/** A range of indexes; both ends are included. */
export interface IndexRange {
  readonly first: number;
  readonly last: number;
}

/** Parses a set of indexes to ascending ranges and the number of indexes. Returns an error message for invalid text. */
export function parseIndexes(
  text: string,
  completions: number,
): { readonly ranges: readonly IndexRange[]; readonly count: number } | string {
  const ranges: IndexRange[] = [];
  let count = 0;
  if (text === "") return { ranges, count };
  let previous: number | undefined;
  for (const part of text.split(",")) {
    const range = parseRange(part, completions);
    if (typeof range === "string") return range;
    if (previous !== undefined && previous >= range.first) return notRising(previous, range.first);
    ranges.push(range);
    count += range.last - range.first + 1;
    previous = range.last;
  }
  return { ranges, count };
}

/** The lowest index in both sets; undefined if they are disjoint. */
export function firstCommonIndex(a: readonly IndexRange[], b: readonly IndexRange[]): number | undefined {
  let left = 0;
  let right = 0;
  for (;;) {
    const x = a[left];
    const y = b[right];
    if (x === undefined || y === undefined) return undefined;
    if (x.first <= y.last && y.first <= x.last) return Math.max(x.first, y.first);
    if (x.first <= y.first) left += 1;
    else right += 1;
  }
}

function parseRange(text: string, completions: number): IndexRange | string {
  const [low = "", high, ...more] = text.split("-");
  if (more.length > 0)
    return `the fragment ${JSON.stringify(text)} violates the requirement that an index interval can have at most two parts separated by '-'`;
  const first = parseIndex(low, completions);
  if (typeof first === "string") return first;
  if (high === undefined) return { first, last: first };
  const last = parseIndex(high, completions);
  if (typeof last === "string") return last;
  return first >= last ? notRising(first, last) : { first, last };
}

function parseIndex(text: string, completions: number): number | string {
  if (!/^[+]?\d{1,18}$/.test(text)) return `cannot convert string to integer for index: ${JSON.stringify(text)}`;
  const index = Number(text);
  return index >= completions ? `too large index: ${JSON.stringify(text)}` : index;
}

function notRising(previous: number, current: number): string {
  return `non-increasing order, previous: ${previous}, current: ${current}`;
}
