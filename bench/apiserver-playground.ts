// SPDX-License-Identifier: Apache-2.0
// What playground clusters cost: one alone, and many in one `flotilla up`. BENCH_CLUSTERS says how many; 50 of them
// must fit on a machine of two processors and 8 GiB, and take three minutes here.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { benchPlaygroundCluster, benchPlaygroundFleet } from "./apiserver/bench-playground.ts";

const clusterCount = Number(process.env["BENCH_CLUSTERS"] ?? 50);

const root = mkdtempSync(join(tmpdir(), "flotilla-bench-playground-"));
const makeFolder = (): string => mkdtempSync(join(root, "run-"));
try {
  await benchPlaygroundCluster(makeFolder, "empty");
  await benchPlaygroundCluster(makeFolder, "scenario");
  await benchPlaygroundFleet(makeFolder, 1);
  await benchPlaygroundFleet(makeFolder, clusterCount);
} finally {
  rmSync(root, { recursive: true, force: true });
}
