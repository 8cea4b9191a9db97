// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { settle } from "../../base/testing/manual-clock.ts";
import type { ModelAgent } from "../fleet/testing/model-agent.ts";
import { agentOf, namesOf, register } from "../fleet/testing/register.ts";
import { startFleet } from "../fleet/testing/test-fleet.ts";

type Step =
  | { readonly kind: "dial" | "cut" | "silence" | "goodbye" | "flush"; readonly agent: number }
  | { readonly kind: "wait"; readonly ms: number };

const agentNumber = fc.nat({ max: 2 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("dial" as const), agent: agentNumber }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constantFrom("cut", "silence", "goodbye", "flush"), agent: agentNumber }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant("wait" as const), ms: fc.constantFrom(1, 4_000, 11_000, 61_000) }),
  },
);

/** An agent that answers its challenge as soon as it comes, so that several can be in the middle of it at once. */
async function dial(agent: ModelAgent): Promise<void> {
  agent.dial();
  agent.hello();
  agent.prove((await agent.next("challenge")).nonce);
}

test("[N-33] [SE9] over any connects, cuts, silences and delays at most one session lives, epochs only grow, and only its agent writes", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const hub = await startFleet();
      await register(hub.fleet, "east");
      const agents = [0, 1, 2].map((at) => agentOf(hub.fleet, "east", { agentId: `agent-${at}` }));
      const dialled = new Set<ModelAgent>();
      for (const each of steps) {
        if (each.kind === "wait") await hub.clock.advance(each.ms);
        else {
          const agent = agents[each.agent];
          if (agent === undefined) throw new Error("there are three agents");
          if (each.kind === "dial") {
            await dial(agent);
            dialled.add(agent);
          } else if (dialled.has(agent) && each.kind === "cut") agent.end.close();
          else if (dialled.has(agent) && each.kind === "silence") agent.end.isDeaf = true;
          else if (dialled.has(agent) && each.kind === "goodbye") agent.goodbye();
          else if (dialled.has(agent) && each.kind === "flush") {
            agent.seq = (await hub.fleetLog.progress("east", ""))?.seq ?? 0;
            await agent.flush([{ resource: "pods", rows: [agent.row("pods", { name: `by-${each.agent}` })] }]);
          }
        }
        expect(hub.fleet.sessions.list().length).toBeLessThanOrEqual(1);
      }
      await settle();
      const { beginnings, endings } = hub.observer;
      const epochs = beginnings.map(({ epoch }) => epoch);
      expect(epochs).toEqual(epochs.toSorted((a, b) => a - b));
      expect(new Set(epochs).size).toBe(epochs.length);
      expect(beginnings.length - endings.length).toBe(hub.fleet.sessions.list().length);
      const writers = new Set(beginnings.map(({ agentId }) => `by-${agentId.slice(-1)}`));
      for (const name of namesOf(hub.fleet, "east", "pods")) expect(writers).toContain(name);
      await hub.stop();
      expect(hub.clock.timerCount).toBe(0);
    }),
    { numRuns: 25 },
  );
});
