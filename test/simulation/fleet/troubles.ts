// SPDX-License-Identifier: Apache-2.0
// How things go wrong in the fleet's world: troubles, each a task of its own with its own chance. What can be put right
// is put right when it is stopped; streams that are dead without knowing it stay.
import type { SeededRandom } from "../../../src/base/random.ts";
import { drawDelayMs } from "../../support/sim/delay.ts";
import type { SimTask } from "../../support/sim/task.ts";
import type { World } from "../../support/sim/world.ts";
import type { Cast } from "./cast.ts";
import { clusterFaults } from "./cluster-faults.ts";
import type { Trouble } from "./fault.ts";
import { freezeFaults } from "./freeze-faults.ts";
import { hostFaults } from "./host-faults.ts";
import { networkFaults } from "./network-faults.ts";

/**
 * Starts some of all troubles, drawn: faults that come alone show other mistakes than those that come together. With
 * names: exactly those.
 */
export function startTroubles(cast: Cast, names?: readonly string[]): readonly SimTask[] {
  const { world } = cast;
  const chosen = world.random.fork("troubles");
  const all = [...hubTroubles(cast), ...sharedTroubles(cast)];
  const isChosen = ({ name }: Trouble): boolean => (names === undefined ? chosen.int(2) === 0 : names.includes(name));
  return runTroubles(world, all.filter(isChosen));
}

/** Those of one hub, of its links and of who comes to it. */
export function hubTroubles(cast: Cast): readonly Trouble[] {
  return [...networkFaults(cast), ...hostFaults(cast)];
}

/** Those of clusters and agents, at any hub. */
export function sharedTroubles(cast: Cast): readonly Trouble[] {
  return [...clusterFaults(cast), ...freezeFaults(cast)];
}

/** Starts these troubles, each a task. */
export function runTroubles(world: World, troubles: readonly Trouble[]): readonly SimTask[] {
  return troubles.map((trouble) => {
    const random = world.random.fork(`trouble ${trouble.name}`);
    return world.spawn(`trouble ${trouble.name}`, (signal) => runTrouble(world, trouble, random, signal));
  });
}

async function runTrouble(world: World, trouble: Trouble, random: SeededRandom, signal: AbortSignal): Promise<void> {
  const pause = ([minMs, maxMs]: readonly [number, number]): Promise<void> =>
    world.clock.sleep(drawDelayMs({ minMs, maxMs }, random), signal);
  for (;;) {
    await pause(trouble.gapMs);
    const undo = trouble.fault(random);
    try {
      await pause(trouble.lastsMs);
    } finally {
      undo();
    }
  }
}
