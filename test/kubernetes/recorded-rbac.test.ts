// SPDX-License-Identifier: Apache-2.0
// A sample of what rbac.kubernetes.test.ts compares, on answers that a real kube-apiserver gave once: runs anywhere.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { kitVersions } from "../../scripts/kubernetes-kit.ts";
import { createClusterAuthorizer } from "../../src/rbac/authorizer-chain.ts";
import { createPolicy } from "../../src/rbac/policy.ts";
import type { RbacLists } from "../../src/rbac/testing/arbitrary-rbac.ts";
import { brokenSteps } from "./rbac/broken-steps.ts";
import { few } from "./rbac/few.ts";
import { fromRoundLine } from "./rbac/recorded-answers.ts";

const text = readFileSync(new URL("recorded/rbac-answers.jsonl", import.meta.url), "utf8");
const rounds = text.trimEnd().split("\n").map(fromRoundLine);

const versions = [...new Set(rounds.map(({ kubernetes }) => kubernetes))];

/**
 * One line for each recorded answer that an evaluator of the policies, once `change` was made to them, would give
 * otherwise.
 */
function findDifferences(change: (lists: RbacLists) => RbacLists = (lists) => lists): readonly string[] {
  return rounds.flatMap(({ lists, asked }) => {
    const authorizer = createClusterAuthorizer(createPolicy(change(lists)));
    return asked
      .filter(({ user, request, allowed }) => (authorizer(user, request).decision === "allow") !== allowed)
      .map((each) => JSON.stringify(each));
  });
}

test(`[Q-35, Q-45, RB7, RB8, RB9, RB15, RB16, RB17, RB22, RB26, RB27, RB28, RB29, RB30] our verdicts are those that a real kube-apiserver gave (${versions.join(", ")})`, () => {
  expect(few(findDifferences())).toEqual([]);
});

test.each(Object.entries(brokenSteps))("[Q-35, Q-45] an evaluator that %s is found out", (_what, change) => {
  expect(findDifferences(change)).not.toEqual([]);
});

test("[Q-45] the record is of the version that the kit has, and both answers occur often", () => {
  expect(versions).toEqual([kitVersions.kubernetes]);
  const asked = rounds.flatMap((round) => round.asked);
  expect(asked.length).toBeGreaterThan(900);
  expect(asked.filter(({ allowed }) => allowed).length / asked.length).toBeGreaterThan(0.03);
});
