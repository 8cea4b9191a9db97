// SPDX-License-Identifier: Apache-2.0
// A process that writes at full speed until it is killed. Each acknowledged commit is one line on stdout: its id and the
// revision of each write. A pipe is written synchronously, so a line that the kernel has taken survives the process.
import { systemClock } from "../../src/base/system-clock.ts";
import { openHubStore } from "../../src/store/sqlite/open-hub-store.ts";
import { planCommit, toWrite } from "./store-crash-plan.ts";

/** Commits under way at a time. */
const inFlight = 64;
/** Old changes are removed now and then, so that kills meet compaction too; the parent never falls this far behind. */
const compactEvery = 150;
const keepCount = 15_000;

const [file = "", keyFile = "", run = ""] = process.argv.slice(2);
const store = await openHubStore({ file, keyFile, encryptedResources: ["secrets"] }, { clock: systemClock });
process.stdout.write("open\n");
let count = 0;

async function writeOn(): Promise<void> {
  for (;;) {
    const commit = planCommit(`${run}.${count}`);
    count += 1;
    if (count % compactEvery === 0) void store.compact({ olderThanMs: 0, keepCount });
    const outcome = await store.commit(commit.writes.map((write) => toWrite(commit, write)));
    if (outcome.kind !== "committed") throw new Error(`commit ${commit.id} was refused: ${outcome.kind}`);
    process.stdout.write(`${commit.id} ${outcome.revisions.join(" ")}\n`);
  }
}

await Promise.all(Array.from({ length: inFlight }, writeOn));
