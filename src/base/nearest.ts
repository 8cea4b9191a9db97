// SPDX-License-Identifier: Apache-2.0

/** Longer names are compared by this prefix only, to bound the cost of hostile input. */
const maxComparedLength = 64;

/**
 * The most similar candidate to `name`, undefined if none is close. Ignoring case and punctuation, it allows one edit
 * (insert, delete, replace or swap) per three letters. The first of equal candidates is returned.
 */
export function findNearest(name: string, candidates: Iterable<string>): string | undefined {
  const wanted = normalize(name);
  let best: string | undefined;
  let bestDistance = Math.floor(wanted.length / 3) + 1;
  for (const candidate of candidates) {
    const distance = distanceBetween(wanted, normalize(candidate));
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** The suffix `; did you mean X?` for a message about an unknown name, or "". */
export function suggestion(name: string, candidates: Iterable<string>, show: (candidate: string) => string): string {
  const nearest = findNearest(name, candidates);
  return nearest === undefined ? "" : `; did you mean ${show(nearest)}?`;
}

function normalize(name: string): string {
  return name
    .slice(0, maxComparedLength)
    .toLowerCase()
    .replace(/[^a-z0-9]/g, "");
}

/** Optimal string alignment distance: the number of edits that turn one text into the other. */
function distanceBetween(from: string, to: string): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: to.length + 1 }, (_value, at) => at);
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const isEqual = from[row - 1] === to[column - 1];
      let cost = Math.min(
        at(previous, column) + 1,
        at(current, column - 1) + 1,
        at(previous, column - 1) + (isEqual ? 0 : 1),
      );
      const isSwap = row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      if (isSwap) cost = Math.min(cost, at(beforePrevious, column - 2) + 1);
      current.push(cost);
    }
    beforePrevious = previous;
    previous = current;
  }
  return at(previous, to.length);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Number.POSITIVE_INFINITY;
}
