// SPDX-License-Identifier: Apache-2.0
import { seedsToRun } from "../../support/sim/simulate.ts";

/** The seeds of `seedsToRun` in groups, each for one test; all tests have one name, so that the replay line of any seed finds it. */
export function seedGroups(count: number, groupSize: number): readonly (readonly number[])[] {
  const seeds = seedsToRun(count);
  const groupCount = Math.ceil(seeds.length / groupSize);
  return Array.from({ length: groupCount }, (_, index) => seeds.slice(index * groupSize, (index + 1) * groupSize));
}
