// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createSeededRandom, type SeededRandom } from "./random.ts";

const seeds = fc.oneof(fc.integer(), fc.string());

function drawSome(random: SeededRandom): readonly unknown[] {
  return [random.uint32(), random.next(), random.int(10), [...random.bytes(5)]];
}

test("equal seeds give equal streams, and a fork does not depend on what its parent gave", () => {
  fc.assert(
    fc.property(seeds, fc.string(), fc.nat(20), (seed, name, drawnCount) => {
      const used = createSeededRandom(seed);
      for (let drawn = 0; drawn < drawnCount; drawn += 1) used.uint32();
      expect(drawSome(used.fork(name))).toEqual(drawSome(createSeededRandom(seed).fork(name)));
      expect(drawSome(createSeededRandom(seed))).toEqual(drawSome(createSeededRandom(seed)));
    }),
  );
});

test("drawing from a fork does not move its parent", () => {
  fc.assert(
    fc.property(seeds, fc.string(), (seed, name) => {
      const parent = createSeededRandom(seed);
      drawSome(parent.fork(name));
      expect(drawSome(parent)).toEqual(drawSome(createSeededRandom(seed)));
    }),
  );
});

test("different names and different seeds give different streams", () => {
  fc.assert(
    fc.property(seeds, fc.uniqueArray(fc.string(), { minLength: 2, maxLength: 20 }), (seed, names) => {
      const root = createSeededRandom(seed);
      const streams = names.flatMap((name) => [root.fork(name), createSeededRandom(`seed ${name}`)]);
      const starts = streams.map((random) => random.bytes(16).join());
      expect(new Set(starts).size).toBe(starts.length);
    }),
  );
});

test("every value lies in its range", () => {
  fc.assert(
    fc.property(seeds, fc.integer({ min: 1, max: 2 ** 32 }), fc.nat(33), (seed, maxExclusive, byteCount) => {
      const random = createSeededRandom(seed);
      const value = random.int(maxExclusive);
      expect(Number.isInteger(value) && value >= 0 && value < maxExclusive).toBe(true);
      const fraction = random.next();
      expect(fraction >= 0 && fraction < 1).toBe(true);
      const word = random.uint32();
      expect(Number.isInteger(word) && word >= 0 && word < 2 ** 32).toBe(true);
      expect(random.bytes(byteCount)).toHaveLength(byteCount);
    }),
  );
});
