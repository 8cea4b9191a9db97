// SPDX-License-Identifier: Apache-2.0
// The hub with many clusters: ingest beside reads, how soon a change is seen, what sessions cost and how soon they are
// back, and a start with many rows. Budget: ingest >= 100,000 rows/s on one core while reads wait < 20 ms; change ->
// hub p99 <= 250 ms with 100 agents. In full: BENCH_SESSIONS=1000 BENCH_ROWS=5000000.
// BENCH_ONLY=ingest,latency,sessions,restart chooses.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { benchIngest } from "./fleet/bench-ingest.ts";
import { benchRestart } from "./fleet/bench-restart.ts";
import { benchLatency, benchSessions } from "./fleet/bench-sessions.ts";
import { BenchHub } from "./support/bench-hub.ts";
import { buildPackage } from "./support/built-package.ts";

const sessionCount = Number(process.env["BENCH_SESSIONS"] ?? 200);
const agentCount = Number(process.env["BENCH_AGENTS"] ?? 100);
const rowCount = Number(process.env["BENCH_ROWS"] ?? 1_000_000);
const ingestClusterCount = Number(process.env["BENCH_INGEST_CLUSTERS"] ?? 6);
const chosen = (process.env["BENCH_ONLY"] ?? "ingest,latency,sessions,restart").split(",");

/** Long enough for some thousand changes. */
const latencyMs = 20_000;

const root = mkdtempSync(join(tmpdir(), "flotilla-bench-fleet-"));
const makeFolder = (): string => mkdtempSync(join(root, "run-"));

async function onHub(program: string, work: (hub: BenchHub) => Promise<void>): Promise<void> {
  await using hub = new BenchHub(program, makeFolder());
  await hub.start();
  await work(hub);
}

try {
  const program = await buildPackage(root);
  if (chosen.includes("ingest")) await benchIngest(makeFolder(), ingestClusterCount);
  if (chosen.includes("latency")) await onHub(program, (hub) => benchLatency(hub, agentCount, latencyMs));
  if (chosen.includes("sessions")) await onHub(program, (hub) => benchSessions(hub, sessionCount));
  if (chosen.includes("restart")) await benchRestart(program, makeFolder(), rowCount);
} finally {
  rmSync(root, { recursive: true, force: true });
}
