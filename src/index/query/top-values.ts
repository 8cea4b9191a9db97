// SPDX-License-Identifier: Apache-2.0
import type { TextDictionary } from "../table/text-dictionary.ts";
import { type FacetValue, maxFacetValues } from "./query-request.ts";
import { selectTop } from "./row-selection.ts";

/** The most frequent values, and the sum of the counts of all others. */
export interface TopValues {
  readonly values: readonly FacetValue[];
  readonly otherCount: number;
}

/**
 * The most frequent texts of a dictionary, equal counts in bytewise order. `counts` is by text id. With a prefix only
 * texts that begin with it, in any case of ASCII letters, are listed.
 */
export function topValues(dictionary: TextDictionary, counts: Uint32Array, prefix = ""): TopValues {
  const length = Math.min(counts.length, dictionary.count);
  const hasPrefix = createPrefixTest(dictionary, prefix);
  const top = selectTop(
    { rows: counts, count: length, isAll: true },
    maxFacetValues,
    (a, b) => (counts[b] ?? 0) - (counts[a] ?? 0) || dictionary.compare(a, b),
    (id) => counts[id] === 0 || !hasPrefix(id),
  );
  let otherCount = 0;
  for (let id = 0; id < length; id += 1) otherCount += counts[id] ?? 0;
  const values = top.map((id) => ({ value: dictionary.get(id), count: counts[id] ?? 0 }));
  for (const { count } of values) otherCount -= count;
  return { values, otherCount };
}

function createPrefixTest(dictionary: TextDictionary, prefix: string): (id: number) => boolean {
  if (prefix === "") return () => true;
  const wanted = new TextEncoder().encode(prefix).map(toLowerCase);
  const { bytes } = dictionary;
  return (id) => {
    const from = dictionary.startOf(id);
    if (dictionary.endOf(id) - from < wanted.length) return false;
    return wanted.every((byte, at) => toLowerCase(bytes[from + at] ?? 0) === byte);
  };
}

function toLowerCase(byte: number): number {
  return byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte;
}
