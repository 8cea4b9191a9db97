// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { compareObjectKeys, createObjectKey, isObjectName, objectKeyText, parseObjectKey } from "./object-key.ts";

/** Any character, with those that are special somewhere often. */
const character = fc.oneof(
  fc.constantFrom("a", "/", "%", ":", ".", ",", "=", "\\", "\u0000", "\ufeff", "\ufffd", "\u{10000}"),
  fc.integer({ min: 0, max: 0xd7ff }).map((point) => String.fromCodePoint(point)),
  fc.integer({ min: 0xe000, max: 0x10ffff }).map((point) => String.fromCodePoint(point)),
);

const label = fc.stringMatching(/^[a-z0-9](?:[-a-z0-9]{0,5}[a-z0-9])?$/);
const key = fc
  .record({
    cluster: label,
    group: fc.oneof(
      fc.constant(""),
      label,
      fc.tuple(label, label).map((parts) => parts.join(".")),
    ),
    resource: label,
    namespace: fc.oneof(fc.constant(""), label),
    name: fc.string({ unit: character, minLength: 1, maxLength: 12 }).filter(isObjectName),
  })
  .map(createObjectKey);

test("[CO11] a key's text has one reading, and two keys have one text only if they are equal", () => {
  fc.assert(
    fc.property(key, key, (a, b) => {
      expect(parseObjectKey(objectKeyText(a))).toEqual(a);
      expect(objectKeyText(a) === objectKeyText(b)).toBe(compareObjectKeys(a, b) === 0);
    }),
  );
});

test("[CO10] the order of keys is total", () => {
  fc.assert(
    fc.property(fc.array(key, { minLength: 3, maxLength: 3 }), (keys) => {
      const [a, b, c] = keys.sort(compareObjectKeys);
      if (a === undefined || b === undefined || c === undefined) return;
      expect(compareObjectKeys(a, b)).toBeLessThanOrEqual(0);
      expect(compareObjectKeys(a, c)).toBeLessThanOrEqual(0);
      expect(Math.sign(compareObjectKeys(c, a))).toBe(-Math.sign(compareObjectKeys(a, c)) + 0);
    }),
  );
});
