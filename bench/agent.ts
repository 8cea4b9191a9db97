// SPDX-License-Identifier: Apache-2.0
// Memory, first sync and bytes on the wire of the built agent, as a process beside an API server with 50,000 Pods and a
// hub. A relay between agent and hub counts the bytes. Peers: informers on the same objects, and full state every 30 s,
// which is how Navigator sends it. Budget at 50,000 objects:
// - RSS <= 128 MiB at rest and at its peak. At rest <= 43 MiB besides pages of files, and <= 40 MiB more than at 0.
// - An unchanged cluster sends <= 1 KB a minute besides heartbeats, a restart with nothing changed <= 64 KB.
// BENCH_PODS sets another number of Pods, BENCH_GO_INFORMER="" leaves out the peer in Go.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type AgentPlace, allowJoin, startAgent } from "./agent/agent-process.ts";
import { startBenchCluster } from "./agent/bench-cluster.ts";
import { type FullState, measureFullState, statesPerMinute } from "./agent/full-state.ts";
import { buildGoInformer, measureInformer } from "./agent/informer-peer.ts";
import { type Memory, measureMemory } from "./agent/process-memory.ts";
import { cpuMsOf } from "./apiserver/process-figures.ts";
import { BenchHub, untilTrue } from "./support/bench-hub.ts";
import { buildPackage } from "./support/built-package.ts";
import { ByteRelay } from "./support/byte-relay.ts";
import { type PromiseFigure, quantile, reportPromise } from "./support/promise.ts";

const podCount = Number(process.env["BENCH_PODS"] ?? 50_000);

/** With the hub's default interval of 5 s. */
const heartbeatsPerMinute = 12;

/** Time for which the memory of an agent at rest is read. It reaches its least within six seconds. */
const restSeconds = 10;

const report = (figure: Omit<PromiseFigure, "bench">): void => reportPromise({ bench: "agent", ...figure });

interface Parts {
  readonly program: string;
  readonly folder: string;
  readonly hub: BenchHub;
}

async function benchEmpty(parts: Parts): Promise<Memory> {
  await using cluster = await startBenchCluster(parts.folder, 0);
  const place = { ...parts, hubPort: parts.hub.port, kubeconfig: cluster.kubeconfig, clusterId: "empty" };
  await allowJoin(place);
  await using agent = startAgent(place);
  await untilLive(parts.hub, "empty", 0);
  const memory = await measureMemory(agent.pid, restSeconds);
  const { settledMib: ours, peakMib, ownSettledMib, ownPeakMib } = memory;
  report({ what: "agent RSS at 0 objects", ours, unit: "MiB", more: { peakMib, ownSettledMib, ownPeakMib } });
  return memory;
}

function untilLive(hub: BenchHub, id: string, rowCount: number): Promise<void> {
  return untilTrue(`${id} with ${rowCount} rows`, async () => {
    try {
      const cluster = await hub.cluster(id);
      return cluster.rowCount === BigInt(rowCount) && cluster.connection?.state === "live";
    } catch {
      return false; // not joined yet
    }
  });
}

async function benchFirstSync(place: AgentPlace, relay: ByteRelay, state: FullState, empty: Memory): Promise<Memory> {
  await using agent = startAgent(place);
  await untilLive(place.hub, place.clusterId, podCount);
  const syncMs = performance.now() - agent.startedMs;
  report({
    what: `first sync of ${podCount} objects, from the start of the process`,
    ours: syncMs / 1_000,
    unit: "s",
    more: { agentCpuSeconds: cpuMsOf(agent.pid) / 1_000, objectsPerSecond: podCount / (syncMs / 1_000) },
  });
  report({
    what: "bytes of the first sync [U-67]",
    ours: relay.upBytes / 1_000,
    unit: "KB",
    against: { kind: "atMost", value: state.jsonBytes / 4 / 1_000 },
    more: { jsonKb: state.jsonBytes / 1_000, gzipKb: state.gzipBytes / 1_000, ofJson: relay.upBytes / state.jsonBytes },
  });
  const memory = await measureMemory(agent.pid, restSeconds);
  reportMemory(memory, empty);
  await benchQuiet(relay, state);
  return memory;
}

/** RSS is promised. Own memory is what an agent adds to a machine whose page cache holds Node already. */
function reportMemory({ settledMib, peakMib, ownSettledMib, ownPeakMib }: Memory, empty: Memory): void {
  const unit = "MiB";
  const promised = { kind: "atMost", value: 128 } as const;
  report({ what: `agent RSS at ${podCount} objects [U-65]`, ours: settledMib, unit, against: promised });
  report({ what: `agent RSS at its peak at ${podCount} objects [U-65]`, ours: peakMib, unit, against: promised });
  const own = { kind: "atMost", value: 43 } as const;
  const more = { ownPeakMib };
  report({ what: `agent memory of its own at ${podCount} objects`, ours: ownSettledMib, unit, against: own, more });
  const growth = { kind: "atMost", value: 40 } as const;
  report({
    what: `agent RSS that ${podCount} objects add`,
    ours: settledMib - empty.settledMib,
    unit,
    against: growth,
  });
}

async function benchQuiet(relay: ByteRelay, state: FullState): Promise<void> {
  relay.reset();
  await new Promise((resolve) => setTimeout(resolve, 60_000));
  const { totalBytes, bursts } = relay;
  const sizes = bursts.map(({ bytes }) => bytes).toSorted((a, b) => a - b);
  // Most bursts are a heartbeat and nothing else.
  const heartbeatBytes = quantile(sizes, 0.4);
  const ours = totalBytes - heartbeatsPerMinute * heartbeatBytes;
  const more = { totalBytes, heartbeatBytes, burstCount: bursts.length };
  const what = `a minute of ${podCount} unchanged objects, beside heartbeats`;
  report({ what, ours, unit: "bytes", against: { kind: "atMost", value: 1_000 }, more });
  const full = statesPerMinute * state.jsonBytes;
  const zipped = statesPerMinute * state.gzipBytes;
  const whole = "a minute of unchanged objects, heartbeats and all";
  report({
    what: whole,
    ours: totalBytes,
    unit: "bytes",
    against: { kind: "peer", name: "full state as JSON", value: full },
  });
  report({
    what: whole,
    ours: totalBytes,
    unit: "bytes",
    against: { kind: "peer", name: "full state, gzip", value: zipped },
  });
}

async function benchRestart(place: AgentPlace, relay: ByteRelay, state: FullState): Promise<void> {
  relay.reset();
  await using _agent = startAgent(place);
  await untilTrue("the agent's return", () => relay.totalBytes > 0);
  await untilLive(place.hub, place.clusterId, podCount);
  await new Promise((resolve) => setTimeout(resolve, 5_000));
  const { totalBytes, upBytes } = relay;
  const what = "agent restart with nothing changed";
  report({ what, ours: totalBytes / 1_000, unit: "KB", against: { kind: "atMost", value: 64 }, more: { upBytes } });
  const peer = { kind: "peer", name: "full state, gzip", value: state.gzipBytes / 1_000 } as const;
  report({ what, ours: totalBytes / 1_000, unit: "KB", against: peer });
}

async function benchPeers(folder: string, kubeconfig: string, agent: Memory): Promise<void> {
  const script = fileURLToPath(new URL("./agent/node-informer.ts", import.meta.url));
  const peers = [
    { name: "client-go informer", command: await buildGoInformer(folder), args: [kubeconfig] },
    { name: "client-node informer", command: process.execPath, args: [script, kubeconfig] },
  ];
  for (const { name, command, args } of peers) {
    if (command === undefined) continue;
    const { memory, syncMs } = await measureInformer({ command, args, cwd: folder }, podCount);
    const more = { peerSyncSeconds: syncMs / 1_000 };
    const figures = [
      { what: `agent RSS at ${podCount} objects`, ours: agent.settledMib, value: memory.settledMib },
      { what: `agent RSS at its peak at ${podCount} objects`, ours: agent.peakMib, value: memory.peakMib },
    ];
    for (const { what, ours, value } of figures)
      report({ what, ours, unit: "MiB", against: { kind: "peer", name, value }, more });
  }
}

const folder = mkdtempSync(join(tmpdir(), "flotilla-bench-agent-"));
try {
  const program = await buildPackage(folder);
  const state = await measureFullState(podCount);
  await using hub = new BenchHub(program, folder);
  await hub.start();
  const empty = await benchEmpty({ program, folder, hub });
  await using cluster = await startBenchCluster(folder, podCount);
  await using relay = await ByteRelay.open(hub.port);
  const place = { program, folder, hub, hubPort: relay.port, kubeconfig: cluster.kubeconfig, clusterId: "full" };
  await allowJoin(place);
  const memory = await benchFirstSync(place, relay, state, empty);
  await benchRestart(place, relay, state);
  await benchPeers(folder, cluster.kubeconfig, memory);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
