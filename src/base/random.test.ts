// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { BugError } from "./assert.ts";
import { createSeededRandom, createXoshiro128, type Random } from "./random.ts";
import { systemRandom } from "./system-random.ts";

test("the generator gives the words of the C reference of xoshiro128**", () => {
  const next = createXoshiro128([0x964d4a0c, 0xd40ab895, 0xad7fdecb, 0x3006f0f0]);
  expect([next(), next(), next(), next()]).toEqual([0xf1391922, 0x6fe53806, 0xa5be2840, 0xf510ee70]);
});

test("a state of zeros does not give zeros for ever", () => {
  const next = createXoshiro128([0, 0, 0, 0]);
  expect(new Set(Array.from({ length: 20 }, next)).size).toBeGreaterThan(10);
});

test("a recorded seed replays the same values in every release", () => {
  const random = createSeededRandom("replay");
  expect([random.uint32(), random.uint32(), random.int(1000), random.next()]).toEqual([
    1_372_580_030, 2_001_742_101, 573, 0.6781736168292917,
  ]);
  expect([...random.bytes(6)]).toEqual([186, 147, 50, 80, 228, 3]);
  expect(random.fork("network").uint32()).toBe(14_390_024);
});

test("a seed given as text, as on a command line, is the seed given as a number", () => {
  expect(createSeededRandom("42").uint32()).toBe(createSeededRandom(42).uint32());
});

test("nested forks keep their names apart", () => {
  const root = createSeededRandom(1);
  const firsts = [
    root.fork("a").fork("bc"),
    root.fork("ab").fork("c"),
    root.fork("abc"),
    root.fork("c").fork("ab"),
    root.fork(""),
    root,
  ].map((random) => random.uint32());
  expect(new Set(firsts).size).toBe(firsts.length);
});

describe.each<[string, () => Random]>([
  ["seeded", () => createSeededRandom("uniform")],
  ["system", () => systemRandom],
])("%s random", (_name, create) => {
  test("int() favours no value where 2^32 is no multiple of the range", () => {
    // Words modulo 3 * 2^30 would fall below 2^30 half of the time; evenly drawn ones a third of it. 0.06 is 9 sigma.
    const random = create();
    const drawCount = 5_000;
    let lowCount = 0;
    for (let drawn = 0; drawn < drawCount; drawn += 1) if (random.int(3 * 2 ** 30) < 2 ** 30) lowCount += 1;
    expect(Math.abs(lowCount / drawCount - 1 / 3)).toBeLessThan(0.06);
  });

  test("next() and bytes() use their whole range", () => {
    const random = create();
    const draws = Array.from({ length: 2_000 }, () => random.next());
    expect(Math.min(...draws)).toBeLessThan(0.02);
    expect(Math.max(...draws)).toBeGreaterThan(0.98);
    expect(new Set(random.bytes(10_003)).size).toBe(256);
  });

  test.each([0, -1, 1.5, 2 ** 32 + 1, Number.NaN])("int(%d) is a bug of the caller", (maxExclusive) => {
    expect(() => create().int(maxExclusive)).toThrow(BugError);
  });

  test("bytes belong to the caller and no two draws are alike", () => {
    const random = create();
    const first = random.bytes(16);
    expect(first.buffer.byteLength).toBe(16);
    expect(random.bytes(16)).not.toEqual(first);
    expect(random.bytes(0)).toHaveLength(0);
  });
});
