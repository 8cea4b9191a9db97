// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { silentLogger } from "../../base/log.ts";
import { createSeededRandom } from "../../base/random.ts";
import { KindState } from "../../gen/flotilla/session/v1/session_pb.ts";
import { configMapKind } from "../../kinds/config-map-kind.ts";
import { deploymentKind } from "../../kinds/deployment-kind.ts";
import type { Kind } from "../../kinds/kind.ts";
import { namespaceKind } from "../../kinds/namespace-kind.ts";
import { podKind } from "../../kinds/pod-kind.ts";
import { serviceKind } from "../../kinds/service-kind.ts";
import { ApiServerMonitor } from "../api-server-monitor.ts";
import { CollectorRig } from "./testing/collector-rig.ts";

const kinds: readonly Kind[] = [namespaceKind, podKind, serviceKind, configMapKind, deploymentKind];

/**
 * As an agent wires them. The delays between probes of a lost server are short here: the tests are of what follows a
 * probe.
 */
function startMonitor(rig: CollectorRig, seed: string): { readonly returnedAtMs: number[]; stop(): Promise<void> } {
  const returnedAtMs: number[] = [];
  const monitor = new ApiServerMonitor({
    source: rig.server,
    reload: () => Promise.resolve(),
    settings: {
      probeIntervalMs: 10_000,
      probeTimeoutMs: 5_000,
      degradedLimitCount: 3,
      isPolled: true,
      retry: { firstMs: 1_000, factor: 1, capMs: 1_000 },
    },
    clock: rig.clock,
    random: createSeededRandom(seed),
    log: silentLogger,
    onReturn: () => {
      returnedAtMs.push(rig.clock.nowMs());
      rig.returns.announce();
    },
  });
  rig.onDoubt = () => monitor.noteDoubt();
  rig.onAnswer = () => monitor.noteAnswer();
  const stopping = new AbortController();
  const running = monitor.run(stopping.signal).catch(() => undefined);
  return {
    returnedAtMs,
    stop: async () => {
      stopping.abort(new Error("the test is over"));
      await running;
    },
  };
}

function statesOf(rig: CollectorRig): ReadonlySet<KindState | undefined> {
  return new Set(kinds.map((kind) => rig.reportOf(kind)?.state));
}

test.each([
  ["down", "a"],
  ["down", "b"],
  ["unreachable", "c"],
  ["unreachable", "d"],
] as const)(
  "[KU14] [R-4] kinds that failed with the API server (%s, seed %s) are followed again within 3 s of the probe that finds it back, not after 26 s",
  async (how, seed) => {
    await using rig = new CollectorRig({ kinds });
    const monitor = startMonitor(rig, seed);
    await rig.clock.advance(5_000);
    expect(statesOf(rig)).toEqual(new Set([KindState.WATCHING]));
    rig.server.setState(how);
    if (how === "unreachable") rig.server.breakWatches("reset");
    await rig.clock.advance(61_000);
    expect(statesOf(rig)).toEqual(new Set([KindState.FAILED]));
    rig.server.setState("up");
    for (let waitedMs = 0; monitor.returnedAtMs.length === 0 && waitedMs < 20_000; waitedMs += 100)
      await rig.clock.advance(100);
    expect(monitor.returnedAtMs).toHaveLength(1);
    await rig.clock.advance(3_000);
    expect(statesOf(rig)).toEqual(new Set([KindState.WATCHING]));
    await monitor.stop();
  },
);

test("[KU14] a server that refuses everybody while it starts is asked again soon, not after 30 s", async () => {
  await using rig = new CollectorRig({ kinds });
  const monitor = startMonitor(rig, "starts");
  await rig.clock.advance(5_000);
  rig.server.setState("down");
  await rig.clock.advance(40_000);
  const { isAllowed } = rig.server;
  rig.server.isAllowed = () => false;
  rig.server.setState("up");
  await rig.clock.advance(4_000);
  expect(statesOf(rig)).toEqual(new Set([KindState.FAILED]));
  rig.server.isAllowed = isAllowed;
  await rig.clock.advance(5_000);
  expect(statesOf(rig)).toEqual(new Set([KindState.WATCHING]));
  await monitor.stop();
});
