// SPDX-License-Identifier: Apache-2.0
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** An API server with Pods that never change, in a process of its own. Close it. */
export interface BenchCluster extends AsyncDisposable {
  /** Leads to it, with any credential. */
  readonly kubeconfig: string;
}

/** Starts it. */
export async function startBenchCluster(root: string, podCount: number): Promise<BenchCluster> {
  const folder = mkdtempSync(join(root, "cluster-"));
  const child = fork(new URL("./api-server-process.ts", import.meta.url), [folder, String(podCount)], { execArgv: [] });
  const [{ port, caFile }] = (await once(child, "message")) as [{ readonly port: number; readonly caFile: string }];
  const kubeconfig = join(folder, "kubeconfig");
  const server = { server: `https://127.0.0.1:${port}`, "certificate-authority": caFile };
  writeFileSync(
    kubeconfig,
    JSON.stringify({
      apiVersion: "v1",
      kind: "Config",
      clusters: [{ name: "bench", cluster: server }],
      users: [{ name: "bench", user: { token: "bench" } }],
      contexts: [{ name: "bench", context: { cluster: "bench", user: "bench" } }],
      "current-context": "bench",
    }),
  );
  return {
    kubeconfig,
    async [Symbol.asyncDispose]() {
      const ended = once(child, "exit");
      child.kill("SIGTERM");
      await ended;
    },
  };
}
