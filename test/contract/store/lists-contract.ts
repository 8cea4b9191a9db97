// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { type Key, put, remove, type Write } from "../../../src/store/store.ts";
import { objects, tokens } from "../../../src/store/tables.ts";
import {
  body,
  commit,
  listAll,
  listTexts,
  objectKey,
  putObject,
  putToken,
  removeObject,
  revision,
  textOf,
  tokenValue,
  writeMany,
} from "../../support/store-rows.ts";
import type { OpenStore } from "../../support/store-under-test.ts";

const treeKeys: readonly Key[] = [
  ["w", "r", "", ""],
  ["w", "r", "", "x"],
  ["w", "r", "n", "x"],
  ["w", "r", "n", "x2"],
  ["w", "r", "n2", "x"],
  ["w", "r2", "n", "x"],
  ["w2", "r", "n", "x"],
];

/** Prefixes, and how many of the keys above each covers. */
const coveredCounts: readonly (readonly [Key, number])[] = [
  [[], 7],
  [["w"], 6],
  [["w", "r"], 5],
  [["w", "r", ""], 2],
  [["w", "r", "n"], 2],
  [["w", "r", "n", "x"], 1],
  [["w", "r", "", ""], 1],
  [["w", "r", "n", ""], 0],
  [["nowhere"], 0],
];

/** Reading: ST10 to ST12, and with them U-49. */
export function describeLists(open: OpenStore): void {
  test("[ST10] [U-49] a read after an answered commit sees it, by key, by list and at the returned revision", async () => {
    await using under = await open();
    const { store } = under;
    for (let round = 1; round <= 20; round += 1) {
      const { revision: written } = await commit(store, putObject("a", `round ${round}`));
      expect(textOf((await store.get(objects, objectKey("a"), { atLeast: written }))?.value)).toBe(`round ${round}`);
      expect((await store.list(objects, { atLeast: written })).revision).toBe(written);
      expect(store.cursor()).toEqual({ storeId: store.storeId, revision: written });
    }
  });

  test("[ST10] a read of a revision that is still to come is refused with REVISION_AHEAD", async () => {
    await using under = await open();
    const { store } = under;
    await commit(store, putObject("a", "1"));
    const ahead = { code: "REVISION_AHEAD", next: "retry" };
    await expect(store.get(objects, objectKey("a"), { atLeast: revision(2) })).rejects.toMatchObject(ahead);
    await expect(store.list(objects, { atLeast: revision(2) })).rejects.toMatchObject(ahead);
    await expect(store.list(objects, { asOf: revision(2) })).rejects.toMatchObject(ahead);
  });

  test("[ST11] pages of one list show one revision while rows are changed, deleted and created again", async () => {
    await using under = await open();
    const { store } = under;
    for (const name of ["a", "b", "c", "d", "e"]) await commit(store, putObject(name, "first"));
    const first = await store.list(objects, { limit: 2 });
    expect(first).toMatchObject({ revision: 5n, more: true });
    await commit(store, putObject("aa", "late"), putObject("c", "late"), removeObject("d"), putObject("z", "late"));
    await commit(store, removeObject("e"), removeObject("c"));
    await commit(store, putObject("e", "again"), putObject("c", "again"));
    const rest = await store.list(objects, { asOf: first.revision, after: objectKey("b"), limit: 10 });
    expect(rest.rows.map(({ key, revision, value }) => [key[3], revision, textOf(value)])).toEqual([
      ["c", 3n, "first"],
      ["d", 4n, "first"],
      ["e", 5n, "first"],
    ]);
    expect(rest).toMatchObject({ revision: 5n, more: false });
    expect(await listTexts(store)).toEqual(["a=first", "aa=late", "b=first", "c=again", "e=again", "z=late"]);
  });

  test("[ST11] every retained revision can be listed, for typed tables too", async () => {
    await using under = await open();
    const { store } = under;
    await commit(store, putToken("t1", "anna"));
    await commit(store, putToken("t1", "berta"));
    await commit(store, remove(tokens, ["root", "t1"]));
    await commit(store, putToken("t1", "carla"));
    const userAt = async (asOf: number): Promise<readonly string[]> =>
      (await listAll(store, tokens, { asOf: revision(asOf) })).map(({ value }) => value.user_name);
    expect(await Promise.all([0, 1, 2, 3, 4].map(userAt))).toEqual([[], ["anna"], ["berta"], [], ["carla"]]);
    expect((await listAll(store, tokens, { asOf: revision(2) }))[0]).toEqual({
      key: ["root", "t1"],
      revision: 2n,
      value: tokenValue("berta"),
    });
  });

  test("[ST11] a prefix covers whole key parts, now and in the past", async () => {
    await using under = await open();
    const { store } = under;
    await commit(store, ...treeKeys.map((key) => put(objects, key, body("old"))));
    const asOf = store.revision;
    for (const [prefix, count] of coveredCounts) {
      const covered = treeKeys.filter((key) => prefix.every((part, index) => part === key[index]));
      expect(covered).toHaveLength(count);
      expect((await listAll(store, objects, { prefix })).map(({ key }) => key)).toEqual(covered);
    }
    const changeOf = (key: Key, index: number): Write =>
      index % 2 === 0 ? put(objects, key, body("new")) : remove(objects, key);
    await commit(store, ...treeKeys.map(changeOf));
    for (const [prefix] of coveredCounts) {
      const covered = treeKeys.filter((key) => prefix.every((part, index) => part === key[index]));
      const past = await listAll(store, objects, { prefix, asOf, limit: 1 });
      expect(past.map(({ key, value }) => [key, textOf(value)])).toEqual(covered.map((key) => [key, "old"]));
    }
  });

  test("[ST11] a page that is to start outside its prefix is refused, not answered with something else", async () => {
    await using under = await open();
    await commit(under.store, putObject("a", "1"));
    const after = ["aaa", "configmaps", "default", "a"];
    await expect(under.store.list(objects, { prefix: ["root"], after })).rejects.toMatchObject({
      code: "INVALID_ARGUMENT",
    });
  });

  test("[ST12] a page has 500 rows by default, never more than 5,000, and states whether more follow", async () => {
    await using under = await open();
    const { store } = under;
    await writeMany(store, 5002);
    expect(await store.list(objects)).toMatchObject({ rows: { length: 500 }, more: true });
    expect(await store.list(objects, { limit: 1_000_000 })).toMatchObject({ rows: { length: 5000 }, more: true });
    expect(await store.list(objects, { limit: 0 })).toMatchObject({ rows: { length: 1 }, more: true });
    expect(await store.list(objects, { limit: 3, prefix: objectKey("many-7") })).toMatchObject({
      rows: { length: 1 },
      more: false,
    });
    expect(await listAll(store, objects, { limit: 1700 })).toHaveLength(5002);
  });

  test("[ST12] a page ends near 4 MiB of values, and a row larger than that is still a page", async () => {
    await using under = await open();
    const { store } = under;
    const value = { body: new Uint8Array(1_500_000) };
    for (const name of ["a", "b", "c", "d"]) await commit(store, put(objects, objectKey(name), value));
    expect(await store.list(objects)).toMatchObject({ rows: { length: 3 }, more: true });
    await commit(store, put(objects, objectKey("0"), { body: new Uint8Array(4 * 1024 * 1024) }));
    expect(await store.list(objects)).toMatchObject({ rows: { length: 1 }, more: true });
  });
}
