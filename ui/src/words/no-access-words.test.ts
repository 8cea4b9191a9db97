// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { noAccessWords } from "./no-access-words.ts";

test("[PG34] a user without rights sees that permission is denied, not that no cluster has joined", () => {
  const { title, sentence } = noAccessWords({ user: "vera", groups: [] });
  expect(title).toBe("Permission denied");
  expect(sentence).toMatch(/logged in as vera, in no group, without permission to list the clusters/);
  expect(noAccessWords({ user: "vera", groups: ["dev", "ops"] }).sentence).toContain("vera, in dev, ops");
});
