// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { decodeValue, encodeValue, isUnder, joinKey, joinPrefix, prefixParts, splitKey } from "./table.ts";
import { objects, tokens } from "./tables.ts";

const token = {
  secret_hash: Uint8Array.of(1, 2),
  user_name: "anna",
  group_names: "[]",
  description: "",
  created_at_ms: 1,
  expires_at_ms: null,
  parent_id: null,
};

describe("keys", () => {
  test("[ST1] a key comes back from its joined form, empty parts too", () => {
    for (const key of [
      ["w", "r", "", ""],
      ["", "", "", ""],
      ["w", "pods", "a b", "🚢"],
    ])
      expect(splitKey(joinKey(objects, key))).toEqual(key);
  });

  test("[ST1] a prefix covers keys with exactly its parts", () => {
    const key = joinKey(objects, ["w", "r", "n", "x"]);
    for (const covering of [[], ["w"], ["w", "r"], ["w", "r", "n"], ["w", "r", "n", "x"]]) {
      const prefix = joinPrefix(objects, covering);
      expect(isUnder(prefix, key)).toBe(true);
      expect(prefixParts(prefix)).toEqual(covering);
    }
    for (const other of [[""], ["w", "r", ""], ["w", "r", "n", ""], ["w", "r", "n", "x2"], ["w", "rr"]])
      expect(isUnder(joinPrefix(objects, other), key)).toBe(false);
    expect(isUnder(joinPrefix(objects, ["w", "r", "n", "x"]), joinKey(objects, ["w", "r", "n", "x2"]))).toBe(false);
  });
});

describe("values", () => {
  test("[ST6] equal values have equal bytes in any order of their columns", () => {
    const turned = Object.fromEntries(Object.entries(token).toReversed()) as typeof token;
    expect(encodeValue(tokens, turned)).toEqual(encodeValue(tokens, token));
  });

  test("[ST1] a value that was written before its table got another column has null there", () => {
    const [...columns] = JSON.parse(new TextDecoder().decode(encodeValue(tokens, token))) as unknown[];
    const older = new TextEncoder().encode(JSON.stringify(columns.slice(0, -1)));
    expect(decodeValue(tokens, older)).toEqual({ ...token, parent_id: null });
  });

  test("[ST1] a body is kept as the bytes it is", () => {
    const body = Uint8Array.of(0xff, 0, 0x7b);
    expect(encodeValue(objects, { body })).toBe(body);
    expect(decodeValue(objects, body)).toEqual({ body });
  });

  test.each<[string, Record<string, unknown>]>([
    ["user_name", { user_name: 7 }],
    ["user_name", { user_name: undefined }],
    ["user_name", { user_name: null }],
    ["created_at_ms", { created_at_ms: 1.5 }],
    ["created_at_ms", { created_at_ms: 2 ** 53 }],
    ["created_at_ms", { created_at_ms: "1" }],
    ["expires_at_ms", { expires_at_ms: undefined }],
    ["secret_hash", { secret_hash: "text" }],
  ])("[ST2] a value of the wrong type is refused by the name of its column: %s", (column, wrong) => {
    expect(() => encodeValue(tokens, { ...token, ...wrong })).toThrow(`column ${column} of tokens`);
  });
});
