// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { BugError } from "./assert.ts";
import { createId, isId } from "./id.ts";
import { createSeededRandom } from "./random.ts";

test("an id is its prefix and 20 letters that people do not misread", () => {
  const random = createSeededRandom("ids");
  const ids = Array.from({ length: 500 }, () => createId("tok", random));
  for (const id of ids) expect(id).toMatch(/^tok_[0-9a-z]{20}$/);
  const letters = new Set(ids.flatMap((id) => id.slice(4).split("")));
  expect([...letters].sort().join("")).toBe("0123456789abcdefghjkmnpqrstvwxyz");
  expect(new Set(ids).size).toBe(ids.length);
});

test("every id made is recognised under its own prefix and no other", () => {
  const prefixes = fc.stringMatching(/^[a-z][a-z0-9]{0,15}$/);
  fc.assert(
    fc.property(prefixes, prefixes, fc.integer(), (prefix, other, seed) => {
      const id = createId(prefix, createSeededRandom(seed));
      expect(isId(prefix, id)).toBe(true);
      expect(isId(other, id)).toBe(prefix === other);
    }),
  );
});

test("one letter outside of the alphabet, or one more or fewer, and it is no id", () => {
  const id = createId("tok", createSeededRandom(1));
  fc.assert(
    fc.property(
      fc.integer({ min: 4, max: 23 }),
      fc.nat(0x17f).map((code) => String.fromCharCode(code)),
      (at, letter) => {
        const isOfAlphabet = "0123456789abcdefghjkmnpqrstvwxyz".includes(letter);
        expect(isId("tok", id.slice(0, at) + letter + id.slice(at + 1))).toBe(isOfAlphabet);
      },
    ),
    {
      examples: [
        [4, "i"],
        [5, "l"],
        [6, "o"],
        [7, "u"],
        [23, "\n"],
        [8, "A"],
      ],
    },
  );
  expect(
    [`${id}0`, id.slice(0, -1), id.replace("_", "-"), id.toUpperCase(), "tok_", ""].some((text) => isId("tok", text)),
  ).toBe(false);
});

test.each(["", "Tok", "a_b", "1a", "averyveryverylongprefix"])("the prefix %j is a bug of the caller", (prefix) => {
  expect(() => createId(prefix, createSeededRandom(1))).toThrow(BugError);
});
