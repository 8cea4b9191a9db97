// SPDX-License-Identifier: Apache-2.0
// The doors: files that may do what a rule forbids elsewhere, each with its reason. An entry that nothing needs any
// more fails the test, so this list only holds what is true.
import type { Violation } from "./source-tree.ts";

/** One file and one rule. */
export interface Allowance {
  readonly rule: string;
  readonly path: string;
  readonly reason: string;
}

/** The list. A new entry needs a reason that its reviewer would repeat. */
export const allowances: readonly Allowance[] = [
  { rule: "clock-and-chance", path: "src/base/time/system-clock.ts", reason: "the door to the machine's time" },
  { rule: "clock-and-chance", path: "src/base/system-random.ts", reason: "the door to the machine's randomness" },
  {
    rule: "purity",
    path: "src/index/scan/byte-search.ts",
    reason:
      "Buffer.indexOf searches bytes two to six times as fast as a loop, and depends on nothing but its arguments",
  },
  { rule: "sleeping", path: "test/support/open-timers.ts", reason: "it counts the timers that others start" },
  { rule: "sleeping", path: "test/support/open-timers.test.ts", reason: "it shows that started timers are counted" },
];

/** What is left of the violations, and which allowances met none. */
export function applyAllowances(
  violations: readonly Violation[],
  allowed: readonly Allowance[],
): { readonly remaining: Violation[]; readonly unused: Allowance[] } {
  const meets = (one: Allowance, found: Violation): boolean => one.rule === found.rule && one.path === found.path;
  return {
    remaining: violations.filter((found) => !allowed.some((one) => meets(one, found))),
    unused: allowed.filter((one) => !violations.some((found) => meets(one, found))),
  };
}
