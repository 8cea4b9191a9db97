// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { memberIdOf } from "./query-members.ts";
import { type ReceivedBody, StandingRig } from "./testing/standing-rig.ts";

const pods = ["east/a", "east/b", "east/c", "west/d", "west/e"];

const anyStep = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("rows" as const), paths: fc.subarray(pods) }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant("time" as const), byMs: fc.integer({ min: 0, max: 30_000 }) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("restart" as const), paths: fc.subarray(pods) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("receiver" as const),
      mode: fc.constantFrom("takes", "refuses", "forgets"),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant("unread" as const), clusters: fc.subarray(["east", "west"]) }),
  },
);

function idOf(path: string): string {
  const [cluster = "", name = ""] = path.split("/");
  return memberIdOf({ cluster, resource: "pods", namespace: "shop", name });
}

/** A receiver that keeps the set of rows that match, from deliveries alone. It discards repeated ones by their id. */
class SetReceiver {
  readonly rows = new Set<string>();
  /** `forgets` takes a delivery and answers as if it had not. */
  mode = "takes";
  readonly #seen = new Set<string>();

  answer(text: string): number {
    if (this.mode === "refuses") return 503;
    const { delivery, entered, left } = JSON.parse(text) as ReceivedBody;
    if (!this.#seen.has(delivery)) {
      this.#seen.add(delivery);
      for (const { id } of entered?.rows ?? []) {
        expect(this.rows.has(id)).toBe(false);
        this.rows.add(id);
      }
      for (const { id } of left?.rows ?? []) expect(this.rows.delete(id)).toBe(true);
    }
    return this.mode === "forgets" ? 500 : 204;
  }
}

test("[SQ13] [SQ14] after any changes, restarts and failures a receiver that applies each delivery once has exactly the rows", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, { maxLength: 14 }), async (steps) => {
      const rig = await StandingRig.open();
      try {
        const receiver = new SetReceiver();
        rig.send = async ({ body }) => receiver.answer(body);
        await rig.create();
        for (const step of steps) {
          if (step.kind === "rows") rig.fleet.set(...step.paths);
          else if (step.kind === "time") await rig.clock.advance(step.byMs);
          else if (step.kind === "receiver") receiver.mode = step.mode;
          else if (step.kind === "unread") {
            rig.unread = new Set(step.clusters);
            rig.fleet.hidden.clear();
            for (const cluster of step.clusters) rig.fleet.hidden.add(cluster);
          } else {
            await rig.stop();
            rig.fleet.set(...step.paths);
            await rig.start();
          }
        }
        receiver.mode = "takes";
        rig.unread = new Set();
        rig.fleet.hidden.clear();
        await rig.clock.advance(600_000);
        expect(receiver.rows).toEqual(new Set([...rig.fleet.rows.keys()].map(idOf)));
      } finally {
        await rig.close();
      }
    }),
    { numRuns: 60 },
  );
});
