// SPDX-License-Identifier: Apache-2.0
// Runs a scenario in a world of its own; a failure names the one line that replays it (SI6).
import { relative } from "node:path";
import { expect } from "vitest";
import { World } from "./world.ts";

/** Lines of the trace shown with a failure: enough to see what led to it. SIM_TRACE=1 shows all. */
const shownLines = 25;

/** What a scenario gave, and the hash of all that happened. */
export interface Simulated<Result> {
  readonly result: Result;
  readonly traceHash: string;
}

/** The seeds to run: 1 to `count`, or only SIM_SEED when it is set. SIM_SEED_COUNT runs more of them. */
export function seedsToRun(count: number, env: NodeJS.ProcessEnv = process.env): readonly number[] {
  const only = env["SIM_SEED"] ?? "";
  if (only !== "") return [Number(only)];
  const wanted = Number(env["SIM_SEED_COUNT"] ?? count);
  return Array.from({ length: wanted }, (_, index) => index + 1);
}

/** The command that runs this seed of this test alone. */
export function replayLine(seed: number, testFile: string, testName: string): string {
  const pattern = testName.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&").replaceAll("'", "'\\''");
  return `SIM_SEED=${seed} npx vitest run ${testFile} -t '${pattern}'`;
}

/** Runs `scenario` in a new world and closes the world, leak check included. For use inside a test. */
export async function simulate<Result>(
  seed: number,
  scenario: (world: World) => Promise<Result>,
): Promise<Simulated<Result>> {
  const world = new World(seed);
  try {
    const result = await scenario(world);
    await world.close();
    return { result, traceHash: world.trace.hash() };
  } catch (reason) {
    const { testPath = "", currentTestName = "" } = expect.getState();
    // The runner puts the names of the groups around the test before it, and matches -t against any part.
    const testName = currentTestName.split(" > ").at(-1) ?? "";
    const line = replayLine(seed, relative(process.cwd(), testPath), testName);
    const { lines } = world.trace;
    const shown = process.env["SIM_TRACE"] === "1" ? lines : lines.slice(-shownLines);
    const message = reason instanceof Error ? reason.message : String(reason);
    throw new Error(`${message}\nreplay: ${line}\n${shown.join("\n")}`, { cause: reason });
  }
}
