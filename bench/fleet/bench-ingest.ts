// SPDX-License-Identifier: Apache-2.0
import { fork } from "node:child_process";
import { once } from "node:events";
import { reportPromise } from "../support/promise.ts";

interface IngestFigures {
  readonly rowCount: number;
  readonly flushCount: number;
  readonly rowsPerSecond: number;
  readonly rowsPerCpuSecond: number;
  readonly rowsPerThreadSecond: number;
  readonly readCount: number;
  readonly lateP99Ms: number;
  readonly lateMaxMs: number;
  readonly busyP99Ms: number;
  readonly busyMaxMs: number;
  readonly rssMib: number;
}

/** Ingest of so many clusters of 100,000 rows beside a reader. */
export async function benchIngest(folder: string, clusterCount: number): Promise<void> {
  const execArgv = (process.env["BENCH_INGEST_FLAGS"] ?? "").split(" ").filter((flag) => flag !== "");
  const child = fork(new URL("./ingest-process.ts", import.meta.url), [folder, String(clusterCount)], { execArgv });
  const failed = once(child, "exit").then(([code]) => Promise.reject(new Error(`ingest ended with ${code}`)));
  const [figures] = (await Promise.race([once(child, "message"), failed])) as [IngestFigures];
  failed.catch(() => undefined); // it has said what it found
  const { rowCount, rowsPerCpuSecond, rowsPerSecond, rowsPerThreadSecond, busyMaxMs, lateMaxMs } = figures;
  reportPromise({
    bench: "fleet",
    what: `ingest of ${rowCount} rows, rows a second of one core (all threads' time)`,
    ours: rowsPerCpuSecond,
    unit: "rows/s",
    against: { kind: "atLeast", value: 100_000 },
    more: { wallRowsPerSecond: rowsPerSecond, mainThreadRowsPerSecond: rowsPerThreadSecond, rssMib: figures.rssMib },
  });
  reportPromise({
    bench: "fleet",
    what: "longest work of the hub's thread between two reads",
    ours: busyMaxMs,
    unit: "ms",
    against: { kind: "atMost", value: 20 },
    more: { p99Ms: figures.busyP99Ms, readCount: figures.readCount },
  });
  reportPromise({
    bench: "fleet",
    what: "longest delay of a read by the clock on the wall",
    ours: lateMaxMs,
    unit: "ms",
    against: { kind: "atMost", value: 20 },
    more: { p99Ms: figures.lateP99Ms },
  });
}
