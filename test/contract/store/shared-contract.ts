// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { objects } from "../../../src/store/tables.ts";
import { commit, listTexts, objectKey, putObject, revision, textOf, writeMany } from "../../support/store-rows.ts";
import type { OpenSharedStore } from "../../support/store-shared.ts";
import { openWatch, readTo, until } from "../../support/store-watching.ts";

/** A store that several processes write to: ST40 to ST43. */
export function describeSharedStore(open: OpenSharedStore): void {
  test("[ST42] two writers share one revision line: no gap, no duplicate, and each sees what the other wrote", async () => {
    await using shared = await open();
    const { one, other } = shared;
    const outcomes = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        commit(index % 2 === 0 ? one : other, putObject(`n${index}`, `by ${index % 2}`)),
      ),
    );
    const revisions = outcomes.map((outcome) => Number(outcome.revision)).sort((a, b) => a - b);
    expect(revisions).toEqual(Array.from({ length: 40 }, (_, index) => index + 1));
    expect(await listTexts(one)).toEqual(await listTexts(other));
    expect(await listTexts(one)).toHaveLength(40);
  });

  test("[ST5, ST42] an expectation is held against what the other process wrote", async () => {
    await using shared = await open();
    const { one, other } = shared;
    const first = await commit(one, putObject("a", "1", "absent"));
    expect(await other.commit([putObject("a", "2", "absent")])).toMatchObject({ kind: "conflict", actual: 1n });
    await commit(other, putObject("a", "2", first.revision));
    expect(await one.commit([putObject("a", "3", first.revision)])).toMatchObject({ kind: "conflict", actual: 2n });
    const row = await one.get(objects, objectKey("a"), { atLeast: revision(2) });
    expect(textOf(row?.value)).toBe("2");
  });

  test("[ST25, ST26] a lease is one for both, and fences a commit of the process that lost it", async () => {
    await using shared = await open();
    const { one, other } = shared;
    const held = await one.leases.acquire("task", "one", 60_000);
    expect(await other.leases.acquire("task", "other", 60_000)).toMatchObject({ kind: "taken", holder: "one" });
    await one.leases.release("task", "one");
    await other.leases.acquire("task", "other", 60_000);
    const fence = { lease: "task", epoch: held.kind === "held" ? held.epoch : 0n };
    expect(await one.commit([putObject("a", "1")], { fence })).toMatchObject({ kind: "fenced" });
  });

  test("[ST40] a wake-up makes a watch read what the other process committed, before any poll", async () => {
    await using shared = await open({ pollMs: 1_000 });
    const { one, other, clock } = shared;
    await using reader = openWatch(one, objects);
    const next = reader.next();
    await until(() => clock.timerCount === 3); // two polls, one bookmark
    const { revision: newest } = await commit(other, putObject("a", "1"), putObject("b", "1"));
    one.noteCommitted(newest);
    expect(await next).toMatchObject({ changes: [{ revision: 1n }, { revision: 2n }], revision: 2n });
    expect(one.revision).toBe(2n);
  });

  test("[ST41] a lost wake-up costs one poll", async () => {
    await using shared = await open({ pollMs: 1_000 });
    const { one, other, clock } = shared;
    await using reader = openWatch(one, objects);
    const next = reader.next();
    await until(() => clock.timerCount === 3);
    await commit(other, putObject("a", "1"));
    await clock.advance(999);
    expect(one.revision).toBe(0n);
    await clock.advance(1);
    expect(await next).toMatchObject({ changes: [{ revision: 1n }], revision: 1n });
  });

  test("[ST13, ST40] a watch of a store that both write to gets each change once, in order, with some wake-ups or few", async () => {
    for (const [tailBytes, noted] of [[1, 3] as const, [8 * 1024 * 1024, 2] as const]) {
      await using shared = await open({ pollMs: 1_000, tailBytes });
      const { one, other, clock } = shared;
      await using reader = openWatch(one, objects);
      for (let index = 1; index <= 60; index += 1) {
        const outcome = await commit(index % 3 === 0 ? one : other, putObject(`n${index % 7}`, `at ${index}`));
        if (index % noted === 0) one.noteCommitted(outcome.revision);
      }
      const { changes } = await readTo(reader, clock, revision(60));
      expect(changes.map(({ value }) => textOf(value))).toEqual(
        Array.from({ length: 60 }, (_, index) => `at ${index + 1}`),
      );
    }
  });

  test("[ST40] a wake-up for a revision that is not there yet does no harm, and one from the past does nothing", async () => {
    await using shared = await open({ pollMs: 1_000 });
    const { one, other, clock } = shared;
    await using reader = openWatch(one, objects);
    const next = reader.next();
    one.noteCommitted(revision(500));
    one.noteCommitted(revision(0));
    await commit(other, putObject("a", "1"));
    await clock.advance(1_000);
    expect(await next).toMatchObject({ revision: 1n });
  });

  test("[ST17, ST43] a store that the other's compaction has passed goes on from the newest revision; its watches end with GONE", async () => {
    await using shared = await open();
    const { one, other } = shared;
    await using reader = openWatch(one, objects);
    await writeMany(other, 5);
    await other.compact({ olderThanMs: -1, keepCount: 0 });
    const written = await commit(one, putObject("own", "1"));
    expect(written.revision).toBe(6n);
    expect(one.revision).toBe(6n);
    expect(one.oldestRevision).toBe(5n);
    await expect(reader.next()).rejects.toMatchObject({ code: "GONE" });
    await expect(one.list(objects, { asOf: revision(3) })).rejects.toMatchObject({ code: "GONE" });
    await using second = openWatch(one, objects, { from: revision(5) });
    expect(await second.next()).toMatchObject({ changes: [{ revision: 6n }] });
  });
}
