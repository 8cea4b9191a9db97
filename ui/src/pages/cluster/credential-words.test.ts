// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { credentialWords } from "./credential-words.ts";

const dayMs = 86_400_000;

test("[SE46] a far, a near and a past end of a credential have different words", () => {
  expect(credentialWords(-12.5 * dayMs, false)).toBe("ends in 12 d");
  expect(credentialWords(-3 * dayMs, true)).toBe("ends in 3 d: renew it");
  expect(credentialWords(0, true)).toBe("ended 0 s ago: renew it");
  expect(credentialWords(2 * dayMs, true)).toBe("ended 2 d ago: renew it");
});
