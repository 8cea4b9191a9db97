// SPDX-License-Identifier: Apache-2.0
// The built agent as an operator runs it by hand, on a cluster of 50,000 Pods, each of which it has sent to a hub.
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { allowJoin, startAgent } from "../../bench/agent/agent-process.ts";
import { startBenchCluster } from "../../bench/agent/bench-cluster.ts";
import { measureMemory } from "../../bench/agent/process-memory.ts";
import { BenchHub, untilTrue } from "../../bench/support/bench-hub.ts";
import { buildPackage } from "../../bench/support/built-package.ts";

const podCount = 50_000;

/**
 * 128 MiB are promised, of which up to 85 are pages of Node's own program. Those are not the agent's: clean pages of
 * that file are shared by all Node processes of the machine and given back when memory is short, and how many are
 * present depends on how the kernel has cached the file (58 or 85 MiB have been seen for the same agent). So the test
 * judges what only the agent has, and `npm run bench -- agent` the sum.
 */
const ownLimitMib = 43;
/**
 * The peak of the first sync is 54 MiB on a quiet machine (`npm run bench -- agent` prints it); beside other tests
 * collections come later.
 */
const ownPeakLimitMib = 128;

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
  "[U-65] an agent has at most 43 MiB resident beside the pages of files on a cluster of 50,000 objects, and at most 128 while it first syncs them",
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
        return memory.ownSettledMib <= ownLimitMib;
      },
      120_000,
    );
    expect(memory.ownPeakMib).toBeLessThanOrEqual(ownPeakLimitMib);
  },
);
