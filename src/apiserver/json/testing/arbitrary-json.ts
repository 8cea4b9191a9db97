// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { type Draft, type DraftObject, setKey } from "../json.ts";

const hostileKeys = [
  "__proto__",
  "constructor",
  "prototype",
  "toString",
  "",
  "0",
  "a.b",
  'quote"',
  "\\",
  "é",
  "\u2028",
];

const arbitraryKey = fc.oneof(fc.constantFrom(...hostileKeys), fc.string({ maxLength: 6 }));

/**
 * Values for property tests: keys that users should not be trusted with, integers of every size, doubles, texts that
 * need escapes.
 */
export const arbitraryJson: fc.Arbitrary<Draft> = fc.letrec<{ value: Draft }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5, depthSize: "small" },
    fc.constantFrom(null, true, false),
    fc.string({ unit: "binary" }).map((text) => text.toWellFormed()),
    fc.integer(),
    fc
      .double({ noNaN: true, noDefaultInfinity: true })
      .filter(isHeldAsNumber)
      .map((float) => (float === 0 ? 0 : float)),
    fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n).map((big) => (Number.isSafeInteger(Number(big)) ? Number(big) : big)),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.array(fc.tuple(arbitraryKey, tie("value")), { maxLength: 4 }).map(toObject),
  ),
})).value;

/** Integers of 64 bits that a double cannot hold are bigints: no number of that size is ever there. */
function isHeldAsNumber(float: number): boolean {
  return !Number.isInteger(float) || Number.isSafeInteger(float) || Math.abs(float) >= 2 ** 64;
}

function toObject(entries: readonly (readonly [string, Draft])[]): DraftObject {
  const object: DraftObject = {};
  for (const [key, value] of entries) setKey(object, key, value);
  return object;
}
