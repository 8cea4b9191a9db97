// SPDX-License-Identifier: Apache-2.0
// Values that no client should send, and changes that make a good object a bad one.
import { type Draft, type DraftObject, deleteKey, isList, isObject, setKey } from "../../src/apiserver/json/json.ts";
import type { Random } from "../../src/base/random.ts";

export function pick<T>(random: Random, from: readonly T[]): T {
  const found = from[random.int(from.length)];
  if (found === undefined) throw new Error("there is nothing to pick from");
  return found;
}

export function chance(random: Random, oneIn: number): boolean {
  return random.int(oneIn) === 0;
}

const hostileKeys = [
  "__proto__",
  "constructor",
  "prototype",
  "toString",
  "hasOwnProperty",
  "",
  "0",
  "1",
  "4294967296",
  "a/b/c",
  "kubernetes.io/",
  ".",
  "$patch",
  "$setElementOrder/containers",
  "$deleteFromPrimitiveList/finalizers",
  "$retainKeys",
  "x-kubernetes-preserve-unknown-fields",
  "metadata",
  "status",
  "apiVersion",
  "managedFields",
  "\u2028",
  "\ud83d\ude80",
  "k".repeat(300),
];

const hostileTexts = [
  "",
  " ",
  "__proto__",
  "constructor",
  "null",
  "true",
  "0",
  "-1",
  "1e999",
  "NaN",
  "..",
  "../../x",
  "a/b",
  "\u0000",
  "\u001f",
  "\n",
  "a\tb",
  "\u2028",
  "\ud83d\ude80",
  "\ufeff",
  "İ",
  "ß",
  "a".repeat(254),
  "a".repeat(3000),
  `${"a".repeat(40)}!`,
  "9223372036854775808",
  "0x10",
  "1Ki",
  "1e3Ki",
  "1E",
  "+1",
  ".",
  "1.0000000000000000000000001",
  "99999999999999999999999999999999999Ei",
  "2026-01-01T00:00:00Z",
  "2026-13-45T99:99:99Z",
  "9999999-01-01T00:00:00Z",
  "10.0.0.1/33",
  "::ffff:1.2.3.4",
  "fe80::1%eth0",
  "999.1.1.1",
  "*/0 * * * *",
  "@every -1h",
  "TZ=Nowhere/None * * * * *",
  "{.metadata.name}",
  "{.items[?(@.x=='",
  "$(VAR)",
  "%s%n%d",
  "http://[::1",
  "a=b,c in (d,e),!f",
  "Foreground",
  "\\",
  '"',
  "-",
];

const hostileNumbers: readonly (number | bigint)[] = [
  0,
  -0,
  -1,
  1,
  2,
  0.5,
  1.5,
  65536,
  2147483647,
  2147483648,
  -2147483649,
  4294967296,
  9007199254740991,
  9007199254740993n,
  9223372036854775807n,
  -9223372036854775808n,
  1e20,
  1e300,
  5e-324,
];

export function drawKey(random: Random): string {
  return pick(random, hostileKeys);
}

export function drawText(random: Random): string {
  if (!chance(random, 6)) return pick(random, hostileTexts);
  const length = random.int(12);
  return Array.from({ length }, () =>
    String.fromCodePoint(pick(random, [0x2d, 0x2e, 0x2f, 0x61, 0x5a, 0x30, 0xe9, 0x1f600, random.int(0xd7ff)])),
  ).join("");
}

export function drawNumber(random: Random): number | bigint {
  return pick(random, hostileNumbers);
}

/** Any value, rarely a large one. */
export function drawValue(random: Random, depth = 0): Draft {
  switch (random.int(depth > 3 ? 5 : 9)) {
    case 0:
      return null;
    case 1:
      return chance(random, 2);
    case 2:
    case 3:
      return drawText(random);
    case 4:
      return drawNumber(random);
    case 5:
      return Array.from({ length: random.int(4) }, () => drawValue(random, depth + 1));
    case 6:
      return chance(random, 4) ? nest(random, 10 ** (1 + random.int(3)), {}) : [];
    default: {
      const object: DraftObject = {};
      for (let count = random.int(4); count > 0; count -= 1)
        setKey(object, chance(random, 2) ? drawKey(random) : drawText(random), drawValue(random, depth + 1));
      return object;
    }
  }
}

function nest(random: Random, depth: number, core: Draft): Draft {
  let value = core;
  const asList = chance(random, 2);
  for (let level = 0; level < depth; level += 1) value = asList ? [value] : { a: value };
  return value;
}

/** The value with one change somewhere in it. Takes over the draft. */
export function mutate(random: Random, value: Draft): Draft {
  if (isObject(value)) return mutateObject(random, value);
  if (isList(value)) return mutateList(random, value);
  if (chance(random, 8) && typeof value === "string") return value + drawText(random);
  return drawValue(random);
}

function mutateObject(random: Random, object: DraftObject): Draft {
  const keys = Object.keys(object);
  if (keys.length > 0 && !chance(random, 4)) {
    const key = pick(random, keys);
    setKey(object, key, mutate(random, object[key] ?? null));
    return object;
  }
  switch (random.int(4)) {
    case 0:
      return drawValue(random);
    case 1:
      if (keys.length > 0) deleteKey(object, pick(random, keys));
      return object;
    case 2:
      if (keys.length > 0) setKey(object, drawKey(random), object[pick(random, keys)] ?? null);
      return object;
    default:
      setKey(object, drawKey(random), drawValue(random));
      return object;
  }
}

function mutateList(random: Random, list: Draft[]): Draft {
  if (list.length > 0 && !chance(random, 4)) {
    const index = random.int(list.length);
    list[index] = mutate(random, list[index] ?? null);
    return list;
  }
  switch (random.int(4)) {
    case 0:
      return drawValue(random);
    case 1:
      list.push(drawValue(random));
      return list;
    case 2:
      if (list.length > 0) list.push(...structuredClone(list));
      return list;
    default:
      list.pop();
      return list;
  }
}
