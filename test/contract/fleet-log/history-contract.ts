// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import type { FleetLog } from "../../../src/store/fleet-log/fleet-log.ts";
import {
  append,
  delta,
  flush,
  type LogUnderTest,
  loadTexts,
  type OpenLog,
  retainAll,
  writeCheckpoint,
} from "../../support/store-fleet-log.ts";

/** Appends one delta a second; gives the position and time of each. */
async function appendTimed(
  under: LogUnderTest,
  texts: readonly string[],
): Promise<readonly { readonly position: number; readonly receivedAtMs: number }[]> {
  const start = (await under.log.progress("c1", ""))?.seq ?? 0;
  const appended = [];
  for (const [index, text] of texts.entries()) {
    under.clock.wall += 1000;
    appended.push(await append(under.log, flush(start + index + 1, [delta(text)])));
  }
  return appended;
}

const at = <Value>(values: readonly Value[], index: number): Value => {
  const value = values[index];
  if (value === undefined) throw new Error(`there is no value ${index}`);
  return value;
};

/** Reading back, checkpoints, retention, removal: FL6, FL7, FL9, FL10. */
export function describeHistory(open: OpenLog): void {
  test("[FL6] a load gives the newest complete checkpoint and what follows it, and nothing from before", async () => {
    await using under = await open();
    const { log } = under;
    const first = await appendTimed(under, ["a", "b"]);
    await writeCheckpoint(log, at(first, 0).position, ["sum of a"]);
    expect(await loadTexts(log)).toEqual(["checkpoint:sum of a", "delta:b"]);
    const second = await appendTimed(under, ["c", "d"]);
    await writeCheckpoint(log, at(second, 0).position, ["sum of a to c, 1", "sum of a to c, 2"]);
    expect(await loadTexts(log)).toEqual(["checkpoint:sum of a to c, 1", "checkpoint:sum of a to c, 2", "delta:d"]);
    expect(await loadTexts(log, { resource: "nodes" })).toEqual([]);
  });

  test("[FL6] [CO61] as of T: the newest checkpoint up to T, then what came up to T", async () => {
    await using under = await open();
    const { log } = under;
    const times = await appendTimed(under, ["a", "b", "c", "d", "e"]);
    await writeCheckpoint(log, at(times, 1).position, ["a+b"]);
    await writeCheckpoint(log, at(times, 3).position, ["a..d"]);
    const asOf = (index: number, moreMs = 0): Promise<readonly string[]> =>
      loadTexts(log, { asOfMs: at(times, index).receivedAtMs + moreMs });
    expect(await asOf(0, -1)).toEqual([]);
    expect(await asOf(0)).toEqual(["delta:a"]);
    expect(await asOf(1, -1)).toEqual(["delta:a"]);
    expect(await asOf(1)).toEqual(["checkpoint:a+b"]);
    expect(await asOf(2, 500)).toEqual(["checkpoint:a+b", "delta:c"]);
    expect(await asOf(3)).toEqual(["checkpoint:a..d"]);
    expect(await asOf(4)).toEqual(["checkpoint:a..d", "delta:e"]);
  });

  test("[FL6] pages are bounded, cut anywhere, and add up to the whole", async () => {
    await using under = await open();
    const { log } = under;
    const times = await appendTimed(under, ["aaaa", "bbbb", "cccc", "dddd"]);
    await writeCheckpoint(log, at(times, 0).position, ["1111", "2222", "3333"]);
    const whole = await loadTexts(log);
    expect(whole).toHaveLength(6);
    for (const bytesLimit of [1, 4, 5, 8, 9, 24, 1000]) {
      expect(await loadTexts(log, { bytesLimit })).toEqual(whole);
      const { segments } = await log.load({ cluster: "c1", resource: "pods", bytesLimit });
      expect(segments).toHaveLength(Math.min(6, Math.ceil(bytesLimit / 4)));
    }
  });

  test("[FL6] a load under way stays with the checkpoint it began with", async () => {
    await using under = await open();
    const { log } = under;
    const times = await appendTimed(under, ["a", "b", "c"]);
    await writeCheckpoint(log, at(times, 0).position, ["sum 1", "sum 2"]);
    const request = { cluster: "c1", resource: "pods", bytesLimit: 1 };
    const page = await log.load(request);
    await writeCheckpoint(log, at(times, 2).position, ["later sum"]);
    await appendTimed(under, ["d"]);
    expect(page.next).toBeDefined();
    const rest = await loadTexts(log, { after: page.next ?? { checkpoint: 0, piece: 0, position: 0 } });
    expect(rest).toEqual(["checkpoint:sum 2", "delta:b", "delta:c", "delta:d"]);
  });

  test("[FL9] a load under way whose rest retention has removed is answered GONE, not with what is left", async () => {
    for (const startsWithCheckpoint of [false, true]) {
      await using under = await open();
      const { log } = under;
      const times = await appendTimed(under, ["a", "b", "c", "d"]);
      if (startsWithCheckpoint) await writeCheckpoint(log, at(times, 0).position, ["sum 1", "sum 2"]);
      const { next } = await log.load({ cluster: "c1", resource: "pods", bytesLimit: 1 });
      await writeCheckpoint(log, at(times, 2).position, ["later sum"]);
      await retainAll(log, under.clock.wall);
      const resumed = loadTexts(log, next === undefined ? {} : { after: next });
      await expect(resumed).rejects.toMatchObject({ code: "GONE" });
    }
  });

  test("[FL7] a checkpoint of what has not been appended yet is refused", async () => {
    await using under = await open();
    const { log } = under;
    await append(log, flush(1, [delta("a")]));
    await expect(log.beginCheckpoint("c1", "pods", 2)).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
  });

  test("[FL7] a checkpoint counts only once completed; an unfinished one is gone after the next open", async () => {
    await using under = await open();
    const { log } = under;
    const times = await appendTimed(under, ["a", "b"]);
    const unfinished = await log.beginCheckpoint("c1", "pods", at(times, 1).position);
    await log.addCheckpointPiece(unfinished, new Uint8Array(10));
    expect(await loadTexts(log)).toEqual(["delta:a", "delta:b"]);
    const again = await under.reopen?.();
    if (again === undefined) return;
    await expect(again.addCheckpointPiece(unfinished, new Uint8Array(10))).rejects.toMatchObject({ code: "NOT_FOUND" });
    await expect(again.completeCheckpoint(unfinished)).rejects.toMatchObject({ code: "NOT_FOUND" });
    expect(await loadTexts(again)).toEqual(["delta:a", "delta:b"]);
  });

  test("[FL7] a piece over 1 MiB is refused; a completed checkpoint takes no more", async () => {
    await using under = await open();
    const { log } = under;
    const times = await appendTimed(under, ["a"]);
    const checkpoint = await log.beginCheckpoint("c1", "pods", at(times, 0).position);
    await expect(log.addCheckpointPiece(checkpoint, new Uint8Array(1024 * 1024 + 1))).rejects.toMatchObject({
      code: "TOO_LARGE",
    });
    await log.addCheckpointPiece(checkpoint, new Uint8Array(1024 * 1024));
    await log.completeCheckpoint(checkpoint);
    await expect(log.addCheckpointPiece(checkpoint, new Uint8Array(1))).rejects.toMatchObject({ code: "NOT_FOUND" });
    await expect(log.completeCheckpoint(checkpoint)).rejects.toMatchObject({ code: "NOT_FOUND" });
    const { segments } = await log.load({ cluster: "c1", resource: "pods", bytesLimit: 1 });
    expect(segments.map(({ bytes }) => bytes.length)).toEqual([1024 * 1024]);
  });

  test("[FL7] a checkpoint without pieces is an empty state, and two under way do not mix", async () => {
    await using under = await open();
    const { log } = under;
    const times = await appendTimed(under, ["a", "b"]);
    const one = await log.beginCheckpoint("c1", "pods", at(times, 0).position);
    const two = await log.beginCheckpoint("c1", "pods", at(times, 1).position);
    await log.addCheckpointPiece(one, new TextEncoder().encode("one"));
    await log.completeCheckpoint(one);
    expect(await loadTexts(log)).toEqual(["checkpoint:one", "delta:b"]);
    await log.completeCheckpoint(two);
    expect(await loadTexts(log)).toEqual([]);
  });

  test("[FL9] retention removes what retained time does not need; earlier questions are GONE, later ones unchanged", async () => {
    await using under = await open();
    const { log } = under;
    const times = await appendTimed(under, ["a", "b", "c", "d", "e"]);
    await writeCheckpoint(log, at(times, 0).position, ["a"]);
    await writeCheckpoint(log, at(times, 2).position, ["a..c"]);
    await writeCheckpoint(log, at(times, 4).position, ["a..e"]);
    const askedMs = [2, 3, 4].map((index) => at(times, index).receivedAtMs);
    const before = await Promise.all(askedMs.map((asOfMs) => loadTexts(log, { asOfMs })));
    expect(await retainAll(log, at(times, 3).receivedAtMs)).toBeGreaterThan(0);
    expect(await Promise.all(askedMs.map((asOfMs) => loadTexts(log, { asOfMs })))).toEqual(before);
    expect(await loadTexts(log)).toEqual(["checkpoint:a..e"]);
    await expect(loadTexts(log, { asOfMs: at(times, 1).receivedAtMs })).rejects.toMatchObject({
      code: "GONE",
      message: expect.stringContaining(new Date(at(times, 2).receivedAtMs).toISOString()),
    });
    expect(await retainAll(log, at(times, 3).receivedAtMs)).toBe(0);
  });

  test("[FL9] without a checkpoint before the retained time nothing is removed", async () => {
    await using under = await open();
    const { log } = under;
    const times = await appendTimed(under, ["a", "b", "c"]);
    await writeCheckpoint(log, at(times, 2).position, ["a..c"]);
    expect(await retainAll(log, at(times, 1).receivedAtMs)).toBe(0);
    expect(await loadTexts(log, { asOfMs: at(times, 1).receivedAtMs })).toEqual(["delta:a", "delta:b"]);
    await log.beginCheckpoint("c1", "pods", at(times, 0).position);
    expect(await retainAll(log, at(times, 1).receivedAtMs)).toBe(0);
  });

  test("[FL9] retention of thousands of segments comes to an end and keeps other resources whole", async () => {
    await using under = await open();
    const { log } = under;
    let position = 0;
    for (let seq = 1; seq <= 1300; seq += 1) {
      ({ position } = await append(log, flush(seq, [delta(`p${seq}`), delta(`n${seq}`, "nodes")])));
    }
    await writeCheckpoint(log, position, ["all pods"]);
    expect(await retainAll(log, under.clock.wall)).toBeGreaterThanOrEqual(1300);
    expect(await loadTexts(log)).toEqual(["checkpoint:all pods"]);
    expect(await loadTexts(log, { resource: "nodes" })).toHaveLength(1300);
  });

  test("[FL10] removing a cluster removes its history and keeps its epoch; other clusters stay", async () => {
    await using under = await open();
    const { log } = under;
    const times = await appendTimed(under, ["a", "b"]);
    await writeCheckpoint(log, at(times, 0).position, ["a"]);
    await append(log, flush(1, [delta("other")], { cluster: "c10" }));
    await log.raiseEpoch("c1", "", 8);
    await removeAll(log, "c1");
    expect(await log.resources()).toEqual([{ cluster: "c10", resource: "pods" }]);
    expect(await loadTexts(log)).toEqual([]);
    expect(await loadTexts(log, { asOfMs: at(times, 0).receivedAtMs })).toEqual([]);
    expect(await log.append(flush(3, [delta("late")], { epoch: 7 }))).toEqual({ kind: "fenced", epoch: 8 });
    await append(log, flush(1, [delta("anew")], { epoch: 9 }));
    expect(await loadTexts(log)).toEqual(["delta:anew"]);
    expect(await loadTexts(log, { cluster: "c10" })).toEqual(["delta:other"]);
  });
}

async function removeAll(log: FleetLog, cluster: string): Promise<void> {
  for (let more = true; more; ) ({ more } = await log.removeCluster(cluster));
}
