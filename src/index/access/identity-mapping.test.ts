// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { anonymousSubject, createSubject } from "../../model/subject.ts";
import { createSubjectMapper, type IdentityMapping, sameIdentities, toClusterSubject } from "./identity-mapping.ts";
import { parseIdentityMapping } from "./parse-identity-mapping.ts";

const alice = createSubject({ user: "alice", groups: ["devs", "ops"] });
const mapping: IdentityMapping = {
  userPrefix: "oidc:",
  groupPrefix: "oidc:",
  users: new Map([["root", "carol"]]),
  groups: new Map<string, readonly string[]>([
    ["devs", ["dev-read", "dev-write"]],
    ["ops", []],
  ]),
};

describe("[RB70] a subject of the hub in a cluster", () => {
  test("has the same names without a mapping", () => {
    expect(toClusterSubject(alice, sameIdentities)).toEqual(alice);
  });

  test("has prefixes, and the groups that replace its own", () => {
    expect(toClusterSubject(alice, mapping)).toEqual({
      user: "oidc:alice",
      groups: ["dev-read", "dev-write", "system:authenticated"],
    });
    expect(toClusterSubject(createSubject({ user: "root", groups: ["qa"] }), mapping)).toEqual({
      user: "carol",
      groups: ["oidc:qa", "system:authenticated"],
    });
  });

  test("is the same object for the same subject, for what is remembered by object", () => {
    const map = createSubjectMapper(mapping);
    expect(map(alice)).toBe(map(alice));
  });
});

describe("[RB71] [L15] names of Kubernetes", () => {
  test("of the hub mean nothing in a cluster", () => {
    const root = createSubject({ user: "eve", groups: ["system:masters", "system:nodes"] });
    expect(toClusterSubject(root, sameIdentities)).toEqual({ user: "eve", groups: ["system:authenticated"] });
    const account = createSubject({ user: "system:serviceaccount:ci:bot" });
    expect(toClusterSubject(account, mapping)).toBe(anonymousSubject);
    expect(toClusterSubject(anonymousSubject, mapping)).toBe(anonymousSubject);
  });

  const part = fc.constantFrom("sys", "tem:", "system:", "masters", "a", "authenticated", "anonymous", "");
  const word = fc.tuple(part, part).map((parts) => parts.join(""));
  const anyMapping: fc.Arbitrary<IdentityMapping> = fc.record({
    userPrefix: word,
    groupPrefix: word,
    users: fc.array(fc.tuple(word, word), { maxLength: 3 }).map((all) => new Map(all)),
    groups: fc.array(fc.tuple(word, fc.array(word, { maxLength: 2 })), { maxLength: 3 }).map((all) => new Map(all)),
  });
  const anyIdentity = fc.record({ user: word, groups: fc.array(word, { maxLength: 3 }) });

  test("never come out of a mapping, whatever prefixes and names it has", () => {
    fc.assert(
      fc.property(anyIdentity, anyMapping, (identity, each) => {
        const { user, groups } = toClusterSubject(createSubject(identity), each);
        const system = groups.filter((group) => group.startsWith("system:"));
        expect(system).toHaveLength(1);
        expect(["system:authenticated", "system:unauthenticated"]).toContain(system[0]);
        if (user.startsWith("system:")) expect(groups).toEqual(["system:unauthenticated"]);
      }),
      { numRuns: 500 },
    );
  });
});

describe("[RB70] a mapping in JSON", () => {
  test("is read as it is written; absent fields change nothing", () => {
    const json = {
      userPrefix: "oidc:",
      groupPrefix: "oidc:",
      users: { root: "carol" },
      groups: { devs: ["dev-read", "dev-write"], ops: [] },
    };
    expect(parseIdentityMapping(json, "identity")).toEqual(mapping);
    expect(parseIdentityMapping({}, "identity")).toEqual(sameIdentities);
  });

  test.each<readonly [unknown, string]>([
    [7, "identity: must be a map"],
    [null, "identity: must be a map"],
    [{ userprefix: "x" }, 'identity: "userprefix" is not a known field; did you mean userPrefix?'],
    [{ userPrefix: 7 }, "identity: userPrefix must be text; put it in quotes"],
    [{ groupPrefix: "x".repeat(257) }, "identity: groupPrefix must be well-formed text of at most 256 bytes"],
    [{ users: [] }, "identity: users must be a map from names at the hub to names in the cluster"],
    [{ users: { a: 1 } }, 'identity: users["a"] must be text; put it in quotes'],
    [{ users: { a: "" } }, 'identity: users["a"] must not be empty'],
    [{ groups: { a: "b" } }, 'identity: groups["a"] must be a list of groups of the cluster'],
    [{ groups: { a: Array.from({ length: 101 }, () => "b") } }, 'identity: groups["a"] must have at most 100 groups'],
    [
      { groups: { a: ["system:masters"] }, userPrefix: "system:" },
      "identity: userPrefix must not begin with system:, which is for names that the cluster itself gives; " +
        'groups["a"][0] must not begin with system:, which is for names that the cluster itself gives',
    ],
  ])("%j is refused with a sentence for each mistake", (json, message) => {
    expect(() => parseIdentityMapping(json, "identity")).toThrow(expect.objectContaining({ message }));
  });

  test("with many mistakes names five and counts the others", () => {
    const users = Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`u${at}`, ""]));
    expect(() => parseIdentityMapping({ users }, "identity")).toThrow(/; and 4 more mistakes$/);
    const many = Object.fromEntries(Array.from({ length: 10_001 }, (_, at) => [`u${at}`, "x"]));
    expect(() => parseIdentityMapping({ users: many }, "identity")).toThrow("users must have at most 10000 entries");
  });
});
