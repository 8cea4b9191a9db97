// SPDX-License-Identifier: Apache-2.0

/**
 * The results of `work` on each item, in order, with at most `limit` of them under way. Rejects with the first failure,
 * once all begun have ended.
 */
export async function runBounded<Item, Result>(
  items: readonly Item[],
  limit: number,
  work: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  const failures: unknown[] = [];
  const waiting = items.entries();
  const runLane = async (): Promise<void> => {
    for (const [at, item] of waiting) {
      if (failures.length > 0) return;
      results[at] = await work(item);
    }
  };
  const lanes = Array.from({ length: limit }, () => runLane().catch((reason: unknown) => void failures.push(reason)));
  await Promise.all(lanes);
  if (failures.length > 0) throw failures[0];
  return results;
}
