// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { silentLogger } from "../../base/log.ts";
import { createSeededRandom } from "../../base/random.ts";
import { ManualClock } from "../../base/testing/manual-clock.ts";
import type { KubeAnswer } from "../kube-source.ts";
import type { ReflectorEvent } from "../reflector-event.ts";
import { defaultReflectorSettings } from "./reflector-options.ts";
import { watchOnce } from "./watch-once.ts";

const bookmark = { type: "BOOKMARK", object: { kind: "Pod", apiVersion: "v1", metadata: { resourceVersion: "9" } } };

/** A clock of a process that can be stopped: time passes and no timer is called. */
class StoppableClock extends ManualClock {
  sleptMs = 0;

  override nowMs(): number {
    return super.nowMs() + this.sleptMs;
  }
}

test.each([
  ["in time, is a sign of life", 0, { resourceVersion: "9", heardAtMs: 0, error: undefined }],
  [
    "after a sleep longer than the longest silence, is none: it may have been said long ago",
    10_000,
    { resourceVersion: "7", heardAtMs: undefined, error: { fault: "timeout" } },
  ],
])("[KU13] [L8] what a watch reads %s", async (_, sleptMs, expected) => {
  const clock = new StoppableClock();
  const line = Promise.withResolvers<Uint8Array>();
  const answer: KubeAnswer = {
    status: 200,
    headers: new Map(),
    body: (async function* () {
      yield await line.promise;
    })(),
  };
  const told: ReflectorEvent["kind"][] = [];
  const options = {
    source: { request: () => Promise.resolve(answer) },
    clock,
    random: createSeededRandom("watch"),
    log: silentLogger,
    settings: { ...defaultReflectorSettings, watchSilenceMs: 5_000 },
    resource: { group: "", version: "v1", resource: "pods" },
    sink: () => undefined,
  };
  const emit = (event: ReflectorEvent): Promise<void> => {
    told.push(event.kind);
    return Promise.resolve();
  };
  const call = { from: { resourceVersion: "7" }, emit, heardAtMs: 0, relistInMs: undefined };
  const watching = watchOnce(options, call, new AbortController().signal);
  await clock.advance(0);
  clock.sleptMs = sleptMs;
  line.resolve(new TextEncoder().encode(`${JSON.stringify(bookmark)}\n`));
  const end = await watching;
  expect(end).toMatchObject(expected);
  expect(told).toEqual(expected.error === undefined ? ["current"] : []);
});
