// SPDX-License-Identifier: Apache-2.0
import { World } from "../../support/sim/world.ts";
import { type SoakWorld, soakWorlds } from "./soak-worlds.ts";

/** One seed in so many is run twice, and both runs must be the same (SI1). */
const twiceEvery = 50;

/** What went wrong in one world. */
export interface SoakViolation {
  readonly world: string;
  readonly seed: number;
  /** The first sentence, and how many follow. */
  readonly text: string;
  /** The command that runs this seed of this world alone. */
  readonly replay: string;
}

/** What came of one seed. */
export interface SoakedSeed {
  readonly worldCount: number;
  readonly violations: readonly SoakViolation[];
}

/** Runs every world whose turn it is with this seed. */
export async function runSeed(seed: number, worlds: readonly SoakWorld[] = soakWorlds): Promise<SoakedSeed> {
  const violations: SoakViolation[] = [];
  let worldCount = 0;
  for (const each of worlds) {
    if (seed % each.everySeeds !== 0) continue;
    worldCount += 1;
    const text = await findViolation(each, seed);
    if (text !== undefined) violations.push({ world: each.name, seed, text, replay: replayLine(each, seed) });
  }
  return { worldCount, violations };
}

async function findViolation(each: SoakWorld, seed: number): Promise<string | undefined> {
  const first = await runOnce(each, seed);
  if (first.text !== undefined || seed % twiceEvery !== 0) return first.text;
  const second = await runOnce(each, seed);
  return second.traceHash === first.traceHash ? undefined : "a second run of the seed was not the same";
}

interface Run {
  readonly text: string | undefined;
  readonly traceHash: string;
}

/** What the world throws is a violation too: a deadlock, a task that failed, something left behind. */
async function runOnce({ run }: SoakWorld, seed: number): Promise<Run> {
  const world = new World(seed);
  try {
    const [first, ...more] = await run(world);
    if (first !== undefined)
      return { text: more.length === 0 ? first : `${first} (and ${more.length} more)`, traceHash: "" };
    await world.close();
    return { text: undefined, traceHash: world.trace.hash() };
  } catch (reason) {
    return { text: reason instanceof Error ? reason.message : String(reason), traceHash: "" };
  }
}

function replayLine({ testFile, testName }: SoakWorld, seed: number): string {
  return `SIM_SEED=${seed} npx vitest run test/simulation/${testFile} -t '${testName}'`;
}
