// SPDX-License-Identifier: Apache-2.0
import type { Difference } from "./compare-answers.ts";

/** A difference that we know of and why it is there. In each pattern `*` stands for any text. */
export interface KnownDifference {
  readonly scenario: string;
  readonly step: string;
  readonly path: string;
  readonly reason: string;
}

/** What is left of the differences, and which entries met none. */
export function applyKnownDifferences(
  differences: readonly Difference[],
  known: readonly KnownDifference[],
): { readonly remaining: readonly Difference[]; readonly unused: readonly KnownDifference[] } {
  return {
    remaining: differences.filter((difference) => !known.some((entry) => meets(entry, difference))),
    unused: known.filter((entry) => !differences.some((difference) => meets(entry, difference))),
  };
}

function meets(entry: KnownDifference, difference: Difference): boolean {
  return (["scenario", "step", "path"] as const).every((part) => matches(entry[part], difference[part]));
}

function matches(pattern: string, text: string): boolean {
  const literal = pattern.split("*").map((part) => part.replaceAll(/[\\^$.|?+()[\]{}]/g, String.raw`\$&`));
  return new RegExp(`^${literal.join(".*")}$`, "s").test(text);
}
