// SPDX-License-Identifier: Apache-2.0
const grouped = new Intl.NumberFormat("en-US");

/** A number with thousands separators, and a noun in singular or plural if given: "1 kind", "12,480 kinds". */
export function countWords(count: number, one?: string, several?: string): string {
  const digits = grouped.format(count);
  if (one === undefined) return digits;
  return `${digits} ${count === 1 ? one : (several ?? `${one}s`)}`;
}
