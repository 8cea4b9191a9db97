// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { parseStoreId, type Revision } from "../../../src/model/revision.ts";
import type { Change, WatchProgress } from "../../../src/store/store.ts";
import { put, remove } from "../../../src/store/store.ts";
import { objects, tokens } from "../../../src/store/tables.ts";
import {
  body,
  commit,
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
import { openWatch, readTo, until, watchTo } from "../../support/store-watching.ts";

const names = (changes: readonly Change<typeof objects>[]): readonly (string | undefined)[] =>
  changes.map(({ key }) => key[3]);

/**
 * A reader's wish to be told of one revision. Each wait of its watch subscribes once, so `waitCount` counts the
 * wake-ups too.
 */
class WantedRevision implements WatchProgress {
  wanted: Revision | undefined;
  waitCount = 0;
  readonly #wakers = new Set<() => void>();

  onWanted(wake: () => void): () => void {
    this.waitCount += 1;
    this.#wakers.add(wake);
    return () => void this.#wakers.delete(wake);
  }

  want(wanted: Revision): void {
    this.wanted = wanted;
    for (const wake of this.#wakers) wake();
  }
}

/** Watching: ST13 to ST16, and with them L1. */
export function describeWatches(open: OpenStore): void {
  test("[ST13] [L1] list at R, then watch from R: each later change once, in order, and nothing from before", async () => {
    await using under = await open();
    const { store } = under;
    await writeMany(store, 20, "early-");
    const { revision: from } = await store.list(objects);
    await using reader = openWatch(store, objects, { from });
    await writeMany(store, 300, "late-");
    const { changes } = await readTo(reader, under.clock, revision(320));
    expect(changes.map(({ revision }) => revision)).toEqual(
      Array.from({ length: 300 }, (_, index) => BigInt(index + 21)),
    );
    expect(names(changes)).toEqual(Array.from({ length: 300 }, (_, index) => `late-${index}`));
  });

  test("[ST13] a watch that waits gets what is written then, whole commits at a time", async () => {
    await using under = await open();
    const { store, clock } = under;
    await using reader = openWatch(store, objects);
    const first = reader.next();
    await until(() => clock.timerCount === 1);
    await commit(store, putObject("a", "1"), putObject("b", "1"));
    expect(await first).toMatchObject({ changes: [{ revision: 1n }, { revision: 2n }], revision: 2n });
  });

  test("[ST13] a watch resumed from any revision gives exactly the rest, from the tail and from the log alike", async () => {
    for (const tailBytes of [1, 2000, 8 * 1024 * 1024]) {
      await using under = await open({ tailBytes });
      const { store } = under;
      for (let index = 1; index <= 30; index += 1) {
        await commit(
          store,
          index % 3 === 0 ? putToken(`t${index}`, "anna") : putObject(`n${index % 7}`, `at ${index}`),
        );
      }
      for (let from = 0; from <= 30; from += 1) {
        const { changes } = await watchTo(under, objects, { from: revision(from), to: revision(30) });
        const expected = Array.from({ length: 30 }, (_, index) => index + 1).filter((at) => at > from && at % 3 !== 0);
        expect(changes.map(({ revision, value }) => [revision, textOf(value)])).toEqual(
          expected.map((at) => [BigInt(at), `at ${at}`]),
        );
      }
    }
  });

  test("[ST13] a prefix and a table are kept apart from the rest, the log as well as the tail", async () => {
    for (const tailBytes of [1, 8 * 1024 * 1024]) {
      await using under = await open({ tailBytes });
      const { store } = under;
      await commit(store, put(objects, objectKey("x", "n"), body("1")), put(objects, objectKey("x2", "n"), body("1")));
      await commit(store, put(objects, objectKey("x", "n2"), body("1")), putToken("t", "anna"));
      const to = revision(4);
      const from = revision(0);
      const inNamespace = await watchTo(under, objects, { from, to, prefix: ["root", "configmaps", "n"] });
      expect(names(inNamespace.changes)).toEqual(["x", "x2"]);
      const oneObject = await watchTo(under, objects, { from, to, prefix: objectKey("x", "n") });
      expect(names(oneObject.changes)).toEqual(["x"]);
      expect(oneObject.reached).toBe(to);
      expect((await watchTo(under, tokens, { from, to })).changes.map(({ key }) => key)).toEqual([["root", "t"]]);
    }
  });

  test("[ST14] a quiet watch gets the newest revision after each bookmark interval, and not before", async () => {
    await using under = await open({ bookmarkMs: 1000 });
    const { store, clock } = under;
    await using reader = openWatch(store, tokens);
    const batch = reader.next();
    await until(() => clock.timerCount === 1);
    await commit(store, putObject("a", "1"));
    await clock.advance(999);
    expect(await Promise.race([batch, Promise.resolve("none yet")])).toBe("none yet");
    await clock.advance(1);
    expect(await batch).toEqual({ changes: [], revision: 1n });
    const second = reader.next();
    await until(() => clock.timerCount === 1);
    await clock.advance(1000);
    expect(await second).toEqual({ changes: [], revision: 1n });
  });

  test("[ST14, AP40] a reader that waits for a revision is woken when the store has it, and by no other commit", async () => {
    await using under = await open({ bookmarkMs: 1000 });
    const { store, clock } = under;
    const progress = new WantedRevision();
    await using reader = openWatch(store, tokens, { progress });
    const batch = reader.next();
    await until(() => clock.timerCount === 1);
    await commit(store, putObject("a", "1"));
    await commit(store, putObject("b", "1"));
    expect(progress.waitCount).toBe(1);
    progress.want(revision(3)); // of the future: the watch looks, and waits on
    await until(() => progress.waitCount === 2);
    await commit(store, putObject("c", "1"));
    expect(await batch).toEqual({ changes: [], revision: 3n });
    const second = reader.next();
    await until(() => clock.timerCount === 1);
    await commit(store, putObject("d", "1"));
    progress.want(revision(4)); // which the store has already
    expect(await second).toEqual({ changes: [], revision: 4n });
  });

  test("[ST14] changes of other rows do not put off the bookmark", async () => {
    await using under = await open({ bookmarkMs: 1000 });
    const { store, clock } = under;
    await using reader = openWatch(store, objects, { prefix: objectKey("quiet") });
    const batch = reader.next();
    for (let tick = 0; tick < 10; tick += 1) {
      await until(() => clock.timerCount === 1);
      await commit(store, putObject("busy", `tick ${tick}`));
      await clock.advance(100);
    }
    expect(await Promise.race([batch, Promise.resolve("no bookmark")])).toEqual({ changes: [], revision: 10n });
  });

  test("[ST14] resuming from a bookmark misses and repeats nothing", async () => {
    await using under = await open();
    const { store } = under;
    await commit(store, putToken("t", "anna"), putObject("a", "1"));
    const { reached } = await watchTo(under, tokens, { to: revision(2), from: revision(1) });
    expect(reached).toBe(2n);
    await commit(store, putToken("t", "berta"));
    const { changes } = await watchTo(under, tokens, { from: reached, to: revision(3) });
    expect(changes.map(({ revision }) => revision)).toEqual([3n]);
  });

  test("[ST15] a reader that sleeps holds up no writer and later gets everything, though the tail has long moved on", async () => {
    await using under = await open({ tailBytes: 4096 });
    const { store } = under;
    await using sleeper = openWatch(store, objects);
    await commit(store, putObject("first", "1"));
    expect((await sleeper.next())?.revision).toBe(1n);
    await writeMany(store, 3000);
    const { changes } = await readTo(sleeper, under.clock, revision(3001));
    expect(changes.map(({ revision }) => revision)).toEqual(
      Array.from({ length: 3000 }, (_, index) => BigInt(index + 2)),
    );
  });

  test("[ST15] a hundred watches get the very same change, not a copy each", async () => {
    await using under = await open();
    const { store, clock } = under;
    const readers = Array.from({ length: 100 }, () => openWatch(store, objects));
    const batches = readers.map((reader) => reader.next());
    await until(() => clock.timerCount === 100);
    await commit(store, putObject("a", "1"));
    const delivered = new Set((await Promise.all(batches)).map((batch) => batch?.changes[0]));
    expect(delivered.size).toBe(1);
    expect([...delivered][0]?.revision).toBe(1n);
    for (const reader of readers) reader.stop();
    expect(clock.timerCount).toBe(0);
  });

  test("[ST16] a change has the value, the replaced revision, and for a delete the removed value", async () => {
    for (const tailBytes of [1, 8 * 1024 * 1024]) {
      await using under = await open({ tailBytes });
      const { store } = under;
      await commit(store, putObject("a", "1"));
      await commit(store, putObject("a", "2"));
      await commit(store, removeObject("a"));
      await commit(store, putObject("a", "3"));
      const { changes } = await watchTo(under, objects, { from: revision(0), to: revision(4) });
      expect(changes).toEqual([
        { revision: 1n, key: objectKey("a"), value: body("1"), previousRevision: 0n },
        { revision: 2n, key: objectKey("a"), value: body("2"), previousRevision: 1n },
        { revision: 3n, key: objectKey("a"), value: null, previousRevision: 2n, removed: body("2") },
        { revision: 4n, key: objectKey("a"), value: body("3"), previousRevision: 0n },
      ]);
    }
  });

  test("[ST16] the delete of a typed row carries all its columns", async () => {
    for (const tailBytes of [1, 8 * 1024 * 1024]) {
      await using under = await open({ tailBytes });
      await commit(under.store, putToken("t", "anna"));
      await commit(under.store, remove(tokens, ["root", "t"]));
      const { changes } = await watchTo(under, tokens, { from: revision(1), to: revision(2) });
      expect(changes).toMatchObject([{ value: null, removed: tokenValue("anna"), previousRevision: 1n }]);
    }
  });

  test("[ST17] [CO49] [L1] a cursor of another store is answered GONE: list again", async () => {
    await using under = await open();
    const from = { storeId: parseStoreId("st_other"), revision: revision(0) };
    const batches = under.store.watch(objects, { from, signal: AbortSignal.abort() })[Symbol.asyncIterator]();
    await expect(batches.next()).rejects.toMatchObject({ code: "GONE", next: "relist" });
  });

  test("[ST10] a watch from a revision that is still to come is refused with REVISION_AHEAD", async () => {
    await using under = await open();
    await using reader = openWatch(under.store, objects, { from: revision(1) });
    await expect(reader.next()).rejects.toMatchObject({ code: "REVISION_AHEAD" });
  });

  test("[ST13] a watch whose signal aborts ends without an error and leaves no timer", async () => {
    await using under = await open();
    const reader = openWatch(under.store, objects);
    const batch = reader.next();
    await until(() => under.clock.timerCount === 1);
    reader.stop();
    expect(await batch).toBeUndefined();
    expect(under.clock.timerCount).toBe(0);
  });
}
