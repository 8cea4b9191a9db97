// SPDX-License-Identifier: Apache-2.0

/** The seeds in groups, each for one test; all tests have one name, so that the replay line of any seed finds it. */
export function groupSeeds(seeds: readonly number[], groupSize: number): readonly (readonly number[])[] {
  const groupCount = Math.ceil(seeds.length / groupSize);
  return Array.from({ length: groupCount }, (_, index) => seeds.slice(index * groupSize, (index + 1) * groupSize));
}
