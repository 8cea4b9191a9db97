// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import type { FleetLog } from "../../../src/store/fleet-log/fleet-log.ts";
import {
  append,
  delta,
  flush,
  loadTexts,
  type OpenLog,
  type OpenSharedLog,
  retainAll,
  writeCheckpoint,
} from "../../support/store-fleet-log.ts";

/** Steps behind a position as `cluster:text+text` or `cluster removed`, page by page, and where they end. */
async function followTexts(
  log: FleetLog,
  after: number,
  bytesLimit = 1_000_000,
): Promise<{ readonly texts: readonly string[]; readonly position: number; readonly pageCount: number }> {
  const texts: string[] = [];
  let position = after;
  for (let pageCount = 1; ; pageCount += 1) {
    const page = await log.follow({ after: position, bytesLimit });
    for (const step of page.steps) {
      const bytes = step.kind === "flush" ? step.parts.map((part) => new TextDecoder().decode(part.bytes)) : [];
      texts.push(step.kind === "flush" ? `${step.cluster}:${bytes.join("+")}` : `${step.cluster} removed`);
    }
    position = page.position;
    if (position === page.headPosition) return { texts, position, pageCount };
  }
}

async function removeAll(log: FleetLog, cluster: string): Promise<void> {
  while ((await log.removeCluster(cluster)).more);
}

/** Following all clusters by position: FL12 to FL16. */
export function describeFollow(open: OpenLog): void {
  test("[FL12] a follower gets the flushes of all clusters in commit order, and the same rest from every position", async () => {
    await using under = await open();
    const { log } = under;
    expect(await followTexts(log, 0)).toEqual({ texts: [], position: 0, pageCount: 1 });
    const ends: number[] = [0];
    for (let at = 1; at <= 12; at += 1) {
      const cluster = `c${at % 3}`;
      const { position } = await append(log, flush(Math.ceil(at / 3), [delta(`at ${at}`)], { cluster }));
      ends.push(position);
    }
    const all = Array.from({ length: 12 }, (_, index) => `c${(index + 1) % 3}:at ${index + 1}`);
    const newest = (await under.reopen?.()) ?? log;
    for (const [index, position] of ends.entries()) {
      for (const bytesLimit of [1, 11, 1_000_000])
        expect((await followTexts(newest, position, bytesLimit)).texts).toEqual(all.slice(index));
    }
    expect(await newest.headPosition()).toBe(ends.at(-1));
  });

  test("[FL13] a flush comes whole, with incarnation, seq, time and forms, however small the page", async () => {
    await using under = await open();
    const { log, clock } = under;
    const replaced = { resource: "pods", form: { kind: "replace", bucket: 3 }, bytes: new Uint8Array([1]) } as const;
    const parts = [delta("roles", "rbac/roles"), replaced, delta("nodes", "nodes")];
    await append(log, flush(1, parts, { incarnation: "i7" }));
    await append(log, flush(2, [delta("later")], { incarnation: "i7" }));
    const page = await log.follow({ after: 0, bytesLimit: 1 });
    expect(page.steps).toMatchObject([
      { kind: "flush", cluster: "c1", incarnation: "i7", seq: 1, receivedAtMs: clock.wall, parts },
    ]);
    expect(page.steps[0]?.position).toBe(page.position);
    expect((await log.follow({ after: page.position, bytesLimit: 1 })).steps).toMatchObject([{ seq: 2 }]);
  });

  test("[FL14] a position that retention has passed is GONE, and so is one that this log has not come to", async () => {
    await using under = await open();
    const { log, clock } = under;
    const first = await append(log, flush(1, [delta("a")]));
    const second = await append(log, flush(2, [delta("b")]));
    clock.wall += 1_000;
    await append(log, flush(3, [delta("c")]));
    await writeCheckpoint(log, second.position, ["a and b"]);
    await retainAll(log, clock.wall);
    await expect(log.follow({ after: first.position, bytesLimit: 100 })).rejects.toMatchObject({ code: "GONE" });
    expect((await followTexts(log, second.position)).texts).toEqual(["c1:c"]);
    const ahead = (await log.headPosition()) + 1;
    await expect(log.follow({ after: ahead, bytesLimit: 100 })).rejects.toMatchObject({ code: "GONE" });
  });

  test("[FL15] loads up to one position show one state, and following from there gives exactly the rest", async () => {
    await using under = await open();
    const { log } = under;
    await append(log, flush(1, [delta("pods 1"), delta("nodes 1", "nodes")]));
    const { position } = await append(log, flush(2, [delta("nodes 2", "nodes")]));
    const third = await append(log, flush(3, [delta("pods 3"), delta("nodes 3", "nodes")]));
    await writeCheckpoint(log, third.position, ["pods up to 3"]);
    expect(await loadTexts(log, { upTo: position })).toEqual(["delta:pods 1"]);
    expect(await loadTexts(log, { upTo: position, resource: "nodes" })).toEqual(["delta:nodes 1", "delta:nodes 2"]);
    expect(await loadTexts(log, { upTo: position, resource: "nodes", bytesLimit: 1 })).toHaveLength(2);
    expect((await followTexts(log, position)).texts).toEqual(["c1:pods 3+nodes 3"]);
    expect(await loadTexts(log, { upTo: third.position })).toEqual(["checkpoint:pods up to 3"]);
  });

  test("[FL16] the removal of a cluster is a step of its own, and what comes after it counts", async () => {
    await using under = await open();
    const { log } = under;
    await append(log, flush(1, [delta("old")]));
    const { position } = await append(log, flush(1, [delta("other")], { cluster: "c2" }));
    await removeAll(log, "c1");
    await append(log, flush(1, [delta("new")], { epoch: 2 }));
    expect((await followTexts(log, position, 1)).texts).toEqual(["c1 removed", "c1:new"]);
    expect((await followTexts(log, 0)).texts).toEqual(["c2:other", "c1 removed", "c1:new"]);
    await removeAll(log, "c1");
    expect((await followTexts(log, position)).texts).toEqual(["c1 removed"]);
  });
}

/** Two processes that have one log open: FL2, FL4, FL12. */
export function describeSharedLog(open: OpenSharedLog): void {
  test("[FL12] with two writers a follower misses nothing and gets nothing twice, wherever it reads in between", async () => {
    await using shared = await open();
    const { one, other } = shared;
    const seen: string[] = [];
    const expected: string[] = [];
    let position = 0;
    for (let at = 1; at <= 40; at += 1) {
      const cluster = at % 2 === 0 ? "even" : "odd";
      await append(at % 2 === 0 ? one : other, flush(Math.ceil(at / 2), [delta(`at ${at}`)], { cluster }));
      expected.push(`${cluster}:at ${at}`);
      if (at % 3 !== 0) continue;
      const read = await followTexts(at % 4 === 0 ? one : other, position, 1);
      seen.push(...read.texts);
      position = read.position;
    }
    seen.push(...(await followTexts(other, position)).texts);
    expect(seen).toEqual(expected);
  });

  test("[FL2] [FL4] what one process appended and raised is what the other's appends are held against", async () => {
    await using shared = await open();
    const { one, other } = shared;
    await append(one, flush(1, [delta("a")], { epoch: 1 }));
    expect(await other.append(flush(1, [delta("a")], { epoch: 1 }))).toEqual({ kind: "duplicate", seq: 1 });
    expect(await other.raiseEpoch("c1", "", 2)).toMatchObject({ kind: "raised" });
    expect(await one.raiseEpoch("c1", "", 2)).toEqual({ kind: "fenced", epoch: 2 });
    expect(await one.append(flush(2, [delta("late")], { epoch: 1 }))).toEqual({ kind: "fenced", epoch: 2 });
    await append(other, flush(2, [delta("b")], { epoch: 2 }));
    expect(await loadTexts(one)).toEqual(["delta:a", "delta:b"]);
  });
}
