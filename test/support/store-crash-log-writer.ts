// SPDX-License-Identifier: Apache-2.0
// A process that appends to the fleet log at full speed until it is killed, resuming each session where the log says it
// is durable. Each line on stdout is an append that was acknowledged: cluster, seq, position.
import { openFleetLog } from "../../src/store/fleet-log/open-fleet-log.ts";
import { crashedClusters, planFlush } from "./store-crash-log-plan.ts";

/** Segments between two checkpoints of a cluster's pods. */
const checkpointEvery = 200;

const [file = ""] = process.argv.slice(2);
const log = await openFleetLog(file);
process.stdout.write("open\n");

async function appendOn(cluster: string): Promise<void> {
  let { seq = 0 } = (await log.progress(cluster, "")) ?? {};
  for (;;) {
    seq += 1;
    const outcome = await log.append(planFlush(cluster, seq));
    if (outcome.kind !== "appended") throw new Error(`flush ${seq} of ${cluster}: ${JSON.stringify(outcome)}`);
    process.stdout.write(`${cluster} ${seq} ${outcome.position}\n`);
    if (seq % checkpointEvery === 0) await writeCheckpoint(cluster, seq, outcome.position);
  }
}

/** Three pieces that name the seq they sum up; a kill in between must leave none of them. */
async function writeCheckpoint(cluster: string, seq: number, position: number): Promise<void> {
  const checkpoint = await log.beginCheckpoint(cluster, "pods", position);
  for (const piece of [0, 1, 2]) {
    await log.addCheckpointPiece(checkpoint, new TextEncoder().encode(`${seq} piece ${piece}`));
  }
  await log.completeCheckpoint(checkpoint);
}

await Promise.all(crashedClusters.map(appendOn));
