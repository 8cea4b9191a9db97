// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import type { Subject } from "../../../src/model/subject.ts";
import type { RequestAttributes } from "../../../src/rbac/attributes.ts";
import { anyLists, anyRequest, anyUser, type RbacLists } from "../../../src/rbac/testing/arbitrary-rbac.ts";
import { type VisibilityScope, visibilityVerbs } from "../../../src/rbac/visibility-requests.ts";
import { acceptableLists } from "./acceptable-lists.ts";
import { joinLists, renameLists, renameUser } from "./rename-lists.ts";

/** Policies that stand beside each other on one server, and what is asked about them. */
export interface Round {
  readonly lists: RbacLists;
  /** Single requests, by verb, subresource, name and URL. */
  readonly asked: readonly (readonly [Subject, RequestAttributes])[];
  /** Whole resources, each to be asked for all of `places`. No two are equal. */
  readonly viewed: readonly { readonly user: Subject; readonly scope: VisibilityScope }[];
}

/** The objects that visibility is asked for: in, outside of, and named as the namespaces that policies use. */
export const places = ["", "n", "m", "elsewhere"].flatMap((namespace) =>
  ["a", "b", "n", "m", "*", "other"].map((name) => ({ namespace, name })),
);

/** Mostly the users of the policies; at times with a group that a server's own bindings name, or the one above RBAC. */
const anyMember: fc.Arbitrary<Subject> = fc.oneof(
  { weight: 20, arbitrary: anyUser },
  { weight: 3, arbitrary: anyUser.map(({ user, groups }) => ({ user, groups: [...groups, "system:authenticated"] })) },
  { weight: 1, arbitrary: anyUser.map(({ user, groups }) => ({ user, groups: ["system:masters", ...groups] })) },
  { weight: 1, arbitrary: fc.constant({ user: "*", groups: ["*"] }) },
);

const anyUrlRequest = anyRequest.filter(({ kind }) => kind === "nonResource");

const anyScope: fc.Arbitrary<VisibilityScope> = fc.record({
  apiGroups: fc.constantFrom([""], ["x"], ["", "x"]),
  resource: fc.constantFrom("p", "q", "namespaces"),
  verbs: fc.constantFrom(
    visibilityVerbs.default,
    visibilityVerbs.default,
    visibilityVerbs.strict,
    visibilityVerbs.live,
  ),
});

const onePolicy: fc.Arbitrary<Round> = fc.record({
  lists: anyLists.map(acceptableLists),
  asked: fc.array(fc.tuple(anyMember, fc.oneof(anyRequest, anyUrlRequest)), { minLength: 25, maxLength: 25 }),
  viewed: fc.uniqueArray(fc.record({ user: anyMember, scope: anyScope }), {
    minLength: 2,
    maxLength: 2,
    selector: (each) => JSON.stringify(each),
  }),
});

/**
 * Rounds of `policyCount` policies each, whose names and users are made different; one alone keeps its names. They
 * depend on the seed alone.
 */
export function drawRounds(seed: number, count: number, policyCount = 10): readonly Round[] {
  const drawn = fc.sample(onePolicy, { seed, numRuns: count * policyCount });
  return Array.from({ length: count }, (_none, at) => {
    const apart = drawn.slice(at * policyCount, (at + 1) * policyCount).map(({ lists, asked, viewed }, index) => {
      const suffix = policyCount === 1 ? "" : `-${index}`;
      return {
        lists: renameLists(lists, suffix),
        asked: asked.map(([user, request]) => [renameUser(user, suffix), request] as const),
        viewed: viewed.map(({ user, scope }) => ({ user: renameUser(user, suffix), scope })),
      };
    });
    return {
      lists: joinLists(apart.map(({ lists }) => lists)),
      asked: apart.flatMap(({ asked }) => asked),
      viewed: apart.flatMap(({ viewed }) => viewed),
    };
  });
}
