// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { podKind } from "../../kinds/pod-kind.ts";
import { HintRig } from "./testing/hint-rig.ts";

const name = fc.constantFrom("a", "b", "c");
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("put"), name, phase: fc.constantFrom("Pending", "Running") }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("delete"), name }) },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant("hint"), name, heldMs: fc.constantFrom(0, 3, 40, 3_000) }) },
  fc.record({ kind: fc.constant("break"), how: fc.constantFrom("silence", "expire", "reset", "end") }),
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("wait"), ms: fc.constantFrom(0, 1, 5, 50, 2_000) }) },
);

/** Carries out one step; an answer to a hint is held for some time after the API server gave it. */
async function carryOut(
  hints: HintRig,
  one: typeof step extends fc.Arbitrary<infer Step> ? Step : never,
): Promise<void> {
  const { clock, server } = hints.rig;
  if ("phase" in one) hints.put(one.name, one.phase);
  else if ("heldMs" in one) {
    const { heldMs } = one;
    hints.beforeAnswer = () => clock.sleep(heldMs);
    hints.give(one.name);
    await clock.advance(6);
  } else if ("name" in one) hints.remove(one.name);
  else if ("how" in one) {
    if (one.how === "expire") server.compact();
    server.breakWatches(one.how);
  } else await clock.advance(one.ms);
}

test.each([
  ["as a whole", {}],
  ["by namespace", { include: ["shop"] }],
])(
  "[Q-33] [SE67] [L4] whatever hints come, the rows of a kind followed %s end as the cluster is",
  async (_how, filter) => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        await using hints = new HintRig({ filter });
        for (const one of steps) await carryOut(hints, one);
        // Enough for every silent watch to be noticed; nothing is listed again without a reason.
        await hints.rig.clock.advance(400_000);
        const wanted = hints.rig.server
          .list({ group: "", version: "v1", resource: "pods" })
          .map(({ json }) => JSON.parse(json) as { metadata: { name: string; uid: string }; status: { phase: string } })
          .map(({ metadata, status }) => `${metadata.name} ${metadata.uid} ${status.phase}`);
        const found = hints.rig
          .rowsOf(podKind)
          .map((row) => `${row.name} ${row.uid} ${row.columns.get("phase")?.toString() ?? ""}`);
        expect(found.toSorted()).toEqual(wanted.toSorted());
      }),
      { numRuns: 150 },
    );
  },
);
