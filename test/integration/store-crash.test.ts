// SPDX-License-Identifier: Apache-2.0
// A process that writes at full speed is killed again and again on the same database. Moments and writes follow from
// the seed; where a kill falls within a commit is up to the machine.
import { describe, expect, test } from "vitest";
import { createSeededRandom } from "../../src/base/random.ts";
import { ManualClock } from "../../src/base/testing/manual-clock.ts";
import type { Store } from "../../src/store/store.ts";
import { objects, tokens } from "../../src/store/tables.ts";
import { CrashLedger } from "../support/store-crash-ledger.ts";
import { openCrashedStore } from "../support/store-crash-place.ts";
import { drawKill, runUntilKilled } from "../support/store-crash-run.ts";
import { revision } from "../support/store-rows.ts";
import { openScratch } from "../support/store-under-test.ts";
import { openWatch, readTo } from "../support/store-watching.ts";

const seed = "store-crash-1";
const killCount = 50;

/** Two watches that live across all kills: where each stands is all they keep. */
class Watchers {
  readonly #ledger: CrashLedger;
  readonly #reached = { objects: revision(0), tokens: revision(0) };

  constructor(ledger: CrashLedger) {
    this.#ledger = ledger;
  }

  /** Reads on to the newest revision. Halfway the reader stops and resumes from its last bookmark. */
  async readOn(store: Store, clock: ManualClock): Promise<void> {
    for (const table of [objects, tokens]) {
      for (const share of [2n, 1n]) {
        const from = this.#reached[table.name];
        await using reader = openWatch(store, table, { from });
        const { changes, reached } = await readTo(reader, clock, revision(from + (store.revision - from) / share));
        this.#ledger.takeChanges(table.name, changes);
        this.#reached[table.name] = reached;
      }
    }
  }
}

describe("a hub that is killed", () => {
  test(`[ST7] [ST13] [L1] [U-37] ${killCount} kills: acknowledged commits are there, whole, and watches miss and repeat nothing (seed ${seed})`, async () => {
    using scratch = openScratch();
    const place = { file: scratch.path("hub.db"), keyFile: scratch.path("keys") };
    const random = createSeededRandom(seed);
    const clock = new ManualClock();
    const ledger = new CrashLedger();
    const watchers = new Watchers(ledger);
    let head = 0;
    for (let kill = 1; kill <= killCount; kill += 1) {
      const args = [place.file, place.keyFile, `${seed}.${kill}`];
      const [, ...acks] = await runUntilKilled("store-crash-writer", args, drawKill(random));
      const store = await openCrashedStore(place, clock);
      await watchers.readOn(store, clock);
      ledger.checkLine(Number(store.revision));
      for (const ack of acks) ledger.checkAck(ack);
      await ledger.checkRows(store, head);
      head = Number(store.revision);
      await store.close();
    }
    expect(ledger.changeCount).toBe(head);
    // Without these the test could pass by writing nothing, or without a compaction ever being met by a kill.
    expect(ledger.ackCount).toBeGreaterThan(killCount * 100);
    const store = await openCrashedStore(place, clock);
    await expect(store.list(objects, { asOf: revision(1) })).rejects.toMatchObject({ code: "GONE" });
    await store.close();
  }, 180_000);
});
