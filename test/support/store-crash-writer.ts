// SPDX-License-Identifier: Apache-2.0
// A process that writes at full speed until it is killed. Each acknowledged commit is one line on stdout: its id and
// the revision of each write. A pipe is written synchronously, so a line that the kernel has taken survives the
// process.
import { systemClock } from "../../src/base/time/system-clock.ts";
import { openHubStore } from "../../src/store/sqlite/open-hub-store.ts";
import { planCommit, toWrite } from "./store-crash-plan.ts";

/** Commits under way at a time. */
const inFlight = 64;
/**
 * Old changes are removed now and then, so that kills meet compaction too. How many are kept can be given: a parent
 * that reads all of them falls behind by any number.
 */
const compactEvery = 150;

const [file = "", keyFile = "", run = "", keepCount = "15000"] = process.argv.slice(2);
const store = await openHubStore({ file, keyFile, encryptedResources: ["secrets"] }, { clock: systemClock });
process.stdout.write("open\n");
let count = 0;

async function writeOn(): Promise<void> {
  for (;;) {
    const commit = planCommit(`${run}.${count}`);
    count += 1;
    if (count % compactEvery === 0) void store.compact({ olderThanMs: 0, keepCount: Number(keepCount) });
    const outcome = await store.commit(commit.writes.map((write) => toWrite(commit, write)));
    if (outcome.kind !== "committed") throw new Error(`commit ${commit.id} was refused: ${outcome.kind}`);
    process.stdout.write(`${commit.id} ${outcome.revisions.join(" ")}\n`);
  }
}

await Promise.all(Array.from({ length: inFlight }, writeOn));
