// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { rankMatches } from "./rank-matches.ts";

const entries = ["Fleet", "prod-eu-1", "eu-staging", "Changes", "dev-us"].map((name) => ({ name }));

test.each([
  ["", ["Fleet", "prod-eu-1", "eu-staging", "Changes", "dev-us"]],
  [" EU ", ["eu-staging", "prod-eu-1", "dev-us"]],
  ["pe1", ["prod-eu-1"]],
  ["1p", []],
])("%j finds %j", (text, names) => {
  expect(rankMatches(entries, text).map(({ name }) => name)).toEqual(names);
});
