// SPDX-License-Identifier: Apache-2.0
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { delta, flush, loadTexts, SettableClock } from "../../../test/support/store-fleet-log.ts";
import { openScratch } from "../../../test/support/store-under-test.ts";
import { createInThreadPort } from "../../base/in-thread-port.ts";
import { settle } from "../../base/testing/manual-clock.ts";
import type { FleetLogEngine } from "./fleet-log.ts";
import { GroupedFleetLog } from "./grouped-fleet-log.ts";
import { SqliteFleetLog } from "./sqlite-fleet-log.ts";

/** A turn that ends when the test says so. */
class Turn {
  readonly #due: (() => void)[] = [];

  readonly later = (run: () => void): void => {
    this.#due.push(run);
  };

  end(): void {
    for (const run of this.#due.splice(0)) run();
  }
}

/** Notes how many calls each of its transactions had. */
class CountingLog extends SqliteFleetLog {
  readonly groupSizes: number[] = [];

  override together<Result>(work: () => Result): Result {
    const result = super.together(work);
    this.groupSizes.push(Array.isArray(result) ? result.length : 0);
    return result;
  }
}

/** A log in a file that another connection can read: it sees what is committed and nothing else. */
function openGrouped() {
  const scratch = openScratch();
  const file = scratch.path("fleet.db");
  const engine = new CountingLog({ file, clock: new SettableClock() });
  const turn = new Turn();
  const log = new GroupedFleetLog(engine, turn.later);
  const reader = new DatabaseSync(file);
  return {
    log,
    turn,
    groupSizes: engine.groupSizes,
    reader,
    durableSeqs(): readonly number[] {
      return reader
        .prepare("SELECT seq FROM segments ORDER BY position")
        .all()
        .map(({ seq }) => Number(seq));
    },
    [Symbol.dispose]() {
      reader.close();
      void log.close();
      scratch[Symbol.dispose]();
    },
  };
}

/** What became of calls by the time asked: "waiting", or the kind of the outcome, or the code of the error. */
function watchAnswers(calls: readonly Promise<unknown>[]): readonly string[] {
  const answers = calls.map(() => "waiting");
  for (const [at, call] of calls.entries()) {
    call.then(
      (value) => {
        answers[at] = (value as { readonly kind?: string } | undefined)?.kind ?? "done";
      },
      (reason: { readonly code?: string }) => {
        answers[at] = reason.code ?? "failed";
      },
    );
  }
  return answers;
}

describe("groups of calls to the fleet log", () => {
  test("[FL11] [FL3] calls that wait share one transaction, and none is answered before it is durable", async () => {
    using opened = openGrouped();
    const { log, turn, groupSizes } = opened;
    const clusters = ["c1", "c2", "c3"];
    const answers = watchAnswers(clusters.map((cluster) => log.append(flush(1, [delta(cluster)], { cluster }))));
    await settle();
    expect(answers).toEqual(["waiting", "waiting", "waiting"]);
    expect(opened.durableSeqs()).toEqual([]);
    turn.end();
    expect(opened.durableSeqs()).toEqual([1, 1, 1]);
    await settle();
    expect(answers).toEqual(["appended", "appended", "appended"]);
    expect(groupSizes).toEqual([3]);
  });

  test("[FL11] [FL2] [FL4] each call of a group is decided as if alone, by what those before it did", async () => {
    using opened = openGrouped();
    const { log, turn, groupSizes } = opened;
    const calls = [
      log.append(flush(1, [delta("one")])),
      log.append(flush(1, [delta("one again")])),
      log.append(flush(3, [delta("three")])),
      log.append(flush(2, [delta("two")])),
      log.raiseEpoch("c1", "", 2),
      log.append(flush(3, [delta("too late")])),
      log.beginCheckpoint("c1", "pods", 99),
      log.addCheckpointPiece(7, new Uint8Array(1)),
      log.append(flush(3, [delta("three")], { epoch: 2 })),
    ];
    const answers = watchAnswers(calls);
    const progress = log.progress("c1", "");
    const texts = log.load({ cluster: "c1", resource: "pods", bytesLimit: 1_000 });
    turn.end();
    await settle();
    expect(answers).toEqual([
      "appended",
      "duplicate",
      "gap",
      "appended",
      "raised",
      "fenced",
      "INVALID_ARGUMENT",
      "NOT_FOUND",
      "appended",
    ]);
    expect(await progress).toMatchObject({ epoch: 2, seq: 3 });
    expect((await texts).segments).toHaveLength(3);
    expect(opened.durableSeqs()).toEqual([1, 2, 3]);
    expect(groupSizes).toEqual([11]);
  });

  test("[FL11] a group that cannot be written leaves nothing, refuses all of it, and the next one goes on", async () => {
    using opened = openGrouped();
    const { log, turn, reader } = opened;
    // As a disk does that fills up in the middle: an AUTOINCREMENT table whose last number is taken reports
    // SQLITE_FULL.
    reader.exec(`CREATE TABLE full_disk (id INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER);
      INSERT INTO full_disk (id) VALUES (9223372036854775807);
      CREATE TRIGGER fill_up AFTER INSERT ON segments WHEN NEW.resource = 'nodes'
      BEGIN INSERT INTO full_disk (at) VALUES (1); END`);
    const answers = watchAnswers([
      log.append(flush(1, [delta("fits")], { cluster: "c1" })),
      log.append(flush(1, [delta("does not", "nodes")], { cluster: "c2" })),
    ]);
    turn.end();
    await settle();
    expect(answers).toEqual(["STORE_FULL", "STORE_FULL"]);
    expect(opened.durableSeqs()).toEqual([]);
    reader.exec("DROP TRIGGER fill_up");
    const again = watchAnswers([log.append(flush(1, [delta("fits")], { cluster: "c1" }))]);
    turn.end();
    await settle();
    expect(again).toEqual(["appended"]);
  });

  test("[FL11] a group has at most 256 calls, and ends with the one that brings it to 8 MiB", async () => {
    using opened = openGrouped();
    const { log, turn, groupSizes } = opened;
    for (let seq = 1; seq <= 300; seq += 1) void log.append(flush(seq, [delta(`${seq}`)]));
    expect(groupSizes).toEqual([256]);
    turn.end();
    const large = { resource: "pods", form: { kind: "delta" }, bytes: new Uint8Array(3 * 1024 * 1024) } as const;
    for (let seq = 301; seq <= 304; seq += 1) void log.append(flush(seq, [large]));
    turn.end();
    expect(groupSizes).toEqual([256, 44, 3, 1]);
    const progress = log.progress("c1", "");
    turn.end();
    expect(await progress).toMatchObject({ seq: 304 });
  });

  test("closing writes what waits", async () => {
    using scratch = openScratch();
    const open = () => new SqliteFleetLog({ file: scratch.path("fleet.db"), clock: new SettableClock() });
    const log = new GroupedFleetLog(open(), () => undefined);
    const appended = log.append(flush(1, [delta("one")]));
    await log.close();
    expect(await appended).toMatchObject({ kind: "appended" });
    const again = createInThreadPort<FleetLogEngine>(open());
    expect(await loadTexts(again)).toEqual(["delta:one"]);
    await again.close();
  });
});
