// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { joinTokenFile, markOfToken } from "./join-token.ts";

const never = new AbortController().signal;

test("a token file is read anew each time, without the line end that an editor leaves", async () => {
  const texts = [undefined, "", " \n", "first\n", "second\r\n"];
  const source = joinTokenFile("/run/token", async (path) => {
    expect(path).toBe("/run/token");
    return texts.shift();
  });
  const loaded = [];
  while (texts.length > 0) loaded.push(await source.load(never));
  expect(loaded).toEqual([undefined, undefined, undefined, "first", "second"]);
  expect(source.where).toBe("the file /run/token");
});

test("[L18] what cannot be a token is refused by the name of its place, not by its text", async () => {
  for (const text of ["two words", "a\nb", "x".repeat(1_025)]) {
    const failure = await joinTokenFile("/run/token", () => Promise.resolve(text))
      .load(never)
      .catch((reason: unknown) => reason);
    expect(failure).toMatchObject({
      code: "INVALID_ARGUMENT",
      message: "the file /run/token does not hold a join token and nothing else",
    });
  }
});

test("the mark of a token tells tokens apart and holds nothing of them", () => {
  expect(markOfToken("flt_a")).toBe(markOfToken("flt_a"));
  expect(markOfToken("flt_a")).not.toBe(markOfToken("flt_b"));
  expect(markOfToken("flt_a")).toMatch(/^[0-9a-f]{16}$/);
});
