// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { authorize } from "./authorize.ts";
import { createPolicy } from "./policy.ts";
import { ruleAllows } from "./rule-match.ts";
import { matchingSubject } from "./subject-match.ts";
import { anyLists, anyRequest, anyUser } from "./testing/arbitrary-rbac.ts";
import { naiveAllows } from "./testing/naive-evaluator.ts";

/** 500 policies, each asked 60 times: 30,000 decisions. */
const policyCount = 500;
const askedPerPolicy = 60;

test("[RB15] [RB16] [RB17] [RB19] [RB22] [RB44] the indexed evaluator decides as a scan over all objects does", () => {
  let allowedCount = 0;
  fc.assert(
    fc.property(
      anyLists,
      fc.array(fc.tuple(anyUser, anyRequest), { minLength: askedPerPolicy, maxLength: askedPerPolicy }),
      (lists, asked) => {
        const policy = createPolicy(lists);
        for (const [user, request] of asked) {
          const verdict = authorize(policy, user, request);
          const isAllowed = verdict.decision === "allow";
          if (isAllowed) allowedCount += 1;
          if (isAllowed !== naiveAllows(lists, user, request)) {
            throw new Error(`${verdict.decision} for ${JSON.stringify({ user, request })}`);
          }
        }
      },
    ),
    { numRuns: policyCount },
  );
  const share = allowedCount / (policyCount * askedPerPolicy);
  expect(share, "both answers must occur often, or the comparison proves little").toBeGreaterThan(0.03);
  expect(share).toBeLessThan(0.95);
});

test("[RB45] what an allow names does allow: the rule covers the request, the subject is the user's, the binding is in scope", () => {
  fc.assert(
    fc.property(anyLists, anyUser, fc.array(anyRequest, { maxLength: 20 }), (lists, user, requests) => {
      const policy = createPolicy(lists);
      for (const request of requests) {
        const { via } = authorize(policy, user, request);
        if (via === undefined) continue;
        expect(ruleAllows(via.rule, request)).toBe(true);
        expect(matchingSubject(via.binding, user)).toBe(via.subject);
        const namespace = request.kind === "resource" ? request.namespace : "";
        expect(["", namespace]).toContain(via.binding.namespace);
      }
    }),
  );
});
