// SPDX-License-Identifier: Apache-2.0
import type { SeededRandom } from "../../../src/base/random.ts";

/** Does one fault and says how to end it. */
export type Fault = (random: SeededRandom) => () => void;

/** One kind of fault, how long apart and how long each. */
export interface Trouble {
  readonly name: string;
  readonly fault: Fault;
  readonly gapMs: readonly [number, number];
  readonly lastsMs: readonly [number, number];
}

/** One of these by chance; there is at least one. */
export function pick<T>(random: SeededRandom, values: readonly [T, ...T[]] | readonly T[]): T {
  const value = values[random.int(values.length)];
  if (value === undefined) throw new Error("nothing to choose from");
  return value;
}

/** What a fault that ends by itself is ended with. */
export const nothing = (): void => undefined;
