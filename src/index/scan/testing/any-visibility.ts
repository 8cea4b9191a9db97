// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import type { Visibility } from "../../../rbac/visibility.ts";

/** Namespaces of which some exist. */
export const someNamespace = fc.constantFrom("a", "b", "shop", "elsewhere");
/** Names of which some exist. */
export const someName = fc.constantFrom("a", "b", "shop", "web");
const names = fc.uniqueArray(someName).map((all) => new Set(all));
/** Any visibility over such names. */
export const anyVisibility: fc.Arbitrary<Visibility> = fc.oneof(
  { weight: 1, arbitrary: fc.constantFrom<Visibility>({ kind: "all" }, { kind: "none" }) },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant("some" as const),
      names,
      namespaces: fc.uniqueArray(someNamespace).map((all) => new Set(all)),
      namesIn: fc.dictionary(someNamespace, names).map((all) => new Map(Object.entries(all))),
      namespaceObjects: names,
    }),
  },
);
