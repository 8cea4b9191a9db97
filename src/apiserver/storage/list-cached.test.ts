// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { listed, TestStorage } from "../../../test/support/api-storage.ts";
import { encodeContinue } from "./continue-token.ts";
import type { ListedPage } from "./list-cached.ts";

/** A storage with `o0` to `o9`, written in that order. */
async function openFilled(): Promise<TestStorage> {
  const storage = await TestStorage.open();
  for (let index = 0; index < 10; index += 1) await storage.put({ name: `o${index}`, value: "old" });
  return storage;
}

/** All pages that follow the first, each with its token alone. */
async function pagesFrom(storage: TestStorage, first: ListedPage, limit: number): Promise<readonly ListedPage[]> {
  const pages = [first];
  for (let token = first.continueToken; token !== undefined; token = pages.at(-1)?.continueToken)
    pages.push(await storage.page(`limit=${limit}&continue=${token}`));
  return pages;
}

test("pages have the number of remaining items; the last has no token", async () => {
  await using storage = await openFilled();
  const pages = await pagesFrom(storage, await storage.page("limit=4"), 4);
  expect(pages.map(({ items, remainingCount }) => [items.length, remainingCount])).toEqual([
    [4, 6],
    [4, 2],
    [2, undefined],
  ]);
  expect(pages.map(({ revision }) => revision)).toEqual([10, 10, 10]);
});

test("a page that holds just all that is left has no token", async () => {
  await using storage = await openFilled();
  expect(await storage.page("limit=10")).toMatchObject({ continueToken: undefined, remainingCount: undefined });
});

test("[AP5] pages show the revision of the first one, also after writes in between", async () => {
  await using storage = await openFilled();
  const then = listed(await storage.page());
  const first = await storage.page("limit=3");
  await storage.put({ name: "o0a" });
  await storage.put({ name: "o5", value: "new" });
  await storage.put({ name: "o5a" });
  await storage.remove("o7");
  const pages = await pagesFrom(storage, first, 3);
  expect(pages.flatMap(listed)).toEqual(then);
  expect(new Set(pages.map(({ revision }) => revision))).toEqual(new Set([10]));
  const o5 = pages.flatMap(({ items }) => items).find(({ name }) => name === "o5");
  expect(new TextDecoder().decode(o5?.body)).toContain("old");
});

test("an exact list of an old version shows what was there then, selected by the labels of then", async () => {
  await using storage = await TestStorage.open();
  await storage.put({ name: "a", labels: { app: "web" } });
  await storage.put({ name: "b", labels: { app: "web" } });
  await storage.put({ name: "a", labels: { app: "other" } });
  await storage.remove("b");
  const query = "resourceVersion=2&resourceVersionMatch=Exact&labelSelector=app%3Dweb";
  expect(listed(await storage.page(query))).toEqual(["a@1", "b@2"]);
  expect(listed(await storage.page("resourceVersion=2&resourceVersionMatch=NotOlderThan"))).toEqual(["a@3"]);
  expect(listed(await storage.page("resourceVersion=2&limit=5"))).toEqual(["a@1", "b@2"]);
});

test("with a selector the number of remaining items is absent", async () => {
  await using storage = await TestStorage.open();
  for (let index = 0; index < 6; index += 1) await storage.put({ name: `o${index}`, labels: { odd: `${index % 2}` } });
  const first = await storage.page("limit=2&labelSelector=odd%3D1");
  expect(first.remainingCount).toBeUndefined();
  expect(listed(first)).toEqual(["o1@2", "o3@4"]);
  const second = await storage.page(`limit=2&labelSelector=odd%3D1&continue=${first.continueToken}`);
  expect(listed(second)).toEqual(["o5@6"]);
  expect(second.continueToken).toBeUndefined();
});

test("resourceVersion 0 returns all objects of the cache and ignores the limit", async () => {
  await using storage = await openFilled();
  expect((await storage.page("resourceVersion=0&limit=2")).items).toHaveLength(10);
});

test("[AP6] a token whose revision was compacted away is answered by 410 and a token to go on with", async () => {
  await using storage = await openFilled();
  const { continueToken } = await storage.page("limit=3");
  await storage.remove("o8");
  await storage.put({ name: "o9", value: "new" });
  await storage.clock.advance(1000);
  await storage.store.compact({ olderThanMs: 0, keepCount: 0 });
  const expired = await storage.page(`limit=3&continue=${continueToken}`).catch((reason: unknown) => reason);
  expect(expired).toMatchObject({
    code: 410,
    reason: "Expired",
    message: expect.stringContaining("too old") as string,
  });
  const { continueToken: next = "" } = expired as { readonly continueToken?: string };
  const rest = await pagesFrom(storage, await storage.page(`limit=3&continue=${next}`), 3);
  expect(rest.flatMap(listed)).toEqual(["o3@4", "o4@5", "o5@6", "o6@7", "o7@8", "o9@12"]);
});

test("an exact list of a compacted version is answered by 410", async () => {
  await using storage = await openFilled();
  await storage.clock.advance(1000);
  await storage.put({ name: "o9", value: "new" });
  await storage.clock.advance(1000);
  await storage.store.compact({ olderThanMs: 0, keepCount: 0 });
  const exact = storage.page("resourceVersion=3&resourceVersionMatch=Exact");
  await expect(exact).rejects.toMatchObject({ code: 410, reason: "Expired" });
});

test("a version of the future is waited for, three seconds and no longer", async () => {
  await using storage = await openFilled();
  const early = storage.page("resourceVersion=11");
  await storage.put({ name: "late" });
  expect((await early).revision).toBe(11);
  const never = storage.page("resourceVersion=99").catch((reason: unknown) => reason);
  await storage.clock.advance(3000);
  expect(await never).toMatchObject({ code: 504, message: "Timeout: Too large resource version: 99, current: 11" });
});

test.each(["abc", "-1", "1.5", " 1", "99999999999999999999"])("the version %j is none", async (version) => {
  await using storage = await openFilled();
  await expect(storage.page(`resourceVersion=${version}`)).rejects.toMatchObject({ code: 400 });
});

test("a forged token that names a place outside the list, or one that cannot be, is a bad request", async () => {
  await using storage = await TestStorage.open();
  await storage.put({ name: "a", namespace: "default", value: "1" });
  const revision = storage.revision;
  await storage.put({ name: "b", namespace: "default", value: "1" });
  for (const name of ["a", "a\u001fb"]) {
    const forged = encodeContinue({ revision, namespace: "other", name, remainingCount: undefined });
    await expect(storage.page(`limit=1&continue=${forged}`, "default")).rejects.toMatchObject({ code: 400 });
  }
});
