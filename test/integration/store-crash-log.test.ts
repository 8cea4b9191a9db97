// SPDX-License-Identifier: Apache-2.0
// The fleet log's turn: a process that appends at full speed is killed again and again on the same file.
import { describe, expect, test } from "vitest";
import { createInThreadPort } from "../../src/base/in-thread-port.ts";
import { createSeededRandom } from "../../src/base/random.ts";
import { systemClock } from "../../src/base/time/system-clock.ts";
import type { FleetLog, FleetLogEngine } from "../../src/store/fleet-log/fleet-log.ts";
import { SqliteFleetLog } from "../../src/store/fleet-log/sqlite-fleet-log.ts";
import { crashedClusters, planFlush } from "../support/store-crash-log-plan.ts";
import { drawKill, runUntilKilled } from "../support/store-crash-run.ts";
import { loadTexts } from "../support/store-fleet-log.ts";
import { openScratch } from "../support/store-under-test.ts";

const seed = "fleet-crash-1";
const killCount = 10;

/** The seqs that a cluster's nodes were written at: every flush has one. */
async function loadNodeSeqs(log: FleetLog, cluster: string): Promise<readonly number[]> {
  const texts = await loadTexts(log, { cluster, resource: "nodes" });
  return texts.map((text) => Number(text.replace("delta:", "")));
}

/** A checkpoint must be whole, and what follows it must be every flush after it, as it was sent. */
function checkPods(cluster: string, seq: number, pods: readonly string[]): void {
  const [first = ""] = pods;
  const covered = Number(/^checkpoint:(\d+) /.exec(first)?.[1] ?? 0);
  const pieces = covered === 0 ? [] : [0, 1, 2].map((piece) => `checkpoint:${covered} piece ${piece}`);
  const decoder = new TextDecoder();
  const deltas = Array.from({ length: seq - covered }, (_, index) => {
    return `delta:${decoder.decode(planFlush(cluster, covered + index + 1).parts[0]?.bytes)}`;
  });
  expect(pods).toEqual([...pieces, ...deltas]);
}

describe("a fleet log whose writer is killed", () => {
  test(`[FL3] [FL4] [FL5] [FL7] ${killCount} kills: acknowledged flushes are there, whole, once, and sessions resume (seed ${seed})`, async () => {
    using scratch = openScratch();
    const file = scratch.path("fleet.db");
    const random = createSeededRandom(seed);
    let ackCount = 0;
    for (let kill = 1; kill <= killCount; kill += 1) {
      const [, ...acks] = await runUntilKilled("store-crash-log-writer", [file], drawKill(random));
      ackCount += acks.length;
      const log = createInThreadPort<FleetLogEngine>(new SqliteFleetLog({ file, clock: systemClock }));
      for (const cluster of crashedClusters) {
        const seq = (await log.progress(cluster, ""))?.seq ?? 0;
        const acked = acks.filter((ack) => ack.startsWith(`${cluster} `)).map((ack) => Number(ack.split(" ")[1]));
        expect(Math.max(0, ...acked)).toBeLessThanOrEqual(seq);
        expect(await loadNodeSeqs(log, cluster)).toEqual(Array.from({ length: seq }, (_, index) => index + 1));
        checkPods(cluster, seq, await loadTexts(log, { cluster }));
      }
      await log.close();
    }
    // Without this the test could pass by writing nothing.
    expect(ackCount).toBeGreaterThan(killCount * 100);
  });
});
