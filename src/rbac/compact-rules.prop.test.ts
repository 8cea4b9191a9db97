// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { compactRules } from "./compact-rules.ts";
import { ruleAllows } from "./rule-match.ts";
import { anyRequest, anyRule } from "./testing/arbitrary-rbac.ts";

test("[RB49] compacted rules allow exactly what the rules allowed, and are never more", () => {
  fc.assert(
    fc.property(fc.array(anyRule, { maxLength: 8 }), fc.array(anyRequest, { maxLength: 20 }), (rules, requests) => {
      const before = structuredClone(rules);
      const compacted = compactRules(rules);
      expect(compacted.length).toBeLessThanOrEqual(rules.length);
      for (const request of requests) {
        const allowed = rules.some((rule) => ruleAllows(rule, request));
        expect(compacted.some((rule) => ruleAllows(rule, request))).toBe(allowed);
      }
      expect(rules, "the rules given are not changed").toEqual(before);
    }),
    { numRuns: 500 },
  );
});
