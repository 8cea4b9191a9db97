// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { objects } from "../../../src/store/tables.ts";
import {
  commit,
  listTexts,
  putObject,
  putToken,
  removeObject,
  revision,
  textOf,
  writeMany,
} from "../../support/store-rows.ts";
import type { OpenStore } from "../../support/store-under-test.ts";
import { openWatch, until, watchTo } from "../../support/store-watching.ts";

/** Old enough by any clock: even a change of this very millisecond. */
const everything = -3_600_000;

/** Compaction: ST17 to ST19. */
export function describeCompaction(open: OpenStore): void {
  test("[ST17] compaction keeps the newest changes asked for; lists and watches from before them are GONE", async () => {
    for (const tailBytes of [1, 8 * 1024 * 1024]) {
      await using under = await open({ tailBytes });
      const { store } = under;
      for (let round = 1; round <= 10; round += 1) await commit(store, putObject("a", `round ${round}`));
      expect(store.oldestRevision).toBe(0n);
      expect(await store.compact({ olderThanMs: everything, keepCount: 4 })).toBe(6n);
      expect(store.oldestRevision).toBe(6n);
      const gone = { code: "GONE", next: "relist", message: expect.stringContaining("6") };
      await expect(store.list(objects, { asOf: revision(5) })).rejects.toMatchObject(gone);
      await using late = openWatch(store, objects, { from: revision(5) });
      await expect(late.next()).rejects.toMatchObject(gone);
      expect(await listTexts(store, { asOf: revision(6) })).toEqual(["a=round 6"]);
      const { changes } = await watchTo(under, objects, { from: revision(6), to: revision(10) });
      expect(changes.map(({ value }) => textOf(value))).toEqual(["round 7", "round 8", "round 9", "round 10"]);
    }
  });

  test("[ST17] nothing younger than the retention is removed, and no current row ever", async () => {
    await using under = await open();
    const { store } = under;
    await commit(store, putObject("a", "1"), putObject("b", "1"));
    expect(await store.compact({ olderThanMs: 86_400_000, keepCount: 0 })).toBe(0n);
    expect(await store.compact({ olderThanMs: everything, keepCount: 1000 })).toBe(0n);
    expect(await store.compact({ olderThanMs: everything, keepCount: 0 })).toBe(2n);
    expect(await listTexts(store)).toEqual(["a=1", "b=1"]);
    await commit(store, putObject("a", "2", revision(1)), removeObject("b"));
    expect(await listTexts(store, { asOf: revision(2) })).toEqual(["a=1", "b=1"]);
    expect(await listTexts(store)).toEqual(["a=2"]);
    const { changes } = await watchTo(under, objects, { from: revision(2), to: revision(4) });
    expect(changes.map(({ removed }) => textOf(removed))).toEqual([undefined, "1"]);
  });

  test("[ST17] a watch passed by compaction while its reader sleeps ends with GONE", async () => {
    await using under = await open({ tailBytes: 1 });
    const { store, clock } = under;
    await using sleeper = openWatch(store, objects);
    const first = sleeper.next();
    await until(() => clock.timerCount === 1);
    await commit(store, putObject("a", "1"));
    expect((await first)?.revision).toBe(1n);
    await writeMany(store, 20);
    await store.compact({ olderThanMs: everything, keepCount: 3 });
    await expect(sleeper.next()).rejects.toMatchObject({ code: "GONE" });
    expect(await sleeper.next()).toBeUndefined();
  });

  test("[ST17] compaction harms no watch that has read everything, though its rows have been quiet for long", async () => {
    await using under = await open({ tailBytes: 600 });
    const { store, clock } = under;
    await commit(store, putObject("a", "1"));
    await using reader = openWatch(store, objects);
    const next = reader.next();
    await until(() => clock.timerCount === 1);
    for (let round = 0; round < 20; round += 1) await commit(store, putToken("t", `user ${round}`));
    await store.compact({ olderThanMs: everything, keepCount: 0 });
    await commit(store, putObject("a", "2"));
    expect(await next).toMatchObject({ changes: [{ revision: 22n, previousRevision: 1n }], revision: 22n });
  });

  test("[ST18] writes go on between the pieces of a compaction", async () => {
    await using under = await open();
    const { store } = under;
    for (let round = 0; round < 12; round += 1) {
      await commit(store, ...Array.from({ length: 1000 }, (_, index) => putObject(`n${index}`, `round ${round}`)));
    }
    let isCompacted = false;
    const compacting = store.compact({ olderThanMs: everything, keepCount: 0 }).then((compacted) => {
      isCompacted = true;
      return compacted;
    });
    await commit(store, putObject("meanwhile", "1"));
    expect(isCompacted).toBe(false);
    expect(await compacting).toBeGreaterThanOrEqual(12_000n);
  });

  test("[ST19] a deleted row is in no list, and in watches until compaction", async () => {
    await using under = await open();
    const { store } = under;
    await commit(store, putObject("a", "1"));
    await commit(store, removeObject("a"));
    expect(await listTexts(store)).toEqual([]);
    expect((await watchTo(under, objects, { from: revision(1), to: revision(2) })).changes).toMatchObject([
      { value: null, revision: 2n },
    ]);
    await store.compact({ olderThanMs: everything, keepCount: 0 });
    expect(await listTexts(store, { asOf: revision(2) })).toEqual([]);
    await commit(store, putObject("a", "2", "absent"));
  });

  test("[ST3] revisions go on where they were after everything was compacted", async () => {
    await using under = await open();
    await commit(under.store, putObject("a", "1"));
    await commit(under.store, removeObject("a"));
    await under.store.compact({ olderThanMs: everything, keepCount: 0 });
    expect((await commit(under.store, putObject("a", "1"))).revision).toBe(3n);
  });
}
