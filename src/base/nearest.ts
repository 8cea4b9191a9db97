// SPDX-License-Identifier: Apache-2.0

/** Names longer than this are compared by their start only, so that hostile input costs little. */
const longestComparedLength = 64;

/**
 * The candidate that `name` was probably meant to be, undefined when none is near: case and punctuation aside, one slip
 * (a letter too many, too few, wrong, or two swapped) in every three letters. The first of equals wins.
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

/** The words `; did you mean X?` for a sentence about an unknown name, or nothing. */
export function suggestion(name: string, candidates: Iterable<string>, show: (candidate: string) => string): string {
  const nearest = findNearest(name, candidates);
  return nearest === undefined ? "" : `; did you mean ${show(nearest)}?`;
}

function normalize(name: string): string {
  return name
    .slice(0, longestComparedLength)
    .toLowerCase()
    .replace(/[^a-z0-9]/g, "");
}

/** Optimal string alignment distance: how many of the four slips turn one text into the other. */
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
