// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { equalVisibility } from "./equal-visibility.ts";
import { intersectVisibility } from "./intersect-visibility.ts";
import { createPolicy } from "./policy.ts";
import { anyLists, anyUser } from "./testing/arbitrary-rbac.ts";
import { compileVisibility } from "./testing/compile-visibility.ts";
import { thrownCode } from "./testing/thrown-code.ts";
import { createVisibility, isVisible, type Visibility } from "./visibility.ts";
import { type VisibilityScope, visibilityVerbs } from "./visibility-requests.ts";

const words = fc.subarray(["a", "b", "n", "m"]).map((all) => new Set(all));

/** Any sets as a compiled visibility has them: no name twice, no empty set of names. */
const anyVisibility: fc.Arbitrary<Visibility> = fc
  .record({ names: words, namespaces: words, inN: words, inM: words, namespaceObjects: words })
  .map(({ names, namespaces, inN, inM, namespaceObjects }) => {
    const within = [["n", inN.difference(names)] as const, ["m", inM.difference(names)] as const];
    const namesIn = new Map(within.filter(([namespace, own]) => own.size > 0 && !namespaces.has(namespace)));
    return createVisibility({ names, namespaces, namesIn, namespaceObjects: namespaceObjects.difference(names) });
  });

const places = ["", "a", "b", "n", "m", "elsewhere"].flatMap((namespace) =>
  ["a", "b", "n", "m", "*", "other"].map((name) => ({ namespace, name })),
);

function shownBy(visibility: Visibility): readonly boolean[] {
  return places.map(({ namespace, name }) => isVisible(visibility, namespace, name));
}

test("[RB66] an intersection shows what both show; sets are equal exactly if they show the same objects", () => {
  fc.assert(
    fc.property(anyVisibility, anyVisibility, (a, b) => {
      const both = intersectVisibility(a, b);
      const [inA, inB] = [shownBy(a), shownBy(b)];
      expect(shownBy(both)).toEqual(inA.map((isShown, at) => isShown && inB[at]));
      expect(equalVisibility(a, b)).toBe(inA.join() === inB.join());
      expect(equalVisibility(both, intersectVisibility(b, a))).toBe(true);
      expect(equalVisibility(intersectVisibility(both, a), both)).toBe(true);
    }),
    { numRuns: 500 },
  );
});

test("[RB66] compiled sets are equal exactly if they show the same objects", () => {
  const anyScope: fc.Arbitrary<VisibilityScope> = fc.record({
    apiGroups: fc.constantFrom([""], ["x"]),
    resource: fc.constantFrom("p", "q", "namespaces"),
    verbs: fc.constantFrom(...Object.values(visibilityVerbs)),
  });
  fc.assert(
    fc.property(anyLists, fc.tuple(anyUser, anyUser), fc.tuple(anyScope, anyScope), (lists, users, scopes) => {
      const policy = createPolicy(lists);
      const a = compileVisibility(policy, users[0], scopes[0]);
      const b = compileVisibility(policy, users[1], scopes[1]);
      const [inA, inB] = [shownBy(a), shownBy(b)];
      expect(equalVisibility(a, b)).toBe(inA.join() === inB.join());
    }),
    { numRuns: 300 },
  );
});

test("[RB69] an intersection that would repeat too many names is refused", () => {
  const none = {
    names: new Set<string>(),
    namespaces: new Set<string>(),
    namesIn: new Map(),
    namespaceObjects: new Set<string>(),
  };
  const namespaces = new Set(["n", "m"]);
  const namesIn = new Map([
    ["n", new Set(["a"])],
    ["m", new Set(["b"])],
  ]);
  const wide: Visibility = { ...none, kind: "some", namespaces };
  const named: Visibility = { ...none, kind: "some", names: new Set(["c", "d"]), namesIn };
  expect(thrownCode(() => intersectVisibility(wide, named, 5))).toBe("TOO_LARGE");
  expect(thrownCode(() => intersectVisibility(wide, named, 6))).toBeUndefined();
});
