// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { findIdentity, parseClusterIdentities } from "./cluster-identities.ts";

test("the first mapping whose glob names a cluster counts", () => {
  const identities = parseClusterIdentities(
    [{ clusters: "prod-*", userPrefix: "oidc:", groups: { sre: ["cluster-ops"] } }, { clusters: "*" }],
    "identities.yaml",
  );
  expect(findIdentity(identities, "prod-1")).toMatchObject({ userPrefix: "oidc:" });
  expect(findIdentity(identities, "dev")).toMatchObject({ userPrefix: "" });
  expect(findIdentity([], "dev")).toBeUndefined();
});

test.each([
  [{}, "identities.yaml must be a list"],
  [[{ userPrefix: "a" }], "identities.yaml, entry 1: clusters must be a glob"],
  [[{ clusters: "*" }, { clusters: "*", userPrefx: "a" }], 'entry 2: "userPrefx" is not a known field'],
  [[{ clusters: "*", groups: { sre: ["system:masters"] } }], "must not begin with system:"],
])("%j is refused in one sentence", (value, sentence) => {
  expect(() => parseClusterIdentities(value, "identities.yaml")).toThrow(sentence);
});
