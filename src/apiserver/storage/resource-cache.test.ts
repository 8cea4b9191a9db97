// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import type { CachedObject } from "./cached-object.ts";
import { ResourceCache } from "./resource-cache.ts";

function object(namespace: string, name: string, revision = 1): CachedObject {
  return { namespace, name, revision, body: new Uint8Array(), labels: new Map() };
}

function filled(...keys: readonly string[]): ResourceCache {
  const cache = new ResourceCache(0, 1_000_000);
  for (const key of keys) {
    const [namespace = "", name = ""] = key.split("/");
    cache.load(object(namespace, name));
  }
  return cache;
}

const keysOf = (objects: Iterable<CachedObject>): readonly string[] =>
  Array.from(objects, ({ namespace, name }) => `${namespace}/${name}`);

test("[AP5] objects come in the order of the bytes of namespace, then name, not of UTF-16", () => {
  // As UTF-16 the rocket, a surrogate pair, would come before the full-width letter.
  const cache = filled("b/a", "a/b", "a/B", "a/a.b", "a/a-b", "a/\u{1f680}", "a/\uff41", "a-b/z", "B/x");
  expect(keysOf(cache.objects(undefined))).toEqual([
    "B/x",
    "a/B",
    "a/a-b",
    "a/a.b",
    "a/b",
    "a/\uff41",
    "a/\u{1f680}",
    "a-b/z",
    "b/a",
  ]);
});

test.each([
  [undefined, { namespace: "a", name: "b" }, ["a/c", "b/a"]],
  [undefined, { namespace: "a", name: "bb" }, ["a/c", "b/a"]],
  [undefined, { namespace: "a-gone", name: "z" }, ["b/a"]],
  ["a", { namespace: "a", name: "a" }, ["a/b", "a/c"]],
  ["b", { namespace: "a", name: "z" }, ["b/a"]],
  ["nowhere", undefined, []],
])("in %s behind %j come %j", (namespace, after, expected) => {
  const cache = filled("a/a", "a/b", "a/c", "b/a");
  expect(keysOf(cache.objects(namespace, after))).toEqual(expected);
});

test("counts follow creates, updates and deletes, also of what is not there", () => {
  const cache = filled("a/a", "b/a");
  cache.apply(2, { namespace: "a", name: "b" }, object("a", "b", 2));
  cache.apply(3, { namespace: "a", name: "b" }, object("a", "b", 3));
  expect([cache.count, cache.countIn("a"), cache.countIn("b"), cache.countIn("c")]).toEqual([3, 2, 1, 0]);
  cache.apply(4, { namespace: "a", name: "b" }, undefined);
  cache.apply(5, { namespace: "b", name: "a" }, undefined);
  cache.apply(6, { namespace: "c", name: "none" }, undefined);
  expect([cache.count, cache.countIn("a"), cache.countIn("b")]).toEqual([1, 1, 0]);
  expect(keysOf(cache.objects(undefined))).toEqual(["a/a"]);
});

test("the order is right again after each change", () => {
  const cache = filled("a/b");
  expect(keysOf(cache.objects("a"))).toEqual(["a/b"]);
  cache.apply(2, { namespace: "a", name: "a" }, object("a", "a", 2));
  cache.apply(3, { namespace: "0", name: "z" }, object("0", "z", 3));
  expect(keysOf(cache.objects(undefined))).toEqual(["0/z", "a/a", "a/b"]);
  cache.apply(4, { namespace: "a", name: "b" }, undefined);
  expect(keysOf(cache.objects(undefined))).toEqual(["0/z", "a/a"]);
});

test("a change is reported with the previous object; loading reports nothing", () => {
  const cache = filled("a/a");
  const second = object("a", "a", 2);
  expect(cache.apply(2, second, second)).toMatchObject({
    revision: 2,
    before: { revision: 1 },
    after: { revision: 2 },
  });
  expect(cache.apply(3, second, undefined)).toMatchObject({ before: { revision: 2 }, after: undefined });
  expect(cache.apply(4, second, object("a", "a", 4))).toMatchObject({ before: undefined, after: { revision: 4 } });
  expect(cache.window.endPosition).toBe(3);
});

test("who waits is woken until it lets go", () => {
  const cache = filled();
  let count = 0;
  const stop = cache.onEvents(() => (count += 1));
  cache.wake();
  cache.wake();
  stop();
  cache.wake();
  expect(count).toBe(2);
});
