// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { uncoveredRules } from "./escalation.ts";
import { ruleAllows } from "./rule-match.ts";
import { anyRequest, anyRule } from "./testing/arbitrary-rbac.ts";

const anyRules = fc.array(anyRule, { maxLength: 4 });

test("[RB50] rules that are covered allow nothing beyond the rules held", () => {
  let coveredCount = 0;
  fc.assert(
    fc.property(anyRules, anyRules, fc.array(anyRequest, { maxLength: 20 }), (held, wanted, requests) => {
      if (uncoveredRules(held, wanted).length > 0) return;
      coveredCount += 1;
      for (const request of requests) {
        if (!wanted.some((rule) => ruleAllows(rule, request))) continue;
        expect(held.some((rule) => ruleAllows(rule, request))).toBe(true);
      }
    }),
    { numRuns: 2_000 },
  );
  expect(coveredCount).toBeGreaterThan(100);
});

test("[RB50] what is held and what is said to be missing together cover everything, and missing parts are single", () => {
  fc.assert(
    fc.property(anyRules, anyRules, (held, wanted) => {
      const missing = uncoveredRules(held, wanted);
      expect(uncoveredRules([...held, ...missing], wanted)).toEqual([]);
      for (const rule of missing) {
        expect(rule.verbs).toHaveLength(1);
        expect(rule.resources.length + rule.nonResourceURLs.length).toBe(1);
        expect(rule.resourceNames.length).toBeLessThanOrEqual(1);
      }
    }),
    { numRuns: 300 },
  );
});
