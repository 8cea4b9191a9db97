// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createSeededRandom } from "../../base/random.ts";
import { pod, pods, ReflectorRig } from "./testing/reflector-rig.ts";

type Step =
  | { readonly kind: "put" | "delete"; readonly nth: number }
  | { readonly kind: "break"; readonly how: "reset" | "end" | "silence" | "expire" }
  | { readonly kind: "compact" | "down" | "unreachable" | "up" }
  | { readonly kind: "fault"; readonly status: number; readonly count: number }
  | { readonly kind: "odd"; readonly how: "hang" | "reset" | "cutBody" | "silentWatch"; readonly count: number }
  | { readonly kind: "wait"; readonly ms: number };

const nth = fc.nat(7);
const count = fc.integer({ min: 1, max: 3 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant("put" as const), nth }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("delete" as const), nth }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("break" as const),
      how: fc.constantFrom("reset", "end", "silence", "expire"),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom("compact", "down", "unreachable", "up", "up") }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("fault" as const),
      status: fc.constantFrom(410, 429, 500, 504, 401),
      count,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("odd" as const),
      how: fc.constantFrom("hang", "reset", "cutBody", "silentWatch"),
      count,
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant("wait" as const), ms: fc.constantFrom(1, 3, 10, 500, 5_000, 40_000) }),
  },
);

async function take(rig: ReflectorRig, now: Step): Promise<void> {
  const { server, clock } = rig;
  if (now.kind === "put") server.put(pods, pod(`p${now.nth}`, now.nth % 2 === 0 ? "shop" : "bank"));
  else if (now.kind === "delete") server.delete(pods, now.nth % 2 === 0 ? "shop" : "bank", `p${now.nth}`);
  else if (now.kind === "break") server.breakWatches(now.how);
  else if (now.kind === "compact") server.compact();
  else if (now.kind === "wait") await clock.advance(now.ms);
  else if (now.kind === "fault") server.faults.add({ fault: { kind: "status", status: now.status }, count: now.count });
  else if (now.kind === "odd") server.faults.add({ fault: { kind: now.how }, count: now.count });
  else server.setState(now.kind);
}

/** What the receiver holds after all of it, once everything works again, is what the server has. */
async function converges(
  script: readonly Step[],
  mode: "watchList" | "pages" | "poll",
  slowness: number,
): Promise<void> {
  await using rig = new ReflectorRig({ offersWatchList: mode === "watchList" }, JSON.stringify(script));
  const random = createSeededRandom(slowness);
  const sink = async (): Promise<void> => {
    if (slowness > 0 && random.int(3) === 0) await rig.clock.sleep(random.int(slowness));
  };
  const refuseWatch = (): void => {
    if (mode !== "poll") return;
    rig.server.faults.add({ fault: { kind: "status", status: 403 }, matches: ({ verb }) => verb === "watch" });
  };
  refuseWatch();
  rig.start({ pageSize: 3, watchSilenceMs: 90_000, requestTimeoutMs: 10_000, maxSyncIntervalMs: 60_000 }, { sink });
  for (const now of script) await take(rig, now);
  rig.server.setState("up");
  rig.server.faults.clear();
  refuseWatch();
  await rig.clock.advance(300_000);
  expect(rig.folded.objects).toEqual(rig.truth);
  expect(rig.ofKind("current").length).toBeGreaterThan(0);
}

describe.each(["watchList", "pages", "poll"] as const)("through %s", (mode) => {
  test("[KU10][KU12][KU13][KU14][KU16] whatever is written and whatever breaks, what was told comes to what the server has", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 5, maxLength: 30 }),
        fc.constantFrom(0, 50, 2_000),
        (script, slowness) => converges(script, mode, slowness),
      ),
      { numRuns: 60 },
    );
  });
});
