// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { append, delta, flush, loadTexts, type OpenLog } from "../../support/store-fleet-log.ts";

/** Appending: FL1 to FL5, FL8. */
export function describeAppends(open: OpenLog): void {
  test("[FL1] segments come back as the bytes they were, with form, order and receive time", async () => {
    await using under = await open();
    const { log, clock } = under;
    const bytes = Uint8Array.from({ length: 256 }, (_, index) => index);
    const parts = [
      { resource: "pods", form: { kind: "delta" }, bytes },
      { resource: "pods", form: { kind: "replace", bucket: 7 }, bytes: new Uint8Array() },
      { resource: "apps/deployments", form: { kind: "replace", bucket: 0 }, bytes },
    ] as const;
    const first = await append(log, flush(1, parts));
    expect(first.receivedAtMs).toBe(clock.wall);
    clock.wall += 1000;
    await append(log, flush(2, [delta("second")]));
    const { segments } = await log.load({ cluster: "c1", resource: "pods", bytesLimit: 1_000_000 });
    expect(segments.map(({ form }) => form)).toEqual([parts[0].form, parts[1].form, { kind: "delta" }]);
    expect(segments.map(({ bytes }) => bytes.length)).toEqual([256, 0, 6]);
    expect(new Uint8Array(segments[0]?.bytes ?? [])).toEqual(bytes);
    expect(segments.map(({ receivedAtMs }) => receivedAtMs - first.receivedAtMs)).toEqual([0, 0, 1000]);
    const positions = segments.map(({ position }) => position);
    expect(positions).toEqual(positions.toSorted((a, b) => a - b));
    expect(new Set(positions).size).toBe(3);
  });

  test("[FL1] clusters and resources are apart, and only those with history are named", async () => {
    await using under = await open();
    const { log } = under;
    expect(await log.load({ cluster: "never", resource: "pods", bytesLimit: 1000 })).toEqual({ segments: [] });
    await append(log, flush(1, [delta("pods of c1"), delta("nodes of c1", "nodes")]));
    await append(log, flush(1, [delta("pods of c2")], { cluster: "c2" }));
    expect(await loadTexts(log)).toEqual(["delta:pods of c1"]);
    expect(await loadTexts(log, { resource: "nodes" })).toEqual(["delta:nodes of c1"]);
    expect(await loadTexts(log, { cluster: "c2" })).toEqual(["delta:pods of c2"]);
    const named = (await log.resources()).map(({ cluster, resource }) => `${cluster} ${resource}`);
    expect(named.sort()).toEqual(["c1 nodes", "c1 pods", "c2 pods"]);
  });

  test("[FL2] an append under an older epoch is fenced and changes nothing; a higher epoch takes over", async () => {
    await using under = await open();
    const { log } = under;
    await append(log, flush(1, [delta("old")], { epoch: 3 }));
    await append(log, flush(1, [delta("by the successor")], { epoch: 5, incarnation: "i2" }));
    expect(await log.append(flush(2, [delta("too late")], { epoch: 3 }))).toEqual({ kind: "fenced", epoch: 5 });
    expect(await log.append(flush(2, [delta("too late")], { epoch: 4, incarnation: "i2" }))).toMatchObject({
      kind: "fenced",
    });
    expect(await loadTexts(log)).toEqual(["delta:old", "delta:by the successor"]);
  });

  test("[FL2] accepting a session fences its predecessor out before the first append", async () => {
    await using under = await open();
    const { log } = under;
    await append(log, flush(1, [delta("a")], { epoch: 1 }));
    expect(await log.raiseEpoch("c1", "", 2)).toMatchObject({
      kind: "raised",
      durable: { epoch: 2, incarnation: "i1", seq: 1 },
    });
    expect(await log.append(flush(2, [delta("b")], { epoch: 1 }))).toEqual({ kind: "fenced", epoch: 2 });
    await append(log, flush(2, [delta("c")], { epoch: 2 }));
    expect(await loadTexts(log)).toEqual(["delta:a", "delta:c"]);
  });

  test("[FL2] an epoch is given once: of two sessions that want the same one, the second is fenced, and nothing changes", async () => {
    await using under = await open();
    const { log } = under;
    expect(await log.raiseEpoch("c1", "", 2)).toMatchObject({ kind: "raised" });
    for (const epoch of [2, 1]) expect(await log.raiseEpoch("c1", "", epoch)).toEqual({ kind: "fenced", epoch: 2 });
    expect(await log.progress("c1", "")).toMatchObject({ epoch: 2 });
    expect(await log.raiseEpoch("c1", "", 3)).toMatchObject({ kind: "raised", durable: { epoch: 3 } });
  });

  test("[FL2] epochs of other shards and clusters do not fence", async () => {
    await using under = await open();
    const { log } = under;
    await log.raiseEpoch("c1", "edge", 9);
    await log.raiseEpoch("c2", "", 9);
    await append(log, flush(1, [delta("a")], { epoch: 1 }));
  });

  test("[FL3] a flush has one receive time for all its kinds, and they are there together", async () => {
    await using under = await open();
    const { log, clock } = under;
    await append(log, flush(1, [delta("pods"), delta("nodes", "nodes"), delta("jobs", "batch/jobs")]));
    clock.wall += 5;
    for (const resource of ["pods", "nodes", "batch/jobs"]) {
      const { segments } = await log.load({ cluster: "c1", resource, bytesLimit: 1000 });
      expect(segments.map(({ receivedAtMs }) => receivedAtMs)).toEqual([clock.wall - 5]);
    }
  });

  test("[FL4] the same seq again is a duplicate, a skipped one a gap, and neither changes anything", async () => {
    await using under = await open();
    const { log } = under;
    expect(await log.append(flush(2, [delta("x")]))).toEqual({ kind: "gap", expected: 1 });
    expect(await log.progress("c1", "")).toBeUndefined();
    for (const seq of [1, 2, 3]) await append(log, flush(seq, [delta(`at ${seq}`)]));
    for (const seq of [1, 2, 3]) {
      expect(await log.append(flush(seq, [delta("again")]))).toEqual({ kind: "duplicate", seq: 3 });
    }
    expect(await log.append(flush(5, [delta("x")]))).toEqual({ kind: "gap", expected: 4 });
    expect(await loadTexts(log)).toEqual(["delta:at 1", "delta:at 2", "delta:at 3"]);
  });

  test("[FL4] a new incarnation starts at 1", async () => {
    await using under = await open();
    const { log } = under;
    await append(log, flush(1, [delta("a")]));
    await append(log, flush(2, [delta("b")]));
    expect(await log.append(flush(3, [delta("x")], { incarnation: "i2" }))).toEqual({ kind: "gap", expected: 1 });
    await append(log, flush(1, [delta("c")], { incarnation: "i2" }));
    expect(await log.progress("c1", "")).toMatchObject({ incarnation: "i2", seq: 1 });
  });

  test("[FL5] progress is what is durable: nothing before the first append, then incarnation, seq, epoch and time", async () => {
    await using under = await open();
    const { log, clock } = under;
    expect(await log.progress("c1", "")).toBeUndefined();
    await append(log, flush(1, [], { epoch: 4 }));
    const expected = { epoch: 4, incarnation: "i1", seq: 1, receivedAtMs: clock.wall };
    expect(await log.progress("c1", "")).toEqual(expected);
    expect(await log.progress("c1", "edge")).toBeUndefined();
    expect(await log.progress("c2", "")).toBeUndefined();
    if (under.reopen !== undefined) expect(await (await under.reopen()).progress("c1", "")).toEqual(expected);
  });

  test("[FL8] receive times of a cluster do not go back with the clock, of no shard and not after a restart", async () => {
    await using under = await open();
    const { clock } = under;
    const start = clock.wall;
    await append(under.log, flush(1, [delta("a")]));
    clock.wall = start - 60_000;
    expect((await append(under.log, flush(2, [delta("b")]))).receivedAtMs).toBe(start);
    expect((await append(under.log, flush(1, [delta("c")], { shard: "edge" }))).receivedAtMs).toBe(start);
    expect((await append(under.log, flush(1, [delta("d")], { cluster: "c2" }))).receivedAtMs).toBe(start - 60_000);
    const log = (await under.reopen?.()) ?? under.log;
    expect((await append(log, flush(3, [delta("e")]))).receivedAtMs).toBe(start);
    clock.wall = start + 5;
    expect((await append(log, flush(4, [delta("f")]))).receivedAtMs).toBe(start + 5);
  });
}
