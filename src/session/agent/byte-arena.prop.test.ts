// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { ByteArena, type BytePacker, maxRecordBytes } from "./byte-arena.ts";
import { invertingPacker } from "./testing/inverting-packer.ts";

const pageBytes = 65_536;

type Command =
  | { readonly kind: "set"; readonly owner: number; readonly size: number; readonly fill: number }
  | { readonly kind: "drop"; readonly owner: number };

const owner = fc.integer({ min: 0, max: 40 });
const size = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 0, max: 12_000 }) },
  fc.constantFrom(pageBytes - 9, pageBytes - 8, pageBytes - 7, maxRecordBytes),
);
const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant("set"), owner, size, fill: fc.nat(255) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("drop"), owner }) },
);

test("[L13] every owner has the bytes it was given last, through pages that fill, are packed and are emptied; what is held follows what lives", () => {
  fc.assert(
    fc.property(fc.array(command, { maxLength: 200, size: "max" }), (commands) => {
      const arena = new ByteArena(invertingPacker);
      const model = new Map<number, Uint8Array>();
      for (const one of commands) {
        if (one.kind === "set") {
          const bytes = new Uint8Array(one.size).fill(one.fill);
          arena.set(one.owner, bytes);
          model.set(one.owner, bytes);
        } else if (model.delete(one.owner)) arena.drop(one.owner);
        // Some are read between the writes, so that pages are unpacked and packed again in every order.
        const read = model.get((one.owner * 7) % 41);
        if (read !== undefined) expect(isEqual(arena.view((one.owner * 7) % 41), read)).toBe(true);
      }
      for (const [known, bytes] of model) expect(isEqual(arena.view(known), bytes)).toBe(true);
      expect(new Set(arena.inOrder(model.keys()))).toEqual(new Set(model.keys()));
      const liveBytes = [...model.values()].reduce((sum, { length }) => sum + length + 8, 0);
      // Twice what lives, in two forms; the page that is being filled and the one before it may be nearly empty.
      expect(arena.heldBytes).toBeLessThan(4 * liveBytes + 4 * 2 * pageBytes + 8_192);
    }),
    { numRuns: 40 },
  );
});

test("owners read in the order in which their records lie have each page unpacked once, and few at a time", () => {
  let unpackedCount = 0;
  const counting: BytePacker = {
    pack: invertingPacker.pack,
    unpack(packed, byteCount) {
      unpackedCount += 1;
      return invertingPacker.unpack(packed, byteCount);
    },
  };
  const arena = new ByteArena(counting);
  const owners = Array.from({ length: 5_000 }, (_, at) => (at * 1_009) % 5_000);
  for (const one of owners) arena.set(one, new Uint8Array(992).fill(one % 251));
  for (const one of arena.inOrder(owners)) expect(arena.view(one)[0]).toBe(one % 251);
  expect(unpackedCount).toBeLessThanOrEqual(Math.ceil((5_000 * 1_000) / (65 * 1_000)));
  // This packer makes nothing smaller: all records packed, and those of nine pages beside them.
  expect(arena.heldBytes).toBeLessThan(5_000 * 1_000 + 10 * pageBytes + 5 * 8_192);
});

function isEqual(one: Uint8Array, other: Uint8Array): boolean {
  return Buffer.compare(one, other) === 0;
}
