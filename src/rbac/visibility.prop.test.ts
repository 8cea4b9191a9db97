// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createClusterAuthorizer } from "./authorizer-chain.ts";
import { createPolicy } from "./policy.ts";
import { anyLists, anyUser } from "./testing/arbitrary-rbac.ts";
import { compileVisibility } from "./testing/compile-visibility.ts";
import { isVisible, type Visibility } from "./visibility.ts";
import { requestsFor, type VisibilityScope, visibilityVerbs } from "./visibility-requests.ts";

const anyScope: fc.Arbitrary<VisibilityScope> = fc.record({
  apiGroups: fc.constantFrom([""], ["x"], ["", "x"]),
  resource: fc.constantFrom("p", "q", "namespaces"),
  verbs: fc.constantFrom(...Object.values(visibilityVerbs), ["list", "get", "watch"] as const),
});

const anyMember = fc.oneof(
  { weight: 20, arbitrary: anyUser },
  { weight: 1, arbitrary: fc.constant({ user: "root", groups: ["system:masters"] }) },
);

const places = ["", "n", "m", "elsewhere"].flatMap((namespace) =>
  ["a", "b", "n", "m", "*", "other"].map((name) => ({ namespace, name })),
);

/** 1,500 compiled sets, each asked for 24 objects: 36,000 comparisons. */
const compiledCount = 1_500;

test("[RB55] [RB56] compiled visibility says yes exactly when some request for the object is allowed", () => {
  const kinds = new Map<Visibility["kind"], number>();
  fc.assert(
    fc.property(anyLists, anyMember, anyScope, (lists, user, scope) => {
      const policy = createPolicy(lists);
      const authorizer = createClusterAuthorizer(policy);
      const visibility = compileVisibility(policy, user, scope);
      kinds.set(visibility.kind, (kinds.get(visibility.kind) ?? 0) + 1);
      for (const place of places) {
        const expected = requestsFor(scope, place).some((each) => authorizer(user, each).decision === "allow");
        if (isVisible(visibility, place.namespace, place.name) !== expected) {
          throw new Error(`${visibility.kind} says ${!expected} for ${JSON.stringify({ user, scope, place })}`);
        }
      }
    }),
    { numRuns: compiledCount },
  );
  for (const kind of ["all", "none", "some"] as const) {
    expect(kinds.get(kind) ?? 0, `${kind} must occur often`).toBeGreaterThan(compiledCount / 100);
  }
});
