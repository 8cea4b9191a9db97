// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { isBearerToken } from "./bearer-token.ts";

test.each(["flt_abc.DEF-1~2+3/4", "eyJh.eyJz.c2ln==", "a".repeat(4096)])(
  "[CL30] %.20s can be a bearer token",
  (text) => {
    expect(isBearerToken(text)).toBe(true);
  },
);

test.each(["", " ", "two words", "two\nlines", "nul\0", "Bearer x", "{}", "é", "=x", "a".repeat(4097)])(
  "[CL30] %j cannot be a bearer token",
  (text) => {
    expect(isBearerToken(text)).toBe(false);
  },
);
