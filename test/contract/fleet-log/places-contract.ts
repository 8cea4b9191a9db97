// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import type { FleetLog, LogPlace } from "../../../src/store/fleet-log/fleet-log.ts";
import {
  append,
  delta,
  flush,
  loadTexts,
  type OpenLog,
  retainAll,
  writeCheckpoint,
} from "../../support/store-fleet-log.ts";

async function placeOf(log: FleetLog, atMs: number, resource = "pods"): Promise<LogPlace> {
  const [place] = await log.places({ cluster: "c1", atMs, resources: [resource] });
  if (place === undefined) throw new Error(`the log has no ${resource}`);
  return place;
}

/** Positions by time, and reading on from one: FL18, FL19. */
export function describePlaces(open: OpenLog): void {
  test("[FL18] the place of a moment is the newest one up to it, for every gap and pause, with other clusters between", async () => {
    await using under = await open();
    const { log, clock } = under;
    const placed: LogPlace[] = [];
    let otherSeq = 0;
    for (const [index, pauseMs] of [5, 0, 1, 700, 0, 0, 3, 40].entries()) {
      clock.wall += pauseMs;
      for (let other = 0; other < index % 3; other += 1) {
        otherSeq += 1;
        await append(log, flush(otherSeq, [delta("other")], { cluster: "c2" }));
      }
      const outcome = await append(log, flush(index + 1, [delta(`${index}`)]));
      placed.push({ resource: "pods", position: outcome.position, receivedAtMs: outcome.receivedAtMs, earliestMs: 0 });
      if (index === 2) await writeCheckpoint(log, outcome.position, ["0 to 2"]);
    }
    const first = placed[0]?.receivedAtMs ?? 0;
    for (let atMs = first - 1; atMs < first + 750; atMs += atMs < first + 5 || atMs > first + 695 ? 1 : 50) {
      const expected = placed.findLast(({ receivedAtMs }) => receivedAtMs <= atMs);
      const none = { resource: "pods", position: 0, receivedAtMs: 0, earliestMs: 0 };
      expect(await placeOf(log, atMs)).toEqual(expected ?? none);
    }
  });

  test("[FL18] [FL8] a wall clock that is set back does not change the order of places", async () => {
    await using under = await open();
    const { log, clock } = under;
    const one = await append(log, flush(1, [delta("a")]));
    clock.wall -= 60_000;
    const other = await append(log, flush(1, [delta("b")], { cluster: "c2" }));
    const two = await append(log, flush(2, [delta("c")]));
    expect(two.receivedAtMs).toBe(one.receivedAtMs);
    expect((await placeOf(log, one.receivedAtMs)).position).toBe(two.position);
    expect((await placeOf(log, one.receivedAtMs - 1)).position).toBe(0);
    expect(await log.places({ cluster: "c2", atMs: one.receivedAtMs - 1 })).toMatchObject([
      { resource: "pods", position: other.position },
    ]);
  });

  test("[FL18] all resources of a cluster are placed, in order, and those without history are left out", async () => {
    await using under = await open();
    const { log, clock } = under;
    await append(log, flush(1, [delta("p"), delta("n", "nodes")]));
    clock.wall += 1000;
    await append(log, flush(2, [delta("d", "apps/deployments")]));
    await append(log, flush(1, [delta("s", "services")], { cluster: "c2" }));
    const places = await log.places({ cluster: "c1", atMs: clock.wall - 1 });
    expect(places.map(({ resource, position }) => [resource, position])).toEqual([
      ["apps/deployments", 0],
      ["nodes", 2],
      ["pods", 1],
    ]);
    expect(await log.places({ cluster: "c1", atMs: clock.wall, resources: ["services"] })).toEqual([]);
    expect(await log.places({ cluster: "c9", atMs: clock.wall })).toEqual([]);
  });

  test("[FL18] [FL9] a moment that retention removed has no position, and the earliest one is named", async () => {
    await using under = await open();
    const { log, clock } = under;
    const outcomes = [];
    for (let seq = 1; seq <= 4; seq += 1) {
      clock.wall += 1000;
      outcomes.push(await append(log, flush(seq, [delta(`${seq}`)])));
    }
    const [first, second, , fourth] = outcomes;
    await writeCheckpoint(log, second?.position ?? 0, ["1+2"]);
    await retainAll(log, second?.receivedAtMs ?? 0);
    const earliestMs = second?.receivedAtMs;
    expect(await placeOf(log, first?.receivedAtMs ?? 0)).toMatchObject({ position: 0, receivedAtMs: 0, earliestMs });
    expect(await placeOf(log, earliestMs ?? 0)).toMatchObject({ position: second?.position, earliestMs });
    expect(await placeOf(log, clock.wall)).toMatchObject({ position: fourth?.position, earliestMs });
  });

  test("[FL18] [FL6] a load up to the place of a moment is the load as of that moment", async () => {
    await using under = await open();
    const { log, clock } = under;
    for (let seq = 1; seq <= 9; seq += 1) {
      clock.wall += 10;
      const { position } = await append(log, flush(seq, [delta(`${seq}`)]));
      if (seq % 4 === 0) await writeCheckpoint(log, position, [`1 to ${seq}`]);
    }
    for (let asOfMs = clock.wall - 95; asOfMs <= clock.wall; asOfMs += 5) {
      const { position } = await placeOf(log, asOfMs);
      expect(await loadTexts(log, { upTo: position })).toEqual(await loadTexts(log, { asOfMs }));
    }
  });

  test("[FL19] a load from a place gives what came later, page by page, also past a newer checkpoint", async () => {
    await using under = await open();
    const { log, clock } = under;
    for (let seq = 1; seq <= 5; seq += 1) {
      clock.wall += 1000;
      const { position } = await append(log, flush(seq, [delta(`${seq}`)]));
      if (seq !== 3) await writeCheckpoint(log, position, [`1 to ${seq}`]);
    }
    const from = await placeOf(log, clock.wall - 3000);
    const { position: upTo } = await placeOf(log, clock.wall - 1000);
    for (const bytesLimit of [1, 100]) {
      expect(await loadTexts(log, { from, bytesLimit })).toEqual(["delta:3", "delta:4", "delta:5"]);
      expect(await loadTexts(log, { from, upTo, bytesLimit })).toEqual(["delta:3", "delta:4"]);
    }
    expect(await loadTexts(log, { from: { position: 0, receivedAtMs: 0 } })).toHaveLength(5);
  });

  test("[FL19] [FL9] a load from a place behind which segments were removed is GONE", async () => {
    await using under = await open();
    const { log, clock } = under;
    for (let seq = 1; seq <= 4; seq += 1) {
      clock.wall += 1000;
      await append(log, flush(seq, [delta(`${seq}`)]));
    }
    const from = await placeOf(log, clock.wall - 3000);
    const kept = await placeOf(log, clock.wall - 1000);
    const { next } = await log.load({ cluster: "c1", resource: "pods", from, bytesLimit: 1 });
    await writeCheckpoint(log, kept.position, ["1 to 3"]);
    await retainAll(log, clock.wall - 1000);
    await expect(loadTexts(log, { from })).rejects.toMatchObject({ code: "GONE" });
    await expect(loadTexts(log, { from, ...(next && { after: next }) })).rejects.toMatchObject({ code: "GONE" });
    expect(await loadTexts(log, { from: kept })).toEqual(["delta:4"]);
  });
}
