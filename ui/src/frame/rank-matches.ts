// SPDX-License-Identifier: Apache-2.0

/**
 * The entries whose names contain all letters of the text in order, best first: prefix, substring, subsequence. Ties
 * keep their order.
 */
export function rankMatches<T extends { readonly name: string }>(entries: readonly T[], text: string): readonly T[] {
  const wanted = text.trim().toLowerCase();
  if (wanted === "") return entries;
  return entries
    .map((entry) => [entry, rankOf(entry.name.toLowerCase(), wanted)] as const)
    .filter(([, rank]) => rank !== undefined)
    .sort(([, a], [, b]) => (a ?? 0) - (b ?? 0))
    .map(([entry]) => entry);
}

function rankOf(name: string, wanted: string): number | undefined {
  const at = name.indexOf(wanted);
  if (at !== -1) return at === 0 ? 0 : 1;
  let from = 0;
  for (const letter of wanted) {
    from = name.indexOf(letter, from) + 1;
    if (from === 0) return undefined;
  }
  return 2;
}
