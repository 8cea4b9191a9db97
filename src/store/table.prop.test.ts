// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { compareUtf8 } from "../model/text.ts";
import { decodeValue, encodeValue, firstUnder, isUnder, joinKey, joinPrefix } from "./table.ts";
import { objects, tokens } from "./tables.ts";

/** Any text a key part may be, often close to the separator and to the edges of UTF-16. */
const part = fc
  .string({
    unit: fc.oneof(
      fc.constantFrom(" ", "!", "a", "b", "\u007f", "\ud7ff", "\ue000", "\uffff", "🚢"),
      fc.string({ unit: "binary", minLength: 1, maxLength: 1 }),
    ),
    maxLength: 6,
  })
  // oxlint-disable-next-line no-control-regex
  .filter((text) => !/[\u0000-\u001f]/.test(text));

const key = fc.tuple(part, part, part, part);

function compareParts(a: readonly string[], b: readonly string[]): number {
  const orders = a.map((one, index) => Buffer.compare(Buffer.from(one), Buffer.from(b[index] ?? "")));
  return orders.find((order) => order !== 0) ?? 0;
}

test("[ST1] joined keys are ordered as the UTF-8 of their parts, part by part", () => {
  fc.assert(
    fc.property(key, key, (a, b) => {
      const joined = compareUtf8(joinKey(objects, a), joinKey(objects, b));
      expect(Math.sign(joined)).toBe(Math.sign(compareParts(a, b)));
      expect(Math.sign(joined)).toBe(
        Math.sign(Buffer.compare(Buffer.from(joinKey(objects, a)), Buffer.from(joinKey(objects, b)))),
      );
    }),
  );
});

test("[ST11] the keys under a prefix are one stretch of the key order that begins at firstUnder", () => {
  fc.assert(
    fc.property(fc.array(key, { maxLength: 30 }), key, fc.nat(4), (keys, chosen, length) => {
      const prefix = joinPrefix(objects, chosen.slice(0, length));
      const ordered = [...keys, chosen].map((one) => joinKey(objects, one)).sort(compareUtf8);
      const start = ordered.findIndex((one) => compareUtf8(one, firstUnder(prefix)) >= 0);
      const stretch = ordered.slice(start);
      const end = stretch.findIndex((one) => !isUnder(prefix, one));
      expect(end === -1 ? stretch : stretch.slice(0, end)).toEqual(ordered.filter((one) => isUnder(prefix, one)));
    }),
  );
});

test("[ST1] every value comes back from its bytes", () => {
  const text = fc.string({ unit: "binary" });
  const value = fc.record({
    secret_hash: fc.uint8Array(),
    user_name: text,
    group_names: text,
    description: text,
    created_at_ms: fc.maxSafeInteger().map((number) => number + 0),
    expires_at_ms: fc.option(fc.maxSafeNat()),
    parent_id: fc.option(text),
  });
  fc.assert(
    fc.property(value, (one) => {
      expect(decodeValue(tokens, encodeValue(tokens, one))).toEqual(one);
    }),
  );
});
