// SPDX-License-Identifier: Apache-2.0
import type { Cast } from "./cast.ts";
import { type Fault, pick, type Trouble } from "./fault.ts";

/**
 * What happens to processes that stay: for a while they do nothing. As long as it takes for a session, a watch and a
 * claim to end meanwhile.
 */
export function freezeFaults(cast: Cast): readonly Trouble[] {
  return [{ name: "freeze", fault: freezeAgent(cast), gapMs: [500, 6_000], lastsMs: [500, 20_000] }];
}

/** As a process that is stopped, or a machine that sleeps: the agent does nothing, and its sockets stay. */
function freezeAgent({ world, agents }: Cast): Fault {
  return (random) => {
    const { steps, name } = pick(random, agents);
    world.trace.add(`${name} freezes`);
    steps.freeze();
    return () => {
      world.trace.add(`${name} thaws`);
      steps.thaw(pick(random, ["timers", "reads"] as const), world.clock);
    };
  };
}
