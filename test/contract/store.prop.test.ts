// SPDX-License-Identifier: Apache-2.0
// Random histories, held against a model of one array. A failure prints the seed and the shortest history that shows
// it.
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Key } from "../../src/store/store.ts";
import type { TableSpec } from "../../src/store/table.ts";
import { objects, tokens } from "../../src/store/tables.ts";
import { type Command, history, toPosition, toWrite } from "../support/store-commands.ts";
import { StoreModel } from "../support/store-model.ts";
import { listAll, revision } from "../support/store-rows.ts";
import {
  type OpenStore,
  openMemoryStore,
  openSqliteInMemory,
  type StoreUnderTest,
} from "../support/store-under-test.ts";
import { openWatch, readTo, type WatchReader } from "../support/store-watching.ts";

/** A watch and what it was started for. */
interface Watcher {
  readonly reader: WatchReader<TableSpec>;
  readonly table: TableSpec;
  readonly prefix: Key;
  readonly from: number;
}

/** A store and its model, led through the same history. */
class Pair {
  readonly under: StoreUnderTest;
  readonly model = new StoreModel();
  readonly watchers: Watcher[] = [];

  constructor(under: StoreUnderTest) {
    this.under = under;
  }

  async run(command: Command): Promise<void> {
    const { store } = this.under;
    switch (command.kind) {
      case "commits": {
        const commits = command.commits.map((drafts) => drafts.map((draft) => toWrite(this.model, draft)));
        const outcomes = await Promise.all(commits.map((writes) => store.commit(writes)));
        expect(outcomes).toEqual(commits.map((writes) => this.model.commit(writes)));
        return;
      }
      case "list":
        await this.checkList(
          command.place.table,
          command.place.prefix,
          toPosition(this.model, command.place),
          command.limit,
        );
        return;
      case "watch": {
        const { table, prefix } = command.place;
        const from = Math.max(this.model.compacted, toPosition(this.model, command.place));
        const reader = openWatch<TableSpec>(store, table, { prefix, from: revision(from) });
        this.watchers.push({ reader, table, prefix, from });
        return;
      }
      case "compact":
        await store.compact({ olderThanMs: -1, keepCount: command.keep });
        this.model.compact(command.keep);
        return;
    }
  }

  async checkList(table: TableSpec, prefix: Key, at: number, limit: number): Promise<void> {
    const listing = listAll(this.under.store, table, { prefix, asOf: revision(at), limit });
    if (at < this.model.compacted) await expect(listing).rejects.toMatchObject({ code: "GONE" });
    else expect(await listing).toEqual(this.model.list(table, prefix, at));
  }

  /** Every later change once and in order; or GONE, but only to a watch that compaction has passed. */
  async checkWatcher({ reader, table, prefix, from }: Watcher): Promise<void> {
    await using watched = reader;
    const reading = readTo(watched, this.under.clock, revision(this.model.head));
    const expected = this.model.changes(table, prefix, from).map(({ change }) => change);
    if (from >= this.model.compacted) expect((await reading).changes).toEqual(expected);
    else {
      const outcome = await reading.then(
        ({ changes }) => changes,
        (reason: unknown) => reason,
      );
      if (outcome instanceof Error) expect(outcome).toMatchObject({ code: "GONE" });
      else expect(outcome).toEqual(expected);
    }
  }

  async checkEnd(): Promise<void> {
    const { store } = this.under;
    expect(store.revision).toBe(BigInt(this.model.head));
    for (const table of [objects, tokens]) {
      for (let at = this.model.compacted; at <= this.model.head; at += 1) await this.checkList(table, [], at, 2);
      this.watchers.push({
        reader: openWatch<TableSpec>(store, table, { from: revision(this.model.compacted) }),
        table,
        prefix: [],
        from: this.model.compacted,
      });
    }
    for (const watcher of this.watchers) await this.checkWatcher(watcher);
  }
}

describe.each<[string, OpenStore]>([
  ["memory", openMemoryStore],
  ["sqlite", openSqliteInMemory],
])("%s", (_name, open) => {
  test("[ST3, ST5, ST6, ST11, ST13, ST17] [L1] every history is the model's: outcomes, lists of all retained revisions, watches", async () => {
    await fc.assert(
      fc.asyncProperty(history, fc.constantFrom(1, 1000, 8 * 1024 * 1024), async (commands, tailBytes) => {
        await using under = await open({ tailBytes });
        const pair = new Pair(under);
        for (const command of commands) await pair.run(command);
        await pair.checkEnd();
      }),
      { numRuns: 100 },
    );
  });
});
