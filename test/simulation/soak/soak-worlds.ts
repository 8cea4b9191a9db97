// SPDX-License-Identifier: Apache-2.0
// The worlds that `npm run soak` runs, outside the test runner. What each of them promises is said by its test.
import type { World } from "../../support/sim/world.ts";
import { runFrozenAgent } from "../fleet/frozen-agent.ts";
import { measureRest } from "../fleet/hanging-clusters.ts";
import { runLostMessage } from "../fleet/lost-message.ts";
import { runScenario } from "../fleet/scenario.ts";
import { runShortCut } from "../fleet/short-cut.ts";
import { heartbeatMs } from "../fleet/timing.ts";
import { runTunnelScenario } from "../fleet/tunnel-scenario.ts";
import { runTwoHubs } from "../fleet/two-hubs.ts";
import { faultyWatches, runScenario as runWatchScenario } from "../watch/scenario.ts";

/** One kind of world. */
export interface SoakWorld {
  readonly name: string;
  /** It is run with each seed that is a multiple of this number. */
  readonly everySeeds: number;
  /**
   * The test that runs one seed of it: its file in `test/simulation`, and words of its name that no other test there
   * has.
   */
  readonly testFile: string;
  readonly testName: string;
  /** Answers what was not as promised, one sentence each. */
  readonly run: (world: World) => Promise<readonly string[]>;
}

/** Every kind of world. Those besides the first take about a fifth of the time together. */
export const soakWorlds: readonly SoakWorld[] = [
  {
    name: "fleet",
    everySeeds: 1,
    testFile: "fleet-1.test.ts",
    testName: "whatever goes wrong",
    run: (world) => runScenario(world, {}),
  },
  {
    name: "tunnels",
    everySeeds: 20,
    testFile: "fleet-tunnels.test.ts",
    testName: "whatever goes wrong",
    run: (world) => runTunnelScenario(world, {}),
  },
  {
    name: "lost message",
    everySeeds: 20,
    testFile: "fleet-lost-message.test.ts",
    testName: "a single message that is lost",
    run: async (world) => (await runLostMessage(world)).violations,
  },
  {
    name: "two hubs",
    everySeeds: 40,
    testFile: "fleet-two-hubs.test.ts",
    testName: "two hubs on one store",
    run: (world) => runTwoHubs(world),
  },
  {
    name: "frozen agent",
    everySeeds: 40,
    testFile: "fleet-frozen.test.ts",
    testName: "whose agent was frozen",
    run: runFrozenAgent,
  },
  {
    name: "short cut",
    everySeeds: 40,
    testFile: "fleet-short-cut.test.ts",
    testName: "after a cut of a second",
    run: async (world) => {
      const { greetings, violations } = await runShortCut(world);
      const isOne = greetings.join() === "up hello,down welcome";
      return isOne ? violations : [...violations, `after a cut of a second passed ${greetings.join(", ")}`];
    },
  },
  {
    name: "watches of the store",
    everySeeds: 40,
    testFile: "watch.test.ts",
    testName: "after all faults both clients",
    run: (world) => runWatchScenario(world, faultyWatches),
  },
  {
    name: "hanging clusters",
    everySeeds: 1_000,
    testFile: "fleet-hanging.test.ts",
    testName: "clusters hanging",
    run: async (world) => {
      const { calmMs, hangingMs } = await measureRest(world);
      if (hangingMs <= calmMs + heartbeatMs) return [];
      return [`changes take ${hangingMs} ms with some clusters hanging, ${calmMs} ms with none`];
    },
  },
];
