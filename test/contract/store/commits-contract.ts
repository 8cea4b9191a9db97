// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { put } from "../../../src/store/store.ts";
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
} from "../../support/store-rows.ts";
import type { OpenStore } from "../../support/store-under-test.ts";
import { watchTo } from "../../support/store-watching.ts";

/** Writing: ST3 to ST6, ST8, and with it U-37. */
export function describeCommits(open: OpenStore): void {
  test("[ST3] [L1] writes of all tables take revisions 1, 2, 3, ... of one line, in the order given", async () => {
    await using under = await open();
    const { store } = under;
    expect(store.revision).toBe(0n);
    expect((await commit(store, putObject("a", "1"), putToken("t", "anna"), putObject("b", "1"))).revisions).toEqual([
      1n,
      2n,
      3n,
    ]);
    const outcome = await commit(store, removeObject("a"));
    expect(outcome).toEqual({ kind: "committed", revision: 4n, revisions: [4n] });
    expect(store.revision).toBe(4n);
    expect((await store.get(tokens, ["root", "t"]))?.revision).toBe(2n);
  });

  test("[ST4] [U-37] a commit has one change record for each write, in its order", async () => {
    await using under = await open();
    await commit(under.store, putObject("old", "x"));
    await commit(under.store, putObject("b", "1"), removeObject("old"), putObject("a", "1"));
    const { changes } = await watchTo(under, objects, { from: revision(1), to: revision(4) });
    expect(changes.map(({ revision, key, value }) => [revision, key[3], textOf(value)])).toEqual([
      [2n, "b", "1"],
      [3n, "old", undefined],
      [4n, "a", "1"],
    ]);
  });

  test("[ST5] a write that expects absence conflicts with an existing row, and names its revision", async () => {
    await using under = await open();
    await commit(under.store, putObject("a", "1", "absent"));
    expect(await under.store.commit([putObject("a", "2", "absent")])).toEqual({
      kind: "conflict",
      writeIndex: 0,
      actual: 1n,
    });
    expect(await listTexts(under.store)).toEqual(["a=1"]);
  });

  test("[ST5] a write that expects a revision is refused when the row has moved on, is gone, or never was", async () => {
    await using under = await open();
    const { store } = under;
    await commit(store, putObject("a", "1"));
    await commit(store, putObject("a", "2", revision(1)));
    expect(await store.commit([putObject("a", "3", revision(1))])).toMatchObject({ kind: "conflict", actual: 2n });
    expect(await store.commit([removeObject("a", revision(1))])).toMatchObject({ kind: "conflict", actual: 2n });
    await commit(store, removeObject("a", revision(2)));
    expect(await store.commit([putObject("a", "4", revision(2))])).toMatchObject({ kind: "conflict", actual: 0n });
    expect(await store.commit([removeObject("b", revision(1))])).toMatchObject({ kind: "conflict", actual: 0n });
  });

  test("[ST5] one failed expectation keeps back the whole commit, names its write and uses up no revision", async () => {
    await using under = await open();
    const { store } = under;
    await commit(store, putObject("kept", "1"));
    const outcome = await store.commit([
      putObject("a", "1"),
      removeObject("kept"),
      putObject("kept-too", "1", revision(7)),
      putObject("b", "1", revision(9)),
    ]);
    expect(outcome).toEqual({ kind: "conflict", writeIndex: 2, actual: 0n });
    expect(await listTexts(store)).toEqual(["kept=1"]);
    expect((await commit(store, putObject("a", "1"))).revision).toBe(2n);
  });

  test("[ST5] a row that was deleted and made again has a revision its old readers do not expect", async () => {
    await using under = await open();
    const { store } = under;
    await commit(store, putObject("a", "same"));
    await commit(store, removeObject("a"));
    await commit(store, putObject("a", "same"));
    expect(await store.commit([putObject("a", "lost", revision(1))])).toMatchObject({ kind: "conflict", actual: 3n });
  });

  test("[ST6] the same value again, a hundred times, leaves revision and change log as they are", async () => {
    await using under = await open();
    const { store } = under;
    const writes = [putObject("a", "same"), putToken("t", "anna"), removeObject("never")];
    expect((await commit(store, ...writes)).revisions).toEqual([1n, 2n, 0n]);
    for (let round = 0; round < 100; round += 1) {
      expect((await commit(store, ...writes)).revisions).toEqual([1n, 2n, 0n]);
    }
    expect(store.revision).toBe(2n);
    await commit(store, putObject("end", "1"));
    const { changes } = await watchTo(under, objects, { from: revision(0), to: revision(3) });
    expect(changes.map(({ key }) => key[3])).toEqual(["a", "end"]);
  });

  test("[ST6] in a mixed commit only what changes takes a revision", async () => {
    await using under = await open();
    await commit(under.store, putObject("a", "1"), putObject("b", "1"));
    const outcome = await commit(under.store, putObject("a", "1"), putObject("b", "2"), removeObject("c"));
    expect(outcome.revisions).toEqual([1n, 3n, 0n]);
    expect(outcome.revision).toBe(3n);
  });

  test("[ST6] a value that only begins like the stored one is a change", async () => {
    await using under = await open();
    for (const text of ["ab", "abc", "ab", ""]) await commit(under.store, putObject("a", text));
    expect(under.store.revision).toBe(4n);
  });

  test("[ST5] one commit that writes a row twice is refused, and nothing of it is kept", async () => {
    await using under = await open();
    await expect(under.store.commit([putObject("a", "1"), removeObject("a")])).rejects.toMatchObject({
      code: "INVALID_ARGUMENT",
    });
    expect(await listAll(under.store, objects)).toEqual([]);
  });

  test("[ST4] a commit of nothing is committed and changes nothing", async () => {
    await using under = await open();
    expect(await under.store.commit([])).toEqual({ kind: "committed", revision: 0n, revisions: [] });
    expect(under.store.revision).toBe(0n);
  });

  test("[ST8] a thousand concurrent commits get gapless revisions in the order they were made", async () => {
    await using under = await open();
    const { store } = under;
    const outcomes = await Promise.all(
      Array.from({ length: 1000 }, (_, index) =>
        commit(store, putObject(`n${index}`, "1"), putToken(`t${index}`, "x")),
      ),
    );
    expect(outcomes.flatMap(({ revisions }) => revisions)).toEqual(
      Array.from({ length: 2000 }, (_, index) => BigInt(index + 1)),
    );
  });

  test("[ST8] of concurrent writers that read the same revision exactly one wins", async () => {
    await using under = await open();
    const { store } = under;
    await commit(store, putObject("counter", "0"));
    const rivals = Array.from({ length: 50 }, (_, index) =>
      store.commit([putObject("counter", `by ${index}`, revision(1))]),
    );
    const outcomes = await Promise.all(rivals);
    expect(outcomes.map(({ kind }) => kind)).toEqual(["committed", ...Array<string>(49).fill("conflict")]);
    expect(await listTexts(store)).toEqual(["counter=by 0"]);
    expect(store.revision).toBe(2n);
  });

  test("[ST8] commits see the ones before them in their group, and a refused one among them harms no other", async () => {
    await using under = await open();
    const { store } = under;
    const outcomes = await Promise.all([
      store.commit([putObject("a", "1", "absent")]),
      store.commit([putObject("a", "2", "absent"), putObject("lost", "1")]),
      store.commit([putObject("a", "3", revision(1))]),
      store.commit([removeObject("a", revision(2)), put(tokens, ["root", "t"], tokenValue("anna"))]),
      store.commit([put(objects, objectKey("a"), body("4"), "absent")]),
    ]);
    expect(outcomes).toEqual([
      { kind: "committed", revision: 1n, revisions: [1n] },
      { kind: "conflict", writeIndex: 0, actual: 1n },
      { kind: "committed", revision: 2n, revisions: [2n] },
      { kind: "committed", revision: 4n, revisions: [3n, 4n] },
      { kind: "committed", revision: 5n, revisions: [5n] },
    ]);
    expect(await listTexts(store)).toEqual(["a=4"]);
  });

  test("[ST9] more than 64 MiB of waiting commits: the next is refused with OVERLOADED, the taken ones are written", async () => {
    await using under = await open();
    const { store } = under;
    const value = { body: new Uint8Array(4 * 1024 * 1024 - 64) };
    const outcomes = await Promise.allSettled(
      Array.from({ length: 18 }, (_, index) => commit(store, put(objects, objectKey(`big-${index}`), value))),
    );
    expect(outcomes.map(({ status }) => status)).toEqual([
      ...Array<string>(16).fill("fulfilled"),
      "rejected",
      "rejected",
    ]);
    expect(outcomes.at(-1)).toMatchObject({ reason: { code: "OVERLOADED", next: "retry" } });
    expect(store.revision).toBe(16n);
    await commit(store, putObject("after", "1"));
  });

  test("[ST9] a commit that could never fit is TOO_LARGE, not something to try again", async () => {
    await using under = await open();
    const value = { body: new Uint8Array(4 * 1024 * 1024) };
    const writes = Array.from({ length: 17 }, (_, index) => put(objects, objectKey(`big-${index}`), value));
    await expect(under.store.commit(writes)).rejects.toMatchObject({ code: "TOO_LARGE" });
    expect(under.store.revision).toBe(0n);
  });
}
