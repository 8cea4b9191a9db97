// SPDX-License-Identifier: Apache-2.0
// The built agent as an operator runs it by hand, on a cluster of 50,000 Pods, each of which it has sent to a hub.
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { allowJoin, measureMemory, startAgent } from "../../bench/agent/agent-process.ts";
import { startBenchCluster } from "../../bench/agent/bench-cluster.ts";
import { BenchHub, untilTrue } from "../../bench/support/bench-hub.ts";
import { buildPackage } from "../../bench/support/built-package.ts";

const podCount = 50_000;

/** The promise. */
const limitMib = 128;
/** The peak of the first sync is 123 MiB on a machine of its own (`npm run bench -- agent`); beside other tests collections come later. */
const peakLimitMib = 192;

/** It takes half a minute on two free cores; others may need them too. */
const testLimitMs = 300_000;

const folder = mkdtempSync(join(tmpdir(), "flotilla-agent-memory-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function rowCountAt(hub: BenchHub, clusterId: string): Promise<bigint> {
  try {
    const { rowCount, connection } = await hub.cluster(clusterId);
    return connection?.state === "live" ? rowCount : 0n;
  } catch {
    return 0n; // it has not joined yet
  }
}

test.skipIf(!existsSync("/proc/self/status"))(
  "[U-65] an agent has at most 128 MiB resident on a cluster of 50,000 objects, and little more while it first syncs them",
  { timeout: testLimitMs },
  async () => {
    const program = await buildPackage(folder);
    await using hub = new BenchHub(program, folder);
    await hub.start();
    await using cluster = await startBenchCluster(folder, podCount);
    const place = { program, folder, hub, hubPort: hub.port, kubeconfig: cluster.kubeconfig, clusterId: "large" };
    await allowJoin(place);
    await using agent = startAgent(place);
    await untilTrue("the first sync", async () => (await rowCountAt(hub, "large")) === BigInt(podCount));
    // What is garbage goes in the next quiet moment, which on a busy machine may be some seconds away.
    let memory = await measureMemory(agent.pid, 2);
    await untilTrue(
      "the agent to settle",
      async () => {
        memory = await measureMemory(agent.pid, 1);
        return memory.settledMib <= limitMib;
      },
      120_000,
    );
    expect(memory.peakMib).toBeLessThanOrEqual(peakLimitMib);
  },
);
