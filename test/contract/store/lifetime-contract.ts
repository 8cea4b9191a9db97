// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { objects } from "../../../src/store/tables.ts";
import { commit, listTexts, objectKey, putObject, removeObject, revision } from "../../support/store-rows.ts";
import type { OpenStore } from "../../support/store-under-test.ts";
import { openWatch, until, watchTo } from "../../support/store-watching.ts";

/** Closing and opening again: the rest of ST7 and ST13. */
export function describeLifetime(open: OpenStore): void {
  test("[ST7] closing waits for the commits already taken", async () => {
    await using under = await open();
    const taken = Array.from({ length: 600 }, (_, index) => commit(under.store, putObject(`n${index}`, "1")));
    await under.store.close();
    const outcomes = await Promise.all(taken);
    expect(outcomes.at(-1)?.revision).toBe(600n);
  });

  test("[ST14] closing ends watches that wait, and leaves no timer", async () => {
    await using under = await open();
    await using reader = openWatch(under.store, objects);
    const batch = reader.next();
    await until(() => under.clock.timerCount === 1);
    await under.store.close();
    expect(await batch).toBeUndefined();
    expect(under.clock.timerCount).toBe(0);
  });

  test("[ST10] every call on a closed store is refused with UNAVAILABLE", async () => {
    await using under = await open();
    const { store } = under;
    await store.close();
    const calls: readonly (() => Promise<unknown>)[] = [
      () => store.commit([putObject("a", "1")]),
      () => store.get(objects, objectKey("a")),
      () => store.list(objects),
      () => openWatch(store, objects).next(),
      () => store.compact({ olderThanMs: 0, keepCount: 0 }),
      () => store.rewrapBodies(),
      () => store.leases.acquire("leader", "hub-1", 1000),
      () => store.leases.release("leader", "hub-1"),
    ];
    for (const call of calls) await expect(call()).rejects.toMatchObject({ code: "UNAVAILABLE" });
  });

  test("[ST7] two concurrent closes both wait until the store is closed", async () => {
    await using under = await open();
    const { store } = under;
    const written = commit(store, putObject("a", "1"));
    let isWritten = false;
    void written.then(() => {
      isWritten = true;
    });
    void store.close();
    await store.close();
    expect(isWritten).toBe(true);
  });

  test("[ST13] [L1] rows, revisions, leases and compaction are the same after opening again, and a watch resumes", async () => {
    await using under = await open({ tailBytes: 8 * 1024 * 1024 });
    if (under.reopen === undefined) return;
    const { store } = under;
    for (const name of ["a", "b", "c"]) await commit(store, putObject(name, "1"));
    await commit(store, removeObject("b"));
    await store.leases.acquire("leader", "hub-1", 86_400_000);
    await store.compact({ olderThanMs: -3_600_000, keepCount: 2 });
    const { reached } = await watchTo(under, objects, { from: revision(2), to: revision(3) });
    const again = await under.reopen();
    expect(again.storeId).toBe(store.storeId);
    expect(again.revision).toBe(4n);
    expect(await listTexts(again)).toEqual(["a=1", "c=1"]);
    expect(await listTexts(again, { asOf: revision(3) })).toEqual(["a=1", "b=1", "c=1"]);
    await expect(again.list(objects, { asOf: revision(1) })).rejects.toMatchObject({ code: "GONE" });
    expect(await again.leases.acquire("leader", "hub-2", 1000)).toMatchObject({ kind: "taken", holder: "hub-1" });
    expect((await commit(again, putObject("d", "1"))).revision).toBe(5n);
    const rest = await watchTo({ store: again, clock: under.clock }, objects, { from: reached, to: revision(5) });
    expect(rest.changes.map(({ revision }) => revision)).toEqual([4n, 5n].filter((at) => at > reached));
  });
}
