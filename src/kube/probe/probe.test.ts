// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { SimApiServer } from "../../../test/support/sim/sim-api-server.ts";
import { BugError } from "../../base/assert.ts";
import { ManualClock } from "../../base/manual-clock.ts";
import { createSeededRandom } from "../../base/random.ts";
import { KubeError } from "../kube-error.ts";
import type { KubeAnswer, KubeSource } from "../kube-source.ts";
import { Probe, type ProbeOutcome } from "./probe.ts";

function openRig(source?: KubeSource) {
  const clock = new ManualClock();
  const askedAtMs: number[] = [];
  const server = new SimApiServer({
    clock,
    random: createSeededRandom(1),
    latency: { minMs: 0, maxMs: 0 },
    onRequest: () => askedAtMs.push(clock.nowMs()),
  });
  const outcomes: (ProbeOutcome & { readonly atMs: number })[] = [];
  const probe = new Probe({
    source: source ?? server,
    clock,
    intervalMs: 10_000,
    timeoutMs: 5_000,
    onOutcome: (outcome) => outcomes.push({ ...outcome, atMs: clock.nowMs() }),
  });
  const stop = new AbortController();
  const running = probe.run(stop.signal);
  running.catch(() => undefined);
  return {
    clock,
    server,
    probe,
    outcomes,
    askedAtMs,
    async [Symbol.asyncDispose]() {
      stop.abort(new Error("over"));
      await expect(running).rejects.toThrow("over");
      expect(clock.timerCount).toBe(0);
    },
  };
}

/** Answers when told to, whatever the signal says: a client whose answers come late. */
class LateSource implements KubeSource {
  readonly answers: ((error: KubeError | undefined) => void)[] = [];

  request(): Promise<KubeAnswer> {
    return new Promise((resolve, reject) => {
      this.answers.push((error) => {
        if (error !== undefined) reject(error);
        else resolve({ status: 200, headers: new Map(), body: (async function* () {})() });
      });
    });
  }
}

test("[KU20] it asks at once and then every interval", async () => {
  await using rig = openRig();
  await rig.clock.advance(25_000);
  expect(rig.askedAtMs).toEqual([0, 10_000, 20_000]);
  expect(rig.outcomes.map(({ kind }) => kind)).toEqual(["ok", "ok", "ok"]);
});

test("[KU20] no answer is a fault by the probe's own deadline, before the next is due", async () => {
  await using rig = openRig();
  await rig.clock.advance(1_000);
  rig.server.setState("unreachable");
  await rig.clock.advance(15_000);
  expect(rig.outcomes.at(-1)).toMatchObject({ kind: "fault", fault: "timeout", tookMs: 5_000, atMs: 15_000 });
});

test("[KU20][R-8] told of a broken watch it asks at once, one at a time, and once more where it was asked meanwhile", async () => {
  await using rig = openRig();
  await rig.clock.advance(2_000);
  rig.server.setState("unreachable");
  rig.probe.askNow();
  await rig.clock.advance(100);
  for (let count = 0; count < 5; count += 1) rig.probe.askNow();
  rig.server.setState("down");
  await rig.clock.advance(5_000);
  expect(rig.outcomes.slice(1)).toMatchObject([
    { fault: "timeout", atMs: 7_000 },
    { fault: "tcp", atMs: 7_000 },
  ]);
});

test("[R-27] an error of the old connection that comes after the swap changes nothing", async () => {
  const old = new LateSource();
  await using rig = openRig(old);
  await rig.clock.advance(10);
  rig.probe.replaceSource(rig.server);
  old.answers[0]?.(new KubeError("tcp", "of the old one"));
  await rig.clock.advance(10);
  expect(rig.outcomes).toMatchObject([{ kind: "ok" }]);
  expect(old.answers).toHaveLength(1);
});

test.each([
  [403, "ok"],
  [404, "ok"],
  [500, "fault"],
  [401, "fault"],
])("[KU20] an answer of %d is %s", async (status, kind) => {
  await using rig = openRig();
  rig.server.faults.add({ fault: { kind: "status", status } });
  rig.probe.askNow();
  await rig.clock.advance(1);
  expect(rig.outcomes.at(-1)).toMatchObject({ kind });
});

test("[L11] a timeout that is no shorter than the interval is refused", () => {
  const clock = new ManualClock();
  const options = { source: new LateSource(), clock, onOutcome: () => undefined };
  expect(() => new Probe({ ...options, intervalMs: 5_000, timeoutMs: 5_000 })).toThrow(BugError);
});
