// SPDX-License-Identifier: Apache-2.0
// The two servers that are compared, each in processes of its own, and what can be read of those from outside.
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { startCluster } from "../../test/kubernetes/start-cluster.ts";
import { cpuMsOf, rssMibOf } from "./process-figures.ts";

/** A server that answers. */
export interface BenchServer extends AsyncDisposable {
  readonly port: number;
  /** PEM text. */
  readonly ca: string;
  /** Of an admin who may do everything. */
  readonly token: string;
  /** From the start of the first process until the server said that it is ready. */
  readonly startMs: number;
  /** Resident memory of all its processes. */
  readRssMib(): number;
  /** Processor time that they have used so far: what other work on the machine takes is not in it. */
  readCpuMs(): number;
}

const adminToken = "bench-admin-token";

/** Starts ours on the files of that folder. */
export async function startOurs(folder: string): Promise<BenchServer> {
  const startedMs = performance.now();
  const child = fork(new URL("./server-process.ts", import.meta.url), [folder, adminToken], {
    execArgv: (process.env["BENCH_SERVER_FLAGS"] ?? "").split(" ").filter((flag) => flag !== ""),
  });
  const { port, ca } = await readyMessage(child);
  const { pid = 0 } = child;
  return {
    port,
    ca,
    token: adminToken,
    startMs: performance.now() - startedMs,
    readRssMib: () => rssMibOf(pid),
    readCpuMs: () => cpuMsOf(pid),
    async [Symbol.asyncDispose]() {
      const ended = once(child, "exit");
      child.kill("SIGTERM");
      await ended;
    },
  };
}

async function readyMessage(child: ChildProcess): Promise<{ readonly port: number; readonly ca: string }> {
  const failed = once(child, "exit").then(([code]) => {
    throw new Error(`our server ended with code ${code} before it was ready`);
  });
  const [message] = (await Promise.race([once(child, "message"), failed])) as [{ port: number; ca: string }];
  failed.catch(() => undefined); // it is awaited by nobody once the server has answered
  return message;
}

/** Starts kube-apiserver and etcd, which syncs every write to the disk as ours does. */
export async function startReal(): Promise<BenchServer> {
  const startedMs = performance.now();
  const cluster = await startCluster({ durability: "fsync" });
  return {
    port: Number(new URL(cluster.url).port),
    ca: readFileSync(cluster.caFile, "utf8"),
    token: cluster.tokenOf("admin"),
    startMs: performance.now() - startedMs,
    readRssMib: () => cluster.programs.reduce((sum, { pid }) => sum + rssMibOf(pid), 0),
    readCpuMs: () => cluster.programs.reduce((sum, { pid }) => sum + cpuMsOf(pid), 0),
    [Symbol.asyncDispose]: () => cluster.stop(),
  };
}
