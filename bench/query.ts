// SPDX-License-Identifier: Apache-2.0
// Queries over 5 million rows of 300 clusters, by a user who sees 180 clusters and 20,000 namespaces of the others:
// page, exact total and four facets, beside SQLite, PostgreSQL and DuckDB with the same rows and answers. Budget, p99:
// 10 ms by cluster, namespace, kind, status and label, and 50 times faster than the best of them; 25 ms for all visible
// rows; 100 ms for parts of names. BENCH_ROWS sets the size; BENCH_ONLY=loop,restart,peers and
// BENCH_PEERS=sqlite,postgres,duckdb choose; BENCH_PEER_SECONDS is the time for the queries of one database.
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { dataPaths } from "../src/store/data-directory.ts";
import { benchRestart, registerClusters } from "./query/bench-restart.ts";
import { benchGrants } from "./query/compile-grants.ts";
import { generateFleet } from "./query/fill-log.ts";
import { createFleetShape, fullRowCount } from "./query/fleet-shape.ts";
import type { IndexFigures } from "./query/index-process.ts";
import type { OpenLoopFigures } from "./query/open-loop-process.ts";
import { installPeers } from "./query/peers/install-peers.ts";
import type { MissingPeer, PeerFigures } from "./query/peers/peer-process.ts";
import { reportIndex, reportOpenLoop, reportPeers } from "./query/report.ts";
import { runChild } from "./query/run-child.ts";
import { buildPackage } from "./support/built-package.ts";

const wantedCount = Number(process.env["BENCH_ROWS"] ?? fullRowCount);
const chosen = (process.env["BENCH_ONLY"] ?? "loop,restart,peers").split(",");
const peerNames = (process.env["BENCH_PEERS"] ?? "sqlite,postgres,duckdb").split(",");

const root = mkdtempSync(join(tmpdir(), "flotilla-bench-query-"));
// PostgreSQL runs as another user and reads the files of rows.
chmodSync(root, 0o711);
const hubFolder = join(root, "hub");
const [logFile, answersFile] = [dataPaths(hubFolder).fleetDb, join(root, "answers.json")];

const startedMs = performance.now();
function logProgress(what: string): void {
  console.log(`${what} after ${((performance.now() - startedMs) / 1_000).toFixed(0)} s`);
}

function entryOf(name: string): URL {
  return new URL(`./query/${name}.ts`, import.meta.url);
}

async function measurePeer(name: string, lineFiles: readonly string[]): Promise<PeerFigures | undefined> {
  const folder = join(root, name);
  mkdirSync(folder);
  try {
    const args = [name, folder, String(wantedCount), answersFile, ...lineFiles];
    const figures = await runChild<PeerFigures | MissingPeer>(entryOf("peers/peer-process"), args);
    if (!("missing" in figures)) return figures;
    console.log(`${name} is left out: ${figures.missing}`);
    return undefined;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measurePeers(index: IndexFigures, lineFiles: readonly string[]): Promise<void> {
  await installPeers();
  const peers: PeerFigures[] = [];
  for (const name of peerNames) {
    const figures = await measurePeer(name, lineFiles);
    if (figures !== undefined) peers.push(figures);
    logProgress(`${name} is done`);
  }
  reportPeers(index, peers);
}

try {
  mkdirSync(hubFolder, { mode: 0o700 });
  const { rowCount, lineFiles } = await generateFleet(root, logFile, wantedCount);
  logProgress(`${rowCount} rows are generated`);
  const logArgs = [logFile, String(wantedCount)];
  const index = await runChild<IndexFigures>(entryOf("index-process"), [...logArgs, answersFile], ["--expose-gc"]);
  if (index.rowCount !== rowCount) throw new Error(`the index has ${index.rowCount} rows of ${rowCount}`);
  reportIndex(index);
  benchGrants();
  if (chosen.includes("loop"))
    reportOpenLoop(await runChild<readonly OpenLoopFigures[]>(entryOf("open-loop-process"), logArgs));
  if (chosen.includes("restart")) {
    await registerClusters(hubFolder, createFleetShape(wantedCount));
    await benchRestart(await buildPackage(root), root, rowCount);
  }
  if (chosen.includes("peers")) await measurePeers(index, lineFiles);
  logProgress("everything is done");
} finally {
  rmSync(root, { recursive: true, force: true });
}
