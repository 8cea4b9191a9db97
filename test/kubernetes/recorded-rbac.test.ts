// SPDX-License-Identifier: Apache-2.0
// A sample of what rbac.kubernetes.test.ts compares, on answers that a real kube-apiserver gave once: runs anywhere.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { kitVersions } from "../../scripts/kubernetes-kit.ts";
import { createClusterAuthorizer } from "../../src/rbac/authorizer-chain.ts";
import { createPolicy } from "../../src/rbac/policy.ts";
import { few } from "./rbac/few.ts";
import { fromRoundLine } from "./rbac/recorded-answers.ts";

const text = readFileSync(new URL("recorded/rbac-answers.jsonl", import.meta.url), "utf8");
const rounds = text.trimEnd().split("\n").map(fromRoundLine);

test("[RB7, RB8, RB9, RB15, RB16, RB17, RB22, RB26, RB27, RB28, RB29, RB30] our verdicts are those that a real kube-apiserver gave", () => {
  const differences = rounds.flatMap(({ lists, asked }) => {
    const authorizer = createClusterAuthorizer(createPolicy(lists));
    return asked
      .filter(({ user, request, allowed }) => (authorizer(user, request).decision === "allow") !== allowed)
      .map((each) => JSON.stringify(each));
  });
  expect(few(differences)).toEqual([]);
});

test("the record is of the version that the kit has, and both answers occur often", () => {
  expect(new Set(rounds.map(({ kubernetes }) => kubernetes))).toEqual(new Set([kitVersions.kubernetes]));
  const asked = rounds.flatMap((round) => round.asked);
  expect(asked.length).toBeGreaterThan(900);
  expect(asked.filter(({ allowed }) => allowed).length / asked.length).toBeGreaterThan(0.03);
});
