// SPDX-License-Identifier: Apache-2.0
// A hub restarts with 1,000 agents: hub and uplinks that ship, in virtual time, on streams in memory.
import { expect, test } from "vitest";
import { pagePacker } from "../../src/agent/page-packer.ts";
import { runUplink } from "../../src/agent/uplink/run-uplink.ts";
import type { UplinkOptions } from "../../src/agent/uplink/uplink-options.ts";
import { FlotillaError } from "../../src/base/error.ts";
import { silentLogger } from "../../src/base/log.ts";
import { createSeededRandom } from "../../src/base/random.ts";
import { silentMetrics } from "../../src/base/testing/silent-metrics.ts";
import { keyNamed } from "../../src/hub/fleet/testing/model-agent.ts";
import { register } from "../../src/hub/fleet/testing/register.ts";
import { createStreamPair } from "../../src/hub/fleet/testing/stream-pair.ts";
import {
  createDisk,
  hasher,
  hubName,
  plainCodec,
  signFor,
  startFleet,
  type TestFleet,
} from "../../src/hub/fleet/testing/test-fleet.ts";
import { parseClusterId } from "../../src/model/cluster-id.ts";
import { RowTable } from "../../src/session/agent/row-table.ts";
import { defaultSessionLimits } from "../../src/session/hub/session-limits.ts";

const agentCount = 1_000;
const admissionRate = 50;

/** Who dialled and who was accepted, by the second. */
class Arrivals {
  readonly dials = new Map<number, number>();
  readonly lives = new Map<number, number>();

  note(of: Map<number, number>, nowMs: number): void {
    const second = Math.floor(nowMs / 1_000);
    of.set(second, (of.get(second) ?? 0) + 1);
  }
}

/** Agents that come to whatever hub there is; `leave` ends them. */
class Agents {
  arrivals = new Arrivals();
  readonly live = new Set<string>();
  readonly #stop = new AbortController();
  readonly #running: Promise<void>[] = [];

  start(hub: () => TestFleet | undefined, id: string, clock: UplinkOptions["clock"]): void {
    const options: UplinkOptions = {
      clock,
      random: createSeededRandom(id),
      transport: {
        dial: async () => {
          this.arrivals.note(this.arrivals.dials, clock.nowMs());
          const fleet = hub()?.fleet;
          if (fleet === undefined) throw new FlotillaError("UNAVAILABLE", "nothing listens there");
          const { client, server } = createStreamPair();
          fleet.accept(server, id);
          return client;
        },
      },
      codec: plainCodec,
      hasher,
      signer: { sign: async (bytes) => signFor(keyNamed(id), bytes) },
      log: silentLogger,
      metrics: silentMetrics,
      identity: {
        clusterId: id,
        shard: "",
        clusterUid: `uid-${id}`,
        agentVersion: "1.0.0",
        metadata: { region: "", environment: "", version: "", kubernetesVersion: "", labels: {} },
        includedNamespaces: [],
        excludedNamespaces: [],
      },
      rows: new RowTable({ clusterId: parseClusterId(id), hasher, packer: pagePacker }),
      kindReports: { list: () => [], subscribe: () => () => undefined },
      apiServer: () => ({ fault: "", sinceMs: 0, error: "", attemptCount: 0, retryAtMs: undefined }),
      session: { hubName, syncIntervalMs: 30_000, minFlushIntervalMs: 200, maxFlushIntervalMs: 2_000 },
      reconnect: { firstMs: 500, factor: 2, capMs: 30_000, stableMs: 60_000 },
      dialTimeoutMs: 10_000,
      onStatus: ({ state }) => {
        if (state !== "live") this.live.delete(id);
        else if (!this.live.has(id)) {
          this.live.add(id);
          this.arrivals.note(this.arrivals.lives, clock.nowMs());
        }
      },
      onConfig: () => undefined,
    };
    this.#running.push(runUplink(options, this.#stop.signal));
  }

  async leave(): Promise<void> {
    this.#stop.abort(new Error("the test is over"));
    await Promise.all(this.#running);
  }
}

test("[U-52, L12] 1,000 agents after a hub restart arrive at a bounded rate, and all arrive", {
  timeout: 120_000,
}, async () => {
  const disk = createDisk();
  const { clock } = disk;
  // Heartbeats are not what this is about, and 1,000 of them take their time.
  const rest = { drainMs: 1_000, limits: { ...defaultSessionLimits, heartbeatMs: 30_000 } };
  const ids = Array.from({ length: agentCount }, (_, at) => `c${at}`);
  let hub: TestFleet | undefined = await startFleet({ disk, settings: { admissionRate: 10 * agentCount, ...rest } });
  await register(hub.fleet, ...ids);
  const agents = new Agents();
  for (const id of ids) agents.start(() => hub, id, clock);
  const runUntilLive = async (): Promise<number> => {
    const fromMs = clock.nowMs();
    while (agents.live.size < agentCount && clock.nowMs() < fromMs + 300_000) await clock.advance(500);
    return clock.nowMs() - fromMs;
  };
  await runUntilLive();
  expect(agents.live.size).toBe(agentCount);

  await hub.stop();
  hub = undefined;
  await clock.advance(20_000);
  expect(agents.live.size).toBe(0);
  agents.arrivals = new Arrivals();
  hub = await startFleet({ disk, settings: { admissionRate, ...rest }, name: "second" });
  const tookMs = await runUntilLive();

  expect(agents.live.size).toBe(agentCount);
  // A second of the clock may hold the burst of one and the rate of the next.
  expect(Math.max(...agents.arrivals.lives.values())).toBeLessThanOrEqual(2 * admissionRate);
  // Full jitter: no wave of all at once, which a restart would have made without it.
  expect(Math.max(...agents.arrivals.dials.values())).toBeLessThan(agentCount / 2);
  // At the rate they need 20 s; what backoff has grown to may come before and after.
  expect(tookMs).toBeLessThan((agentCount / admissionRate) * 1_000 + 2 * 30_000);
  await Promise.all([agents.leave(), clock.advance(1_000)]);
  await hub.stop();
});
