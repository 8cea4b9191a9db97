// SPDX-License-Identifier: Apache-2.0
// Queries over 5 million rows of 300 clusters, by a user who sees 180 clusters and 20,000 namespaces of the others:
// page, exact total and four facets, beside SQLite, PostgreSQL and DuckDB with the same rows and answers. Budget, p99:
// 10 ms by cluster, namespace, kind, status and label, and 50 times faster than the best of them; 25 ms for all visible
// rows; 100 ms for parts of names. BENCH_ROWS sets another number of rows, BENCH_PEERS=sqlite,postgres,duckdb chooses.
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { generateFleet } from "./query/fill-log.ts";
import { fullRowCount } from "./query/fleet-shape.ts";
import type { IndexFigures } from "./query/index-process.ts";
import { installPeers } from "./query/peers/install-peers.ts";
import type { MissingPeer, PeerFigures } from "./query/peers/peer-process.ts";
import { reportIndex, reportPeers } from "./query/report.ts";
import { runChild } from "./query/run-child.ts";

const wantedCount = Number(process.env["BENCH_ROWS"] ?? fullRowCount);
const peerNames = (process.env["BENCH_PEERS"] ?? "sqlite,postgres,duckdb").split(",").filter((name) => name !== "");

const root = mkdtempSync(join(tmpdir(), "flotilla-bench-query-"));
// PostgreSQL runs as another user and reads the files of rows.
chmodSync(root, 0o711);

async function measurePeer(
  name: string,
  answersFile: string,
  lineFiles: readonly string[],
): Promise<PeerFigures | undefined> {
  const folder = join(root, name);
  mkdirSync(folder);
  try {
    const entry = new URL("./query/peers/peer-process.ts", import.meta.url);
    const args = [name, folder, String(wantedCount), answersFile, ...lineFiles];
    const figures = await runChild<PeerFigures | MissingPeer>(entry, args);
    if (!("missing" in figures)) return figures;
    console.log(`${name} is left out: ${figures.missing}`);
    return undefined;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

try {
  const startedMs = performance.now();
  const passed = (): string => `${((performance.now() - startedMs) / 1_000).toFixed(0)} s`;
  const [logFile, answersFile] = [join(root, "fleet.db"), join(root, "answers.json")];
  const { rowCount, lineFiles } = await generateFleet(root, logFile, wantedCount);
  console.log(`${rowCount} rows are generated after ${passed()}`);
  const entry = new URL("./query/index-process.ts", import.meta.url);
  const index = await runChild<IndexFigures>(entry, [logFile, String(wantedCount), answersFile], ["--expose-gc"]);
  if (index.rowCount !== rowCount) throw new Error(`the index has ${index.rowCount} rows of ${rowCount}`);
  reportIndex(index);
  if (peerNames.length > 0) await installPeers();
  const peers: PeerFigures[] = [];
  for (const name of peerNames) {
    const figures = await measurePeer(name, answersFile, lineFiles);
    if (figures !== undefined) peers.push(figures);
    console.log(`${name} is done after ${passed()}`);
  }
  reportPeers(index, peers);
} finally {
  rmSync(root, { recursive: true, force: true });
}
